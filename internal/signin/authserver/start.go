package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// What a start form leads to, as its step says.
const (
	startPlain    = "connect"
	startAccount  = "account"
	startLink     = "link"     // then a colon and the secret of a link
	startIdentify = "identify" // then a colon and the secret of a link whose user signs in first
	startFurther  = "provider" // then a colon and the ID of a further provider to link
)

// errand is what a start form leads to.
type errand struct {
	kind, step string
	secret     string     // of the link that a tool's answer showed; empty for other errands
	link       issuedLink // that link
	up         Upstream   // to which the user goes
	of         session    // of the user who links a further provider; zero if there is none
}

// errand returns what a step leads to. It returns ErrNotFound if the link has expired or was used,
// and errNoRoute if the deployment does not have the provider. An errand to the provider that users
// sign in with needs no session: the sign-in itself shows who the user is. A further provider knows
// another identity, so its link needs the session of its user.
func (s *Server) errand(r *http.Request, step string) (e errand, err error) {
	kind, rest, _ := strings.Cut(step, ":")
	e = errand{kind: kind, step: step, up: s.first()}
	switch kind {
	case startLink, startIdentify:
		e.secret = rest
		if err := s.peek(r.Context(), linkKey(rest), "", &e.link); err != nil {
			return e, fmt.Errorf("read a link: %w", err)
		}
		up, ok := s.upstream(e.link.Provider)
		if !ok {
			return e, errNoRoute
		}
		e.up = up
	case startFurther:
		if e.up, err = s.further(rest); err != nil {
			return e, err
		}
	}
	if kind == startIdentify || e.up.ID == s.first().ID {
		return e, nil
	}
	if e.of, err = s.owner(r, e.up, e.link.Subject); errors.Is(err, ErrNotFound) {
		err = nil
	}
	return e, err
}

// start asks the user whether to go on to a provider's sign-on: GET /oauth/start. The parameter t
// is the secret of a link that a tool's answer showed; link is the ID of a further provider.
// Looking at the page changes nothing.
func (s *Server) start(w http.ResponseWriter, r *http.Request) error {
	p, _ := parseParams(r.URL.RawQuery)
	step := startPlain
	switch {
	case p.get("t") != "":
		step = startLink + ":" + p.get("t")
	case p.get("link") != "":
		step = startFurther + ":" + p.get("link")
	case p.get("for") == startAccount:
		step = startAccount
	}
	e, err := s.errand(r, step)
	switch {
	case err != nil:
		return linkGone(err)
	case e.up.ID == s.first().ID:
		return s.askToSignIn(w, r, e)
	case e.of.Subject != "":
		return s.askToLink(w, r, e)
	case e.secret == "":
		redirect(w, r, "/account") // to sign in; the page has the same link
	default:
		pages.Write(w, pages.SignInFirst{Form: s.startForm(w, r, startIdentify+":"+e.secret), Provider: e.up.Name, First: s.first().Name})
	}
	return nil
}

// askToSignIn shows the page that leads to the sign-on of the first provider.
func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request, e errand) error {
	if _, err := s.authorizationURL(r, e.up, provider.Authorization{}); err != nil {
		return err
	}
	ask, err := s.askOwner(r)
	if err != nil {
		return err
	}
	if e.secret != "" { // only the owner's assistant shows such a link
		ask.Asked = false
	}
	s.startPage(w, r, e, ask)
	return nil
}

func (s *Server) startPage(w http.ResponseWriter, r *http.Request, e errand, ask pages.OwnerCode) {
	pages.Write(w, pages.Start{
		Form: s.startForm(w, r, e.step), Provider: e.up.Name, Owner: s.Owner != nil, Code: ask,
		Reconnect: e.link.Subject != "", Pipe: e.link.Seat != "", Account: e.kind == startAccount,
	})
}

// startForm returns a form at /oauth/start, and sets its cookie.
func (s *Server) startForm(w http.ResponseWriter, r *http.Request, step string) pages.Form {
	cookie := s.cookie(r, startCookie)
	if cookie == "" { // the forms of several tabs share one
		cookie = newSecret()
	}
	s.setCookie(w, r, startCookie, cookie, stateTTL)
	return s.newForm("/oauth/start", step, startToken(cookie))
}

func startToken(cookie string) string { return string(HashOf(startCookie, cookie)) }

// startSubmitted sends the user to the sign-on: POST /oauth/start.
func (s *Server) startSubmitted(w http.ResponseWriter, r *http.Request, form params) error {
	cookie := s.cookie(r, startCookie)
	if cookie == "" || form.get("csrf") != startToken(cookie) {
		return stateGone("", ErrNotFound)
	}
	e, err := s.errand(r, form.get("step"))
	leave := newDeparture()
	if e.kind == startLink { // the state of the trip replaces the link's, which is used up only then
		leave = linkDeparture(e.secret, cookie)
	}
	if errors.Is(err, ErrNotFound) && e.kind == startLink {
		if trip, gone := s.onItsWay(r, leave); gone == nil && s.repeat(w, r, trip, leave) == nil {
			return nil
		}
	}
	if err != nil {
		return linkGone(err)
	}
	if e.kind == startLink && e.up.ID != s.first().ID && e.of.Subject == "" { // the session has expired meanwhile
		redirect(w, r, "/oauth/start?t="+e.secret)
		return nil
	}
	if e.secret == "" && e.kind != startFurther {
		ask, err := s.admitOwner(w, r, form)
		if err != nil {
			return err
		}
		if ask.Asked {
			s.startPage(w, r, e, ask)
			return nil
		}
	}
	trip, err := s.tripOf(r.Context(), e, leave)
	if err != nil {
		return err
	}
	return s.sendToSignOn(w, r, trip, leave)
}

// tripOf returns the trip of an errand. A trip to sign in before a link goes on keeps the link's
// secret, encrypted with the cookie of the browser; the provider never sees it.
func (s *Server) tripOf(ctx context.Context, e errand, leave departure) (signIn, error) {
	trip := signIn{Purpose: toConnect, Provider: e.up.ID, Subject: e.link.Subject, Seat: e.link.Seat}
	switch {
	case e.kind == startIdentify:
		trip.Purpose, trip.Provider, trip.Sealed = toIdentify, s.first().ID, seal(leave.cookie, kindLink, []byte(e.secret))
	case e.up.ID != s.first().ID && e.of.Subject == "":
		return trip, stateGone("", ErrNotFound)
	case e.up.ID != s.first().ID:
		_, asked, err := s.linkOf(ctx, e.up, e.of.Subject, e.link.Scopes)
		if err != nil {
			return trip, err
		}
		asked.Assistant = e.secret != ""
		trip.Purpose, trip.Subject, trip.Link = toLink, e.of.Subject, asked
	case e.link.Seat != "":
		trip.Purpose = toSeat
	case e.secret != "":
		trip.Purpose = toReconnect
	case e.kind == startAccount:
		trip.Purpose = toManage
	}
	return trip, nil
}
