// Package authserver is the OAuth 2.1 authorization server of the MCP endpoint. Clients register
// and ask for access, users sign in with a provider and consent, and clients receive tokens of
// this server, never the provider's. Before a client's redirect URI is verified, every failure is
// a page and never a redirect. Every step of a sign-in is bound by a cookie to the browser that
// started it.
package authserver

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/wire/publichttp"
)

// Upstream is a provider with the keeper of its grants.
type Upstream struct {
	provider.Provider
	Keeper *grant.Keeper
	// RegisterURL is the page on which the operator registers this server with the provider; may be
	// empty.
	RegisterURL string
	// Setup is a command line that stores the credentials of that registration; may be empty.
	Setup string
}

// Config holds the parts of a Server. Store, Upstreams, Origin, Projects, Suspended, Recent and Log
// must be set.
type Config struct {
	Store Store
	// Upstreams are the providers. Users sign in with the first. They can link the others to
	// themselves on their account page.
	Upstreams []Upstream
	// Origin returns the public origin, "https://host", without a trailing slash. It is also the
	// issuer. It must not depend on Host or X-Forwarded-* headers, which clients control.
	Origin func(*http.Request) string
	// Toolsets are the toolsets that this deployment serves. The metadata of /mcp/x/{toolsets}
	// names only these.
	Toolsets []string
	// AllowedAccounts are the accounts of the first provider that may use this deployment; nil
	// allows all.
	AllowedAccounts identity.Accounts
	// Projects returns the projects of an account that the user of a token of the first provider sees.
	Projects func(ctx context.Context, accessToken string, account int64) ([]provider.Project, error)
	// Suspended reports whether the first provider refuses every request to an account that the user
	// of a token has.
	Suspended func(ctx context.Context, accessToken string, account int64) bool
	// Machines lets users make machines.
	Machines bool
	// AllowedClients are the hosts of the clients that may connect: of their metadata document, or of
	// the redirect URI of a client that registered. Nil allows all.
	AllowedClients []string
	// Documents fetches client metadata documents. If nil, they are fetched over the network, from
	// public addresses only.
	Documents http.RoundTripper
	// NoDocuments leaves client metadata documents out: the metadata does not offer them, so that
	// clients register.
	NoDocuments bool
	// WithoutDocuments says on the page about a document that cannot be fetched how to do without
	// it; may be empty.
	WithoutDocuments string
	// Recent returns a user's latest tool calls, newest first, for the account page.
	Recent func(ctx context.Context, subject string) ([]pages.Call, error)
	// Changes lists and takes back what a user's apps wrote; zero: there is no page for it.
	Changes Changes
	// Bearer is a token that the front page shows for trying things; local servers only.
	Bearer string
	// HideBearer keeps Bearer off the front page: other machines can open it.
	HideBearer bool
	// Owner is set on a server that was started with an access token of its only user: the sign-on
	// of the first provider then shows no page.
	Owner *Owner
	// Demo says on the front page that the data is made up.
	Demo bool
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Lifetimes. Those of families and clients are extended by use.
const (
	stateTTL   = 10 * time.Minute
	codeTTL    = time.Minute
	familyTTL  = 30 * 24 * time.Hour
	familyEnd  = 180 * 24 * time.Hour
	clientTTL  = 90 * 24 * time.Hour
	accessTTL  = 8 * time.Hour    // some clients do not refresh; each request checks whether a token was revoked
	graceTTL   = 10 * time.Minute // in which the previous refresh token is accepted again
	sessionTTL = 30 * time.Minute // of a browser's session on the account page
)

// Server serves the endpoints and pages of the authorization server.
type Server struct {
	Config
	mux     *http.ServeMux
	fetches fetches
}

// New returns a server.
func New(c Config) *Server {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Documents == nil {
		c.Documents = publichttp.Transport()
	}
	s := &Server{Config: c, mux: http.NewServeMux()}
	s.routes()
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// routes registers the public paths. Endpoints for programs accept every method here and answer
// wrong ones in JSON.
func (s *Server) routes() {
	get := []string{http.MethodGet, http.MethodHead}
	for _, end := range []string{"", "/"} {
		s.mux.HandleFunc(resourceMetadataPath+end, s.api(s.resourceMetadata, get...))
		s.mux.HandleFunc(serverMetadataPath+end, s.api(s.serverMetadata, get...))
		s.mux.HandleFunc(openIDMetadataPath+end, s.api(s.serverMetadata, get...))
	}
	s.mux.HandleFunc(mcphttp.CatalogPath, s.api(s.catalogOfCard, get...))
	s.mux.HandleFunc("/.well-known/", s.api(noRoute, get...))
	s.mux.HandleFunc("/register", s.api(s.register, http.MethodPost))
	s.mux.HandleFunc("/token", s.api(s.token, http.MethodPost))
	s.mux.HandleFunc("/revoke", s.api(s.revoke, http.MethodPost))

	s.mux.HandleFunc("GET /{$}", s.page(s.landing))
	s.mux.HandleFunc("GET /authorize", s.page(s.authorize))
	s.mux.HandleFunc("POST /authorize", s.form(s.consent))
	s.mux.HandleFunc("GET /oauth/callback", s.page(s.callback))
	s.mux.HandleFunc("GET /oauth/{provider}/callback", s.page(s.callback))
	s.mux.HandleFunc("POST /oauth/choose", s.form(s.choose))
	s.mux.HandleFunc("GET /oauth/start", s.page(s.start))
	s.mux.HandleFunc("POST /oauth/start", s.form(s.startSubmitted))
	s.mux.HandleFunc("GET /account", s.accountPage(s.account))
	s.mux.HandleFunc("POST /account", s.accountForm(s.disconnect))
	if s.Changes.List != nil {
		s.mux.HandleFunc("GET "+changesPath, s.accountPage(s.changes))
		s.mux.HandleFunc("POST "+changesPath, s.accountForm(s.takeBack))
	}
	if s.Machines {
		s.mux.HandleFunc("GET /account/machines", s.accountPage(s.machines))
		s.mux.HandleFunc("POST /account/machines", s.accountForm(s.makeMachine))
	}
	s.mux.HandleFunc("/", s.page(noRoute))
}

// handler answers a request, or returns an error that writeError turns into the answer.
type handler func(w http.ResponseWriter, r *http.Request) error

// page serves a path that users visit in a browser.
func (s *Server) page(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.writeError(w, r, err, forUsers)
		}
	}
}

