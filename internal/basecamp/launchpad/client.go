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
	"net/url"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
)

// Config holds the settings of a Client. The user agent is a name, and a link or e-mail address of
// the operator (bc3-api README, "Identifying your application"). Projects needs the APIURL.
type Config = signon.Config

// Client is an OAuth client of Launchpad. It is safe for concurrent use.
type Client struct{ *signon.Client }

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
	return &Client{signon.New(c, signon.Dialect{
		Name: "Basecamp", URL: "https://launchpad.37signals.com", AuthPath: "/authorization/new", TokenPath: "/authorization/token",
		UsualLife: 14 * 24 * time.Hour, // bc3-api, authentication: two weeks
		Cause:     causeOf,
	})}
}

// AuthorizationURL returns the URL where the user signs in and agrees. Launchpad redirects to
// a.RedirectURI with a.State. Errors: provider.ErrNotConfigured, or why the credentials could not
// be read.
func (c *Client) AuthorizationURL(ctx context.Context, a provider.Authorization) (string, error) {
	application, err := c.Application(ctx, a.RedirectURI)
	if err != nil {
		return "", err
	}
	return application.AuthCodeURL(a.State), nil
}

// Exchange trades an authorization code for tokens. The error is a *provider.Refusal; its cause is
// Dead if the code is invalid.
func (c *Client) Exchange(ctx context.Context, a provider.Authorization, code string) (provider.Tokens, error) {
	return c.Redeem(ctx, a.RedirectURI, code)
}

// Identity returns the user and the accounts of an access token. It returns the same errors as
// FetchAuthorization.
func (c *Client) Identity(ctx context.Context, accessToken string) (provider.Identity, error) {
	return FetchAuthorization(ctx, c.API, c.URL, c.UserAgent, accessToken)
}

// Revoke does nothing: Launchpad has no revocation. Its tokens expire.
func (*Client) Revoke(context.Context, provider.Tokens) error { return nil }

const (
	// maxPages limits the requests for the projects of an account.
	maxPages = 20
	// maxProjects is the largest page of projects that is read, in bytes.
	maxProjects = 4 << 20
)

// Projects returns the active projects of an account that the user of an access token can see
// (bc3-api, "Get projects"). A refused token returns TOKEN_EXPIRED, every other failure
// UPSTREAM_ERROR.
func (c *Client) Projects(ctx context.Context, accessToken string, account int64) (all []provider.Project, err error) {
	at, err := url.Parse(fmt.Sprintf("%s/%d/projects.json", c.APIURL, account))
	if err != nil {
		return nil, fmt.Errorf("request the projects: %w", err)
	}
	origin := &url.URL{Scheme: at.Scheme, Host: at.Host}
	for range maxPages {
		var page []struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		}
		header, err := getJSON(ctx, c.API, at, c.UserAgent, accessToken, maxProjects, &page)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			all = append(all, provider.Project{ID: p.ID, Name: plaintext.Label(p.Name, maxName)})
		}
		next, err := upstream.NextURL(upstream.Answer{Header: header, URL: at}, origin)
		if err != nil {
			return nil, unavailable().Because(err)
		}
		if next == nil {
			return all, nil
		}
		at = next
	}
	return nil, fault.New(fault.UpstreamError, "the account has too many projects for one list")
}

// Suspended reports whether Basecamp says that an account of the user of an access token is
// suspended or has expired.
func (c *Client) Suspended(ctx context.Context, accessToken string, account int64) bool {
	at, err := url.Parse(fmt.Sprintf("%s/%d/account.json", c.APIURL, account))
	if err != nil {
		return false
	}
	var read struct{}
	_, err = getJSON(ctx, c.API, at, c.UserAgent, accessToken, maxDocument, &read)
	return errors.Is(err, errSuspended)
}
