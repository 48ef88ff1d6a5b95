package authserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// audience says who reads an answer.
type audience bool

const (
	forUsers    audience = false // pages
	forPrograms audience = true  // JSON
)

// errNoRoute means that this server has nothing at the path.
var errNoRoute = errors.New("no such path")

// writeError turns the error of a handler into its answer: a page, a redirect to the client, or
// JSON. It logs the cause of each failure that is not the user's or the client's. The request's
// line has the OAuth error code, which a page that is not about an OAuth request, and a wrong path,
// lack.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error, to audience) {
	var shown *pageError
	var redirected *clientError
	var refused *oauthError
	code := temporarilyUnavailable
	switch {
	case errors.Is(err, errNoRoute):
		code = ""
		s.answerNoRoute(w, r, to)
	case errors.As(err, &shown):
		code = shown.code
		s.note(r.Context(), slog.LevelError, shown.cause)
		s.writePage(w, r, shown.page)
	case errors.As(err, &redirected):
		s.note(r.Context(), slog.LevelError, redirected.cause)
		f := redirected.failure
		code = f.code
		s.redirectToClient(w, r, redirected.request, url.Values{"error": {f.code}, "error_description": {f.description}})
	case errors.As(err, &refused):
		code = refused.code
		refused.write(w)
	case errors.Is(err, provider.ErrNotConfigured):
		s.writeNotSetUp(w, r)
	case to == forPrograms:
		s.note(r.Context(), slog.LevelError, err)
		unavailable().write(w)
	default:
		s.note(r.Context(), slog.LevelError, err)
		s.writePage(w, r, tryAgain)
	}
	telemetry.Refused(r.Context(), code)
}

// writePage shows a failure to the user.
func (s *Server) writePage(w http.ResponseWriter, r *http.Request, f pages.Failure) {
	f.RequestID = identity.RequestID(r.Context())
	if r.URL.Path == "/" || r.URL.Path == "/account" {
		pages.Isolate(w.Header())
	}
	pages.Write(w, f)
}

// writeNotSetUp says that users cannot sign in yet: browsers get a page, programs get an OAuth
// error.
func (s *Server) writeNotSetUp(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.writePage(w, r, pages.Failure{
			Status: http.StatusServiceUnavailable, Title: "This server is not set up yet",
			Message: "It is not registered with " + s.first().Name + ", so users cannot sign in.",
			Next:    "The operator finds the next step on the front page.", Link: "/",
		})
		return
	}
	(&oauthError{
		status: http.StatusServiceUnavailable, code: temporarilyUnavailable,
		description: "this server is not set up yet; the operator finds the next step on its front page",
	}).write(w)
}

// note logs an error with the request's ID. It ignores nil.
func (s *Server) note(ctx context.Context, level slog.Level, err error) {
	if err != nil {
		s.Log.Log(ctx, level, "authserver: request failed", "err", err, "request_id", identity.RequestID(ctx))
	}
}

// oauthError is an OAuth error. Clients receive it as JSON (RFC 6749, 5.2). The description never
// repeats parts of the request.
type oauthError struct {
	status      int
	code        string
	description string
	next        string // what the user can do, on the page about a client's document; empty elsewhere
	cause       error  // for the log; may be nil
	retryAfter  time.Duration
	basic       bool // the client used HTTP Basic, and the answer must name that scheme (RFC 6749, 5.2)
}

func (e *oauthError) Error() string { return e.code + ": " + e.description }

// The codes of RFC 6749, RFC 7591 and RFC 8707 that this server uses.
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

// refuse returns an error with status 400, the status of most OAuth errors.
func refuse(code, description string) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: code, description: description}
}

// unavailable returns the only error after which clients keep their tokens and try again.
func unavailable() *oauthError {
	return &oauthError{
		status: http.StatusServiceUnavailable, code: temporarilyUnavailable,
		description: "the server could not look that up; try again shortly", retryAfter: 2 * time.Second,
	}
}

// write sends the error as JSON.
func (e *oauthError) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Pragma", "no-cache")
	if e.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(e.retryAfter.Seconds())))
	}
	if e.basic && e.code == invalidClient {
		// API Gateway may rename the first header. Its configuration maps the second back.
		h["WWW-Authenticate"] = []string{`Basic realm="basecamp-mcp"`}
		h.Set("X-Mcp-Challenge", `Basic realm="basecamp-mcp"`)
	}
	mcphttp.JSON(w, e.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{e.code, e.description})
}

// clientError sends the browser back to the client with an OAuth error (RFC 6749, 4.1.2.1).
type clientError struct {
	request authRequest
	failure *oauthError
	cause   error // for the log; may be nil
}

func (e *clientError) Error() string { return "tell the client: " + e.failure.Error() }

// tellClient returns an error that the client receives, without a cause to log.
func tellClient(to authRequest, f *oauthError) error { return &clientError{request: to, failure: f} }

// pageError shows the user a page.
type pageError struct {
	page  pages.Failure
	code  string // the OAuth error code, for the log; may be empty
	cause error  // for the log; may be nil
}

func (e *pageError) Error() string { return "show a page: " + e.page.Title }

// show returns an error that the user sees as a page, without a cause to log.
func show(f pages.Failure) error { return &pageError{page: f} }

// refuseUser returns an error that the user sees as a page, and that the log names by an OAuth
// error code.
func refuseUser(code string, f pages.Failure) error { return &pageError{page: f, code: code} }

// stateGone returns the page for a login state that is missing: it has expired, was used, or
// belongs to another browser. Other errors are returned with the step that failed.
func stateGone(doing string, err error) error {
	if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrConflict) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return refuseUser(invalidRequest, pages.Failure{
		Status: http.StatusBadRequest, Title: "This sign-in has ended",
		Message: "It took longer than ten minutes, was already completed, or was started in another browser.",
		Next:    "Start again from your app, and stay in one browser.",
	})
}

// interrupted returns the page for a failure after the login state was used. Reloading the page
// would not help.
func interrupted(doing string, err error) error {
	return &pageError{code: temporarilyUnavailable, cause: fmt.Errorf("%s: %w", doing, err), page: pages.Failure{
		Status: http.StatusServiceUnavailable, Title: "Sign-in could not be completed",
		Message: "A service this server needs is not responding.",
		Next:    "Wait a minute, then start again from where you began.",
	}}
}

// tryAgain is the page for failures of the store and of other services.
var tryAgain = pages.Failure{
	Status: http.StatusServiceUnavailable, Title: "Please try again",
	Message: "A service this server needs is not responding. No changes were made.",
	Next:    "Wait a minute, then reload this page.",
}
