package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const template = "../../../template.yaml"

// TestMain makes the test's program a SAM CLI that writes its arguments to a file, and an AWS CLI
// that describes tables and stacks.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "aws") {
		os.Exit(answerAsAWS())
	}
	if record := os.Getenv("SAM_RECORD"); record != "" {
		os.Exit(recordArguments(record))
	}
	os.Exit(m.Run())
}

func recordArguments(path string) int {
	if os.Getenv("MAKEFLAGS") != "" {
		return 4 // the make of sam build would read the settings
	}
	line, err := json.Marshal(os.Args[1:])
	if err != nil {
		return 3
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 3
	}
	if _, err := f.Write(append(line, '\n')); err != nil || f.Close() != nil {
		return 3
	}
	if len(os.Args) > 1 && os.Args[1] == "build" {
		fmt.Print("Build Succeeded\n\nCommands you can use next\n=====\n[*] Deploy: sam deploy --guided\n")
	}
	if len(os.Args) > 1 && os.Args[1] == os.Getenv("SAM_FAILS") {
		return 1
	}
	return 0
}

// samRecorder puts that SAM CLI on the PATH, and returns a function that reads the arguments.
func samRecorder(t *testing.T) func() [][]string {
	t.Helper()
	dir := t.TempDir()
	become(t, filepath.Join(dir, "sam"))
	become(t, filepath.Join(dir, "aws"))
	record := filepath.Join(dir, "record")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SAM_RECORD", record)
	t.Setenv("CONFIGURED_REGION", "eu-central-1")
	t.Setenv("MAKEFLAGS", "k")
	return func() (calls [][]string) {
		text, _ := os.ReadFile(record)
		for line := range bytes.Lines(text) {
			var call []string
			if err := json.Unmarshal(line, &call); err != nil {
				t.Fatal(err)
			}
			calls = append(calls, call)
		}
		return calls
	}
}

// become makes a copy of the test's program.
func become(t *testing.T, path string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.Link(program, path); err != nil {
		copied, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, copied, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// deployed runs the command with these settings and returns what it prints.
func deployed(t *testing.T, directory string, set map[string]string, arguments ...string) (string, error) {
	t.Helper()
	return answered(t, "", directory, set, arguments...)
}

// answered runs the command with these settings and an operator who enters a text.
func answered(t *testing.T, answer, directory string, set map[string]string, arguments ...string) (string, error) {
	t.Helper()
	arguments = append(arguments, "-template", template, "-answers", directory)
	for name := range set {
		if !strings.HasPrefix(name, "AWS_") {
			arguments = append(arguments, name)
		}
	}
	var out bytes.Buffer
	err := run(t.Context(), arguments, func(name string) string { return set[name] }, strings.NewReader(answer), &out)
	return out.String(), err
}

var two = map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com"}

func TestDeploy_TakesTwoSettingsAndAnUpgradeNone(t *testing.T) {
	asked := samRecorder(t)
	directory := filepath.Join(t.TempDir(), "answers")
	if _, err := deployed(t, directory, map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "AWS_REGION": "eu-central-1"}); err != nil {
		t.Fatal(err)
	}
	deploy := []string{
		"deploy", "--stack-name", "basecamp-mcp", "--region", "eu-central-1", "--no-confirm-changeset", "--no-fail-on-empty-changeset",
		"--parameter-overrides", `AllowedAccounts="1234567"`, `UserAgentContact="you@example.com"`,
	}
	first := [][]string{{"build"}, deploy}
	if diff := cmp.Diff(first, asked()); diff != "" {
		t.Error(diff)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Join(directory, "basecamp-mcp.conf")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the settings are kept with %v, %v", info, err)
		}
	}
	if _, err := deployed(t, directory, map[string]string{"AWS_REGION": "us-east-1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(first, first...), asked()); diff != "" {
		t.Errorf("the upgrade: %s", diff)
	}
	pasted := map[string]string{"ACCOUNTS": " 1234567\n", "CONTACT": "\u00a0you@example.com\u2028"}
	if _, err := deployed(t, directory, pasted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"build"}, deploy}, asked()[4:]); diff != "" {
		t.Errorf("values with blanks around them: %s", diff)
	}
}

