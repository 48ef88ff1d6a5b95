package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"basecamp-mcp/internal/identity"
)

// ErrInvalidToken is a token that is unknown, expired, revoked or meant for another audience.
var ErrInvalidToken = errors.New("invalid token")

// Authenticator turns a bearer token into the caller. It fails with ErrInvalidToken when the token gives no access; any
// other error means that the check could not be made.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (identity.Caller, error)
}

// SessionAuthenticator is an Authenticator that can look up in the same read whether a session has been ended. The guard
// then asks it instead, for requests that name one, and spares Sessions.Ended. The id is well formed but not yet known to be
// the caller's.
type SessionAuthenticator interface {
	Authenticator
	AuthenticateSession(ctx context.Context, bearer, session string) (c identity.Caller, ended bool, err error)
}

// authenticated is who calls, and what was learned on the way about the session the request names.
type authenticated struct {
	identity.Caller
	sessionRead  bool // sessionEnded is known
	sessionEnded bool
}

var (
	errNoCredentials = errors.New("no credentials")
	errMalformed     = errors.New("malformed credentials")
)

// authenticate finds the caller, whatever the method: a bare 405 would hide from clients that there is a login (R16, R19).
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
	case errors.Is(err, ErrInvalidToken): // R12: never 403, even for another audience
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
	if a, ok := g.Authenticator.(SessionAuthenticator); ok && isSessionID(session) {
		who.sessionRead = true
		who.Caller, who.sessionEnded, err = a.AuthenticateSession(r.Context(), token, session)
		return who, err
	}
	who.Caller, err = g.Authenticator.Authenticate(r.Context(), token)
	return who, err
}

// bearer takes the token from the one place it may stand in (R15, RFC 6750 2.1). Another scheme counts as no credentials
// (RFC 6750 3.1), and a token that cannot be one as an invalid one.
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
	if !isToken68(token) {
		return "", ErrInvalidToken
	}
	return token, nil
}

// isToken68 is the syntax of every bearer token (RFC 6750 2.1): letters, digits and -._~+/ with trailing =.
func isToken68(s string) bool {
	s = strings.TrimRight(s, "=")
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !letter && !('0' <= c && c <= '9') && !strings.ContainsRune("-._~+/", c)
	}) < 0
}
