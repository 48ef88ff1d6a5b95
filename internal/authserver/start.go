package authserver

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// reconnectLink is the state of a link to reconnect, which a tool's answer showed to one user.
type reconnectLink struct {
	Subject string `json:"subject"`
}

// What a start form leads to, as its step says.
const (
	startPlain   = "connect"
	startAccount = "account"
	startLink    = "link:"     // and the secret of a link to reconnect
	startFurther = "provider:" // and the ID of a further provider to link
)

// start asks the user whether to go on to a provider's sign-on: GET /oauth/start. The parameter t
// is the secret of a link to reconnect; link is the ID of a further provider. Looking at the page
// changes nothing.
func (s *Server) start(w http.ResponseWriter, r *http.Request) error {
	p, _ := parseParams(r.URL.RawQuery)
	up, step, reconnect := s.first(), startPlain, false
	if p.get("for") == startAccount {
		step = startAccount
	}
	if secret := p.get("t"); secret != "" {
		if _, err := s.Store.LoginState(r.Context(), hashOf(kindLink, secret)); err != nil {
			return linkGone(err)
		}
		step, reconnect = startLink+secret, true
	} else if id := p.get("link"); id != "" {
		var err error
		if up, _, err = s.further(r, id); errors.Is(err, ErrNotFound) {
			redirect(w, r, "/account") // to sign in; the page has the same link
			return nil
		} else if err != nil {
			return err
		}
		step = startFurther + id
	}
	if _, err := up.SignOn.AuthorizationURL(r.Context(), provider.Authorization{}); err != nil {
		return err
	}
	cookie := s.cookie(r, startCookie)
	if cookie == "" { // the forms of several tabs share one
		cookie = newSecret()
	}
	s.setCookie(w, r, startCookie, cookie, stateTTL)
	pages.Start{
		Form:      pages.Form{Action: "/oauth/start", Step: step, Token: startToken(cookie)},
		Provider:  up.Name,
		Reconnect: reconnect,
	}.Write(w)
	return nil
}

func startToken(cookie string) string { return string(hashOf(startCookie, cookie)) }

// further returns the provider that a user wants to link, and the user. The user comes from the
// browser's session and never from a link: a link that carried the user would let one person
// attach another's account. It returns ErrNotFound if the browser has no session.
func (s *Server) further(r *http.Request, id string) (Upstream, session, error) {
	up, ok := s.upstream(id)
	if !ok || id == s.first().ID {
		return Upstream{}, session{}, errNoRoute
	}
	of, _, err := s.session(r)
	if err != nil {
		return Upstream{}, session{}, fmt.Errorf("read the session of a link: %w", err)
	}
	return up, of, nil
}

// startSubmitted sends the user to the sign-on: POST /oauth/start.
func (s *Server) startSubmitted(w http.ResponseWriter, r *http.Request) error {
	form, err := s.readForm(r)
	if err != nil {
		return err
	}
	cookie := s.cookie(r, startCookie)
	if cookie == "" || form.get("csrf") != startToken(cookie) {
		return stateGone("", ErrNotFound)
	}
	trip, err := s.chosenTrip(r, form.get("step"))
	if err != nil {
		return err
	}
	return s.sendToSignOn(w, r, trip, nil)
}

// chosenTrip returns the sign-in that a start form asks for. It uses up a link to reconnect.
func (s *Server) chosenTrip(r *http.Request, step string) (signIn, error) {
	if secret, ok := strings.CutPrefix(step, startLink); ok {
		var link reconnectLink
		if err := s.take(r.Context(), hashOf(kindLink, secret), "", &link); err != nil {
			return signIn{}, linkGone(err)
		}
		return signIn{Purpose: toReconnect, Provider: s.first().ID, Subject: link.Subject}, nil
	}
	if id, ok := strings.CutPrefix(step, startFurther); ok {
		up, of, err := s.further(r, id)
		if errors.Is(err, ErrNotFound) {
			err = stateGone("", err)
		}
		return signIn{Purpose: toLink, Provider: up.ID, Subject: of.Subject}, err
	}
	if step == startAccount {
		return signIn{Purpose: toManage, Provider: s.first().ID, Account: true}, nil
	}
	return signIn{Purpose: toConnect, Provider: s.first().ID}, nil
}
