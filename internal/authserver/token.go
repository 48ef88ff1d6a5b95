package authserver

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
)

// token gives tokens for codes and for refresh tokens: POST /token (RFC 6749 3.2). It never asks Basecamp anything, so that
// clients stay logged in while Basecamp is down (T15).
func (b *Broker) token(w http.ResponseWriter, r *http.Request) {
	b.serveClient(w, r, func(form clientForm) (any, error) {
		switch form.get("grant_type") {
		case "authorization_code":
			return b.redeem(r, form)
		case "refresh_token":
			return b.refresh(r, form)
		case "":
			return nil, refuse(invalidRequest, "grant_type is missing")
		default:
			return nil, refuse(unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
		}
	})
}

// clientForm is what a client posts to /token or /revoke.
type clientForm struct {
	params
	credentials
}

// serveClient reads the form and writes the answer. An error that is no *failure is the Store's, and a reason to try again
// and not to log in again (T14).
func (b *Broker) serveClient(w http.ResponseWriter, r *http.Request, answer func(clientForm) (any, error)) {
	if !admit(w, r, http.MethodPost) {
		return
	}
	form, err := readClientForm(r)
	var said any
	if err == nil {
		said, err = answer(form)
	}
	if err == nil {
		w.Header().Set("Pragma", "no-cache") // T2
		mcphttp.JSON(w, http.StatusOK, said)
		return
	}
	var refused *failure
	if !errors.As(err, &refused) {
		b.note(r.Context(), slog.LevelError, r.URL.Path, err)
		refused = unavailable()
	}
	refused.write(w)
}

func readClientForm(r *http.Request) (form clientForm, err error) {
	p, refused := readForm(r)
	if refused != nil {
		return form, refused
	}
	given, err := readCredentials(r, p)
	return clientForm{p, given}, err
}

// credentials are how a client says who it is.
type credentials struct {
	id, secret string
	basic      bool // they came in the Authorization header
}

// readCredentials takes them from the form, or from HTTP Basic with each part form-encoded (RFC 6749 2.3.1), but not from
// both. Other schemes are not meant for us: some clients send the header of their MCP requests everywhere.
func readCredentials(r *http.Request, form params) (credentials, error) {
	given := credentials{id: form.get("client_id"), secret: form.get("client_secret")}
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Basic") {
		given.basic = true
		user, password, ok := r.BasicAuth()
		id, badID := url.QueryUnescape(user)
		secret, badSecret := url.QueryUnescape(password)
		switch {
		case !ok || badID != nil || badSecret != nil || len(r.Header.Values("Authorization")) > 1:
			return given, refuse(invalidRequest, "the Authorization header is malformed")
		case given.secret != "":
			return given, refuse(invalidRequest, "the client authenticates in two ways at once")
		case given.id != "" && given.id != id:
			return given, refuse(invalidRequest, "client_id is not the client of the Authorization header")
		}
		given.id, given.secret = id, secret
	}
	if given.id == "" {
		return given, refuse(invalidRequest, "client_id is missing")
	}
	return given, nil
}

// authenticate checks that the client is who it says. What was known of it when the person agreed decides, so that neither
// an expired registration nor a document that cannot be fetched ends a connection (C16); known is empty when there is no
// connection to end. A client that is not known then either is told so, and registers anew (C28).
func (b *Broker) authenticate(ctx context.Context, given credentials, known Client) error {
	if given.id != known.ID {
		if isDocumentID(given.id) {
			return nil // it has no secret (C7), and fetching its document would help nobody but those who like us to fetch
		}
		registered, refused := b.client(ctx, given.id)
		switch {
		case refused != nil && refused.status >= http.StatusInternalServerError:
			return refused
		case refused != nil:
			return given.unknown()
		}
		known = registered
	}
	if !known.accepts(given.secret) {
		return given.unknown()
	}
	return nil
}

// unknown says 401, and which scheme it was if there was one (T3).
func (given credentials) unknown() *failure {
	f := refuseClient("the client is not registered here, or its secret is wrong")
	f.basic = given.basic
	return f
}

// accepts compares the secret in constant time (C27). A client that registered with a secret may send it in either way. One
// without a secret has none to send: what it sends was meant for another server, or for another client.
func (c Client) accepts(secret string) bool {
	if c.AuthMethod == authNone {
		return secret == ""
	}
	return subtle.ConstantTimeCompare([]byte(hashOf(secret)), []byte(c.SecretHash)) == 1
}

// tokens are what a client gets (RFC 6749 5.1). Some clients take a scope that is left out for none at all (T8).
type tokens struct {
	AccessToken  string `json:"access_token"`
	Type         string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// newTokens makes an access token, to be kept and to be given out with a refresh token. It does not outlive its family.
func (b *Broker) newTokens(f Family, refreshToken string, scopes []identity.Scope, now time.Time) (Access, tokens) {
	text := newToken(accessPrefix, f.ID)
	kept := Access{
		Hash: hashOf(text), Scopes: scopes, Generation: f.Generation, ExpiresAt: earlier(now.Add(b.AccessTTL), f.ExpiresAt),
	}
	return kept, tokens{
		AccessToken:  text,
		Type:         "Bearer",
		ExpiresIn:    int64(kept.ExpiresAt.Sub(now) / time.Second),
		RefreshToken: refreshToken,
		Scope:        identity.ScopeString(scopes),
	}
}

// checkTarget refuses resources beyond the one that was authorized (T7). A part of what was authorized may be named, since
// /mcp stands for all that is below it.
func (b *Broker) checkTarget(r *http.Request, named []string, authorized string) error {
	for _, name := range named {
		if name == authorized {
			continue
		}
		ours, ok := b.ownResource(r, name)
		if !ok || ours != authorized && !strings.HasPrefix(ours, authorized+"/") {
			return refuse(invalidTarget, "resource is not the one the person agreed to")
		}
	}
	return nil
}

// narrow is what a client asks for of what it was granted: everything when it names nothing, and never more (T11). Scopes
// we do not know are dropped, as they are at /authorize.
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
			return nil, refuse(invalidScope, "the person did not agree to that scope; log in again to ask for it")
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
