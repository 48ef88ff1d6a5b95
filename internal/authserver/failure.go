package authserver

import (
	"net/http"
	"strconv"
	"time"

	"basecamp-mcp/internal/mcphttp"
)

// failure is an OAuth error: to clients as JSON (RFC 6749 5.2), or as parameters of a redirect (4.1.2.1). The description is
// in our own words and repeats nothing of the request.
type failure struct {
	status      int
	code        string
	description string
	retryAfter  time.Duration
	basic       bool // the client tried HTTP Basic, and is told so (T3)
}

func (f *failure) Error() string { return f.code + ": " + f.description }

// The codes of RFC 6749, 7591 and 8707 that we use.
const (
	invalidRequest         = "invalid_request"
	invalidClient          = "invalid_client"
	invalidGrant           = "invalid_grant"
	invalidScope           = "invalid_scope"
	invalidTarget          = "invalid_target"
	invalidRedirectURI     = "invalid_redirect_uri"
	invalidClientMetadata  = "invalid_client_metadata"
	unsupportedGrantType   = "unsupported_grant_type"
	unsupportedResponse    = "unsupported_response_type"
	accessDenied           = "access_denied"
	serverError            = "server_error"
	temporarilyUnavailable = "temporarily_unavailable"
)

// refuse is a 400, which most failures are.
func refuse(code, description string) *failure {
	return &failure{status: http.StatusBadRequest, code: code, description: description}
}

// unavailable is the only failure after which clients keep their tokens and try again (T14).
func unavailable() *failure {
	return &failure{
		status: http.StatusServiceUnavailable, code: temporarilyUnavailable,
		description: "the server could not look that up; try again shortly", retryAfter: 2 * time.Second,
	}
}

// write sends it as JSON.
func (f *failure) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Pragma", "no-cache")
	if f.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(f.retryAfter.Seconds())))
	}
	if f.basic && f.code == invalidClient {
		// Twice, since API Gateway may rename the first: it maps the second back.
		h["WWW-Authenticate"] = []string{`Basic realm="basecamp-mcp"`}
		h.Set("X-Mcp-Challenge", `Basic realm="basecamp-mcp"`)
	}
	mcphttp.JSON(w, f.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{f.code, f.description})
}
