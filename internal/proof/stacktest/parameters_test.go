package stacktest_test

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/store/secrets"
)

func TestTemplate_EveryParameterIsExplainedAndBounded(t *testing.T) {
	var asked []string
	for _, group := range at(t, "Metadata/AWS::CloudFormation::Interface/ParameterGroups").([]any) {
		asked = append(asked, words(group.(anything)["Parameters"])...)
	}
	slices.Sort(asked)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(at(t, "Parameters").(anything))), asked); diff != "" {
		t.Errorf("the groups have not each parameter once: %s", diff)
	}
	for name, each := range at(t, "Parameters").(anything) {
		parameter := each.(anything)
		explained := parameter["ConstraintDescription"] != nil
		if (parameter["AllowedPattern"] != nil) != explained || (parameter["AllowedValues"] == nil) != explained || !strings.HasSuffix(text(parameter["Description"]), ".") {
			t.Errorf("%s accepts any value, or is not explained: %v", name, parameter)
		}
		if regexp.MustCompile(`(?i)secret|password|token$`).MatchString(name) {
			t.Errorf("the secret %s would pass through CloudFormation", name)
		}
	}
}

// A mistake must stop the deployment, not the functions at their first request.
func TestTemplate_FunctionsAcceptEveryAllowedParameter(t *testing.T) {
	all := strings.Join(app.Toolsets(), ", ")
	for parameter, values := range map[string]struct{ taken, refused []string }{
		"PublicUrl":        {[]string{"", "https://mcp.example.com"}, []string{"mcp.example.com", "http://mcp.example.com", "https://mcp.example.com/mcp"}},
		"Toolsets":         {[]string{"", "basecamp", all}, []string{"everything", "basecamp,everything", "Basecamp", "basecamp tasks"}},
		"GitHubUrl":        {[]string{"", "https://github.com", "https://fernhill.ghe.com", "https://github.fernhill.example:8443"}, []string{"github.com", "http://github.com", "https://github.com/fernhill"}},
		"GitHubLockdown":   {[]string{"true", "false"}, []string{"", "yes"}},
		"ReadOnly":         {[]string{"true", "false"}, []string{"", "yes"}},
		"AllowedClients":   {[]string{"", "claude.ai, localhost, programs"}, []string{"https://claude.ai", "a b"}},
		"UserAgentContact": {[]string{"ops@fernhill.example", "https://fernhill.example/ops"}, []string{"", "ops", "http://fernhill.example", "ops, it@fernhill.example"}},
		"BasecampApiUrl":   {[]string{"https://3.basecampapi.com", "sandbox"}, []string{"", "3.basecampapi.com", "https://3.basecampapi.com/1"}},
		"AllowedAccounts":  {[]string{"*", "1234567", "1234567, 89"}, []string{"", "*,12", "fernhill", "0"}},
		"DomainName":       {[]string{"", "mcp.example.com"}, []string{"localhost", "https://mcp.example.com", "MCP.example.com", "mcp.example.com."}},
		"CertificateArn":   {[]string{"", "arn:aws-cn:acm:cn-north-1:1:certificate/1"}, []string{"certificate", "arn:aws:iam::1:server-certificate/1"}},
		"HostedZoneId":     {[]string{"", "Z08"}, []string{"/hostedzone/Z08", "example.com"}},
		"AlarmEmail":       {[]string{"", "ops@fernhill.example"}, []string{"ops", "ops@fernhill.example, it@fernhill.example"}},
		"ExistingTable":    {[]string{"", "name-restored", "a.b_c-1"}, []string{"ab", "two words", "arn:aws:dynamodb:eu-central-1:1:table/name"}},
		"TokenStore":       {[]string{"secrets", "envelope"}, []string{"", "table", "Envelope"}},
	} {
		for _, value := range values.taken {
			if _, err := configured(t, map[string]string{"GitHubUrl": "https://github.com", parameter: value}); err != nil || !takes(t, parameter, value) {
				t.Errorf("%s=%q: %v", parameter, value, err)
			}
		}
		for _, value := range values.refused {
			if takes(t, parameter, value) {
				t.Errorf("%s=%q is accepted", parameter, value)
			}
		}
	}
}

