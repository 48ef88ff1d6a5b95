// Package launchpad speaks with 37signals' sign-on, which gives tokens, and knows who a token belongs to and which accounts
// it opens. Its identity is not the person of any one account, and its e-mail addresses are not verified: only the
// identity's id counts. It knows neither PKCE nor scopes: state alone ties its answer to who asked, and what it gives may
// read and write.
package launchpad

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/grant"
)

// ErrNotConfigured means that this deployment has no client id and secret yet.
var ErrNotConfigured = errors.New("no credentials for Basecamp's sign-on")

// Config is what a Client is made of. UserAgent and Credentials are needed.
type Config struct {
	URL string // "" is https://launchpad.37signals.com
	// BrowserURL is where a person's browser finds what is at URL, when that is another place; "" is URL.
	BrowserURL string
	Transport  http.RoundTripper // nil: one that heeds no proxy of the environment
	UserAgent  string            // a name, and a link or e-mail address to reach whoever runs this (B-62)
	// Credentials gives the client id and secret that 37signals gave this deployment; ErrNotConfigured while there are none.
	Credentials func(context.Context) (clientID, clientSecret string, err error)
	Now         func() time.Time // nil: time.Now
}

// Client is an OAuth client of Launchpad. It is safe for concurrent use.
type Client struct {
	url         string
	browserURL  string
	userAgent   string
	credentials func(context.Context) (clientID, clientSecret string, err error)
	now         func() time.Time
	tokens      *http.Client
	documents   *http.Client
}

var _ grant.Provider = (*Client)(nil)

// answerTime is how long an answer may take, from the first byte sent to the last one read.
const answerTime = 5 * time.Second

// New makes a client.
func New(c Config) *Client {
	if c.URL == "" {
		c.URL = "https://launchpad.37signals.com"
	}
	if c.BrowserURL == "" {
		c.BrowserURL = c.URL
	}
	if c.Transport == nil {
		c.Transport = newTransport()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Client{
		url:         strings.TrimRight(c.URL, "/"),
		browserURL:  strings.TrimRight(c.BrowserURL, "/"),
		userAgent:   c.UserAgent,
		credentials: c.Credentials,
		now:         c.Now,
		tokens:      newHTTPClient(tokenTransport{base: c.Transport, userAgent: c.UserAgent}),
		documents:   newHTTPClient(c.Transport),
	}
}

// AuthorizationURL is where the person logs in and agrees; the answer comes back to redirectURI with state. Errors:
// ErrNotConfigured, or whatever keeps the credentials from being read.
func (c *Client) AuthorizationURL(ctx context.Context, redirectURI, state string) (string, error) {
	application, err := c.application(ctx, redirectURI)
	if err != nil {
		return "", err
	}
	return application.AuthCodeURL(state), nil
}

// Exchange trades the code of an answer for tokens. The error is a *grant.Refusal; Dead says that the code is.
func (c *Client) Exchange(ctx context.Context, redirectURI, code string) (grant.Tokens, error) {
	application, err := c.application(ctx, redirectURI)
	if err != nil {
		return grant.Tokens{}, withoutCredentials(err)
	}
	return c.accept(application.Exchange(c.carried(ctx), code))
}

// Refresh trades a refresh token for new tokens. The error is a *grant.Refusal.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (grant.Tokens, error) {
	if refreshToken == "" {
		return grant.Tokens{}, &grant.Refusal{Cause: grant.Dead, Err: errors.New("there is no refresh token")}
	}
	application, err := c.application(ctx, "")
	if err != nil {
		return grant.Tokens{}, withoutCredentials(err)
	}
	spent := &oauth2.Token{RefreshToken: refreshToken}
	return c.accept(application.TokenSource(c.carried(ctx), spent).Token())
}

// Identity tells whose token it is, and which accounts it opens. Errors are those of Authorize.
func (c *Client) Identity(ctx context.Context, accessToken string) (Authorization, error) {
	return Authorize(ctx, c.documents, c.url, c.userAgent, accessToken)
}

func (c *Client) application(ctx context.Context, redirectURI string) (*oauth2.Config, error) {
	id, secret, err := c.credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("read our credentials for Basecamp's sign-on: %w", err)
	}
	if id == "" || secret == "" {
		return nil, ErrNotConfigured
	}
	return &oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  redirectURI,
		Endpoint: oauth2.Endpoint{
			AuthURL:  c.browserURL + "/authorization/new",
			TokenURL: c.url + "/authorization/token",
			// Unsaid, oauth2 finds out by asking twice, and a code or a refresh token may be sent once only.
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}, nil
}

// carried has oauth2 send its requests the way we do.
func (c *Client) carried(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.tokens)
}

// withoutCredentials is a token request that was never made.
func withoutCredentials(err error) *grant.Refusal {
	if errors.Is(err, ErrNotConfigured) {
		return &grant.Refusal{Cause: grant.Misconfigured, Err: err}
	}
	return &grant.Refusal{Cause: grant.Unavailable, Err: err}
}
