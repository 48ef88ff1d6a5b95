package config

import (
	"regexp"
	"slices"
	"strings"
)

// githubToolset is the name of the toolset that needs GitHub.
const githubToolset = "github"

const defaultGitHub = "https://github.com"

// GitHub names the GitHub that users link, and the application with which they link it.
type GitHub struct {
	URL    string // origin of its pages
	APIURL string // base of its REST API, without a slash at the end
	// Lockdown withholds what people wrote who do not work on a repository.
	Lockdown bool
	Secret   string // name of the secret in AWS with the application's credentials

	// Only for the local server: an application registered with GitHub, or an access token.
	ClientID     string
	ClientSecret string
	AccessToken  string // of the user whose token is Config.AccessToken
}

// OwnCredentials reports whether the environment has an application's credentials. Then a local
// server does not read GITHUB_SECRET.
func (g GitHub) OwnCredentials() bool { return g.ClientID != "" && g.ClientSecret != "" }

// HasGitHub reports whether the server serves GitHub's tools. The demo always does.
func (c Config) HasGitHub() bool {
	return c.BasecampURL == Sandbox || c.GitHub.Secret != "" || c.GitHub.OwnCredentials() || c.GitHub.AccessToken != ""
}

func (r *reader) github() GitHub {
	g := GitHub{
		URL:          r.origin("GITHUB_URL", defaultGitHub),
		Lockdown:     r.boolean("GITHUB_LOCKDOWN"),
		Secret:       r.word("GITHUB_SECRET"),
		ClientID:     r.word("GITHUB_CLIENT_ID"),
		ClientSecret: r.word("GITHUB_CLIENT_SECRET"),
		AccessToken:  r.word("GITHUB_ACCESS_TOKEN"),
	}
	g.APIURL = r.base("GITHUB_API_URL", apiOf(g.URL))
	r.pair("GITHUB_CLIENT_ID", g.ClientID, "GITHUB_CLIENT_SECRET", g.ClientSecret)
	return g
}

// pair finds an application that lacks either its client ID or its client secret.
func (r *reader) pair(idName, id, secretName, secret string) {
	if id != "" && secret == "" {
		r.bad(secretName, "set, because "+idName+" is")
	}
	if secret != "" && id == "" {
		r.bad(idName, "set, because "+secretName+" is")
	}
}

// checkGitHub finds variables about GitHub that need others.
func (r *reader) checkGitHub(c Config) {
	if slices.Contains(c.Toolsets, githubToolset) && !c.HasGitHub() {
		r.bad("TOOLSETS", "without github, or GitHub be set up: by GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET or GITHUB_ACCESS_TOKEN on a local server, by GITHUB_SECRET with stores in AWS")
	}
	if c.GitHub.AccessToken != "" && c.AccessToken == "" && c.BasecampURL != Sandbox {
		r.bad("BASECAMP_ACCESS_TOKEN", "set, because GITHUB_ACCESS_TOKEN acts for the same user")
	}
}

// apiOf returns the base of the REST API of the GitHub at an origin (GitHub Docs, "Getting started
// with the REST API").
func apiOf(origin string) string {
	if origin == defaultGitHub {
		return "https://api.github.com"
	}
	if name, ok := strings.CutSuffix(strings.TrimPrefix(origin, "https://"), ".ghe.com"); ok && !strings.ContainsAny(name, "./:") {
		return "https://api." + name + ".ghe.com"
	}
	return origin + "/api/v3"
}

// base reads an origin with an optional path, whose segments need no escapes.
func (r *reader) base(name, otherwise string) string {
	text := r.get(name)
	if text == "" {
		return otherwise
	}
	parts := baseForm.FindStringSubmatch(text)
	if parts == nil {
		r.bad(name, baseWanted)
		return ""
	}
	origin, ok := parseOrigin(parts[1])
	if !ok {
		r.bad(name, baseWanted)
	}
	return origin + parts[2]
}

var baseForm = regexp.MustCompile(`^(\w+://[^/?#]+)((?:/[\w~-][\w.~-]*)*)/*$`)

const baseWanted = "an address such as https://github.example.com/api/v3, with http allowed for this machine only"
