package authserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

const (
	maxState    = 4 << 10 // bytes of a client's state
	maxResource = 512     // bytes of a resource
)

// authorize shows the consent page: GET /authorize. Until the client and its redirect URI are
// verified, failures are shown to the user and not sent to the URI (RFC 6749, 4.1.2.1).
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) error {
	if !isNavigation(r) {
		return refuseUser(invalidRequest, notNavigated)
	}
	p, repeated := parseParams(r.URL.RawQuery)
	to, err := s.identifyClient(r, p)
	if err != nil {
		return err
	}
	if f := s.readRequest(r, p, &to); f != nil || repeated != nil {
		if repeated != nil {
			f = repeated
		}
		return tellClient(to, f)
	}
	if _, err := s.first().SignOn.AuthorizationURL(r.Context(), provider.Authorization{}); err != nil {
		if !errors.Is(err, provider.ErrNotConfigured) {
			err = fmt.Errorf("read the provider's credentials: %w", err)
		}
		return err
	}
	ask, err := s.askOwner(r)
	if err != nil {
		return err
	}
	f := newFormState()
	if err := s.addForm(w, r, kindConsent, f, to); err != nil {
		return err
	}
	view := s.consentPage(f, to, ask)
	seen := s.projectsHere(r)
	view.Fence = s.fencePart(fieldsOf(fence.Fence{}, true, seen != nil), nil, view.WantsWrite, seen)
	pages.Write(w, view)
	return nil
}

// consentPage returns the page that asks about a client's request.
func (s *Server) consentPage(f formState, to authRequest, ask pages.OwnerCode) pages.Consent {
	links, included := s.furtherNames()
	return pages.Consent{
		Form:         s.newForm("/authorize", f.secret, f.token),
		Provider:     s.first().Name,
		Client:       to.Client.Name,
		ClientHost:   documentHost(to.Client.ID),
		RedirectHost: redirectHost(to.RedirectURI),
		RedirectURI:  to.RedirectURI,
		// Any program can listen on a port of this machine, or claim a private-use scheme.
		Loopback:   isLoopbackURI(to.RedirectURI) || !strings.HasPrefix(to.RedirectURI, "https://"),
		WantsWrite: slices.Contains(to.Scopes, identity.Write),
		Links:      links,
		Owner:      s.Owner != nil,
		Included:   included,
		Code:       ask,
	}
}

// isNavigation reports whether a user may see the answer: a browser asks for a page of its own
// (Fetch Metadata section 2). Pages of other sites can send any number of other requests. Old
// browsers and programs name no destination; Node's fetch names only a mode.
func isNavigation(r *http.Request) bool {
	mode, place := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	return place == "" || place == "document" && (mode == "" || mode == "navigate")
}

var notNavigated = pages.Failure{
	Status: http.StatusForbidden, Title: "This page works only in a window of its own",
	Message: "Another page asked for it in the background or inside of itself.",
	Next:    "Start again from your app, which opens a browser window.",
}

// identifyClient returns the client that asks and the redirect URI for its answer, which the
// request must name (RFC 6749, 3.1.2.3). Its errors are pages.
func (s *Server) identifyClient(r *http.Request, p params) (authRequest, error) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(p.values[name]) != 1 {
			return authRequest{}, refuseUser(invalidRequest, pages.Failure{
				Status: http.StatusBadRequest, Title: "This sign-in link is incomplete",
				Message: "The app that sent you here left out its client ID or its redirect URI, or sent one of them twice.",
				Next:    "Go back to the app and add this server again.",
			})
		}
	}
	client, f := s.client(r.Context(), p.get("client_id"))
	switch {
	case f != nil && f.status >= http.StatusInternalServerError:
		return authRequest{}, refuseUser(f.code, tryAgain)
	case f != nil && f.next != "":
		return authRequest{}, refuseUser(f.code, documentPage(p.get("client_id"), f))
	case f != nil:
		return authRequest{}, refuseUser(f.code, pages.Failure{
			Status: http.StatusBadRequest, Title: "This application is not known here",
			Message: "The app that sent you here is not registered with this server, or its registration has expired.",
			Next:    "In the app, remove this server and add it again. The app then registers again.",
		})
	}
	telemetry.Asked(r.Context(), client.Name)
	to := authRequest{Client: client, RedirectURI: p.get("redirect_uri")}
	if !client.allows(to.RedirectURI) {
		return authRequest{}, refuseUser(invalidRedirectURI, pages.Failure{
			Status: http.StatusBadRequest, Title: "This sign-in link cannot be trusted",
			Message: "It would send you to an address that the app did not register.",
			Next:    "If you trust the app, remove this server in it and add it again.",
		})
	}
	if host := clientHost(to); s.AllowedClients != nil && !slices.Contains(s.AllowedClients, host) {
		s.note(r.Context(), slog.LevelWarn, fmt.Errorf("refuse the client of %s: it is not one of ALLOWED_CLIENTS", host))
		return authRequest{}, refuseUser(accessDenied, pages.Failure{
			Status: http.StatusForbidden, Title: "This app may not connect",
			Message: "The operator of this server has allowed only some apps, and " + host + " is not one of them.",
			Next:    "Use an app that your team allows, or ask the operator to add " + host + ".",
		})
	}
	if state := p.values["state"]; len(state) == 1 && len(state[0]) <= maxState {
		to.State = []byte(state[0])
	}
	return to, nil
}

