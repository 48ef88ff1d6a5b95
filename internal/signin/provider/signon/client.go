package signon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/wire/upstream"
)

// Config holds the settings of a Client. UserAgent and Credentials are required.
type Config struct {
	URL string // the origin of the sign-on; empty: the provider's own
	// BrowserURL is the address at which a user's browser reaches URL, if it differs; empty means
	// URL.
	BrowserURL string
	APIURL     string            // the base of the provider's API
	Transport  http.RoundTripper // nil: a transport that ignores proxies in the environment
	UserAgent  string
	// Credentials returns the client ID and secret that the provider issued for this deployment, or
	// provider.ErrNotConfigured.
	Credentials func(context.Context) (clientID, clientSecret string, err error)
	Now         func() time.Time // nil: time.Now
}

// Dialect is what one provider's sign-on does in its own way.
type Dialect struct {
	Name                string // of the provider, for errors
	URL                 string // the origin of the sign-on
	AuthPath, TokenPath string
	UsualLife           time.Duration // of an access token without expires_in; zero means for ever
	// Cause classifies an answer without tokens.
	Cause func(status int, body []byte) provider.Cause
	// More reads what else a token answer has; may be nil.
	More func(answer *oauth2.Token, t *provider.Tokens) error
}

// Client is an OAuth client of one provider's sign-on. It is safe for concurrent use.
type Client struct {
	Config
	API     *http.Client // for requests with an access token
	dialect Dialect
	tokens  *http.Client
}

// New returns a client.
func New(c Config, d Dialect) *Client {
	if c.URL == "" {
		c.URL = d.URL
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
	for _, at := range []*string{&c.URL, &c.BrowserURL, &c.APIURL} {
		*at = strings.TrimRight(*at, "/")
	}
	return &Client{
		Config: c, API: newHTTPClient(c.Transport), dialect: d,
		tokens: newHTTPClient(tokenTransport{base: c.Transport, userAgent: c.UserAgent}),
	}
}

// Application returns the application of this deployment. Errors: provider.ErrNotConfigured, or why
// the credentials could not be read.
func (c *Client) Application(ctx context.Context, redirectURI string) (*oauth2.Config, error) {
	id, secret, err := c.Credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("read this deployment's credentials for %s's sign-on: %w", c.dialect.Name, err)
	}
	if id == "" || secret == "" {
		return nil, provider.ErrNotConfigured
	}
	return &oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  redirectURI,
		Endpoint: oauth2.Endpoint{
			AuthURL:  c.BrowserURL + c.dialect.AuthPath,
			TokenURL: c.URL + c.dialect.TokenPath,
			// By default, oauth2 tries two styles, but a code or a refresh token can be sent only
			// once.
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}, nil
}

// Redeem trades an authorization code for tokens. The error is a *provider.Refusal; its cause is
// Dead if the code is invalid.
func (c *Client) Redeem(ctx context.Context, redirectURI, code string, options ...oauth2.AuthCodeOption) (provider.Tokens, error) {
	application, err := c.Application(ctx, redirectURI)
	if err != nil {
		return provider.Tokens{}, withoutCredentials(err)
	}
	return c.accept(application.Exchange(c.carried(ctx), code, options...))
}

// Refresh trades a refresh token for new tokens. The error is a *provider.Refusal.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (provider.Tokens, error) {
	if refreshToken == "" {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("the refresh token is missing")}
	}
	application, err := c.Application(ctx, "")
	if err != nil {
		return provider.Tokens{}, withoutCredentials(err)
	}
	spent := &oauth2.Token{RefreshToken: refreshToken}
	return c.accept(application.TokenSource(c.carried(ctx), spent).Token())
}

// carried makes oauth2 use this client's transport.
func (c *Client) carried(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.tokens)
}

// accept returns the tokens of a valid answer, or the refusal that an invalid one means.
func (c *Client) accept(t *oauth2.Token, err error) (provider.Tokens, error) {
	now := c.Now()
	if err != nil {
		return provider.Tokens{}, c.refusal(err, now)
	}
	life, err := Lifetime(t.Extra("expires_in"), c.dialect.UsualLife)
	switch {
	case err != nil:
		return provider.Tokens{}, unusable(err)
	case t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer"):
		return provider.Tokens{}, unusable(errors.New("the token is not a bearer token"))
	case !Sendable(t.AccessToken):
		return provider.Tokens{}, unusable(errors.New("the access token is malformed"))
	case t.RefreshToken != "" && !Sendable(t.RefreshToken):
		return provider.Tokens{}, unusable(errors.New("the refresh token is malformed"))
	}
	tokens := provider.Tokens{AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, ObtainedAt: now, ExpiresAt: Expiry(now, life)}
	if c.dialect.More != nil {
		if err := c.dialect.More(t, &tokens); err != nil {
			return provider.Tokens{}, unusable(err)
		}
	}
	return tokens, nil
}

// refusal returns the meaning of a token request that brought no tokens. It repeats no part of the
// answer.
func (c *Client) refusal(err error, now time.Time) *provider.Refusal {
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := answered.Response.StatusCode
		return &provider.Refusal{
			Cause:      c.dialect.Cause(status, answered.Body),
			RetryAfter: retryAfter(answered.Response.Header, now),
			Err:        fmt.Errorf("status %d", status),
		}
	}
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return unusable(Unanswered(sent.Err))
	}
	return unusable(errors.New("the answer contains no tokens")) // oauth2's own error quotes the answer
}

// unusable returns the refusal of a request that brought no valid tokens.
func unusable(err error) *provider.Refusal {
	return &provider.Refusal{Cause: provider.Unavailable, Err: err}
}

// withoutCredentials returns the refusal for a token request that could not be made.
func withoutCredentials(err error) *provider.Refusal {
	if errors.Is(err, provider.ErrNotConfigured) {
		return &provider.Refusal{Cause: provider.Misconfigured, Err: err}
	}
	return unusable(err)
}
