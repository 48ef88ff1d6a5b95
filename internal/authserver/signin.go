package authserver

import (
	"context"
	"net/http"

	"basecamp-mcp/internal/provider"
)

// purpose says why a user is sent to a provider's sign-on.
type purpose string

const (
	toLogIn     purpose = "login"     // a client asked for access
	toReconnect purpose = "reconnect" // the provider stopped accepting the user's grant
	toConnect   purpose = "connect"   // the user opened /oauth/start
	toManage    purpose = "account"   // the user opened the account page
	toLink      purpose = "link"      // the user adds a further provider on the account page
)

// signIn is one trip of a user to a provider's sign-on and back. Its state is stored under a
// secret that the provider returns, and is bound to a cookie of the browser that left. So it is
// bound to a purpose, a provider, a subject and a browser.
type signIn struct {
	Purpose  purpose      `json:"purpose,omitempty"`   // empty in states of earlier releases
	Provider string       `json:"provider,omitempty"`  // ID; empty in states of earlier releases
	Request  *authRequest `json:"login,omitempty"`     // the request of the client; toLogIn only
	Subject  string       `json:"reconnect,omitempty"` // who must return; toReconnect and toLink only
	Account  bool         `json:"account,omitempty"`   // true means toManage; only in states of earlier releases
}

// why returns the purpose. States that earlier releases stored have no Purpose; why infers it from
// their other fields.
func (t signIn) why() purpose {
	switch {
	case t.Purpose != "":
		return t.Purpose
	case t.Request != nil:
		return toLogIn
	case t.Subject != "":
		return toReconnect
	case t.Account:
		return toManage
	}
	return toConnect
}

// upstreamUser is a user who returned from a provider's sign-on.
type upstreamUser struct {
	Subject  string           `json:"subject"`
	Name     string           `json:"name"`
	Accounts []grantedAccount `json:"accounts"` // those that may use this deployment
	tokens   provider.Tokens
}

type grantedAccount struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// sendToSignOn redirects the browser to the provider's sign-on. The state in the redirect is
// stored only now, after the user's consent (MCP Security Best Practices, "Confused Deputy
// Problem"). If there was a consent form, the state replaces the form's.
func (s *Server) sendToSignOn(w http.ResponseWriter, r *http.Request, trip signIn, consented *formState) error {
	up, _ := s.upstream(trip.Provider)
	state, cookie := newSecret(), newSecret()
	if consented != nil {
		state, cookie = consented.next()
	}
	to, err := up.SignOn.AuthorizationURL(r.Context(), s.authorization(r, up, state, cookie))
	if err != nil {
		return err
	}
	stored, err := s.newState(hashOf(kindSignIn, state), hashOf(cookie), trip)
	if err == nil {
		err = s.replaceForm(r.Context(), consented, stored)
	}
	if err != nil {
		return stateGone("send a user to the sign-on", err)
	}
	answered := ""
	if consented != nil {
		answered = stateCookie(consented.key(kindConsent))
	}
	s.makeRoom(w, r, answered)
	s.setCookie(w, r, stateCookie(stored.Key), cookie, stateTTL)
	redirect(w, r, to)
	return nil
}

// authorization returns what a provider's sign-on is asked for. The PKCE code verifier is derived
// from the cookie of the browser that leaves: a code that another browser obtained is worth nothing
// here, and the verifier needs no place of its own.
func (s *Server) authorization(r *http.Request, up Upstream, state, cookie string) provider.Authorization {
	return provider.Authorization{
		RedirectURI: s.Origin(r) + s.callbackPath(up),
		State:       state,
		Verifier:    string(hashOf("verifier", state, cookie)),
	}
}

// replaceForm stores a state, in place of the consent form's if there is one.
func (s *Server) replaceForm(ctx context.Context, consented *formState, next LoginState) error {
	if consented == nil {
		return s.Store.AddLoginState(ctx, next)
	}
	return s.Store.ReplaceLoginState(ctx, consented.key(kindConsent), consented.binding(), next)
}
