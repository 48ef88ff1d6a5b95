// Package githubauth is a client of GitHub's OAuth sign-on. It works with an OAuth App and with a
// GitHub App: what the token answer contains shows which of the two issued a token. GitHub refuses
// token requests with status 200, so only the body counts (GitHub Docs, "Troubleshooting OAuth app
// access token request errors").
package githubauth

import (
	"context"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
)

// The names of this provider. They are part of stored keys, so they must not change.
const (
	ProviderID = "github"
	namespace  = "gh"
)

// Config holds the settings of a Client. APIURL is required, too. GitHub refuses requests without a
// user agent.
type Config = signon.Config

// Client is an OAuth client of GitHub. It is safe for concurrent use.
type Client struct{ *signon.Client }

var _ provider.SignOn = (*Client)(nil)

// New returns a client.
func New(c Config) *Client {
	return &Client{signon.New(c, signon.Dialect{
		Name: "GitHub", URL: "https://github.com", AuthPath: "/login/oauth/authorize", TokenPath: "/login/oauth/access_token",
		Cause: causeOf, More: readMore,
	})}
}

// Provider returns GitHub as a provider whose sign-on is c. GitHub's answers carry no issuer.
func (c *Client) Provider() provider.Provider {
	return provider.Provider{ID: ProviderID, Namespace: namespace, Name: "GitHub", Mark: "@", Revokes: true, Scopes: scopes, SignOn: c}
}

// AuthorizationURL returns the URL where the user agrees to the scopes of a. GitHub redirects to
// a.RedirectURI with a.State. A first link lets the user choose the account; a later one names it.
// Errors: provider.ErrNotConfigured, or why the credentials could not be read.
func (c *Client) AuthorizationURL(ctx context.Context, a provider.Authorization) (string, error) {
	application, err := c.Application(ctx, a.RedirectURI)
	if err != nil {
		return "", err
	}
	application.Scopes = a.Scopes
	if len(a.Scopes) == 0 {
		application.Scopes = scopes.First
	}
	options := []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("allow_signup", "false")}
	if a.Verifier != "" {
		options = append(options, oauth2.S256ChallengeOption(a.Verifier))
	}
	if a.Login != "" {
		options = append(options, oauth2.SetAuthURLParam("login", a.Login))
	} else {
		options = append(options, oauth2.SetAuthURLParam("prompt", "select_account"))
	}
	return application.AuthCodeURL(a.State, options...), nil
}

// Exchange trades the code that answered a for tokens. The error is a *provider.Refusal; its cause
// is Dead if the code is invalid.
func (c *Client) Exchange(ctx context.Context, a provider.Authorization, code string) (provider.Tokens, error) {
	var options []oauth2.AuthCodeOption
	if a.Verifier != "" {
		options = append(options, oauth2.VerifierOption(a.Verifier))
	}
	return c.Redeem(ctx, a.RedirectURI, code, options...)
}

// scopes are the scopes of an OAuth App that the tools use (GitHub Docs, "Scopes for OAuth apps").
// A first link asks only for what reads projects and lists the user's organizations.
var scopes = provider.Scopes{
	First: []string{"read:project", "read:org"},
	Permits: map[string]string{
		"read:project": "read projects",
		"project":      "read and change projects",
		"repo":         "read and write issues and milestones, also in private repositories; GitHub has no smaller permission for this",
		"public_repo":  "read and write issues and milestones in public repositories",
		"read:org":     "see your organizations",
	},
	Includes: map[string][]string{
		"project":   {"read:project"},
		"repo":      {"public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"},
		"write:org": {"read:org"},
		"admin:org": {"write:org", "read:org"},
		"user":      {"read:user", "user:email", "user:follow"},
	},
}

// Grants reports whether scopes contain another one, by its name or as part of a broader one.
func Grants(granted []string, scope string) bool {
	return len(scopes.Missing(granted, []string{scope})) == 0
}
