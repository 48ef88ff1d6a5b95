package authserver

import (
	"errors"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// maxCode is longer than any code of the sign-on's. What can be none is not sent there: too many wrong ones may have us
// shut out.
const maxCode = 1024

// callback is where Basecamp's sign-on sends people back to. It takes the state once, whatever becomes of it, and only from
// the browser that was sent there: else somebody could have another person finish what they began, and receive that person's
// grant (B6).
func (b *Broker) callback(w http.ResponseWriter, r *http.Request) {
	p, repeated := parseParams(r.URL.RawQuery)
	state := p.get("state")
	if repeated != nil || state == "" {
		b.lost(w, r, "", ErrNotFound)
		return
	}
	key := hashOf(atUpstream, state)
	var v visit
	err := b.take(r.Context(), key, hashOf(b.cookie(r, stepName(key))), &v)
	if err != nil {
		b.lost(w, r, "take a state", err)
		return
	}
	b.dropCookie(w, r, stepName(key))
	who, f := b.arrive(r, p)
	if f != nil {
		b.turnBack(w, r, v, f)
		return
	}
	switch {
	case v.Login != nil:
		b.finishLogin(w, r, *v.Login, who)
	case v.Reconnect != "":
		b.reconnect(w, r, v.Reconnect, who)
	default:
		b.welcome(w, r, v, who)
	}
}

// arrive reads what the sign-on says: who came, and the tokens for them. A failure's code is for the client.
func (b *Broker) arrive(r *http.Request, p params) (person, *failure) {
	if iss := p.get("iss"); iss != "" && iss != b.Provider.Issuer { // B12
		return person{}, &failure{code: serverError, description: "the answer came from another sign-on"}
	}
	switch p.get("error") {
	case "":
	case accessDenied:
		return person{}, &failure{code: accessDenied, description: "the person did not let us use Basecamp"}
	default: // B11: its own words are for nobody
		return person{}, &failure{code: serverError, description: "Basecamp's sign-on refused the login"}
	}
	code := p.get("code")
	if code == "" || len(code) > maxCode {
		return person{}, &failure{status: http.StatusBadRequest, code: invalidRequest, description: "the answer of the sign-on is incomplete"}
	}
	tokens, err := b.Provider.SignOn.Exchange(r.Context(), b.Origin(r)+callbackPath, code)
	if err != nil {
		return person{}, b.upstreamFailed(r, "exchange a code", err)
	}
	about, err := b.Provider.SignOn.Identity(r.Context(), tokens.AccessToken)
	if err != nil {
		return person{}, b.upstreamFailed(r, "read who logged in", err)
	}
	who := person{Subject: about.Subject, Name: cleanName(about.Name), tokens: tokens}
	for _, account := range about.Accounts { // B14
		if b.AllowedAccounts.Allow(account.ID) {
			who.Grants = append(who.Grants, grantedAccount{account.ID, cleanName(account.Name)})
		}
	}
	return who, nil
}

// upstreamFailed says whether trying again helps; the cause is for the log.
func (b *Broker) upstreamFailed(r *http.Request, doing string, err error) *failure {
	b.note(r.Context(), slog.LevelError, doing, err)
	var refused *provider.Refusal
	if errors.As(err, &refused) && refused.Cause != provider.Unavailable {
		return &failure{code: serverError, description: "Basecamp's sign-on did not accept the login"}
	}
	return &failure{code: temporarilyUnavailable, description: "Basecamp's sign-on does not answer; try again shortly"}
}

// turnBack ends a visit that brought nothing: the client is told, and without one the person.
func (b *Broker) turnBack(w http.ResponseWriter, r *http.Request, v visit, f *failure) {
	switch {
	case f.status != 0: // nothing a client could be told in OAuth's words
		b.lost(w, r, "", ErrNotFound)
	case v.Login != nil:
		b.refuse(w, r, *v.Login, f)
	case f.code == accessDenied:
		b.page(w, r, pages.Failure{
			Status: http.StatusForbidden, Title: "Basecamp was not connected", Message: "You did not let this server use Basecamp, so nothing was changed.",
			Next: "You can begin again at any time.", Link: "/oauth/start",
		})
	default:
		b.page(w, r, pages.Failure{
			Status: http.StatusBadGateway, Title: "Basecamp's sign-on did not answer", Message: "It did not tell us who you are, so nothing was changed.",
			Next: "Wait a minute and begin again.", Link: "/oauth/start",
		})
	}
}

// finishLogin gives the client its code, once it is clear which account it is for.
func (b *Broker) finishLogin(w http.ResponseWriter, r *http.Request, to login, who person) {
	switch len(who.Grants) {
	case 0:
		b.noAccount(w, r, who)
	case 1:
		b.complete(w, r, to, who, who.Grants[0])
	default:
		b.askAccount(w, r, to, who)
	}
}

// complete stores the person's grant, and only then gives out a code.
func (b *Broker) complete(w http.ResponseWriter, r *http.Request, to login, who person, account grantedAccount) {
	_, err := b.Keeper.Connect(r.Context(), who.Subject, who.Name, who.tokens)
	if err == nil {
		err = b.issue(w, r, to, who, account)
	}
	if err != nil {
		b.note(r.Context(), slog.LevelError, "store a login", err)
		b.refuse(w, r, to, &failure{code: temporarilyUnavailable, description: "the login could not be stored; try again shortly"})
	}
}

// noAccount tells a person that this deployment is not for them. The client gets no code, and we keep nothing.
func (b *Broker) noAccount(w http.ResponseWriter, r *http.Request, who person) {
	b.page(w, r, pages.Failure{
		Status: http.StatusForbidden, Title: "This server is not for your Basecamp account",
		Message: "You logged in to Basecamp as " + who.Name + ", who has none of the accounts that may use this server. Nothing was stored.",
		Next:    "Log in to Basecamp as somebody else and start again, or ask whoever runs this server to allow your account.",
	})
}
