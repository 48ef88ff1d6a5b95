package authserver

import (
	"net/http"
	"slices"
	"strings"
)

// admit opens an endpoint for programs to web pages of every origin. This is safe because these
// endpoints use no cookies. It answers preflights itself and then returns done. The error is for a
// method that the endpoint does not have.
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
