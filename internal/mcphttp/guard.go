// Package mcphttp owns what stands between HTTP and the rest of the product: the guard in front of the MCP server, the JSON
// writer and the middleware. The guard decides on what the body says, never on the headers that mirror it, and refuses any
// message that the server behind could read in a second way: what was checked is what runs.
package mcphttp

import (
	"context"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/telemetry"
)

// Catalog is the MCP server behind the guard.
type Catalog interface {
	// Toolsets names what this deployment serves.
	Toolsets() []string
	// Scope is the scope a caller needs for a tool; false when there is no such tool.
	Scope(s Selection, tool string) (identity.Scope, bool)
	// Handler answers one POSTed JSON-RPC message with one JSON body. It is called for every message, so it must be cheap.
	Handler(Selection) http.Handler
}

// Guard is the http.Handler of /mcp and everything below it. Catalog, Authenticator, Sessions and Origin must be set. It
// answers for itself, in this order, whatever must not reach the Catalog: CORS preflights, foreign origins, callers without
// a valid token, unknown paths and methods, malformed messages, versions we do not serve, sessions that are not the
// caller's, and tools beyond the caller's scopes. What is behind finds the caller and the public origin in the context.
type Guard struct {
	Catalog       Catalog
	Authenticator Authenticator
	Sessions      Sessions
	// Origin is the public origin, "https://host", without a trailing slash. It must not be made of Host or X-Forwarded-*.
	Origin func(*http.Request) string
	// AllowedOrigins are the browser origins allowed besides our own and loopback.
	AllowedOrigins []string
	// ReadOnly is an upper bound: no path or header opens writes again.
	ReadOnly bool
	// MaxBody is the largest message in bytes; zero means 1 MiB.
	MaxBody int64
	// Log takes the cause of every 503; nil drops it.
	Log *slog.Logger
}

// entrance is a way to the tools. The guard makes the same checks before each, and only then lets a caller in.
type entrance interface {
	// methods are those the path has, for Allow.
	methods(*http.Request) string
	// selected reads which part of the catalogue the request is for.
	selected(*http.Request) (Selection, *answer)
	// admit answers one request of a caller who was checked; nil when it has written to w.
	admit(w http.ResponseWriter, r *http.Request, who authenticated, s Selection) *answer
}

// ServeHTTP answers one request.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.serve(g, w, r) }

// serve answers one request that came to an entrance.
func (g *Guard) serve(e entrance, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w = bodiless{w}
	}
	secure(w.Header())
	r = r.WithContext(identity.WithOrigin(r.Context(), g.Origin(r)))
	g.shareWithOrigin(w.Header(), r)
	if a := g.answer(e, w, r); a != nil {
		a.write(w)
	}
}

// answer is the guard's own answer, or nil when what is behind has written one to w.
func (g *Guard) answer(e entrance, w http.ResponseWriter, r *http.Request) *answer {
	if r.Method == http.MethodOptions {
		return preflight(r, e.methods(r))
	}
	if !g.allowsOrigin(r) {
		return failed(http.StatusForbidden, "forbidden_origin", "this origin may not call the server from a browser")
	}
	who, refused := g.authenticate(r)
	if refused != nil {
		return refused
	}
	telemetry.Identified(r.Context(), identity.Alias(who.Subject))
	selected, refused := e.selected(r)
	if refused != nil {
		return refused
	}
	return e.admit(w, r, who, selected)
}

func (*Guard) methods(*http.Request) string { return "POST, DELETE" }

// admit passes messages on and ends sessions.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request, who authenticated, selected Selection) *answer {
	switch r.Method {
	case http.MethodPost:
		return g.post(w, r, who, selected)
	case http.MethodDelete:
		return g.endSession(r, who)
	default: // GET and HEAD too: there is no stream to listen on
		return notAllowed(g.methods(r))
	}
}

// post checks one message and passes it on.
func (g *Guard) post(w http.ResponseWriter, r *http.Request, who authenticated, selected Selection) *answer {
	body, refused := g.body(w, r)
	if refused != nil {
		return refused
	}
	m, refused := parse(body)
	if refused != nil {
		return refused
	}
	stateless, refused := m.era(r.Header.Get(versionHeader))
	if refused != nil {
		return refused
	}
	if a := m.answeredHere(stateless); a != nil {
		return a
	}
	caller := who.Caller
	if !stateless && !m.handshake() {
		if caller.Session, refused = g.session(r, who, m.id); refused != nil {
			return refused
		}
	}
	if refused := g.permit(r, caller, selected, m.tool); refused != nil {
		return refused
	}
	said := record(g.Catalog.Handler(selected), behind(r, caller, m, body))
	if said.status == 0 {
		return rpcFailed(http.StatusInternalServerError, m.id, rpcError{Code: codeInternal, Message: "no answer was made"})
	}
	if m.handshake() && said.succeeded() {
		openSession(w.Header(), caller)
	}
	said.copyTo(w)
	return nil
}

// permit refuses a tool beyond the caller's scopes. The challenge names the granted scopes with the missing one, because a
// client replaces its token by one with exactly the scopes it reads there (R13, E-17). A tool that this URL does not offer asks
// for nothing: no scope would open it.
func (g *Guard) permit(r *http.Request, caller identity.Caller, selected Selection, tool string) *answer {
	needed, known := g.Catalog.Scope(selected, tool)
	if !known || caller.Can(needed) {
		return nil
	}
	return g.challenge(r, challenge{
		status:      http.StatusForbidden,
		code:        "insufficient_scope",
		description: "this tool needs the scope " + string(needed),
		scopes:      union(caller.Scopes, needed),
	})
}

// unavailable is the answer when a check could not be made: neither a pass nor a 401, which would throw people into a login
// (R23).
func (g *Guard) unavailable(ctx context.Context, check string, err error) *answer {
	if g.Log != nil {
		g.Log.ErrorContext(ctx, "guard: "+check, "err", err, "request_id", identity.RequestID(ctx))
	}
	a := failed(http.StatusServiceUnavailable, "temporarily_unavailable", "the request could not be checked; try again shortly")
	a.header = http.Header{"Retry-After": {"2"}}
	return a
}
