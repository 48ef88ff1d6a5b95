package authserver

import (
	"errors"
	"net/http"
	"slices"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pages"
)

// consent takes the person's answer from the consent page: POST /authorize. Only now is anything sent to Basecamp's sign-on
// (B1): it knows us as one client, and would let anybody through who has been there before.
func (b *Broker) consent(w http.ResponseWriter, r *http.Request) {
	form, ok := b.form(w, r)
	if !ok {
		return
	}
	s := b.readFormStep(r, atConsent, form)
	var asked login
	err := b.peek(r.Context(), s.key(atConsent), s.binding(), &asked)
	decision := form.get("decision")
	switch {
	case errors.Is(err, ErrNotFound) && b.onItsWay(r, s, &asked):
		b.answeredTwice(w, r, s, asked, form)
	case err != nil:
		b.lost(w, r, "read a login", err)
	case decision == "approve":
		asked.Scopes = granted(asked, form)
		b.sendUpstream(w, r, visit{Login: &asked}, &s)
	case decision == "deny":
		if err := b.take(r.Context(), s.key(atConsent), s.binding(), &asked); err != nil {
			b.lost(w, r, "end a login", err)
			return
		}
		b.dropCookie(w, r, stepName(s.key(atConsent)))
		b.refuse(w, r, asked, &failure{code: accessDenied, description: "the person said no"})
	default:
		b.page(w, r, pages.Failure{Status: http.StatusBadRequest, Title: "Nothing was decided", Message: "The form came without an answer.", Next: "Go back and press one of the two buttons."})
	}
}

// visit is a person at Basecamp's sign-on, and why: for a client's login, to reconnect, or to see their account.
type visit struct {
	Login     *login `json:"login,omitempty"`
	Reconnect string `json:"reconnect,omitempty"` // the subject who must come back
	Account   bool   `json:"account,omitempty"`   // they asked for their account page
}

// sendUpstream sends the browser to Basecamp's sign-on. The state it carries exists only from now on (B5), in place of the
// consent the person has just given, and is good in this browser alone (B6).
func (b *Broker) sendUpstream(w http.ResponseWriter, r *http.Request, v visit, consented *formStep) {
	state, cookie := newSecret(), newSecret()
	if consented != nil {
		state, cookie = consented.upstream()
	}
	to, err := b.Provider.SignOn.AuthorizationURL(r.Context(), b.Origin(r)+callbackPath, state)
	if err != nil {
		b.notReady(w, r, err)
		return
	}
	step, err := b.newStep(hashOf(atUpstream, state), hashOf(cookie), v)
	if err == nil && consented != nil {
		err = b.Store.ReplaceStep(r.Context(), consented.key(atConsent), consented.binding(), step)
	} else if err == nil {
		err = b.Store.AddStep(r.Context(), step)
	}
	if err != nil {
		b.lost(w, r, "send a person to the sign-on", err)
		return
	}
	answered := ""
	if consented != nil {
		answered = stepName(consented.key(atConsent))
	}
	b.makeRoom(w, r, answered)
	b.setCookie(w, r, stepName(step.Key), cookie, stepTTL)
	redirect(w, r, to)
}

// upstream are the state and the cookie of the next station. They are made of the consent's own secrets, so that a button
// pressed twice leads to one and the same place: browsers show what the second press brings.
func (s formStep) upstream() (state, cookie string) {
	return string(hashOf("state", s.secret)), string(hashOf("cookie", s.cookie))
}

// granted are the scopes the person left ticked.
func granted(asked login, form params) []identity.Scope {
	if slices.Contains(form.values["scope"], string(identity.Write)) {
		return asked.Scopes
	}
	return []identity.Scope{identity.Read}
}

// onItsWay reports whether this consent was given before, and the person has not come back from the sign-on yet.
func (b *Broker) onItsWay(r *http.Request, s formStep, approved *login) bool {
	state, cookie := s.upstream()
	v := visit{Login: approved}
	return b.peek(r.Context(), hashOf(atUpstream, state), hashOf(cookie), &v) == nil
}

// answeredTwice takes a second answer to one consent: the same leads to the same place, and any other ends the login, since
// the first must not go on behind the person's back.
func (b *Broker) answeredTwice(w http.ResponseWriter, r *http.Request, s formStep, approved login, form params) {
	state, cookie := s.upstream()
	key := hashOf(atUpstream, state)
	if form.get("decision") == "approve" && slices.Equal(granted(approved, form), approved.Scopes) {
		to, err := b.Provider.SignOn.AuthorizationURL(r.Context(), b.Origin(r)+callbackPath, state)
		if err != nil {
			b.notReady(w, r, err)
			return
		}
		b.setCookie(w, r, stepName(key), cookie, stepTTL)
		redirect(w, r, to)
		return
	}
	if err := b.take(r.Context(), key, hashOf(cookie), &visit{}); err != nil {
		b.lost(w, r, "end a login", err)
		return
	}
	b.refuse(w, r, approved, &failure{code: accessDenied, description: "the person changed their mind"})
}
