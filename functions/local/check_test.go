package main

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/stacktest"
)

func TestCheck_KnowsTheParametersOfTheTemplateAndTheirVariables(t *testing.T) {
	text, err := stacktest.Text()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := stacktest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	parameters := parsed.(map[string]any)["Parameters"].(map[string]any)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(parameters)), slices.Sorted(maps.Keys(variables))); diff != "" {
		t.Fatalf("the parameters of the template and variables differ: %s", diff)
	}
	for name, variable := range variables {
		if variable != "" && !regexp.MustCompile(`(?m)^ +`+variable+`: .*\b`+name+`\b`).MatchString(text) {
			t.Errorf("the template does not set %s by %s", variable, name)
		}
		if _, hasDefault := parameters[name].(map[string]any)["Default"]; hasDefault == slices.Contains(required, name) {
			t.Errorf("required lists %s: %t", name, !hasDefault)
		}
	}
}

func TestCheck_NamesWhatTheFunctionsWouldRefuse(t *testing.T) {
	two := []string{"AllowedAccounts=1234567, 89", "UserAgentContact=https://example.com/it?a=b&c='$HOME'"}
	for name, test := range map[string]struct {
		arguments []string
		want      string // "" if they are accepted
	}{
		"a new stack":             {append([]string{"-new"}, two...), ""},
		"an upgrade":              {nil, ""},
		"a kept GitHub":           {[]string{"Toolsets=basecamp,github"}, ""},
		"a domain":                {[]string{"DomainName=mcp.example.com", "AlarmEmail="}, ""},
		"no certificate":          {append([]string{"-new", "DomainName=mcp.example.com"}, two...), "CertificateArn is missing"},
		"no certificate any more": {[]string{"DomainName=mcp.example.com", "CertificateArn="}, "CertificateArn is missing"},
		"nothing for a new stack": {[]string{"-new"}, "AllowedAccounts is missing\nUserAgentContact is missing"},
		"no contact":              {[]string{"-new", "AllowedAccounts=*", "BasecampApiUrl=sandbox"}, "UserAgentContact is missing"},
		"an empty list":           {[]string{"AllowedAccounts= "}, "AllowedAccounts is missing"},
		"two wrong values":        {[]string{"AllowedAccounts=basecamp", "ReadOnly=yes"}, "ReadOnly must be true or false; AllowedAccounts must be the IDs of"},
		"a wrong domain":          {[]string{"DomainName=mcp.example.com/mcp"}, "PublicUrl must be an origin"},
		"no GitHub":               {append([]string{"-new", "Toolsets=github"}, two...), "Toolsets must be without github"},
		"GitHub taken away":       {[]string{"GitHubUrl=", "Toolsets=github"}, "by GitHubUrl"},
		"a misspelt name":         {[]string{"Toolset=tasks"}, `"Toolset" is not a parameter; the parameters are AlarmEmail, AllowedAccounts,`},
		"no value":                {[]string{"ReadOnly"}, `"ReadOnly" is not a parameter`},
		"twice":                   {[]string{"ReadOnly=true", "ReadOnly=false"}, "ReadOnly is given twice"},
		"a quote":                 {[]string{`UserAgentContact=https://example.com/"`}, "UserAgentContact must not contain double quotes"},
		"an empty table":          {[]string{"ExistingTable="}, "ExistingTable must be the name of a table"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"check"}, test.arguments...), nil, io.Discard)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// fakeAWS is an AWS CLI and a SAM CLI: it writes the arguments of sam to a file, each in a line.
const fakeAWS = `#!/bin/sh
case $0 in
*/aws) [ -z "$NO_STACK" ] || { echo "Stack with id $4 does not exist" >&2; exit 254; } ;;
*) [ -z "$MAKEFLAGS" ] || exit 4 # the make of sam build would read the values
   printf '%s\n' "$@" >>"$RECORD" ;;
esac
`

func TestMakeDeploy_PassesValuesUnreadAndOnlyThoseThatAreGiven(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || testing.Short() {
		t.Skip("needs make, and compiles this program")
	}
	programs := t.TempDir()
	for _, name := range []string{"aws", "sam"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte(fakeAWS), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	witness := filepath.Join(programs, "touched")
	strange := "https://example.com/*,'$HOME'&$$;`touch${IFS}" + witness + "`#${shell touch " + witness + "}"
	const deploy = "build\ndeploy\n--stack-name\nbasecamp-mcp\n"
	for name, test := range map[string]struct {
		arguments, env []string
		want, says     string // what sam is asked; "" if it is not run, because of what says
	}{
		"a new stack": {[]string{"ACCOUNTS=1234567, 89", "CONTACT=" + strange, "AllowedClients="}, []string{"NO_STACK=1"},
			deploy + "--parameter-overrides\nAllowedAccounts=\"1234567, 89\"\nAllowedClients=\"\"\nUserAgentContact=\"" + strange + "\"\n", ""},
		"an upgrade":          {nil, []string{"ACCOUNTS=4711"}, deploy, ""},
		"another stack":       {[]string{"STACK=second", "AllowedAccounts=*"}, nil, "build\ndeploy\n--stack-name\nsecond\n--parameter-overrides\nAllowedAccounts=\"*\"\n", ""},
		"nothing given":       {nil, []string{"NO_STACK=1"}, "", "AllowedAccounts is missing"},
		"a misspelt name":     {[]string{"ACCOUNT=1"}, nil, "", `"ACCOUNT" is not a parameter`},
		"a name alone":        {[]string{"ReadOnly"}, nil, "", "make deploy takes only Name=value"},
		"a command as value":  {[]string{"ReadOnly=$(shell touch " + witness + ")"}, nil, "", "ReadOnly must be true or false"},
		"only shown, with -n": {[]string{"-n", "ReadOnly=true"}, nil, "", "sam deploy"},
	} {
		t.Run(name, func(t *testing.T) {
			record := filepath.Join(t.TempDir(), "record")
			command := exec.CommandContext(t.Context(), "make", append([]string{"--no-print-directory", "--directory", "../..", "deploy"}, test.arguments...)...)
			command.Env = append(os.Environ(), append(test.env, "RECORD="+record, "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))...)
			said, err := command.CombinedOutput()
			if shown := name == "only shown, with -n"; (err == nil) != (test.want != "" || shown) || !strings.Contains(string(said), test.says) {
				t.Errorf("%v\n%s", err, said)
			}
			asked, _ := os.ReadFile(record)
			lines := strings.Split(string(asked), "\n")
			if at := slices.Index(lines, "--parameter-overrides"); at >= 0 {
				slices.Sort(lines[at+1 : len(lines)-1])
			}
			if diff := cmp.Diff(test.want, strings.Join(lines, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := os.Stat(witness); err == nil {
		t.Error("a value was run as a command")
	}
}
