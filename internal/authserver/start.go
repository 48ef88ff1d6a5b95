package authserver

import (
	"errors"
	"net/http"
	"strings"

	"basecamp-mcp/internal/pages"
)

// link is a link that was given out in a tool's answer, for one person to reconnect Basecamp.
type link struct {
	Subject string `json:"subject"`
}

// Where a visit that begins in the browser leads to, as its form says.
const (
	startPlain   = "connect"
	startAccount = "account"
	startLink    = "link:" // and the link's secret
)

// start asks a person whether to go on to Basecamp: GET /oauth/start, to connect or, with the t of a link, to reconnect.
// Looking at it changes nothing.
func (b *Broker) start(w http.ResponseWriter, r *http.Request) {
	p, _ := parseParams(r.URL.RawQuery)
	step, reconnect := startPlain, false
	if p.get("for") == startAccount {
		step = startAccount
	}
	if secret := p.get("t"); secret != "" {
		if _, err := b.Store.Step(r.Context(), hashOf(atLink, secret)); err != nil {
			b.lostLink(w, r, err)
			return
		}
		step, reconnect = startLink+secret, true
	}
	if _, err := b.Provider.SignOn.AuthorizationURL(r.Context(), "", ""); err != nil {
		b.notReady(w, r, err)
		return
	}
	cookie := b.cookie(r, startName)
	if cookie == "" { // the forms of several tabs share one
		cookie = newSecret()
	}
	b.setCookie(w, r, startName, cookie, stepTTL)
	pages.Start{
		Form:      pages.Form{Action: "/oauth/start", Step: step, Token: string(hashOf(startName, cookie))},
		Reconnect: reconnect,
	}.Write(w)
}

// startOn sends the person to Basecamp's sign-on: POST /oauth/start.
func (b *Broker) startOn(w http.ResponseWriter, r *http.Request) {
	form, ok := b.form(w, r)
	if !ok {
		return
	}
	cookie := b.cookie(r, startName)
	if cookie == "" || form.get("csrf") != string(hashOf(startName, cookie)) {
		b.lost(w, r, "", ErrNotFound)
		return
	}
	v := visit{Account: form.get("step") == startAccount}
	if secret, ok := strings.CutPrefix(form.get("step"), startLink); ok {
		var l link
		if err := b.take(r.Context(), hashOf(atLink, secret), "", &l); err != nil {
			b.lostLink(w, r, err)
			return
		}
		v.Reconnect = l.Subject
	}
	b.sendUpstream(w, r, v, nil)
}

// lostLink tells that a link is not there.
func (b *Broker) lostLink(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrNotFound) {
		b.storeDown(w, r, "read a link", err)
		return
	}
	b.page(w, r, pages.Failure{
		Status: http.StatusBadRequest, Title: "This link has ended",
		Message: "Links to reconnect are good for ten minutes, and once.",
		Next:    "Ask your assistant to try again; it will give you a new one.",
	})
}
