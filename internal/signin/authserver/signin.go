package authserver

import (
	"context"
	"errors"
	"net/http"

	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// purpose says why a user is sent to a provider's sign-on.
type purpose string

const (
	toLogIn     purpose = "login"     // a client asked for access
	toReconnect purpose = "reconnect" // the provider stopped accepting the user's grant
	toConnect   purpose = "connect"   // the user opened /oauth/start
	toManage    purpose = "account"   // the user opened the account page
	toLink      purpose = "link"      // the user links a further provider
	toSeat      purpose = "seat"      // the user opened the link of a seat
	toIdentify  purpose = "identify"  // the user opened a link to a further provider without a session
)

// signIn is one trip of a user to a provider's sign-on and back. Its state is stored under a
// secret that the provider returns, and is bound to a cookie of the browser that left. So it is
// bound to a purpose, a provider, a subject and a browser.
type signIn struct {
	Purpose  purpose      `json:"purpose"`
	Provider string       `json:"provider"`            // ID
	Request  *authRequest `json:"login,omitempty"`     // the request of the client; toLogIn only
	Subject  string       `json:"reconnect,omitempty"` // who must return; toReconnect, toLink and toIdentify only
	Link     linking      `json:"link,omitzero"`       // toLink only
	Sealed   []byte       `json:"sealed,omitempty"`    // the encrypted secret of the link to open; toIdentify only
	Seat     string       `json:"seat,omitempty"`      // toSeat only
}

// upstreamUser is a user who returned from a provider's sign-on.
type upstreamUser struct {
	Subject  string           `json:"subject"`
	Name     string           `json:"name"`
	Accounts []grantedAccount `json:"accounts"` // those that may use this deployment
	tokens   provider.Tokens
}

// sendToSignOn redirects the browser to the provider's sign-on. The state in the redirect is
// stored only now, after the user's consent (MCP Security Best Practices, "Confused Deputy
// Problem").
func (s *Server) sendToSignOn(w http.ResponseWriter, r *http.Request, trip signIn, leave departure) error {
	to, err := s.signOnURL(r, trip, leave)
	if err != nil {
		return err
	}
	stored, err := s.newState(kindSignIn, leave.key(), HashOf(leave.cookie), trip, stateTTL)
	if err == nil {
		err = leave.store(r.Context(), s.Store, stored)
	}
	if err != nil {
		return stateGone("send a user to the sign-on", err)
	}
	answered := ""
	if leave.replaces != "" {
		answered = stateCookie(leave.replaces)
	}
	s.makeRoom(w, r, answered)
	s.setCookie(w, r, stateCookie(stored.Key), leave.cookie, stateTTL)
	redirect(w, r, to)
	return nil
}

// onItsWay returns the trip of a form that was submitted before, until its user returns.
func (s *Server) onItsWay(r *http.Request, leave departure) (trip signIn, err error) {
	err = s.peek(r.Context(), leave.key(), HashOf(leave.cookie), &trip)
	return trip, err
}

// repeat sends the browser to the sign-on once more, for a form that is submitted twice.
func (s *Server) repeat(w http.ResponseWriter, r *http.Request, trip signIn, leave departure) error {
	to, err := s.signOnURL(r, trip, leave)
	if err != nil {
		return err
	}
	s.setCookie(w, r, stateCookie(leave.key()), leave.cookie, stateTTL)
	redirect(w, r, to)
	return nil
}

// signOnURL returns the address to which the browser leaves for a trip.
func (s *Server) signOnURL(r *http.Request, trip signIn, leave departure) (string, error) {
	up, ok := s.upstream(trip.Provider)
	if !ok {
		return "", errNoRoute
	}
	return s.authorizationURL(r, up, s.authorization(r, up, trip, leave.state, leave.cookie))
}

// authorizationURL returns the address of a provider's sign-on. For a further provider without
// credentials it returns a page that names it.
func (s *Server) authorizationURL(r *http.Request, up Upstream, a provider.Authorization) (string, error) {
	to, err := up.SignOn.AuthorizationURL(r.Context(), a)
	if errors.Is(err, provider.ErrNotConfigured) && up.ID != s.first().ID {
		return "", show(pages.Failure{
			Status: http.StatusServiceUnavailable, Title: up.Name + " is not set up yet",
			Message: "This server is not registered with " + up.Name + ", so users cannot link it.",
			Next:    "The operator finds the next step on the front page.", Link: "/",
		})
	}
	return to, err
}

// authorization returns what a provider's sign-on is asked for. The PKCE code verifier is derived
// from the cookie of the browser that leaves: a code that another browser obtained is worth nothing
// here, and the verifier needs no place of its own.
func (s *Server) authorization(r *http.Request, up Upstream, trip signIn, state, cookie string) provider.Authorization {
	return provider.Authorization{
		RedirectURI: s.Origin(r) + s.callbackPath(up),
		State:       state,
		Verifier:    string(HashOf("verifier", state, cookie)),
		Scopes:      trip.Link.Scopes,
		Login:       trip.Link.Login,
	}
}

// departure is how a browser leaves for a sign-on: the secrets of the trip's state, and the state
// that it replaces, if the trip goes on from one.
type departure struct {
	state, cookie     string
	replaces, binding Hash
}

func newDeparture() departure { return departure{state: newSecret(), cookie: newSecret()} }

// departure returns the one of a consent form. Its secrets are derived from the form's, so that
// pressing a button twice leads to the same place: browsers show the answer to the second press.
func (f formState) departure() departure {
	return departure{
		state: string(HashOf("state", f.secret)), cookie: string(HashOf("cookie", f.cookie)),
		replaces: f.key(kindConsent), binding: f.binding(),
	}
}

// linkDeparture returns the one of a link. Its secrets are derived from the link's and the form's,
// for the same reason.
func linkDeparture(secret, cookie string) departure {
	return departure{
		state: string(HashOf("link state", secret, cookie)), cookie: string(HashOf("link cookie", secret, cookie)),
		replaces: linkKey(secret),
	}
}

// key returns the key of the trip's state.
func (d departure) key() Hash { return HashOf(kindSignIn, d.state) }

// store stores the state of a trip, in place of the one that it replaces.
func (d departure) store(ctx context.Context, in LoginStates, trip LoginState) error {
	if d.replaces == "" {
		return in.AddLoginState(ctx, trip)
	}
	return in.ReplaceLoginState(ctx, d.replaces, d.binding, trip)
}