func TestDeploy_TakesEveryParameterOfTheTemplateAndKeepsIt(t *testing.T) {
	asked := samRecorder(t)
	directory := t.TempDir()
	for _, set := range []map[string]string{
		{"ACCOUNTS": "1, 2", "CONTACT": "https://example.com/it?a=b&c=$HOME;`id`", "STACK": "team", "PROFILE": "my work"},
		{"AllowedOrigins": "https://a.example, https://b.example", "Toolsets": "basecamp,tasks", "Fence": `{"no_pings": true, "ask": ["trash"]}`},
		{"AlarmEmail": "", "Toolsets": ""},
	} {
		if _, err := deployed(t, directory, set); err != nil {
			t.Fatal(err)
		}
	}
	calls := asked()
	if diff := cmp.Diff([]string{
		"deploy", "--stack-name", "team", "--profile", "my work", "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--parameter-overrides",
		`AlarmEmail=""`, `AllowedAccounts="1, 2"`, `AllowedOrigins="https://a.example, https://b.example"`, `Fence="{\"no_pings\": true, \"ask\": [\"trash\"]}"`, `Toolsets=""`,
		"UserAgentContact=\"https://example.com/it?a=b&c=$HOME;`id`\"",
	}, calls[len(calls)-1]); diff != "" {
		t.Error(diff)
	}
}

func TestDeploy_RefusesBeforeItBuilds(t *testing.T) {
	kept := t.TempDir()
	for name, text := range map[string]string{"one.conf": "AllowedAccounts=1\nUserAgentContact=a@b.example\n", "two.conf": "", "three.conf": "garbage\n", "four.conf": "Removed=1\nAllowedAccounts=1\nUserAgentContact=a@b.example\n"} {
		if err := os.WriteFile(filepath.Join(kept, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		set  map[string]string
		want []string
	}{
		"nothing given":          {nil, []string{"ACCOUNTS is missing", "CONTACT is missing", "make deploy ACCOUNTS=1234567 CONTACT=you@example.com"}},
		"no contact":             {map[string]string{"ACCOUNTS": "1234567"}, []string{"CONTACT is missing: must be an email address"}},
		"two invalid values":     {map[string]string{"ACCOUNTS": "basecamp", "CONTACT": "me"}, []string{"AllowedAccounts=basecamp: must be account IDs", "UserAgentContact=me: must be"}},
		"a value of a list":      {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "Tracing": "on"}, []string{"Tracing=on: must be one of PassThrough, Active"}},
		"a rate of 0":            {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "McpLimits": "0,40"}, []string{"McpLimits=0,40: must be two numbers from 1 to 5000"}},
		"no number":              {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "MachineDays": "many"}, []string{"MachineDays=many: must be a whole number"}},
		"too many days":          {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "UndoDays": "15"}, []string{"UndoDays=15: must be at most 14"}},
		"too few days":           {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "MachineDays": "-1"}, []string{"MachineDays=-1: must be at least 0"}},
		"one of several values":  {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "Toolsets": "tasks,all"}, []string{"Toolsets=tasks,all: must be some of"}},
		"a quote":                {map[string]string{"ACCOUNTS": "1", "CONTACT": `https://a.example/"`}, []string{"must not contain quotes"}},
		"a blank within":         {map[string]string{"ACCOUNTS": "1", "CONTACT": "a b@c.example"}, []string{"UserAgentContact=a b@c.example: must be"}},
		"a second line":          {map[string]string{"ACCOUNTS": "1", "CONTACT": "https://a.example/\nx"}, []string{"must not contain quotes, backslashes or line breaks"}},
		"an option for a region": {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "REGION": "--debug"}, []string{"REGION=--debug"}},
		"a path for a stack":     {map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "STACK": "../x"}, []string{"STACK=../x: must be letters"}},
		"a misspelt setting":     {map[string]string{"ACCOUNT": "1"}, []string{`"ACCOUNT" is not a setting; the settings are ACCOUNTS, CONTACT, STACK`}},
		"no name of a setting":   {map[string]string{"Bogus": "1"}, []string{"DeletionProtection, DomainName"}},
		"several stacks":         {map[string]string{"KEPT": ""}, []string{"choose one with STACK=, of four, one, three, two"}},
		"a damaged file":         {map[string]string{"KEPT": "", "STACK": "three"}, []string{`"garbage" is not Name=value`}},
		"a removed parameter":    {map[string]string{"KEPT": "", "STACK": "four"}, []string{"the template has no parameter Removed"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			directory := filepath.Join(t.TempDir(), "answers")
			if _, ok := test.set["KEPT"]; ok {
				directory = kept
				delete(test.set, "KEPT")
			}
			_, err := deployed(t, directory, test.set)
			if err == nil {
				t.Fatal("it deployed")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %s", err, want)
				}
			}
			if calls := asked(); len(calls) > 0 {
				t.Errorf("it ran %v", calls)
			}
			if _, err := os.Stat(directory); err == nil && directory != kept {
				t.Error("it kept the settings")
			}
		})
	}
}

