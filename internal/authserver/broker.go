// Package authserver is the authorization server: MCP clients log in to it, it has people log in to Basecamp, and it hands the
// clients tokens of its own. Two things a newcomer would not guess: nothing of a client's is trusted before its redirect URI
// has been checked, so failures until then are pages and never redirects; and a login is tied to the browser it began in, by
// a cookie, at every station.
package authserver

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// Config is what a Broker is made of. Store, Keeper, Provider, Origin and Log must be set.
type Config struct {
	Store    Store
	Keeper   *grant.Keeper
	Provider provider.Provider // the one that users log in with
	// Origin is the public origin, "https://host", without a trailing slash; also the issuer. It must not be made of Host or
	// X-Forwarded-* (R9).
	Origin func(*http.Request) string
	// Toolsets are the toolsets this deployment serves; the metadata of /mcp/x/{toolsets} names only those.
	Toolsets []string
	// AllowedAccounts are the Basecamp accounts that may use this deployment; nil allows all.
	AllowedAccounts identity.Accounts
	// AccessTTL is how long access tokens live; zero means an hour (T9).
	AccessTTL time.Duration
	// RedirectURIs are further redirect URIs, of schemes of their own, that clients may register (C24).
	RedirectURIs []string
	// Documents fetches client metadata documents; nil: over the network, to public addresses alone (C4).
	Documents http.RoundTripper
	// Setup tells the deployer how to store the credentials of the application: a command line. "" when there is none.
	Setup string
	// Recent gives a person's latest tool calls, newest first, for their account page; nil shows none.
	Recent func(ctx context.Context, subject string) ([]pages.Call, error)
	// Bearer is shown on the front page for trying things; local servers only.
	Bearer string
	Demo   bool
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger
}

// Lifetimes. Those of families and clients slide with use.
const (
	stepTTL      = 10 * time.Minute
	codeTTL      = time.Minute
	familyTTL    = 30 * 24 * time.Hour
	familyEnd    = 180 * 24 * time.Hour
	clientTTL    = 90 * 24 * time.Hour
	accessTTL    = time.Hour
	graceTTL     = 10 * time.Minute // T13
	browserTTL   = 30 * time.Minute // of a look at the account page
	callbackPath = "/oauth/callback"
)

// Broker serves the authorization server's endpoints and pages.
type Broker struct {
	Config
	mux     *http.ServeMux
	fetches fetches
}

// New makes a broker.
func New(c Config) *Broker {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.AccessTTL == 0 {
		c.AccessTTL = accessTTL
	}
	b := &Broker{Config: c, mux: http.NewServeMux()}
	b.routes()
	return b
}

// ServeHTTP answers one request.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.mux.ServeHTTP(w, r) }

// routes are the paths of the outside contract. Machines' endpoints take every method and say themselves which they mean,
// in JSON.
func (b *Broker) routes() {
	b.mux.HandleFunc("/.well-known/oauth-protected-resource", b.resourceMetadata)
	b.mux.HandleFunc("/.well-known/oauth-protected-resource/", b.resourceMetadata)
	b.mux.HandleFunc("/.well-known/oauth-authorization-server", b.serverMetadata)
	b.mux.HandleFunc("/.well-known/oauth-authorization-server/", b.serverMetadata)
	b.mux.HandleFunc("/.well-known/openid-configuration", b.serverMetadata)
	b.mux.HandleFunc("/.well-known/openid-configuration/", b.serverMetadata)
	b.mux.HandleFunc("/.well-known/", noMetadata)
	b.mux.HandleFunc("/register", b.register)
	b.mux.HandleFunc("/token", b.token)
	b.mux.HandleFunc("/revoke", b.revoke)

	b.mux.HandleFunc("GET /{$}", b.landing)
	b.mux.HandleFunc("GET /authorize", b.authorize)
	b.mux.HandleFunc("POST /authorize", b.consent)
	b.mux.HandleFunc("GET /oauth/callback", b.callback)
	b.mux.HandleFunc("POST /oauth/choose", b.choose)
	b.mux.HandleFunc("GET /oauth/start", b.start)
	b.mux.HandleFunc("POST /oauth/start", b.startOn)
	b.mux.HandleFunc("GET /account", b.account)
	b.mux.HandleFunc("POST /account", b.disconnect)
	b.mux.Handle("/", mcphttp.NotFound())
}
