// Package mcphttp owns what stands between HTTP and the MCP server: the guard, the JSON writer and
// the middleware. The guard decides by the body of a message, never by the headers that repeat it.
// It refuses any message that the MCP server could read in a second way: the server runs exactly
// what the guard checked.
package mcphttp

import (
	"context"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
)

// Catalog is the MCP server behind the guard.
type Catalog interface {
	// Toolsets returns the names of the toolsets that this deployment serves.
	Toolsets() []string
	// Scope returns the scope that a caller needs for a tool, and false if there is no such tool.
	Scope(s Selection, tool string) (identity.Scope, bool)
	// Handler returns a handler that answers one POSTed JSON-RPC message with one JSON body. The
	// guard calls it for every message, so it must be cheap.
	Handler(Selection) http.Handler
}

// Guard is the http.Handler of /mcp and all paths below it. Catalog, Authenticator and Origin
// must be set. The guard answers itself, in this order, what must not reach the Catalog:
// CORS preflights, other origins, callers without a valid token, unknown paths and methods,
// malformed messages, unsupported versions, sessions of other callers, and tools beyond the
// caller's scopes. The Catalog finds the caller and the public origin in the context.
type Guard struct {
	Catalog       Catalog
	Authenticator Authenticator
	// Origin returns the public origin, "https://host", without a trailing slash. It must not
	// depend on Host or X-Forwarded-*.
	Origin func(*http.Request) string
	// ReadOnly is an upper bound: no path or header allows writes again.
	ReadOnly bool
	// MaxBody is the maximum size of a message in bytes; zero means 1 MiB.
	MaxBody int64
	// Log receives the cause of every 503. It may be nil.
	Log *slog.Logger
}

// endpoint is a way to the tools. The guard makes the same checks before each endpoint.
type endpoint interface {
	// methods returns the methods of the path, for Allow.
	methods(*http.Request) string
	// selected returns the part of the catalogue that the request asks for.
	selected(*http.Request) (Selection, *answer)
	// admit answers one request of a caller who passed the checks. It returns nil if it has written
	// to w.
	admit(w http.ResponseWriter, r *http.Request, who authenticated, s Selection) *answer
}

// ServeHTTP answers one request.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.serve(g, w, r) }

// serve answers one request to an endpoint. Servers drop the body of an answer to HEAD.
func (g *Guard) serve(e endpoint, w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	r = r.WithContext(identity.WithOrigin(r.Context(), g.Origin(r)))
	g.shareWithOrigin(w.Header(), r)
	if a := g.answer(e, w, r); a != nil {
		a.write(w)
	}
}

// answer returns the guard's own answer, or nil if the endpoint has written one to w.
func (g *Guard) answer(e endpoint, w http.ResponseWriter, r *http.Request) *answer {
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
	telemetry.Identified(r.Context(), identity.Alias(who.Subject), who.Client)
	if who.Fence, refused = hold(who.Fence, r.Header); refused != nil {
		return refused
	}
	selected, refused := e.selected(r)
	if refused == nil {
		refused = g.narrow(&selected, r.Header)
	}
	if refused == nil {
		selected, refused = g.bound(selected, who.Toolsets)
	}
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
	default: // GET and HEAD too: the server has no stream
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
		held, refused := g.session(r, who, m.ID)
		if refused != nil {
			return refused
		}
		caller.Session, caller.OpensLinks = held.id, held.opensLinks && m.may20251125(r.Header.Get(versionHeader))
	}
	if refused := g.permit(r, caller, selected, m.Tool); refused != nil {
		return refused
	}
	to := w
	if m.handshake() {
		to = nil // the header of the answer depends on its body
	}
	response := record(g.Catalog.Handler(selected), to, forwarded(r, caller, m, body))
	if response.status == 0 {
		return rpcFailed(http.StatusInternalServerError, m.ID, rpcError{Code: codeInternal, Message: "the server returned no answer"})
	}
	if m.handshake() && response.succeeded() {
		openSession(w.Header(), caller, m.opensLinks && response.agreed() == Version20251125)
	}
	response.finish(w)
	return nil
}

// permit refuses a tool beyond the caller's scopes. The challenge names the granted scopes and the
// missing one, because a client replaces its token by one with exactly the scopes in the challenge
// (MCP, authorization, scope challenge). A tool that the URL does not offer needs no scope.
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

// unavailable returns the answer for a check that could not be made: neither access nor a 401,
// which would make users sign in again.
func (g *Guard) unavailable(ctx context.Context, check string, err error) *answer {
	if g.Log != nil {
		g.Log.ErrorContext(ctx, "guard: "+check, "err", err, "request_id", identity.RequestID(ctx))
	}
	a := failed(http.StatusServiceUnavailable, "temporarily_unavailable", "the request could not be checked; try again shortly")
	a.header = http.Header{"Retry-After": {"2"}}
	return a
}
