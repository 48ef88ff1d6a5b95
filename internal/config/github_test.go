package config

import (
	"slices"
	"strings"
	"testing"
)

var withGitHub = []string{"basecamp", "github", "tasks"}

func TestGitHub_HasTheAPIOfItsOrigin(t *testing.T) {
	for origin, want := range map[string]string{
		"":                                "https://api.github.com",
		"https://github.com/":             "https://api.github.com",
		"https://fernhill.ghe.com":        "https://api.fernhill.ghe.com",
		"https://github.fernhill.example": "https://github.fernhill.example/api/v3",
		"https://a.b.ghe.com":             "https://a.b.ghe.com/api/v3",
		"https://ghe.com":                 "https://ghe.com/api/v3",
		"http://127.0.0.1:9000":           "http://127.0.0.1:9000/api/v3",
		"http://localhost:9000":           "http://localhost:9000/api/v3",
	} {
		if got, err := Load(environment("GITHUB_URL", origin), nil); err != nil || got.GitHub.APIURL != want {
			t.Errorf("%s: %q, %v", origin, got.GitHub.APIURL, err)
		}
	}
}

func TestGitHub_TakesOnlyOriginsAndPlainAddresses(t *testing.T) {
	for name, values := range map[string][]string{
		"GITHUB_URL": {"github.com", "http://github.com", "https://github.com/fernhill", "https://ines@github.com", "https://github.com?q"},
		"GITHUB_API_URL": {"api.github.com", "http://api.github.com", "https://api.github.com/../v3", "https://api.github.com/a//b", "https://api.github.com/v3?q",
			"https://api.github.com/v3#f", "https://ines:s@api.github.com", "https://api.github.com/a%2fb", "https://api.github.com/a b", "/api/v3"},
	} {
		for _, value := range values {
			if _, err := Load(environment(name, value), nil); err == nil || !strings.Contains(err.Error(), name+" must be") {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
	for _, value := range []string{"https://api.github.com/", "http://[::1]:9000/api/v3", "https://proxy.example/a/b"} {
		if got, err := Load(environment("GITHUB_API_URL", value), nil); err != nil || got.GitHub.APIURL != strings.TrimRight(value, "/") {
			t.Errorf("%s: %q, %v", value, got.GitHub.APIURL, err)
		}
	}
}

// A server whose stores are in memory does not read GITHUB_SECRET.
func TestGitHub_AnIncompleteSetupNamesTheMissingVariable(t *testing.T) {
	for _, test := range []struct {
		set  []string
		want string
	}{
		{[]string{"GITHUB_CLIENT_ID", "s3cret"}, "GITHUB_CLIENT_SECRET must be set, because GITHUB_CLIENT_ID is"},
		{[]string{"GITHUB_CLIENT_SECRET", "s3cret"}, "GITHUB_CLIENT_ID must be set, because GITHUB_CLIENT_SECRET is"},
		{[]string{"GITHUB_ACCESS_TOKEN", "s3cret"}, "BASECAMP_ACCESS_TOKEN must be set, because GITHUB_ACCESS_TOKEN acts for the same user"},
		{[]string{"TOOLSETS", "basecamp,github"}, "GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET or GITHUB_ACCESS_TOKEN"},
		{[]string{"TOOLSETS", "basecamp,github", "GITHUB_SECRET", "s3cret"}, "TOOLSETS must be without github"},
	} {
		c, err := LoadLocal(environment(test.set...), withGitHub, LocalFlags{Upstream: "live", Store: "memory"})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", test.set, err)
		}
		if c.HasGitHub() && c.GitHub.AccessToken == "" {
			t.Errorf("%v: GitHub is served", test.set)
		}
	}
}

func TestGitHub_IsServedWhereItIsSetUp(t *testing.T) {
	application := []string{"GITHUB_CLIENT_ID", "id", "GITHUB_CLIENT_SECRET", "secret"}
	token := []string{"GITHUB_ACCESS_TOKEN", "token", "BASECAMP_ACCESS_TOKEN", "token"}
	secret := []string{"GITHUB_SECRET", "name"}
	local := func(flags LocalFlags) func([]string) (Config, error) {
		return func(set []string) (Config, error) { return LoadLocal(environment(set...), withGitHub, flags) }
	}
	lambda := func(set []string) (Config, error) {
		return LoadFunction(environment(append(slices.Clone(set), "PUBLIC_URL", "https://mcp.fernhill.example", "ALLOWED_ACCOUNTS", "*", "TABLE_NAME", "t", "SECRET_PREFIX", "p/",
			"LAUNCHPAD_SECRET", "l", "AWS_REGION", "eu-central-1", "AWS_ACCESS_KEY_ID", "AKIA", "AWS_SECRET_ACCESS_KEY", "key")...), withGitHub)
	}
	for name, test := range map[string]struct {
		load func([]string) (Config, error)
		set  []string
		want bool
	}{
		"a local server":                            {local(LocalFlags{Upstream: "live", Store: "memory"}), nil, false},
		"a local server with an address":            {local(LocalFlags{Upstream: "live", Store: "memory"}), []string{"GITHUB_URL", "https://github.com"}, false},
		"a local server with an application":        {local(LocalFlags{Upstream: "live", Store: "memory"}), application, true},
		"a local server with a token":               {local(LocalFlags{Upstream: "live", Store: "memory"}), token, true},
		"a local server with a secret in no store":  {local(LocalFlags{Upstream: "live", Store: "memory"}), secret, false},
		"a local server with a secret":              {local(LocalFlags{Upstream: "live", Store: "aws"}), secret, true},
		"the demo":                                  {local(LocalFlags{Upstream: "sandbox", Store: "memory"}), nil, true},
		"the demo with half an account":             {local(LocalFlags{Upstream: "sandbox", Store: "memory"}), []string{"GITHUB_ACCESS_TOKEN", "token"}, true},
		"a Lambda":                                  {lambda, nil, false},
		"a Lambda with a secret":                    {lambda, secret, true},
		"a Lambda with variables of a local server": {lambda, append(application, token...), false},
		"a Lambda with the demo":                    {lambda, []string{"BASECAMP_API_URL", "sandbox"}, true},
	} {
		c, err := test.load(test.set)
		if err != nil || c.HasGitHub() != test.want {
			t.Errorf("%s: %t, %v", name, c.HasGitHub(), err)
		}
		_, err = test.load(append([]string{"TOOLSETS", "github"}, test.set...))
		if (err == nil) != test.want || err != nil && !strings.Contains(err.Error(), "TOOLSETS must be") {
			t.Errorf("%s with the toolset: %v", name, err)
		}
	}
}

func TestLoadLocal_TheFlagChoosesTheDemo(t *testing.T) {
	c, err := LoadLocal(environment("BASECAMP_API_URL", "https://3.basecampapi.com"), nil, LocalFlags{Upstream: "sandbox"})
	if err != nil || c.BasecampURL != Sandbox {
		t.Errorf("%s, %v", c.BasecampURL, err)
	}
	if c, err = LoadLocal(environment(), nil, LocalFlags{Upstream: "live"}); err != nil || c.BasecampURL == Sandbox {
		t.Errorf("%s, %v", c.BasecampURL, err)
	}
}
