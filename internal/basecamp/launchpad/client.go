// Package launchpad is a client of 37signals' sign-on, Launchpad. It exchanges codes for tokens,
// and finds the identity and the accounts that a token belongs to. An identity spans several
// accounts, and its e-mail addresses are not verified, so only its ID identifies a person.
// Launchpad supports neither PKCE nor scopes: only state ties a callback to its request, and every
// token may read and write.
package launchpad

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

// Config holds the settings of a Client. UserAgent and Credentials are required.
type Config struct {
	URL string // empty: https://launchpad.37signals.com
	// BrowserURL is the address at which a person's browser reaches URL, if it differs; empty means
	// URL.
	BrowserURL string
	APIURL     string            // of Basecamp's API, for Projects
	Transport  http.RoundTripper // nil: a transport that ignores proxies in the environment
	// UserAgent is a name, and a link or e-mail address of the operator (bc3-api README, "Identifying
	// your application").
	UserAgent string
	// Credentials returns the client ID and secret that 37signals issued for this deployment, or
	// provider.ErrNotConfigured.
	Credentials func(context.Context) (clientID, clientSecret string, err error)
	Now         func() time.Time // nil: time.Now
}

// Client is an OAuth client of Launchpad. It is safe for concurrent use.
type Client struct {
	url         string
	browserURL  string
	apiURL      string
	userAgent   string
	credentials func(context.Context) (clientID, clientSecret string, err error)
	now         func() time.Time
	tokens      *http.Client
	documents   *http.Client
}

var _ provider.SignOn = (*Client)(nil)

// The names of this provider. They are part of stored keys, so they must not change.
const (
	ProviderID = "37signals"
	namespace  = "37s"
)

// Provider returns Basecamp as a provider whose sign-on is c. The issuer is the iss value of the
// sign-on's answers.
func (c *Client) Provider(issuer string) provider.Provider {
	return provider.Provider{ID: ProviderID, Namespace: namespace, Name: "Basecamp", Issuer: issuer, SignOn: c}
}

// New returns a client.
func New(c Config) *Client {
	if c.URL == "" {
		c.URL = "https://launchpad.37signals.com"
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
		documents:   signon.NewHTTPClient(c.Transport),
	}
}

// AuthorizationURL returns the URL where the user signs in and agrees. Launchpad redirects to
// a.RedirectURI with a.State. Errors: provider.ErrNotConfigured, or why the credentials could not
// be read.
func (c *Client) AuthorizationURL(ctx context.Context, a provider.Authorization) (string, error) {
	application, err := c.application(ctx, a.RedirectURI)
	if err != nil {
		return "", err
	}
	return application.AuthCodeURL(a.State), nil
}

// Exchange trades an authorization code for tokens. The error is a *provider.Refusal; its cause is
// Dead if the code is invalid.
func (c *Client) Exchange(ctx context.Context, a provider.Authorization, code string) (provider.Tokens, error) {
	application, err := c.application(ctx, a.RedirectURI)
	if err != nil {
		return provider.Tokens{}, signon.WithoutCredentials(err)
	}
	return c.accept(application.Exchange(c.carried(ctx), code))
}

// Refresh trades a refresh token for new tokens. The error is a *provider.Refusal.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (provider.Tokens, error) {
	if refreshToken == "" {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("the refresh token is missing")}
	}
	application, err := c.application(ctx, "")
	if err != nil {
		return provider.Tokens{}, signon.WithoutCredentials(err)
	}
	spent := &oauth2.Token{RefreshToken: refreshToken}
	return c.accept(application.TokenSource(c.carried(ctx), spent).Token())
}

// Identity returns the user and the accounts of an access token. It returns the same errors as
// FetchAuthorization.
func (c *Client) Identity(ctx context.Context, accessToken string) (provider.Identity, error) {
	return FetchAuthorization(ctx, c.documents, c.url, c.userAgent, accessToken)
}

// Revoke does nothing: Launchpad has no revocation. Its tokens expire.
func (*Client) Revoke(context.Context, provider.Tokens) error { return nil }

func (c *Client) application(ctx context.Context, redirectURI string) (*oauth2.Config, error) {
	id, secret, err := c.credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("read this deployment's credentials for Basecamp's sign-on: %w", err)
	}
	if id == "" || secret == "" {
		return nil, provider.ErrNotConfigured
	}
	return &oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  redirectURI,
		Endpoint: oauth2.Endpoint{
			AuthURL:  c.browserURL + "/authorization/new",
			TokenURL: c.url + "/authorization/token",
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
