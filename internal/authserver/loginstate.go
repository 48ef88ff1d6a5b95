package authserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// The kinds of states. Each state is stored under a Hash that includes its kind, so that the
// secret of one kind cannot be used for another.
const (
	kindConsent = "consent"  // the user is looking at the consent page
	kindSignIn  = "upstream" // the user is at a provider's sign-on
	kindChoice  = "choice"   // the user is choosing an account
	kindLink    = "link"     // a link to reconnect was issued, see LinkKey
	kindSession = "account"  // the user is signed in to the account page
	kindSeat    = "seat"     // a user signed in to a server on a pipe
	kindOwner   = "owner"    // the browser has entered the owner's code
)

// formState is a state that waits for a form. It has the two secrets of the form and the one of
// the cookie. The form's token is a separate secret: an attacker who reads the token in a page of
// their own cannot use it with the cookie of another browser.
type formState struct{ secret, token, cookie string }

func newFormState() formState { return formState{newSecret(), newSecret(), newSecret()} }

func (f formState) key(kind string) Hash { return hashOf(kind, f.secret) }
func (f formState) binding() Hash        { return hashOf(f.token, f.cookie) }

// next returns the state and the cookie of the sign-in that follows a consent form. They are
// derived from the form's secrets, so that pressing a button twice leads to the same place:
// browsers show the answer to the second press.
func (f formState) next() (state, cookie string) {
	return string(hashOf("state", f.secret)), string(hashOf("cookie", f.cookie))
}

// formStateOf returns the state to which a form belongs.
func (s *Server) formStateOf(r *http.Request, kind string, form params) formState {
	f := formState{secret: form.get("step"), token: form.get("csrf")}
	f.cookie = s.cookie(r, stateCookie(f.key(kind)))
	return f
}

// addForm stores a state that waits for a form, and sets its cookie.
func (s *Server) addForm(w http.ResponseWriter, r *http.Request, kind string, f formState, body any) error {
	stored, err := s.newState(kind, f.key(kind), f.binding(), body)
	if err != nil {
		return err
	}
	if err := s.Store.AddLoginState(r.Context(), stored); err != nil {
		return fmt.Errorf("store a form's state: %w", err)
	}
	s.makeRoom(w, r, "")
	s.setCookie(w, r, stateCookie(stored.Key), f.cookie, stateTTL)
	return nil
}

func (s *Server) newState(kind string, key, binding Hash, body any) (LoginState, error) {
	encoded, err := json.Marshal(body)
	return LoginState{Kind: kind, Key: key, Binding: binding, Body: encoded, ExpiresAt: s.Now().Add(stateTTL)}, err
}

// peek reads the body of a state without taking it. It returns ErrNotFound also for the state of
// another browser.
func (s *Server) peek(ctx context.Context, key, binding Hash, body any) error {
	stored, err := s.Store.LoginState(ctx, key)
	if err != nil {
		return err
	}
	if stored.Binding != binding { // hashes of secrets: the comparison's timing reveals nothing
		return ErrNotFound
	}
	return json.Unmarshal(stored.Body, body)
}

// take reads the body of a state and removes it, so that it can be used once.
func (s *Server) take(ctx context.Context, key, binding Hash, body any) error {
	stored, err := s.Store.TakeLoginState(ctx, key, binding)
	if err != nil {
		return err
	}
	return json.Unmarshal(stored.Body, body)
}

// session is a browser's session on the account page.
type session struct {
	Subject string `json:"subject"`
	Name    string `json:"name"`
	// Accounts are the accounts at the first provider that the user may use here.
	Accounts []grantedAccount `json:"accounts,omitempty"`
}

// startSession stores a session and sets its cookie.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, of session) error {
	secret := newSecret()
	stored, err := s.newState(kindSession, hashOf(kindSession, secret), "", of)
	if err != nil {
		return err
	}
	stored.ExpiresAt = s.Now().Add(sessionTTL)
	if err := s.Store.AddLoginState(r.Context(), stored); err != nil {
		return err
	}
	s.setCookie(w, r, sessionCookie, secret, sessionTTL)
	return nil
}

// session returns the session of the request's browser, and its secret. It returns ErrNotFound if
// there is none.
func (s *Server) session(r *http.Request) (of session, secret string, err error) {
	secret = s.cookie(r, sessionCookie)
	if secret == "" {
		return session{}, "", ErrNotFound
	}
	err = s.peek(r.Context(), hashOf(kindSession, secret), "", &of)
	return of, secret, err
}

// accountToken returns the token of the forms on the account page. It is derived from the session
// cookie, which other sites can neither read nor set.
func accountToken(secret string) string { return string(hashOf("account form", secret)) }
