// Package githubauth is a client of GitHub's OAuth sign-on. It works with an OAuth App and with a
// GitHub App: what the token answer contains shows which of the two issued a token. GitHub refuses
// token requests with status 200, so only the body counts (GitHub Docs, "Troubleshooting OAuth app
// access token request errors").
package githubauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/provider/signon"
	"basecamp-mcp/internal/upstream"
)

// The names of this provider. They are part of stored keys, so they must not change.
const (
	ProviderID = "github"
	namespace  = "gh"
)

// Config holds the settings of a Client. APIURL, UserAgent and Credentials are required.
type Config struct {
	URL string // the origin of the sign-on; empty: https://github.com
	// BrowserURL is the address at which a user's browser reaches URL, if it differs; empty means
	// URL.
	BrowserURL string
	APIURL     string            // the base of the REST API, without a slash at the end
	Transport  http.RoundTripper // nil: a transport that ignores proxies in the environment
	UserAgent  string            // GitHub refuses requests without one
	// Credentials returns the client ID and secret of the application that users link, or
	// provider.ErrNotConfigured.
	Credentials func(context.Context) (clientID, clientSecret string, err error)
	Now         func() time.Time // nil: time.Now
}

// Client is an OAuth client of GitHub. It is safe for concurrent use.
type Client struct {
	url         string
	browserURL  string
	apiURL      string
	userAgent   string
	credentials func(context.Context) (clientID, clientSecret string, err error)
	now         func() time.Time
	tokens      *http.Client
	api         *http.Client
}

var _ provider.SignOn = (*Client)(nil)

// New returns a client.
func New(c Config) *Client {
	if c.URL == "" {
		c.URL = "https://github.com"
	}
	if c.BrowserURL == "" {
		c.BrowserURL = c.URL
	}
	if c.Transport == nil {
		c.Transport = upstream.NewTransport()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Client{
		url:         strings.TrimRight(c.URL, "/"),
		browserURL:  strings.TrimRight(c.BrowserURL, "/"),
		apiURL:      strings.TrimRight(c.APIURL, "/"),
		userAgent:   c.UserAgent,
		credentials: c.Credentials,
		now:         c.Now,
		tokens:      signon.NewHTTPClient(signon.TokenTransport{Base: c.Transport, UserAgent: c.UserAgent}),
		api:         signon.NewHTTPClient(c.Transport),
	}
}

// Provider returns GitHub as a provider whose sign-on is c. GitHub's answers carry no issuer.
func (c *Client) Provider() provider.Provider {
	return provider.Provider{ID: ProviderID, Namespace: namespace, Name: "GitHub", Mark: "@", Revokes: true, Scopes: scopes, SignOn: c}
}

// AuthorizationURL returns the URL where the user agrees to the scopes of a. GitHub redirects to
// a.RedirectURI with a.State. A first link lets the user choose the account; a later one names it.
// Errors: provider.ErrNotConfigured, or why the credentials could not be read.
func (c *Client) AuthorizationURL(ctx context.Context, a provider.Authorization) (string, error) {
	application, err := c.application(ctx, a)
	if err != nil {
		return "", err
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
	application, err := c.application(ctx, a)
	if err != nil {
		return provider.Tokens{}, signon.WithoutCredentials(err)
	}
	var options []oauth2.AuthCodeOption
	if a.Verifier != "" {
		options = append(options, oauth2.VerifierOption(a.Verifier))
	}
	return c.accept(application.Exchange(c.carried(ctx), code, options...))
}

// Refresh trades a refresh token for new tokens. Only tokens of a GitHub App have one. The old
// refresh token is dead once GitHub has answered (GitHub Docs, "Refreshing user access tokens").
// The error is a *provider.Refusal.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (provider.Tokens, error) {
	if refreshToken == "" {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("the refresh token is missing")}
	}
	application, err := c.application(ctx, provider.Authorization{})
	if err != nil {
		return provider.Tokens{}, signon.WithoutCredentials(err)
	}
	spent := &oauth2.Token{RefreshToken: refreshToken}
	return c.accept(application.TokenSource(c.carried(ctx), spent).Token())
}

func (c *Client) application(ctx context.Context, a provider.Authorization) (*oauth2.Config, error) {
	id, secret, err := c.credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("read this deployment's credentials for GitHub's sign-on: %w", err)
	}
	if id == "" || secret == "" {
		return nil, provider.ErrNotConfigured
	}
	asked := a.Scopes
	if len(asked) == 0 {
		asked = scopes.First
	}
	return &oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  a.RedirectURI,
		Scopes:       asked,
		Endpoint: oauth2.Endpoint{
			AuthURL:  c.browserURL + "/login/oauth/authorize",
			TokenURL: c.url + "/login/oauth/access_token",
			// By default, oauth2 tries two styles, but a code or a refresh token can be sent only
			// once.
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}, nil
}

// carried makes oauth2 use this client's transport.
func (c *Client) carried(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.tokens)
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
