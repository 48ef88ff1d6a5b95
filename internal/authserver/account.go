package authserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pages"
)

// Reasons why families end.
const (
	revokedByPerson = "disconnected"
	needsReauth     = "needs_reauth"
)

// visitor is a person whose browser is logged in to the account page.
type visitor struct {
	Subject string `json:"subject"`
	Name    string `json:"name"`
}

// welcome ends a visit that began in the browser: the grant is stored, and the browser may see the account page for a while.
func (b *Broker) welcome(w http.ResponseWriter, r *http.Request, v visit, who person) {
	if len(who.Grants) == 0 {
		b.noAccount(w, r, who)
		return
	}
	if _, err := b.Keeper.Connect(r.Context(), who.Subject, who.Name, who.tokens); err != nil {
		b.cutShort(w, r, "store a connection", err)
		return
	}
	secret := newSecret()
	step, err := b.newStep(hashOf(atAccount, secret), "", visitor{who.Subject, who.Name})
	step.ExpiresAt = b.Now().Add(browserTTL)
	if err == nil {
		err = b.Store.AddStep(r.Context(), step)
	}
	if err != nil {
		b.cutShort(w, r, "log a browser in", err)
		return
	}
	b.setCookie(w, r, browserName, secret, browserTTL)
	if v.Account {
		redirect(w, r, "/account")
		return
	}
	pages.Connected{Person: who.Name}.Write(w)
}

// reconnect ends a visit that mends a connection. It must be the person who was given the link: else somebody could have
// their own Basecamp acted in by another's assistant, or the other way round.
func (b *Broker) reconnect(w http.ResponseWriter, r *http.Request, subject string, who person) {
	if who.Subject != subject {
		b.page(w, r, pages.Failure{
			Status: http.StatusForbidden, Title: "That is somebody else",
			Message: "You logged in to Basecamp as " + who.Name + ", but the link was made for another person. Nothing was stored.",
			Next:    "Log in to Basecamp as the person whose assistant gave you the link, and ask it for a new one.",
		})
		return
	}
	if len(who.Grants) == 0 {
		b.noAccount(w, r, who)
		return
	}
	if _, err := b.Keeper.Reconnect(r.Context(), who.Subject, who.Name, who.tokens); err != nil {
		b.cutShort(w, r, "store a connection", err)
		return
	}
	pages.Connected{Person: who.Name, Reconnected: true}.Write(w)
}

// account shows a person what is connected in their name: GET /account.
func (b *Broker) account(w http.ResponseWriter, r *http.Request) {
	who, secret, err := b.visitor(r)
	if errors.Is(err, ErrNotFound) {
		redirect(w, r, "/oauth/start?for="+startAccount)
		return
	}
	if err != nil {
		b.storeDown(w, r, "read who looks at their account", err)
		return
	}
	view, err := b.overview(r.Context(), who)
	if err != nil {
		b.storeDown(w, r, "read an account", err)
		return
	}
	view.Form = pages.Form{Action: "/account", Token: accountToken(secret)}
	if view.Notice = notice(b.cookie(r, doneName)); view.Notice != "" {
		b.dropCookie(w, r, doneName)
	}
	view.Write(w)
}

func (b *Broker) overview(ctx context.Context, who visitor) (pages.Overview, error) {
	view := pages.Overview{Person: who.Name}
	connection, err := b.Keeper.Status(ctx, who.Subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return view, err
	}
	view.Healthy = err == nil && connection.Status == grant.Active
	view.ConnectedAt, view.ExpiresAt = connection.ConnectedAt, connection.ExpiresAt
	families, err := b.Store.FamiliesOf(ctx, who.Subject)
	for _, f := range families {
		view.Clients = append(view.Clients, pages.Connection{
			ID:        f.ID,
			Client:    f.Client.Name,
			Host:      documentHost(f.Client.ID),
			Account:   f.AccountName,
			Write:     slices.Contains(f.Scopes, identity.Write),
			CreatedAt: f.CreatedAt,
			UsedAt:    f.RefreshedAt,
		})
	}
	if err != nil || b.Recent == nil {
		return view, err
	}
	if view.Calls, err = b.Recent(ctx, who.Subject); err != nil { // not worth a page that cannot disconnect
		b.note(ctx, slog.LevelError, "read a person's calls", err)
	}
	return view, nil
}

// disconnect ends one connection, or all of them with the grant itself: POST /account (V4, B-60).
func (b *Broker) disconnect(w http.ResponseWriter, r *http.Request) {
	form, ok := b.form(w, r)
	if !ok {
		return
	}
	who, secret, err := b.visitor(r)
	if err == nil && form.get("csrf") != accountToken(secret) {
		err = ErrNotFound
	}
	if err != nil {
		b.lost(w, r, "read who wants to disconnect", err)
		return
	}
	done, err := b.end(r.Context(), who.Subject, form.get("step"))
	if err != nil {
		b.storeDown(w, r, "disconnect", err)
		return
	}
	if done != "" {
		b.setCookie(w, r, doneName, done, time.Minute)
	}
	redirect(w, r, "/account")
}

// What the account page says once. It travels in a cookie: in a URL, a link of another site's could claim it.
const (
	oneDone = "one"
	allDone = "all"
)

func notice(done string) string {
	switch done {
	case oneDone:
		return "Disconnected. The app has lost its access."
	case allDone:
		return "Disconnected. No app kept its access, and this server gave up its own."
	default:
		return ""
	}
}

// end revokes a person's family, or all of them, and says what it did: oneDone, allDone, or "" when there was nothing to end.
// With the last one goes what we hold at Basecamp: nothing is left that needs it. Asked again, it finishes what it could not
// the first time.
func (b *Broker) end(ctx context.Context, subject, which string) (done string, err error) {
	if which == "all" {
		return b.endAll(ctx, subject)
	}
	families, err := b.Store.FamiliesOf(ctx, subject)
	if err != nil {
		return "", err
	}
	there := slices.IndexFunc(families, func(f Family) bool { return f.ID == which })
	switch {
	case len(families) == 0 || there >= 0 && len(families) == 1:
		return b.endAll(ctx, subject)
	case there < 0:
		return "", nil
	}
	return oneDone, b.Store.Revoke(ctx, which, revokedByPerson, b.Now())
}

// endAll begins with the codes that were given out: none may become a family behind the list.
func (b *Broker) endAll(ctx context.Context, subject string) (done string, err error) {
	if err := b.Store.EndCodes(ctx, subject, b.Now().Add(codeTTL)); err != nil {
		return "", err
	}
	families, err := b.Store.FamiliesOf(ctx, subject)
	if err != nil {
		return "", err
	}
	for _, f := range families {
		if err := b.Store.Revoke(ctx, f.ID, revokedByPerson, b.Now()); err != nil {
			return "", err
		}
	}
	_, err = b.Keeper.Status(ctx, subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return "", err
	}
	if err == nil || len(families) > 0 {
		done = allDone
	}
	return done, b.Keeper.Disconnect(ctx, subject)
}

// visitor finds who is logged in to the account page in this browser. ErrNotFound when nobody is.
func (b *Broker) visitor(r *http.Request) (who visitor, secret string, err error) {
	secret = b.cookie(r, browserName)
	if secret == "" {
		return visitor{}, "", ErrNotFound
	}
	err = b.peek(r.Context(), hashOf(atAccount, secret), "", &who)
	return who, secret, err
}

// accountToken is the token of the account page's forms. It comes from the cookie, which no other site can read or set.
func accountToken(cookie string) string { return string(hashOf("account form", cookie)) }
