package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/lazyregexp"
)

// ErrInvalidToken means that a token is unknown, expired, revoked or meant for another audience.
var ErrInvalidToken = errors.New("invalid token")

// Authenticator knows callers and the sessions that they ended.
type Authenticator interface {
	// Authenticate finds the caller that a bearer token belongs to and, in the same read, whether a
	// session has ended. The session is empty, or well formed: the guard checks afterwards that it
	// is the caller's. Authenticate returns ErrInvalidToken if the token gives no access. Any other
	// error means that the check could not be made.
	Authenticate(ctx context.Context, bearer, session string) (c identity.Caller, ended bool, err error)
	// End ends a session of the caller in ctx, and deletes what was stored for it.
	End(ctx context.Context, session string) error
}

// authenticated is the caller, and whether the session that the request names has ended.
type authenticated struct {
	identity.Caller
	sessionEnded bool
}

var (
	errNoCredentials = errors.New("no credentials")
	errMalformed     = errors.New("malformed credentials")
)

// authenticate finds the caller for every method. A bare 405 would hide from clients that there is
// a login.
func (g *Guard) authenticate(r *http.Request) (authenticated, *answer) {
	token, err := bearer(r)
	var who authenticated
	if err == nil {
		who, err = g.check(r, token)
	}
	c := challenge{status: http.StatusUnauthorized, scopes: identity.AllScopes()}
	switch {
	case err == nil:
		return who, nil
	case errors.Is(err, errNoCredentials):
	case errors.Is(err, ErrInvalidToken): // never 403, even for another audience (RFC 6750 section 3.1)
		c.code, c.description = "invalid_token", "the access token is not valid here; log in again"
	case errors.Is(err, errMalformed):
		c.status = http.StatusBadRequest
		c.code, c.description = "invalid_request", "send one token, in one Authorization header"
	default:
		return authenticated{}, g.unavailable(r.Context(), "authenticate", err)
	}
	return authenticated{}, g.challenge(r, c)
}

func (g *Guard) check(r *http.Request, token string) (who authenticated, err error) {
	session := r.Header.Get(sessionHeader)
	if !isSessionID(session) {
		session = ""
	}
	who.Caller, who.sessionEnded, err = g.Authenticator.Authenticate(r.Context(), token, session)
	return who, err
}

// bearer returns the token from the Authorization header, the only place where it is accepted (RFC
// 6750 section 2.1). A token in the URL or a second one is refused (section 2), another scheme
// counts as no credentials (section 3.1), and a malformed token as an invalid one.
func bearer(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 || r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return "", errMalformed
	}
	if len(headers) == 0 {
		return "", errNoCredentials
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errNoCredentials
	}
	token = strings.TrimLeft(token, " ")
	if !token68.MatchString(token) {
		return "", ErrInvalidToken
	}
	return token, nil
}

// token68 matches the syntax of a bearer token (RFC 6750 section 2.1).
var token68 = lazyregexp.New(`^[a-zA-Z0-9._~+/-]+=*$`)

// challengeHeader repeats WWW-Authenticate. API Gateway may rename that header, and maps this one
// back.
const challengeHeader = "X-Mcp-Challenge"

// challenge is what a client needs to get a token, or one with more scopes. The header omits the
// code and its description if the request had no credentials (RFC 6750 section 3.1).
type challenge struct {
	status      int
	code        string
	description string
	scopes      []identity.Scope
}

// challenge returns the answer with a challenge in both headers, and in the body for clients that
// see neither.
func (g *Guard) challenge(r *http.Request, c challenge) *answer {
	body := struct {
		failure
		ResourceMetadata string `json:"resource_metadata"`
		Scope            string `json:"scope"`
	}{
		failure:          failure{Error: c.code, Description: c.description},
		ResourceMetadata: g.Origin(r) + "/.well-known/oauth-protected-resource" + g.resource(r),
		Scope:            identity.ScopeString(c.scopes),
	}
	value := `resource_metadata="` + body.ResourceMetadata + `", scope="` + body.Scope + `"`
	if c.code != "" {
		value = `error="` + c.code + `", error_description="` + c.description + `", ` + value
	} else {
		body.failure = failure{Error: "unauthorized", Description: "log in, then send the token as Authorization: Bearer"}
	}
	value = "Bearer " + value
	return &answer{
		status: c.status,
		// Spelled as in the specification, because some clients compare case. Header.Get does not
		// find it under this key.
		header: http.Header{"WWW-Authenticate": {value}, challengeHeader: {value}},
		body:   body,
	}
}

// resource returns the path of the protected resource for the request: the path that the client
// used, because clients compare it with the metadata's resource (RFC 9728 section 3.3), or /mcp if
// the path is unknown.
func (g *Guard) resource(r *http.Request) string {
	selected, ok := ParsePath(r.URL.Path)
	if !ok || selected.Unknown(g.Catalog.Toolsets()) != "" {
		return "/mcp"
	}
	return r.URL.EscapedPath()
}

// union returns the granted scopes and one more, in the order of OAuth metadata.
func union(granted []identity.Scope, needed identity.Scope) []identity.Scope {
	return slices.DeleteFunc(identity.AllScopes(), func(s identity.Scope) bool { return s != needed && !slices.Contains(granted, s) })
}
