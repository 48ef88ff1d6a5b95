package authserver

import (
	"net/http"
	"strings"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// What a start form leads to, as its step says.
const (
	startPlain    = "connect"
	startAccount  = "account"
	startLink     = "link:"     // and the secret of a link
	startIdentify = "identify:" // and the secret of a link whose user signs in first
	startFurther  = "provider:" // and the ID of a further provider to link
)

// start asks the user whether to go on to a provider's sign-on: GET /oauth/start. The parameter t
// is the secret of a link that a tool's answer showed; link is the ID of a further provider.
// Looking at the page changes nothing.
func (s *Server) start(w http.ResponseWriter, r *http.Request) error {
	p, _ := parseParams(r.URL.RawQuery)
	if secret := p.get("t"); secret != "" {
		return s.offerIssued(w, r, secret)
	}
	if id := p.get("link"); id != "" {
		return s.offerLink(w, r, id)
	}
	if p.get("for") == startAccount {
		return s.askToSignIn(w, r, startAccount, false)
	}
	return s.askToSignIn(w, r, startPlain, false)
}

// askToSignIn shows the page that leads to the sign-on of the first provider.
func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request, step string, reconnect bool) error {
	up := s.first()
	if _, err := s.authorizationURL(r, up, provider.Authorization{}); err != nil {
		return err
	}
	ask, err := s.askOwner(r)
	if err != nil {
		return err
	}
	if strings.HasPrefix(step, startLink) { // only the owner's assistant shows such a link
		ask.Asked = false
	}
	s.startPage(w, r, step, reconnect, ask)
	return nil
}

func (s *Server) startPage(w http.ResponseWriter, r *http.Request, step string, reconnect bool, ask pages.OwnerCode) {
	pages.Write(w, pages.Start{
		Form: s.startForm(w, r, step), Provider: s.first().Name, Reconnect: reconnect, Owner: s.Owner != nil, Code: ask,
		Account: step == startAccount,
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
	step := form.get("step")
	if secret, ok := strings.CutPrefix(step, startLink); ok {
		return s.acceptIssued(w, r, secret, cookie)
	}
	if secret, ok := strings.CutPrefix(step, startIdentify); ok {
		return s.identify(w, r, secret)
	}
	if id, ok := strings.CutPrefix(step, startFurther); ok {
		return s.acceptLink(w, r, id)
	}
	ask, err := s.admitOwner(w, r, form)
	if err != nil {
		return err
	}
	if ask.Asked {
		s.startPage(w, r, step, false, ask)
		return nil
	}
	trip := signIn{Purpose: toConnect, Provider: s.first().ID}
	if step == startAccount {
		trip.Purpose = toManage
	}
	return s.sendToSignOn(w, r, trip, newDeparture())
}
