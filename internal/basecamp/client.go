// Package basecamp is a client of Basecamp's API, with one row for each endpoint. Its errors are
// faults; any other error is a defect of this server. A returned value may be shared with later
// calls of the same user, because an unchanged answer is decoded only once: callers must not change
// it.
package basecamp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/serve/loopback"
	"basecamp-mcp/internal/wire/publichttp"
	"basecamp-mcp/internal/wire/upstream"
)

// Credential is the permission to act as one user in one account.
type Credential struct {
	AccessToken string
	Account     int64
	Person      string // an opaque key of the user; answers are cached for it only, and not at all if it is empty
}

// TokenSource returns the credential of the user in ctx. If refused is not empty, it is an access
// token that Basecamp has just answered with 401; the source must then return another token of the
// same user and account. Errors are faults: TOKEN_EXPIRED if the user must connect again.
type TokenSource func(ctx context.Context, refused string) (Credential, error)

// Config holds the settings of a Client. BaseURL, UserAgent and Tokens are required.
type Config struct {
	BaseURL string // https://3.basecampapi.com; http is allowed only for a loopback address
	// UserAgent is a name, and a link or email address of the operator (bc3-api README,
	// "Identifying your application").
	UserAgent string
	Transport http.RoundTripper // to Basecamp; nil: the network
	Outside   http.RoundTripper // sends requests to file hosts; nil: the network, public hosts only
	Tokens    TokenSource
	Now       func() time.Time // to compare dates in answers with; nil: time.Now
	Unlimited bool             // BaseURL accepts any number of requests, unlike Basecamp
}

// rate keeps below Basecamp's limit: 50 requests in 10 s from one address (bc3-api README, "Rate
// limiting"). The window is a second longer than Basecamp's, because the network delays requests
// unevenly.
var rate = upstream.Rate{Burst: 15, Refill: time.Second / 3, Window: 11 * time.Second, PerWindow: 45, Spare: 3}

// Client calls Basecamp for all users; ctx determines the user of a call. It is safe for concurrent
// use. A process needs only one, because the rate limit and the cache belong to it.
type Client struct{ *connection }

// connection is what a Client and its requests share. Requests do not know the Client itself:
// a process that only takes changes back would then have all its methods.
type connection struct {
	base     *url.URL
	upstream *upstream.Client
	outside  http.RoundTripper // sends requests to file hosts
	tokens   TokenSource
	now      func() time.Time
}

// New returns a client. The error says what is wrong with the configuration.
func New(config Config) (*Client, error) {
	base, err := parseBase(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if !namesContact(config.UserAgent) {
		return nil, errors.New("user agent: needs a name and a link or email address, or Basecamp answers 400")
	}
	if config.Tokens == nil {
		return nil, errors.New("no token source")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Transport == nil {
		config.Transport = upstream.NewTransport()
	}
	if config.Outside == nil {
		config.Outside = publichttp.Transport()
	}
	settings := upstream.Config{
		ID:              "basecamp",
		Name:            "Basecamp",
		UserAgent:       config.UserAgent,
		RequestIDHeader: "X-Request-Id",
		Transport:       config.Transport,
		Now:             config.Now,
		Rate:            rate,
		Roots:           []*url.URL{base},
	}
	if config.Unlimited {
		settings.Rate = upstream.Rate{}
	}
	return &Client{&connection{
		base:     base,
		upstream: upstream.New(settings),
		outside:  config.Outside,
		tokens:   config.Tokens,
		now:      config.Now,
	}}, nil
}

// Account returns the ID of the user's account.
func (c *Client) Account(ctx context.Context) (int64, error) {
	credential, err := c.tokens(ctx, "")
	return credential.Account, err
}

func parseBase(raw string) (*url.URL, error) {
	base, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && loopback.Host(base.Hostname())) {
		return nil, fmt.Errorf("%q is not https", raw)
	}
	if base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("%q has more than an origin and a path", raw)
	}
	return base.JoinPath("/"), nil // with a slash at the end, so that paths are appended to it
}

// namesContact reports whether a user agent contains a name, and a link or an email address.
func namesContact(userAgent string) bool {
	var name, contact bool
	for word := range strings.FieldsSeq(userAgent) {
		if strings.Contains(word, "://") || strings.Contains(word, "@") {
			contact = true
		} else {
			name = true
		}
	}
	return name && contact && !strings.ContainsAny(userAgent, "\r\n")
}
