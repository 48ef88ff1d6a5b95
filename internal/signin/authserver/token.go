package authserver

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
)

// token issues tokens for codes and for refresh tokens: POST /token (RFC 6749, 3.2). It never
// contacts the provider, so that clients stay logged in while the provider is unavailable.
func (s *Server) token(w http.ResponseWriter, r *http.Request) error {
	return serveClient(w, r, func(form clientForm) (any, error) {
		switch form.get("grant_type") {
		case "authorization_code":
			return s.redeem(r, form)
		case "refresh_token":
			return s.refresh(r, form)
		case "":
			return nil, refuse(invalidRequest, "grant_type is missing")
		}
		if s.Machines && form.get("grant_type") == clientCredentials {
			return s.machineTokens(r, form)
		}
		return nil, refuse(unsupportedGrantType, "grant_type must be one of "+strings.Join(s.grants(), ", "))
	})
}

// clientForm is the form that a client posts to /token or /revoke.
type clientForm struct {
	params
	credentials
}

// serveClient reads the form and writes the answer as JSON.
func serveClient(w http.ResponseWriter, r *http.Request, answer func(clientForm) (any, error)) error {
	p, refused := readFormBody(r)
	if refused != nil {
		return refused
	}
	found, err := readCredentials(r, p)
	if err != nil {
		return err
	}
	body, err := answer(clientForm{p, found})
	if err != nil {
		return err
	}
	w.Header().Set("Pragma", "no-cache") // RFC 6749, 5.1
	mcphttp.JSON(w, http.StatusOK, body)
	return nil
}

// credentials are the ID and the secret in a client's request.
type credentials struct {
	id, secret string
	basic      bool // from the Authorization header
}

// readCredentials reads credentials from the form, or from HTTP Basic with both parts form-encoded
// (RFC 6749, 2.3.1), but not from both. It ignores other schemes: some clients send the header of
// their MCP requests everywhere.
func readCredentials(r *http.Request, form params) (credentials, error) {
	found := credentials{id: form.get("client_id"), secret: form.get("client_secret")}
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Basic") {
		found.basic = true
		user, password, ok := r.BasicAuth()
		id, badID := url.QueryUnescape(user)
		secret, badSecret := url.QueryUnescape(password)
		switch {
		case !ok || badID != nil || badSecret != nil || len(r.Header.Values("Authorization")) > 1:
			return found, refuse(invalidRequest, "the Authorization header is malformed")
		case found.secret != "":
			return found, refuse(invalidRequest, "the client authenticates in two ways at once")
		case found.id != "" && found.id != id:
			return found, refuse(invalidRequest, "client_id differs from the client in the Authorization header")
		}
		found.id, found.secret = id, secret
	}
	if found.id == "" {
		return found, refuse(invalidRequest, "client_id is missing")
	}
	return found, nil
}

// authenticate checks a client's credentials against known, the client as it was when the user
// consented. So neither an expired registration nor a document that cannot be fetched ends a
// connection. If there is no connection, known is empty, and the client must be registered.
func (s *Server) authenticate(ctx context.Context, given credentials, known Client) error {
	if given.id != known.ID {
		if isDocumentID(given.id) {
			return nil // it has no secret, and a fetch would only let callers choose what this server fetches
		}
		registered, refused := s.client(ctx, given.id)
		switch {
		case refused != nil && refused.status >= http.StatusInternalServerError:
			return refused
		case refused != nil:
			return given.unknown()
		}
		known = registered
	}
	telemetry.Asked(ctx, known.Name)
	if !known.accepts(given.secret) {
		return given.unknown()
	}
	return nil
}

// unknown returns an invalid_client error. It names the scheme if the client used one (RFC 6749,
// 5.2).
func (given credentials) unknown() *oauthError {
	f := refuseClient("the client is not registered here, or its secret is wrong")
	f.basic = given.basic
	return f
}

// accepts reports whether a secret is the client's. It compares in constant time. A public client
// must not send a secret: the secret belongs to another server or another client.
func (c Client) accepts(secret string) bool {
	if c.AuthMethod == authNone {
		return secret == ""
	}
	return subtle.ConstantTimeCompare([]byte(HashOf(secret)), []byte(c.SecretHash)) == 1
}

// tokens is a successful answer (RFC 6749, 5.1). It always contains scope: some clients read a
// missing scope as no scope.
type tokens struct {
	AccessToken  string `json:"access_token"`
	Type         string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`              // seconds
	RefreshToken string `json:"refresh_token,omitempty"` // empty for a machine
	Scope        string `json:"scope"`
}

// newTokens returns a new access token to store, and the answer that contains it and the refresh
// token. The access token expires with its family at the latest.
func (s *Server) newTokens(f Family, refreshToken string, scopes []identity.Scope, now time.Time) (Access, tokens) {
	text := newToken(accessPrefix, f.ID)
	kept := Access{
		Hash: HashOf(text), Scopes: scopes, Generation: f.Generation, ExpiresAt: earlier(now.Add(accessTTL), f.ExpiresAt),
	}
	return kept, tokens{
		AccessToken:  text,
		Type:         "Bearer",
		ExpiresIn:    int64(kept.ExpiresAt.Sub(now) / time.Second),
		RefreshToken: refreshToken,
		Scope:        identity.ScopeString(scopes),
	}
}

// checkTarget refuses resources that were not authorized (RFC 8707, 2.2). A part of the authorized
// resource is allowed: /mcp includes everything below it.
func (s *Server) checkTarget(r *http.Request, named []string, authorized string) error {
	for _, name := range named {
		if name == authorized {
			continue
		}
		ours, ok := s.ownResource(r, name)
		if !ok || ours != authorized && !strings.HasPrefix(ours, authorized+"/") {
			return refuse(invalidTarget, "the user did not agree to this resource; log in again to ask for it")
		}
	}
	return nil
}

// narrow returns the granted scopes that a client asks for, or all if it names none (RFC 6749, 6).
// It drops unknown scopes, as /authorize does.
func narrow(granted []identity.Scope, asked string) ([]identity.Scope, error) {
	if _, named := identity.ParseScopes(asked); !named {
		return granted, nil
	}
	wanted, refused := parseScopes(asked)
	if refused != nil {
		return nil, refused
	}
	for _, scope := range wanted {
		if !(identity.Caller{Scopes: granted}).Can(scope) {
			return nil, refuse(invalidScope, "the user did not agree to that scope; log in again to ask for it")
		}
	}
	return wanted, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