// api serves an endpoint for programs, which answers in JSON and is open to web pages of every
// origin.
func (s *Server) api(h handler, methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		done, err := admit(w, r, methods...)
		if err == nil && !done {
			err = h(w, r)
		}
		if err != nil {
			s.writeError(w, r, err, forPrograms)
		}
	}
}

// noRoute answers paths that this server does not have. Clients look for metadata under several
// paths: they try the next after a JSON 404, and give up after HTML or a 5xx.
func noRoute(http.ResponseWriter, *http.Request) error { return errNoRoute }

// first returns the provider that users sign in with.
func (s *Server) first() Upstream { return s.Upstreams[0] }

// upstream returns the provider with an ID. Links without a provider mean the first.
func (s *Server) upstream(id string) (Upstream, bool) {
	for _, u := range s.Upstreams {
		if id == "" || u.ID == id {
			return u, true
		}
	}
	return Upstream{}, false
}

// callbackPath returns the path to which a provider's sign-on returns users. Each provider has its
// own, so that an answer of one cannot pass for the answer of another (RFC 9700, 4.4.2).
func (s *Server) callbackPath(u Upstream) string {
	if u.ID == s.first().ID {
		return "/oauth/callback"
	}
	return "/oauth/" + u.ID + "/callback"
}

// answering returns the provider whose callback path a request has.
func (s *Server) answering(r *http.Request) (Upstream, bool) {
	id := r.PathValue("provider")
	if id == "" {
		return s.first(), true
	}
	u, ok := s.upstream(id)
	return u, ok && id != s.first().ID
}

var _ http.Handler = (*Server)(nil)

// wrongPath is the page for a path that this server does not have.
var wrongPath = pages.Failure{
	Status: http.StatusNotFound, Title: "Page not found",
	Message: "This server has no page at this address.",
	Next:    "The front page shows how to connect an app.", Link: "/",
}

// answerNoRoute shows users a page and answers programs in JSON.
func (s *Server) answerNoRoute(w http.ResponseWriter, r *http.Request, to audience) {
	if to == forUsers && mcphttp.FromBrowser(r) {
		s.writePage(w, r, wrongPath)
		return
	}
	mcphttp.NotFound().ServeHTTP(w, r)
}

// admit opens an endpoint for programs to web pages of every origin (Fetch standard, CORS
// protocol). This is safe because these endpoints use no cookies. It answers preflights itself and
// then returns done. The error is for a method that the endpoint does not have.
func admit(w http.ResponseWriter, r *http.Request, methods ...string) (done bool, err error) {
	allowed := strings.Join(append(slices.Clone(methods), http.MethodOptions), ", ")
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id, Retry-After, X-Request-Id")
	switch {
	case r.Method == http.MethodOptions:
		h.Set("Allow", allowed)
		h.Set("Access-Control-Allow-Methods", allowed)
		// The star does not cover Authorization, and old browsers do not support it.
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, MCP-Protocol-Version, *")
		h.Set("Access-Control-Max-Age", "7200") // seconds; the longest that browsers accept
		w.WriteHeader(http.StatusNoContent)
		return true, nil
	case !slices.Contains(methods, r.Method):
		h.Set("Allow", allowed)
		return false, &oauthError{
			status: http.StatusMethodNotAllowed, code: invalidRequest, description: "use " + strings.Join(methods, " or "),
		}
	}
	return false, nil
}
