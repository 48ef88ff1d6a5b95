package local

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/serve/loopback"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/provider"
)

// OwnerSignOn is the sign-on of a local server that was started with its owner's access token. It
// shows no page: the owner's consent is the whole login, and so only programs and users of this
// machine may reach it; see onlyThisMachine. Grants never hold the access token.
type OwnerSignOn struct {
	owner *TokenOwner
	code  string // answers every authorization
}

// NewOwnerSignOn returns the sign-on of an owner.
func NewOwnerSignOn(owner *TokenOwner) OwnerSignOn { return OwnerSignOn{owner, rand.Text()} }

// AuthorizationURL returns the address of this server's own callback.
func (o OwnerSignOn) AuthorizationURL(_ context.Context, a provider.Authorization) (string, error) {
	return a.RedirectURI + "?" + url.Values{"code": {o.code}, "state": {a.State}}.Encode(), nil
}

// Exchange returns tokens that stand for the configured one.
func (o OwnerSignOn) Exchange(_ context.Context, _ provider.Authorization, code string) (provider.Tokens, error) {
	if subtle.ConstantTimeCompare([]byte(code), []byte(o.code)) != 1 {
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("the code is not of this process")}
	}
	return provider.Tokens{AccessToken: "configured"}, nil
}

// Refresh returns a refusal: only a restart with another access token helps.
func (OwnerSignOn) Refresh(context.Context, string) (provider.Tokens, error) {
	return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("the access token is configured")}
}

// Identity returns the owner, or a refusal while Basecamp cannot be reached.
func (o OwnerSignOn) Identity(ctx context.Context, _ string) (provider.Identity, error) {
	owner, err := o.owner.Find(ctx)
	if err != nil {
		return owner, &provider.Refusal{Cause: provider.Unavailable, Err: err}
	}
	return owner, nil
}

// Revoke does nothing.
func (OwnerSignOn) Revoke(context.Context, provider.Tokens) error { return nil }

// Described returns the owner as the authorization server takes it.
func (s *StaticUsers) Described() *authserver.Owner {
	code := rand.Text()[:8]
	o := &authserver.Owner{Code: code[:4] + "-" + code[4:]}
	if _, ok := s.OnGitHub[s.Started]; ok {
		o.Configured = append(o.Configured, githubauth.ProviderID)
	}
	return o
}

// OnlyThisMachine refuses requests that a browser or a program sent to another name than this
// machine's, or that a proxy passed on. A page of another site could otherwise point its own name
// at this machine, read the consent page as its own, and approve it (DNS rebinding). The server
// must listen on a loopback address.
func OnlyThisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isThisMachine(r.Host) && !isPassedOn(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		mcphttp.JSON(w, http.StatusForbidden, map[string]string{
			"error":             "forbidden_host",
			"error_description": "this server's login works only on its own machine, at a loopback address such as 127.0.0.1",
		})
	})
}

// isPassedOn reports whether a proxy or a tunnel has passed a request on. The values do not matter:
// a client can send an empty header, to which a proxy adds a second one.
func isPassedOn(h http.Header) bool {
	for name := range h {
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Cf-Ray":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

// isThisMachine reports whether a host, with or without a port, is localhost or a loopback address.
func isThisMachine(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	return loopback.Host(name)
}

// OriginOnThisMachine reports whether an origin can be reached only from this machine.
func OriginOnThisMachine(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && isThisMachine(u.Host)
}
