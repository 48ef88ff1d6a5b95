package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
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

func (f formState) key(kind string) Hash { return HashOf(kind, f.secret) }
func (f formState) binding() Hash        { return HashOf(f.token, f.cookie) }

// formStateOf returns the state to which a form belongs.
func (s *Server) formStateOf(r *http.Request, kind string, form params) formState {
	f := formState{secret: form.get("step"), token: form.get("csrf")}
	f.cookie = s.cookie(r, stateCookie(f.key(kind)))
	return f
}

// addForm stores a state that waits for a form, and sets its cookie.
func (s *Server) addForm(w http.ResponseWriter, r *http.Request, kind string, f formState, body any) error {
	stored, err := s.newState(kind, f.key(kind), f.binding(), body, stateTTL)
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

func (s *Server) newState(kind string, key, binding Hash, body any, life time.Duration) (LoginState, error) {
	encoded, err := json.Marshal(body)
	return LoginState{Kind: kind, Key: key, Binding: binding, Body: encoded, ExpiresAt: s.Now().Add(life)}, err
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

// remember stores a state that a browser keeps by the secret in a cookie.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, kind, cookie string, body any, life time.Duration) error {
	secret := newSecret()
	stored, err := s.newState(kind, HashOf(kind, secret), "", body, life)
	if err == nil {
		err = s.Store.AddLoginState(r.Context(), stored)
	}
	if err != nil {
		return err
	}
	s.setCookie(w, r, cookie, secret, life)
	return nil
}

// remembered reads a state that remember stored, and returns its secret. It returns ErrNotFound if
// the browser has none.
func (s *Server) remembered(r *http.Request, kind, cookie string, body any) (secret string, err error) {
	secret = s.cookie(r, cookie)
	if secret == "" {
		return "", ErrNotFound
	}
	return secret, s.peek(r.Context(), HashOf(kind, secret), "", body)
}

// session is a browser's session on the account page.
type session struct {
	Subject string `json:"subject"`
	Name    string `json:"name"`
	// Accounts are the accounts at the first provider that the user may use here.
	Accounts []grantedAccount `json:"accounts,omitempty"`
	// token is that of the forms on the account page. It is derived from the session cookie, which
	// other sites can neither read nor set.
	token string
}

// session returns the session of the request's browser. It returns ErrNotFound if there is none.
func (s *Server) session(r *http.Request) (of session, err error) {
	secret, err := s.remembered(r, kindSession, sessionCookie, &of)
	of.token = string(HashOf("account form", secret))
	return of, err
}

// accountPage serves a page of the user of the browser's session. A browser without a session goes
// on to sign in.
func (s *Server) accountPage(h func(w http.ResponseWriter, r *http.Request, of session) error) http.HandlerFunc {
	return s.page(func(w http.ResponseWriter, r *http.Request) error {
		of, err := s.session(r)
		if errors.Is(err, ErrNotFound) {
			redirect(w, r, "/oauth/start?for="+startAccount)
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a session: %w", err)
		}
		return h(w, r, of)
	})
}

// accountForm serves a form of such a page. It refuses a form of another session.
func (s *Server) accountForm(h func(w http.ResponseWriter, r *http.Request, of session, form params) error) http.HandlerFunc {
	return s.form(func(w http.ResponseWriter, r *http.Request, form params) error {
		of, err := s.session(r)
		if err == nil && form.get("csrf") != of.token {
			err = ErrNotFound
		}
		if err != nil {
			return stateGone("read a session", err)
		}
		return h(w, r, of, form)
	})
}
