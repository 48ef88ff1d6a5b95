package authserver

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

const (
	maxState    = 4 << 10 // the longest state of a client's that we carry, in bytes
	maxResource = 512     // and the longest resource
)

// authorize answers GET /authorize with the consent page. Until the client and its redirect URI are known to belong together,
// whatever is wrong is told to the person and not to the URI (A20).
func (b *Broker) authorize(w http.ResponseWriter, r *http.Request) {
	p, repeated := parseParams(r.URL.RawQuery)
	to, trouble := b.asker(r, p)
	if trouble != nil {
		b.page(w, r, *trouble)
		return
	}
	if f := b.read(r, p, &to); f != nil || repeated != nil {
		if repeated != nil {
			f = repeated
		}
		b.refuse(w, r, to, f)
		return
	}
	if _, err := b.Provider.SignOn.AuthorizationURL(r.Context(), "", ""); err != nil {
		b.notReady(w, r, err)
		return
	}
	s := newFormStep()
	if err := b.begin(w, r, atConsent, s, to); err != nil {
		b.storeDown(w, r, "begin a login", err)
		return
	}
	pages.Consent{
		Form:         pages.Form{Action: "/authorize", Step: s.secret, Token: s.token},
		Client:       to.Client.Name,
		ClientHost:   documentHost(to.Client.ID),
		RedirectHost: redirectHost(to.RedirectURI),
		RedirectURI:  to.RedirectURI,
		// A port of this machine, or a scheme, that any program on it may claim.
		Loopback:   isLoopbackURI(to.RedirectURI) || !strings.HasPrefix(to.RedirectURI, "https://"),
		WantsWrite: slices.Contains(to.Scopes, identity.Write),
	}.Write(w)
}

// asker finds out which client asks, and where its answer is to go. The trouble is for the person.
func (b *Broker) asker(r *http.Request, p params) (to login, trouble *pages.Failure) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(p.values[name]) != 1 {
			return login{}, &pages.Failure{
				Status: http.StatusBadRequest, Title: "This login link is incomplete",
				Message: "The application that sent you here did not say who it is and where to send you back, or said it twice.",
				Next:    "Go back to it and add the server again.",
			}
		}
	}
	client, f := b.client(r.Context(), p.get("client_id"))
	switch {
	case f != nil && f.status >= http.StatusInternalServerError:
		return login{}, &tryAgain
	case f != nil: // C28
		return login{}, &pages.Failure{
			Status: http.StatusBadRequest, Title: "This application is not known here",
			Message: "The application that sent you here is not registered with this server, or its registration has expired.",
			Next:    "In the application, remove this server and add it again; it then registers anew.",
		}
	}
	to = login{Client: client, RedirectURI: p.get("redirect_uri")}
	if !client.allows(to.RedirectURI) {
		return login{}, &pages.Failure{
			Status: http.StatusBadRequest, Title: "This login link cannot be trusted",
			Message: "It would send you to an address that the application did not register.",
			Next:    "If you did not follow a strange link, remove this server in the application and add it again.",
		}
	}
	if state := p.values["state"]; len(state) == 1 && len(state[0]) <= maxState {
		to.State = []byte(state[0])
	}
	return to, nil
}

// read checks what the client asks for.
func (b *Broker) read(r *http.Request, p params, to *login) *failure {
	if len(p.get("state")) > maxState {
		return refuse(invalidRequest, "state is longer than 4096 bytes")
	}
	switch p.get("response_type") {
	case "code":
	case "":
		return refuse(invalidRequest, "response_type is missing")
	default: // A23
		return refuse(unsupportedResponse, "response_type must be code")
	}
	if mode := p.get("response_mode"); mode != "" && mode != "query" {
		return refuse(invalidRequest, "response_mode must be query")
	}
	// A24: no method would mean plain, which protects nothing.
	if p.get("code_challenge_method") != "S256" {
		return refuse(invalidRequest, "code_challenge_method must be S256")
	}
	if to.Challenge = p.get("code_challenge"); !isChallenge(to.Challenge) {
		return refuse(invalidRequest, "code_challenge must be 43 characters of base64url")
	}
	var f *failure
	if to.Resource, f = b.resource(r, p.resources()); f != nil {
		return f
	}
	if to.Scopes, f = parseScopes(p.get("scope")); f != nil {
		return f
	}
	if slices.Contains(strings.Fields(p.get("prompt")), "none") { // A34
		return &failure{code: "login_required", description: "a person has to agree to every login"}
	}
	return nil
}

// isChallenge reports whether s can be the SHA-256 of a verifier.
func isChallenge(s string) bool {
	return len(s) == 43 && strings.IndexFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_')
	}) < 0
}

// parseScopes keeps the scopes we know (A29). Who names none gets both, and the person may leave write out.
func parseScopes(text string) ([]identity.Scope, *failure) {
	known, named := identity.ParseScopes(text)
	switch {
	case !named:
		return identity.AllScopes(), nil
	case len(known) == 0:
		return nil, refuse(invalidScope, "the scopes are read and write")
	case known[0] == identity.Write:
		return identity.AllScopes(), nil
	}
	return known, nil
}

// resource is what a token will be good for: /mcp, or the part of it that the client named (R2). Clients that
// name none get all of it (A28).
func (b *Broker) resource(r *http.Request, named []string) (string, *failure) {
	whole := b.Origin(r) + "/mcp"
	chosen := whole
	for i, name := range named {
		ours, ok := b.ownResource(r, name)
		if !ok {
			return "", refuse(invalidTarget, "resource must be the URL of this server's MCP endpoint")
		}
		if i == 0 {
			chosen = ours
		} else if ours != chosen {
			chosen = whole
		}
	}
	return chosen, nil
}

// ownResource recognises the URL of the endpoint or of a part of it: scheme and host in any case, one slash too many at the
// end, and a query, which one client adds to what it was told.
func (b *Broker) ownResource(r *http.Request, name string) (string, bool) {
	if len(name) > maxResource { // it is kept, and there are many ways to write down the same toolsets
		return "", false
	}
	u, err := url.Parse(name)
	if err != nil || u.Fragment != "" || strings.Contains(name, "#") || u.User != nil || u.Opaque != "" {
		return "", false
	}
	origin := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if origin != b.Origin(r) || path != "/mcp" && !strings.HasPrefix(path, "/mcp/") {
		return "", false
	}
	return origin + path, b.knowsEndpoint(path)
}

// notReady says why nobody can log in: to a browser by a page, to a program in OAuth's words.
func (b *Broker) notReady(w http.ResponseWriter, r *http.Request, err error) {
	isBrowser := strings.Contains(r.Header.Get("Accept"), "text/html")
	switch {
	case errors.Is(err, provider.ErrNotConfigured) && isBrowser:
		b.page(w, r, pages.Failure{
			Status: http.StatusServiceUnavailable, Title: "This server is not set up yet",
			Message: "It has not been registered with Basecamp, so nobody can log in.",
			Next:    "Whoever runs it finds the next step on its front page.", Link: "/",
		})
	case errors.Is(err, provider.ErrNotConfigured):
		(&failure{
			status: http.StatusServiceUnavailable, code: temporarilyUnavailable,
			description: "this server is not set up yet; whoever runs it finds the next step on its front page",
		}).write(w)
	default:
		b.storeDown(w, r, "read the application's credentials", err)
	}
}