// clientHost returns the host that a client is known by: of its metadata document, or of the
// redirect URI if it registered.
func clientHost(to authRequest) string {
	_, after, _ := strings.Cut(to.RedirectURI, "://")
	authority, _ := splitAuthority(after)
	host, _ := cutPort(cmp.Or(documentHost(to.Client.ID), strings.ToLower(authority)))
	return host
}

// readRequest reads and checks the parameters of the client's request (RFC 6749, 4.1.1).
func (s *Server) readRequest(r *http.Request, p params, to *authRequest) *oauthError {
	if len(p.get("state")) > maxState {
		return refuse(invalidRequest, "state must be at most 4096 bytes")
	}
	switch p.get("response_type") {
	case "code":
	case "":
		return refuse(invalidRequest, "response_type is missing")
	default:
		return refuse(unsupportedResponse, "response_type must be code")
	}
	if mode := p.get("response_mode"); mode != "" && mode != "query" {
		return refuse(invalidRequest, "response_mode must be query")
	}
	// Without a method, RFC 7636 4.3 means plain, which does not protect the code.
	if p.get("code_challenge_method") != "S256" {
		return refuse(invalidRequest, "code_challenge_method must be S256")
	}
	if to.Challenge = p.get("code_challenge"); !isChallenge(to.Challenge) {
		return refuse(invalidRequest, "code_challenge must be 43 characters of base64url")
	}
	var f *oauthError
	if to.Resource, f = s.resource(r, p.resources()); f != nil {
		return f
	}
	if to.Scopes, f = parseScopes(p.get("scope")); f != nil {
		return f
	}
	if slices.Contains(strings.Fields(p.get("prompt")), "none") { // OpenID Connect Core, 3.1.2.6
		return &oauthError{code: "login_required", description: "the user must agree to every login"}
	}
	return nil
}

// isChallenge reports whether s can be the SHA-256 of a verifier.
func isChallenge(s string) bool {
	return len(s) == 43 && isPlain(s, "-_")
}

// parseScopes returns the known scopes in text and drops the others (RFC 6749, 3.3). A client that
// names none asks for both; the user may leave write out.
func parseScopes(text string) ([]identity.Scope, *oauthError) {
	known, named := identity.ParseScopes(text)
	switch {
	case !named:
		return identity.AllScopes(), nil
	case len(known) == 0:
		return nil, refuse(invalidScope, "scope must contain read or write")
	case known[0] == identity.Write:
		return identity.AllScopes(), nil
	}
	return known, nil
}

// resource returns the resource of a token: /mcp, or the part of it that the client named. A
// client that names none, or several, receives all of it (RFC 8707, 2).
func (s *Server) resource(r *http.Request, named []string) (string, *oauthError) {
	whole := s.Origin(r) + "/mcp"
	chosen := whole
	for i, name := range named {
		ours, ok := s.ownResource(r, name)
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

// ownResource returns the canonical URL of the endpoint, or of a part of it. It accepts scheme and
// host in any case, one trailing slash, and a query, which one client adds.
func (s *Server) ownResource(r *http.Request, name string) (string, bool) {
	if len(name) > maxResource { // it is stored, and the same toolsets can be written in many ways
		return "", false
	}
	u, err := url.Parse(name)
	if err != nil || u.Fragment != "" || strings.Contains(name, "#") || u.User != nil || u.Opaque != "" {
		return "", false
	}
	origin := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if origin != s.Origin(r) || path != "/mcp" && !strings.HasPrefix(path, "/mcp/") {
		return "", false
	}
	return origin + path, s.knowsEndpoint(path)
}

// authRequest is a client's verified request at /authorize. The login states carry it until the
// client receives its code.
type authRequest struct {
	Client      Client           `json:"client"`
	RedirectURI string           `json:"redirect_uri"`
	State       []byte           `json:"state"` // the client's, returned byte for byte (RFC 6749, 4.1.2)
	Scopes      []identity.Scope `json:"scopes"`
	Fence       fence.Fence      `json:"fence,omitzero"` // what the user allows the client
	Resource    string           `json:"resource"`
	Challenge   string           `json:"challenge"`
}

// redirectToClient sends the browser to the client with an answer. The answer contains iss, so
// that the client knows which server answered (RFC 9207, 2).
func (s *Server) redirectToClient(w http.ResponseWriter, r *http.Request, to authRequest, values url.Values) {
	if len(to.State) > 0 {
		values.Set("state", string(to.State))
	}
	values.Set("iss", s.Origin(r))
	glue := "?"
	if strings.Contains(to.RedirectURI, "?") { // its own query stays unchanged (RFC 6749, 3.1.2)
		glue = "&"
	}
	redirect(w, r, to.RedirectURI+glue+values.Encode())
}

// newCode stores a code for the client and returns it. The user's grant must have been stored.
func (s *Server) newCode(ctx context.Context, to authRequest, who upstreamUser, account fence.Account) (string, error) {
	code := newSecret()
	return code, s.Store.AddCode(ctx, Code{
		Hash: HashOf(code), Family: newFamilyID(), RedirectURI: to.RedirectURI, Challenge: to.Challenge, ExpiresAt: s.Now().Add(codeTTL),
		Permit: Permit{
			Subject: who.Subject, Person: who.Name, Account: account.ID, AccountName: account.Name,
			Client: to.Client, Scopes: to.Scopes, Fence: to.Fence, Resource: to.Resource,
		},
	})
}

// redirect answers 302 to a GET and 303 to a POST, never a status that repeats a POST (RFC 9700,
// 4.12).
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther
	}
	h := w.Header()
	h.Set("Location", to)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
}