// takes reports whether a parameter allows a value. The pattern of a list applies to each
// entry, without the blanks around it.
func takes(t *testing.T, parameter, value string) bool {
	t.Helper()
	p := parsed(t)["Parameters"].(anything)[parameter].(anything)
	if values := p["AllowedValues"]; values != nil {
		return slices.Contains(words(values), value)
	}
	entries := []string{value}
	if p["Type"] == "CommaDelimitedList" {
		entries = strings.Split(value, ",")
	}
	pattern := regexp.MustCompile(p["AllowedPattern"].(string))
	return !slices.ContainsFunc(entries, func(entry string) bool { return !pattern.MatchString(strings.TrimSpace(entry)) })
}

// configured returns the configuration that the functions read for these parameters and the
// defaults of the others.
func configured(t *testing.T, parameters map[string]string) (config.Config, error) {
	t.Helper()
	document, s := parsed(t), readStack(t)
	variables := maps.Clone(global(t)["Environment"].(anything)["Variables"].(anything))
	for _, function := range s.functions() {
		if own, ok := s.properties(function)["Environment"].(anything); ok {
			maps.Copy(variables, own["Variables"].(anything))
		}
	}
	return config.Load(func(name string) string {
		said := strings.TrimPrefix(text(variables[name]), "!If [HasPublicUrl, ")
		if github, ok := strings.CutPrefix(said, "!If [HasGitHub, "); ok {
			if parameters["GitHubUrl"] == "" {
				return ""
			}
			said = github
		}
		parameter := strings.Trim(strings.TrimPrefix(said, `!Join [",", `), "]")
		parameter, _, _ = strings.Cut(strings.TrimPrefix(parameter, "!Ref "), ",")
		if parameter == "GitHubSecret" {
			return parameter
		}
		if value, ok := parameters[parameter]; ok {
			return value
		}
		p, _ := document["Parameters"].(anything)[parameter].(anything)
		return text(p["Default"])
	}, app.Toolsets())
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func TestTemplate_HasTheDefaultsOfTheFunctions(t *testing.T) {
	got, err := configured(t, map[string]string{"AllowedAccounts": "*", "UserAgentContact": "ops@fernhill.example"})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := config.Load(func(name string) string {
		return map[string]string{"ALLOWED_ACCOUNTS": "*", "USER_AGENT_CONTACT": "ops@fernhill.example"}[name]
	}, app.Toolsets())
	if err != nil {
		t.Fatal(err)
	}
	got.AWS = plain.AWS // names of resources have no default
	if diff := cmp.Diff(plain, got); diff != "" {
		t.Errorf("the defaults differ (-functions +template):\n%s", diff)
	}
	if _, err := configured(t, map[string]string{"Toolsets": "github"}); err == nil {
		t.Error("functions accept the toolset without GitHub")
	}
	if _, err := configured(t, map[string]string{"Toolsets": "github", "BasecampApiUrl": "sandbox"}); err != nil {
		t.Errorf("the demo: %v", err)
	}
}

// A shell keeps command lines in its history, and the system shows them in its list of processes.
func TestTemplate_SetupCommandsReadTheCredentialsFromTheirInput(t *testing.T) {
	environment, manager, _ := awsCLI(t)
	const stored = `{"client_id":"4711","client_secret":"s3cret"}`
	for output, secret := range map[string]string{"SetupCommand": "ApplicationSecret", "GitHubSetupCommand": "GitHubSecret"} {
		if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: &secret}); err != nil {
			t.Fatal(err)
		}
		line := strings.TrimPrefix(text(parsed(t)["Outputs"].(anything)[output].(anything)["Value"]), "!Sub ")
		line = strings.NewReplacer("${AWS::Region}", "eu-central-1", "${"+secret+"}", secret).Replace(line)
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Env, command.Stdin = environment, strings.NewReader(stored+"\n")
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, said)
		}
		id, password, err := secrets.NewApplication(manager, secret).Credentials(t.Context())
		if err != nil || id != "4711" || password != "s3cret" {
			t.Errorf("%s stored %q, %q, %v", output, id, password, err)
		}
	}
}
