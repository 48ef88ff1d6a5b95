package mcphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/loopback"
)

const (
	corsMethods = "GET, POST, DELETE, OPTIONS"
	corsMaxAge  = "7200" // seconds; the longest that a browser caches a preflight
)

// corsHeaders are the request headers that clients send. Authorization must be in the list: `*`
// does not include it.
var corsHeaders = []string{
	"Authorization", "Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name",
	"Last-Event-ID", "X-MCP-Toolsets", "X-MCP-Readonly", "X-MCP-Projects",
}

// Values of headers, which nothing changes.
var (
	varyOrigin = []string{"Origin"}
	corsExpose = []string{"WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"}
)

// shareWithOrigin lets an allowed browser origin read the answer, refusals included: a page that
// cannot read the 401 never starts a login.
func (g *Guard) shareWithOrigin(h http.Header, r *http.Request) {
	h["Vary"] = varyOrigin
	h["Access-Control-Expose-Headers"] = corsExpose
	if origin := r.Header.Get("Origin"); origin != "" && g.allowsOrigin(r) {
		h.Set("Access-Control-Allow-Origin", origin)
	}
}

// preflight answers OPTIONS without a token, because browsers send none with it. It allows no
// access: another origin's page gets no Access-Control-Allow-Origin.
func preflight(r *http.Request, methods string) *answer {
	return &answer{status: http.StatusNoContent, header: http.Header{
		"Allow":                        {methods},
		"Access-Control-Allow-Methods": {corsMethods},
		"Access-Control-Allow-Headers": {strings.Join(allowedHeaders(r), ", ")},
		"Access-Control-Max-Age":       {corsMaxAge},
		"Vary":                         {"Origin, Access-Control-Request-Headers"},
	}}
}

// allowedHeaders returns corsHeaders and every well-formed name that the preflight asks for.
// Mcp-Param-* headers have names from tools' arguments.
func allowedHeaders(r *http.Request) []string {
	allowed := slices.Clone(corsHeaders)
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = strings.TrimSpace(name)
		known := slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, name) })
		if !known && isHeaderName(name) && len(allowed) < 64 {
			allowed = append(allowed, name)
		}
	}
	return allowed
}

func isHeaderName(s string) bool {
	return s != "" && len(s) <= 128 && strings.IndexFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_')
	}) < 0
}

// allowsOrigin reports whether the request's origin may call the server (MCP 2026-07-28, streamable
// HTTP). A request without Origin does not come from a browser's page.
func (g *Guard) allowsOrigin(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		return true
	}
	if len(given) > 1 || given[0] == "" || given[0] == "null" { // every sandboxed frame and local file has "null"
		return false
	}
	same := func(allowed string) bool { return strings.EqualFold(strings.TrimSuffix(allowed, "/"), given[0]) }
	return same(g.Origin(r)) || slices.ContainsFunc(g.AllowedOrigins, same) || isLoopback(given[0])
}

// isLoopback reports whether an origin is http or https, at any port, of localhost or a loopback
// address. Names that only begin with one are not.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Scheme+"://"+u.Host, origin) {
		return false
	}
	return loopback.Host(u.Hostname())
}
