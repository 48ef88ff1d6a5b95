package authserver

import (
	"net/http"
	"slices"
	"strings"
)

// admit opens an endpoint for machines to web pages of every origin, which costs nothing where no cookie counts (R7, T2). It
// reports whether the handler is to go on: a preflight, and a method the endpoint does not have, are then answered already.
func admit(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	allowed := strings.Join(append(slices.Clone(methods), http.MethodOptions), ", ")
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id, Retry-After, X-Request-Id")
	switch {
	case r.Method == http.MethodOptions:
		h.Set("Allow", allowed)
		h.Set("Access-Control-Allow-Methods", allowed)
		// The star stands for every other header; Authorization it does not cover, and old browsers do not know it.
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, MCP-Protocol-Version, *")
		h.Set("Access-Control-Max-Age", "7200") // seconds; no browser keeps a preflight longer
		w.WriteHeader(http.StatusNoContent)
		return false
	case !slices.Contains(methods, r.Method):
		h.Set("Allow", allowed)
		f := failure{status: http.StatusMethodNotAllowed, code: invalidRequest, description: "use " + strings.Join(methods, " or ")}
		f.write(w)
		return false
	}
	return true
}
