package mcphttp

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/loopback"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/lazyregexp"
)

// WithRequestID adds an ID to every request: the one that id finds in it, such as the gateway's, or
// a random one if id is nil or finds none. The ID is in the context, and the client gets it in
// X-Request-Id.
func WithRequestID(next http.Handler, id func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := ""
		if id != nil {
			name = id(r)
		}
		if name == "" {
			name = rand.Text()
		}
		w.Header().Set("X-Request-Id", name)
		next.ServeHTTP(w, r.WithContext(identity.WithRequestID(r.Context(), name)))
	})
}

// Recover turns a panic into a JSON 500 that shows only the request ID. The details go to the log.
func Recover(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &watched{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, compared as net/http does
				panic(p)
			}
			id := identity.RequestID(r.Context())
			log.ErrorContext(r.Context(), "panic", "value", fault.Panicked(p), "stack", string(debug.Stack()), "request_id", id)
			if seen.status == 0 {
				JSON(w, http.StatusInternalServerError, failure{"server_error", "something went wrong on our side", id})
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// watched stores the status, which is zero until the header is written.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// WriteConstant writes bytes that never change; see constantWriter.
func (w *watched) WriteConstant(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return WriteConstant(w.ResponseWriter, p)
}

// Unwrap returns the writer for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// FromBrowser reports whether a user opened the URL in a browser: a GET that accepts HTML, without
// a bearer token. MCP clients ask for JSON or an event stream.
func FromBrowser(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Authorization") == "" &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// FrontPage redirects users who open the endpoint's URL in a browser to the front page, and passes
// every other request on to next.
func FrontPage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !FromBrowser(r) {
			next.ServeHTTP(w, r)
			return
		}
		secure(w.Header())
		w.Header().Set("Vary", "Accept, Authorization")
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusFound)
	})
}

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
		if !known && headerName.MatchString(name) && len(allowed) < 64 {
			allowed = append(allowed, name)
		}
	}
	return allowed
}

var headerName = lazyregexp.New(`^[a-zA-Z0-9_-]{1,128}$`)

// allowsOrigin reports whether the request's origin may call the server: this one or a page on the
// user's own machine (MCP 2026-07-28, streamable HTTP). A request without Origin does not come from
// a browser's page.
func (g *Guard) allowsOrigin(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		return true
	}
	if len(given) > 1 || given[0] == "" || given[0] == "null" { // every sandboxed frame and local file has "null"
		return false
	}
	return strings.EqualFold(g.Origin(r), given[0]) || isLoopback(given[0])
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
