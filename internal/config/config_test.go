package config

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestLoad_AnEmptyEnvironmentMeansTheRealBasecamp(t *testing.T) {
	got, err := Load(environment(), nil)
	want := Config{
		BasecampURL: "https://3.basecampapi.com", LaunchpadURL: "https://launchpad.37signals.com",
		GitHub: GitHub{URL: "https://github.com", APIURL: "https://api.github.com"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Load: %v, -want +got:\n%s", err, diff)
	}
}

func TestLoad_ReadsEveryVariable(t *testing.T) {
	got, err := Load(environment(
		"PUBLIC_URL", "https://MCP.fernhill.example/",
		"TOOLSETS", " basecamp, tasks ,",
		"READ_ONLY", "true",
		"BASECAMP_API_URL", "sandbox",
		"LAUNCHPAD_URL", "http://127.0.0.1:9000",
		"USER_AGENT_CONTACT", "ines@fernhill.example",
		"LOG_LEVEL", "debug",
		"BASECAMP_ACCESS_TOKEN", "secret",
		"BASECAMP_ACCOUNT_ID", "9007199254740993",
		"BASECAMP_CLIENT_ID", "client",
		"BASECAMP_CLIENT_SECRET", "client",
		"ALLOWED_ACCOUNTS", "5094412, 9007199254740993",
		"ALLOWED_CLIENTS", "Claude.ai, localhost, programs",
		"GITHUB_LOCKDOWN", "true",
		"GITHUB_URL", "https://GitHub.fernhill.example/",
		"GITHUB_API_URL", "https://proxy.fernhill.example/github/api/v3/",
		"GITHUB_SECRET", "basecamp-mcp/github",
		"GITHUB_CLIENT_ID", "hub-client",
		"GITHUB_CLIENT_SECRET", "hub-secret",
		"GITHUB_ACCESS_TOKEN", "hub-token",
		"TABLE_NAME", "basecamp-mcp",
		"SECRET_PREFIX", "basecamp-mcp/",
		"LAUNCHPAD_SECRET", "basecamp-mcp/launchpad",
		"TOKEN_STORE", "envelope",
		"KEY_RING_SECRET", "arn:aws:secretsmanager:eu-central-1:123456789012:secret:ring-1a2b3c",
		"AWS_REGION", "eu-central-1",
		"AWS_ACCESS_KEY_ID", "AKIA",
		"AWS_SECRET_ACCESS_KEY", "key",
		"AWS_SESSION_TOKEN", "session",
		"AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8000",
		"AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:5000",
	), []string{"basecamp", "tasks", "todolist"})
	want := Config{
		PublicURL:    "https://mcp.fernhill.example",
		Toolsets:     []string{"basecamp", "tasks"},
		ReadOnly:     true,
		BasecampURL:  Sandbox,
		LaunchpadURL: "http://127.0.0.1:9000",
		Contact:      "ines@fernhill.example",
		LogLevel:     slog.LevelDebug,
		AccessToken:  "secret",
		AccountID:    9007199254740993,
		ClientID:     "client",
		ClientSecret: "client",

		AllowedAccounts: []int64{5094412, 9007199254740993},
		AllowedClients:  []string{"claude.ai", "localhost", "programs"},
		GitHub: GitHub{
			URL: "https://github.fernhill.example", APIURL: "https://proxy.fernhill.example/github/api/v3", Secret: "basecamp-mcp/github",
			ClientID: "hub-client", ClientSecret: "hub-secret", AccessToken: "hub-token", Lockdown: true,
		},
		AWS: AWS{
			Table: "basecamp-mcp", SecretPrefix: "basecamp-mcp/", LaunchpadSecret: "basecamp-mcp/launchpad",
			SealsTokens: true, KeyRing: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:ring-1a2b3c",
			Region: "eu-central-1", AccessKeyID: "AKIA", SecretAccessKey: "key", SessionToken: "session",
			DynamoDB: "http://127.0.0.1:8000", SecretsManager: "http://127.0.0.1:5000",
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Load: %v, -want +got:\n%s", err, diff)
	}
}

func TestLoad_NamesEveryBadVariableInOneLineAndRepeatsNoValue(t *testing.T) {
	bad := []string{
		"PUBLIC_URL", "http://fernhill.example",
		"TOOLSETS", "basecamp,s3cret",
		"READ_ONLY", "yes",
		"BASECAMP_API_URL", "https://user:s3cret@api.example",
		"LAUNCHPAD_URL", "https://launchpad.example/path?s3cret",
		"USER_AGENT_CONTACT", "s3cret",
		"LOG_LEVEL", "loud",
		"BASECAMP_ACCESS_TOKEN", "two s3cret",
		"BASECAMP_ACCOUNT_ID", "-1",
		"ALLOWED_ACCOUNTS", "12,s3cret",
		"ALLOWED_CLIENTS", "https://s3cret/",
		"TABLE_NAME", "two s3cret",
		"TOKEN_STORE", "s3cret",
		"KEY_RING_SECRET", "two s3cret",
		"GITHUB_LOCKDOWN", "s3cret",
		"GITHUB_URL", "https://github.example/s3cret",
		"GITHUB_API_URL", "https://api.github.example/?s3cret",
		"GITHUB_ACCESS_TOKEN", "two s3cret",
		"GITHUB_SECRET", "two s3cret",
		"AWS_ENDPOINT_URL_DYNAMODB", "s3cret",
	}
	_, err := Load(environment(bad...), []string{"basecamp"})
	if err == nil {
		t.Fatal("Load accepted it all")
	}
	for i := 0; i < len(bad); i += 2 {
		if !strings.Contains(err.Error(), bad[i]+" must be") {
			t.Errorf("%q does not name %s", err, bad[i])
		}
	}
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%q has a line break or a value in it", err)
	}
}

func TestLoadFunction_NamesMissingAndInvalidVariables(t *testing.T) {
	needed := []string{
		"USER_AGENT_CONTACT", "ALLOWED_ACCOUNTS", "TABLE_NAME", "SECRET_PREFIX", "LAUNCHPAD_SECRET",
		"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	}
	for name, env := range map[string]func(string) string{
		"nothing": environment(),
		"blanks":  func(string) string { return " \n" },
		"garbage": environment("READ_ONLY", "s3cret", "TABLE_NAME", "two s3cret", "ALLOWED_ACCOUNTS", "s3cret"),
		"commas":  environment("ALLOWED_ACCOUNTS", " , ,"),
	} {
		_, err := LoadFunction(env, nil)
		if err == nil {
			t.Fatalf("%s: LoadFunction accepted it", name)
		}
		for _, variable := range needed {
			if strings.Count(err.Error(), variable+" must be") != 1 {
				t.Errorf("%s: %q does not name %s once", name, err, variable)
			}
		}
		if strings.Contains(err.Error(), "READ_ONLY") != (name == "garbage") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %q", name, err)
		}
	}
	if _, err := LoadFunction(environment("BASECAMP_API_URL", "sandbox"), nil); err != nil {
		t.Errorf("the demo needs nothing: %v", err)
	}
}

func TestLoadFunction_SealsTokensOnlyWithAKeyRing(t *testing.T) {
	set := []string{
		"USER_AGENT_CONTACT", "ops@fernhill.example", "ALLOWED_ACCOUNTS", "*", "TABLE_NAME", "t", "SECRET_PREFIX", "p/", "LAUNCHPAD_SECRET", "l",
		"AWS_REGION", "eu-central-1", "AWS_ACCESS_KEY_ID", "AKIA", "AWS_SECRET_ACCESS_KEY", "key",
	}
	for _, test := range []struct {
		store, ring string
		seals       bool
		want        string // in the error; "" for none
	}{
		{"", "", false, ""}, {"secrets", "", false, ""}, {"envelope", "ring", true, ""},
		{"envelope", "", true, "KEY_RING_SECRET must be set, because TOKEN_STORE is envelope"},
		{"table", "ring", false, "TOKEN_STORE must be secrets or envelope"},
	} {
		c, err := LoadFunction(environment(append(slices.Clone(set), "TOKEN_STORE", test.store, "KEY_RING_SECRET", test.ring)...), nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v", test, err)
		}
		if c.AWS.SealsTokens != test.seals || c.AWS.KeyRing != test.ring {
			t.Errorf("%+v: %+v", test, c.AWS)
		}
	}
}

func TestLoad_RejectsValuesThatWouldHaveNoEffect(t *testing.T) {
	for _, bad := range [][2]string{
		{"PUBLIC_URL", "https://:443"}, {"PUBLIC_URL", "https://fernhill.example:"}, {"PUBLIC_URL", `https://a"b`}, {"PUBLIC_URL", "https://[::1"},
		{"LOG_LEVEL", "ERROR+9"}, {"SECRET_PREFIX", "fernhill"},
		{"ALLOWED_ACCOUNTS", "99999999999999999999"}, {"ALLOWED_ACCOUNTS", "12,*"}, {"READ_ONLY", "TRUE"}, {"PUBLIC_URL", "https://a\nb"},
	} {
		if _, err := Load(environment(bad[0], bad[1]), nil); err == nil || !strings.Contains(err.Error(), bad[0]+" must be") {
			t.Errorf("%s=%q: %v", bad[0], bad[1], err)
		}
	}
}

func TestConfig_LogsWithoutItsToken(t *testing.T) {
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("start", "config", Config{AccessToken: "s3cret"})
	if strings.Contains(out.String(), "s3cret") || !strings.Contains(out.String(), "read_only") {
		t.Errorf("logged %s", fmt.Sprint(out.String()))
	}
}

func TestLoad_AnyAccountMustBeChosen(t *testing.T) {
	for text, want := range map[string]bool{"": false, "*": true, "12": false} {
		got, err := Load(environment("ALLOWED_ACCOUNTS", text), nil)
		if err != nil || got.AnyAccount != want || len(got.AllowedAccounts) > 0 != (text == "12") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestPrograms_AreAllowedWhereAllClientsAreOrTheWordIs(t *testing.T) {
	for text, want := range map[string]bool{"": true, "claude.ai": false, "claude.ai, programs": true, "Programs": true, "programs.example": false} {
		if got, err := Load(environment("ALLOWED_CLIENTS", text), nil); err != nil || got.Programs() != want {
			t.Errorf("%q: %t, %v", text, got.Programs(), err)
		}
	}
}

func TestAllowedHosts_AreWithoutTheWordPrograms(t *testing.T) {
	for text, want := range map[string][]string{"": nil, "programs": {}, "claude.ai, programs": {"claude.ai"}} {
		got, err := Load(environment("ALLOWED_CLIENTS", text), nil)
		if diff := cmp.Diff(want, got.AllowedHosts()); diff != "" || err != nil {
			t.Errorf("%q: %s, %v", text, diff, err)
		}
	}
}

func TestLoad_HalfAnApplicationNamesTheMissingVariable(t *testing.T) {
	for have, want := range map[string]string{
		"BASECAMP_CLIENT_ID":     "BASECAMP_CLIENT_SECRET must be set, because BASECAMP_CLIENT_ID is",
		"BASECAMP_CLIENT_SECRET": "BASECAMP_CLIENT_ID must be set, because BASECAMP_CLIENT_SECRET is",
	} {
		if _, err := LoadLocal(environment(have, "s3cret"), nil, LocalFlags{Upstream: "live", Store: "memory"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", have, err)
		}
	}
}

func TestLoadLocal_AutoIsLiveOnlyWithCredentials(t *testing.T) {
	for name, want := range map[string]string{
		"": Sandbox, "BASECAMP_ACCESS_TOKEN": "https://3.basecampapi.com", "BASECAMP_ACCOUNT_ID": Sandbox,
	} {
		c, err := LoadLocal(environment(name, "123", "BASECAMP_CLIENT_ID", " "), nil, LocalFlags{Upstream: auto, Store: "memory"})
		if err != nil || c.BasecampURL != want {
			t.Errorf("with %q: %s, %v", name, c.BasecampURL, err)
		}
	}
	if _, err := LoadLocal(environment("BASECAMP_CLIENT_ID", "id"), nil, LocalFlags{Upstream: auto, Store: "memory"}); err == nil || !strings.Contains(err.Error(), "BASECAMP_CLIENT_SECRET") {
		t.Errorf("without a secret: %v", err)
	}
}
