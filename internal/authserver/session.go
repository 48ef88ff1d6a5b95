package authserver

import (
	"net/http"
)

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
