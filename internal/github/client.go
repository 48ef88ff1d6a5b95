// Package github is a client of GitHub's REST and GraphQL APIs. Its errors are faults; any other
// error is a defect of this server. A value that a REST read returned may be shared with later
// calls of the same user, because an unchanged answer is decoded only once: callers must not change
// it.
//
// It is written by hand over package upstream: google/go-github remembers rate limits per client,
// which one process would share among all users, and the known clients of GraphQL drop the type of
// an error, on which its meaning depends.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/loopback"
	"basecamp-mcp/internal/wire/upstream"
)

// ProviderID is the ID of GitHub as a provider.
const ProviderID = githubauth.ProviderID

const (
	apiVersion = "2022-11-28" // GitHub Docs, "API versions"
	defaultWeb = "https://github.com"
	// readTime is longer than the 10 s after which GitHub itself ends a request (GitHub Docs,
	// "Troubleshooting the REST API"), so that its answer says so.
	readTime = 11 * time.Second
)

// Credential is the permission to act as one user.
type Credential struct {
	AccessToken string
	Person      string // an opaque key of the user
	Link        string // an opaque revision of the link; another one sees nothing that was cached before
	// Scope is what the user granted, separated by spaces. It is empty for the tokens of a GitHub
	// App and wherever the scopes are unknown.
	Scope string
	Login string // the user's login; empty if unknown
}

// TokenSource returns the credential of the user in ctx. If refused is not empty, it is an access
// token that GitHub has just answered with 401; the source must then return another token of the
// same user. Errors are faults: NOT_LINKED if the user must link GitHub first.
type TokenSource func(ctx context.Context, refused string) (Credential, error)

// Config holds the settings of a Client. APIURL, UserAgent and Tokens are required.
type Config struct {
	APIURL string // base of the REST API: https://api.github.com; http is allowed only for a loopback address
	// WebURL is the origin of GitHub's pages. Links to other hosts are never shown. Empty:
	// https://github.com.
	WebURL string
	// BrowserURL is the address at which a user's browser reaches WebURL, if it differs; empty
	// means WebURL.
	BrowserURL string
	UserAgent  string
	Transport  http.RoundTripper // nil: the network
	Tokens     TokenSource
	Now        func() time.Time // to compare times in answers with; nil: time.Now
	// Lockdown withholds what people wrote who do not work on the repository: titles, bodies,
	// comments.
	Lockdown  bool
	Unlimited bool // APIURL accepts any number of writes, unlike GitHub
}

// Client calls GitHub for all users; ctx determines the user of a call. It is safe for concurrent
// use. A process needs only one, because the cache and the users' limits belong to it.
type Client struct{ *common }

// common is what a Client and its requests share. Requests do not know the Client itself: a process
// that only takes changes back would then have all its methods.
type common struct {
	rest     *url.URL // ends with a slash
	graphql  *url.URL
	web      *url.URL
	browser  string // empty: web
	upstream *upstream.Client
	tokens   TokenSource
	now      func() time.Time
	people   *people
	lockdown bool
	lacks    lacks
	ahead    atomic.Pointer[time.Duration] // by which GitHub's clock is ahead; nil before an answer said so
}

// New returns a client. The error says what is wrong with the configuration.
func New(config Config) (*Client, error) {
	rest, err := parseAddress(config.APIURL)
	if err != nil {
		return nil, fmt.Errorf("API URL: %w", err)
	}
	if config.WebURL == "" {
		config.WebURL = defaultWeb
	}
	web, err := parseAddress(config.WebURL)
	if err != nil {
		return nil, fmt.Errorf("web URL: %w", err)
	}
	if strings.TrimSpace(config.UserAgent) == "" || strings.ContainsAny(config.UserAgent, "\r\n") {
		return nil, errors.New("user agent: GitHub refuses requests without one")
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
	graphql := graphqlAddress(rest)
	return &Client{&common{
		rest:    rest,
		graphql: graphql,
		web:     web,
		browser: strings.TrimRight(config.BrowserURL, "/"),
		upstream: upstream.New(upstream.Config{
			ID: ProviderID, Name: "GitHub", UserAgent: config.UserAgent, RequestIDHeader: "X-GitHub-Request-Id",
			Transport: config.Transport, Now: config.Now, Roots: []*url.URL{rest, graphql}, FollowWrites: true, ServerErrorIsFinal: true, ReadTime: readTime,
		}),
		tokens:   config.Tokens,
		now:      config.Now,
		lockdown: config.Lockdown,
		people:   newPeople(config.Now, !config.Unlimited),
	}}, nil
}

// Now returns the time by GitHub's clock, in whole seconds and never late: what GitHub makes from
// now on has no earlier time. Before GitHub has answered, it is a minute early.
func (c *common) Now() time.Time {
	ahead := -time.Minute
	if said := c.ahead.Load(); said != nil {
		ahead = *said
	}
	return c.now().Add(ahead).Truncate(time.Second)
}

// parseAddress parses an origin with an optional path, and adds a slash at the end, so that paths
// are appended to it.
func parseAddress(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback.Host(u.Hostname())) {
		return nil, fmt.Errorf("%q is not https", raw)
	}
	if u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q has more than an origin and a path", raw)
	}
	return u.JoinPath("/"), nil
}

// graphqlAddress returns the address of the GraphQL API: /graphql below the REST API, but
// /api/graphql where the REST API is /api/v3, as on GitHub Enterprise Server.
func graphqlAddress(rest *url.URL) *url.URL {
	if strings.HasSuffix(rest.Path, "/api/v3/") {
		return rest.JoinPath("../graphql")
	}
	return rest.JoinPath("graphql")
}

// lacks remembers which parts of the schema this GitHub does not have: an Enterprise Server may be
// older than them. It is safe for concurrent use.
type lacks struct {
	status  atomic.Bool // status updates
	closing atomic.Bool // pull requests that close an issue
}

// learns reports whether an error says that this GitHub lacks a part, and remembers it.
func learns(part *atomic.Bool, err error) bool {
	if !fault.Is(err, fault.InternalError) || fault.From(err).Upstream == nil {
		return false
	}
	part.Store(true)
	return true
}