func TestDeploy_KeepsTheSettingsOfAFailedDeployment(t *testing.T) {
	asked := samRecorder(t)
	t.Setenv("SAM_FAILS", "deploy")
	directory := t.TempDir()
	if _, err := deployed(t, directory, two); err == nil || !strings.Contains(err.Error(), "sam deploy") {
		t.Errorf("the error is %v", err)
	}
	t.Setenv("SAM_FAILS", "build")
	if _, err := deployed(t, directory, nil); err == nil || !strings.Contains(err.Error(), "sam build") {
		t.Errorf("the error is %v", err)
	}
	if calls := asked(); len(calls) != 3 {
		t.Errorf("it ran %v; a failed build must not be deployed", calls)
	}
}

func TestDeploy_TellsTheCommandThatUpgradesTheStack(t *testing.T) {
	samRecorder(t)
	for stack, want := range map[string]string{"": "git pull && make deploy\n", "team": "git pull && make deploy STACK=team\n"} {
		said, err := deployed(t, t.TempDir(), map[string]string{"STACK": stack, "ACCOUNTS": "1", "CONTACT": "you@example.com"})
		if err != nil || !strings.Contains(said, "To upgrade: "+want) {
			t.Errorf("STACK=%s: %v, %s", stack, err, said)
		}
	}
}

func TestDeploy_SaysThatTheSAMCLIIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := deployed(t, t.TempDir(), two); err == nil || !strings.Contains(err.Error(), "install it as docs/deploy.md says") {
		t.Errorf("the error is %v", err)
	}
}

func TestDryRun_PrintsTheCommandsForAShell(t *testing.T) {
	asked := samRecorder(t)
	directory := filepath.Join(t.TempDir(), "answers")
	said, err := deployed(t, directory, map[string]string{"ACCOUNTS": "1, 2", "CONTACT": "https://example.com/$HOME"}, "-n")
	want := "sam build\nsam deploy --stack-name basecamp-mcp --no-confirm-changeset --no-fail-on-empty-changeset --parameter-overrides " +
		`'AllowedAccounts="1, 2"' 'UserAgentContact="https://example.com/$HOME"'` + "\n"
	if err != nil || said != want {
		t.Errorf("%s%v", cmp.Diff(want, said), err)
	}
	if calls := asked(); len(calls) > 0 {
		t.Errorf("it ran %v", calls)
	}
	if _, err := os.Stat(directory); err == nil {
		t.Error("it kept the settings")
	}
}

func TestDryRun_PrintsTheCommandOfTheDocument(t *testing.T) {
	samRecorder(t)
	said, err := deployed(t, t.TempDir(), two, "-n")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if !strings.Contains(strings.ReplaceAll(string(page), " \\\n ", ""), "\n"+command+"\n") {
		t.Errorf("docs/deploy.md does not show %s", command)
	}
}

func TestQuoted_IsOneWordForAShell(t *testing.T) {
	for word, want := range map[string]string{"": "''", "a-b_1": "a-b_1", "a b": "'a b'", "$(id)": "'$(id)'", "it's": `'it'\''s'`, "ä": "'ä'", "*": "'*'"} {
		if got := quoted([]string{word}); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// make passes values as they are: neither make nor a shell may read them.
func TestMakeDeploy_PassesValuesUnread(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs make; run make integration, or set INTEGRATION=1")
	}
	asked := samRecorder(t)
	directory := t.TempDir()
	witness := filepath.Join(t.TempDir(), "touched")
	contact := "https://example.com/$(shell${IFS}touch${IFS}" + witness + ");`touch${IFS}" + witness + "`&$$HOME#"
	contact = strings.NewReplacer("(", "{", ")", "}").Replace(contact)
	for _, options := range [][]string{{"-n"}, nil} {
		arguments := append([]string{"--no-print-directory", "--directory", "../../..", "deploy", "ANSWERS=" + directory, "ACCOUNTS=1234567", "CONTACT=" + contact}, options...)
		if said, err := exec.CommandContext(t.Context(), "make", arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if calls := asked(); options != nil && len(calls) > 0 {
			t.Errorf("make -n ran %v", calls)
		}
	}
	calls := asked()
	if len(calls) != 2 || calls[1][len(calls[1])-1] != `UserAgentContact="`+contact+`"` {
		t.Errorf("sam was asked %v", calls)
	}
	refused := exec.CommandContext(t.Context(), "make", "--directory", "../../..", "deploy", "ANSWERS="+directory, "CONTACT=$(shell touch "+witness+")")
	if said, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(said), "UserAgentContact=$(shell touch") {
		t.Errorf("%v\n%s", err, said)
	}
	if _, err := os.Stat(witness); err == nil {
		t.Error("a value was run as a command")
	}
}
