// Package basecamp reads and writes Basecamp: one method an endpoint, and behind them all the manners its API asks for
// (pages, limits, retries, freshness), kept where no method can skip them. Its errors are faults; any other is a defect.
// What a method returns may be shared with later calls of the same person, because an unchanged answer is decoded once:
// read it, never change it.
package basecamp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/publichttp"
)

// Credential is the permission to act as one person in one account.
type Credential struct {
	AccessToken string
	Account     int64
	Person      string // an opaque key of who this is: what is cached for one is never shown to another, or kept for ""
}

// TokenSource gives the credential of the caller in ctx. refused is the access token that Basecamp has just answered 401
// to, or "": then another token of the same person and account must be found. Errors: a fault, TOKEN_EXPIRED when the
// person has to connect again.
type TokenSource interface {
	Credential(ctx context.Context, refused string) (Credential, error)
}

// Config is what a Client is made of. BaseURL, UserAgent and Tokens are needed.
type Config struct {
	BaseURL   string            // https://3.basecampapi.com; plain http is for a loopback address alone
	UserAgent string            // a name, and a link or e-mail address to reach whoever runs this (B-62)
	Transport http.RoundTripper // to Basecamp; nil: the network
	Outside   http.RoundTripper // to hosts that others name, of files; nil: the network, of which public hosts alone
	Tokens    TokenSource
	Now       func() time.Time // the clock that dates in answers are held against; nil: time.Now
	Unlimited bool             // whether BaseURL takes any number of requests; Basecamp takes 50 in 10 s from one address
}

// Client speaks to Basecamp for everyone: who a call is for comes from its ctx. It is safe for concurrent use, and one
// should serve the whole process, as its limits and its cache are its own.
type Client struct {
	base      *url.URL
	userAgent string
	http      *http.Client
	outside   http.RoundTripper // to where files are
	tokens    TokenSource
	now       func() time.Time
	unlimited bool
	bucket    bucket
	cache     *cache
}

// New makes a client, or says what is wrong with the configuration.
func New(config Config) (*Client, error) {
	base, err := parseBase(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if !namesContact(config.UserAgent) {
		return nil, errors.New("user agent: needs a name and a link or e-mail address, or Basecamp answers 400")
	}
	if config.Tokens == nil {
		return nil, errors.New("no token source")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	if config.Outside == nil {
		config.Outside = publichttp.Transport()
	}
	return &Client{
		base:      base,
		userAgent: config.UserAgent,
		http:      &http.Client{Transport: config.Transport, CheckRedirect: followAtHome},
		outside:   config.Outside,
		tokens:    config.Tokens,
		now:       config.Now,
		unlimited: config.Unlimited,
		cache:     newCache(cacheEntries, cacheBytes),
	}, nil
}

// Account is the account the caller's credential is for.
func (c *Client) Account(ctx context.Context) (int64, error) {
	credential, err := c.tokens.Credential(ctx, "")
	return credential.Account, err
}

func parseBase(raw string) (*url.URL, error) {
	base, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && loopback(base.Hostname())) {
		return nil, fmt.Errorf("%q is not https", raw)
	}
	if base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("%q is not an origin, with a path at most", raw)
	}
	return base.JoinPath("/"), nil // or the paths below would come out relative
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// namesContact reports whether a user agent has a word of its own and one that is a link or an e-mail address.
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

func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 5 * time.Second,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 2 * maxInFlight,
		// Shorter than servers keep theirs: a write into a connection just closed may or may not have happened.
		IdleConnTimeout: 45 * time.Second,
	}
}

// maxRedirects is how often a read is followed to another address of Basecamp's API.
const maxRedirects = 3

// followAtHome follows the redirects of reads within the origin. Any other is handed back as the answer it is: elsewhere
// the token must not go, and a redirected write may turn into a read.
func followAtHome(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || first.Method != http.MethodGet || !sameOrigin(next.URL, first.URL) {
		return http.ErrUseLastResponse
	}
	meterOf(next.Context()).count()
	return nil
}
