package authserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// Reasons for the end of families.
const (
	revokedByPerson = "disconnected"
	needsReauth     = "needs_reauth"
)

// everything is the step of the form that disconnects all apps and providers.
const everything = "all"

// account shows a user's providers and connected apps: GET /account.
func (s *Server) account(w http.ResponseWriter, r *http.Request, of session) error {
	if id := r.URL.Query().Get("app"); id != "" {
		return s.limits(w, r, of, id)
	}
	view, err := s.overview(r.Context(), of)
	if err != nil {
		return fmt.Errorf("read an account: %w", err)
	}
	if view.Notice = s.notice(s.cookie(r, noticeCookie)); view.Notice != "" {
		s.dropCookie(w, r, noticeCookie)
	}
	pages.Write(w, view)
	return nil
}

func (s *Server) overview(ctx context.Context, of session) (pages.Overview, error) {
	form := s.newForm("/account", "", of.token)
	view := pages.Overview{Form: form, Now: s.Now(), Person: of.Name, Machines: s.Machines}
	var err error
	if view.Providers, err = s.providers(ctx, of.Subject, form); err != nil {
		return view, err
	}
	families, err := s.Store.FamiliesOf(ctx, of.Subject)
	if err != nil {
		return view, err
	}
	if view.Calls, err = s.Recent(ctx, of.Subject); err != nil { // the page must be able to disconnect apps
		s.note(ctx, slog.LevelError, fmt.Errorf("read a user's calls: %w", err))
	}
	for _, f := range families {
		c := pages.Connection{
			ID:        f.ID,
			Client:    f.Client.Name,
			Host:      whereFrom(f.Client),
			Account:   f.accountWords(),
			Write:     slices.Contains(f.Scopes, identity.Write),
			Limits:    f.Fence.Words(),
			Change:    "/account?app=" + f.ID,
			CreatedAt: f.CreatedAt,
			UsedAt:    f.RefreshedAt,
		}
		if f.Client.isMachine() {
			c.EndsAt, c.UsedAt = f.EndsAt, time.Time{}
		}
		for i, call := range view.Calls {
			if call.Connection != f.ID {
				continue
			}
			view.Calls[i].Client = f.Client.Name // as in the list of apps
			if call.Time.After(c.UsedAt) {
				c.UsedAt = call.Time
			}
		}
		view.Clients = append(view.Clients, c)
	}
	return view, nil
}

// whereFrom says where a client comes from: the host of its metadata document, or else the one that
// receives its answers.
func whereFrom(c Client) string {
	if c.isMachine() {
		return "a program of yours, without a browser"
	}
	if host := documentHost(c.ID); host != "" || len(c.RedirectURIs) == 0 {
		return host
	}
	if uri := c.RedirectURIs[0]; !isLoopbackURI(uri) && strings.HasPrefix(uri, "https://") {
		return redirectHost(uri)
	}
	return "a program on your computer"
}

// disconnect ends one app's access or one link, or everything after a confirmation, or limits an
// app: POST /account.
func (s *Server) disconnect(w http.ResponseWriter, r *http.Request, of session, form params) error {
	if form.get("step") == everything && form.get("confirm") != "yes" {
		view := pages.DisconnectAll{Form: s.newForm("/account", everything, of.token)}
		for _, up := range s.Upstreams {
			view.Providers = append(view.Providers, up.Name)
		}
		pages.Write(w, view)
		return nil
	}
	if id, ok := strings.CutPrefix(form.get("step"), limitStep); ok {
		return s.limit(w, r, of, id, form)
	}
	if id, ok := strings.CutPrefix(form.get("step"), unlinkStep); ok {
		return s.unlink(w, r, of.Subject, id)
	}
	done, err := s.end(r.Context(), of.Subject, form.get("step"))
	if err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return s.backToAccount(w, r, done)
}

// end revokes one family of a user, or all. It returns oneDone, allDone, or "" if there was
// nothing to revoke. The end of the last family ends every provider's grant: no client needs them
// any longer. After an error it can be called again.
func (s *Server) end(ctx context.Context, subject, which string) (done string, err error) {
	if which == everything {
		return s.endAll(ctx, subject)
	}
	families, err := s.Store.FamiliesOf(ctx, subject)
	if err != nil {
		return "", err
	}
	found := slices.IndexFunc(families, func(f Family) bool { return f.ID == which })
	switch {
	case len(families) == 0 || found >= 0 && len(families) == 1:
		return s.endAll(ctx, subject)
	case found < 0:
		return "", nil
	}
	return oneDone, s.Store.Revoke(ctx, which, revokedByPerson, s.Now())
}

// endAll revokes everything of a user.
func (s *Server) endAll(ctx context.Context, subject string) (done string, err error) {
	ended, err := s.EndAccess(ctx, subject, revokedByPerson)
	if ended.Granted || len(ended.Clients) > 0 {
		done = allDone
	}
	return done, err
}

// Ended says what EndAccess ended.
type Ended struct {
	Clients []Family
	Granted bool // there was a grant of a provider
}

// EndAccess revokes all families of a user, for a reason in one word, and ends the grants of every
// provider. It ends issued codes first, so that no code becomes a family after the families were
// listed. After an error it can be called again.
func (s *Server) EndAccess(ctx context.Context, subject, reason string) (ended Ended, err error) {
	if err := s.Store.EndCodes(ctx, subject, s.Now().Add(codeTTL)); err != nil {
		return ended, err
	}
	if ended.Clients, err = s.Store.FamiliesOf(ctx, subject); err != nil {
		return ended, err
	}
	for _, f := range ended.Clients {
		if err := s.Store.Revoke(ctx, f.ID, reason, s.Now()); err != nil {
			return ended, err
		}
	}
	if ended.Granted, err = s.holdsGrant(ctx, subject); err != nil {
		return ended, err
	}
	return ended, s.endGrants(ctx, subject)
}

// holdsGrant reports whether a user has a grant of any provider.
func (s *Server) holdsGrant(ctx context.Context, subject string) (bool, error) {
	for _, up := range s.Upstreams {
		_, err := up.Keeper.Status(ctx, subject)
		if !errors.Is(err, grant.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}

// endGrants deletes the grants of every provider for a user. It tries all of them.
func (s *Server) endGrants(ctx context.Context, subject string) error {
	var failed []error
	for _, up := range s.Upstreams {
		failed = append(failed, up.Keeper.Disconnect(ctx, subject))
	}
	return errors.Join(failed...)
}

// unlinkStep begins the step of a form that unlinks a further provider; its ID follows.
const unlinkStep = "unlink:"

// providers returns the state of each provider for a user. form is the one of the account page.
func (s *Server) providers(ctx context.Context, subject string, form pages.Form) ([]pages.Provider, error) {
	var all []pages.Provider
	for i, up := range s.Upstreams {
		held, err := up.Keeper.Status(ctx, subject)
		if err != nil && !errors.Is(err, grant.ErrNotFound) {
			return nil, err
		}
		view := pages.Provider{
			Name:        up.Name,
			Healthy:     err == nil && held.Status == grant.Active,
			ConnectedAt: held.ConnectedAt,
			ExpiresAt:   held.ExpiresAt,
			Connect:     "/oauth/start?for=" + startAccount,
		}
		if i > 0 {
			form.Step = unlinkStep + up.ID
			view.Connect = "/oauth/start?link=" + up.ID
			view.Link = &pages.LinkState{
				Account: marked(up, held.Name),
				May:     up.Scopes.Words(provider.Names(held.Scope)),
				Asks:    up.Scopes.Words(up.Scopes.First),
				Unlink:  form,
			}
		}
		all = append(all, view)
	}
	return all, nil
}

// unlink deletes a user's grant of a further provider, and no other.
func (s *Server) unlink(w http.ResponseWriter, r *http.Request, subject, id string) error {
	up, err := s.further(id)
	if err != nil {
		return err
	}
	if err := up.Keeper.Disconnect(r.Context(), subject); err != nil {
		return fmt.Errorf("unlink %s: %w", up.ID, err)
	}
	return s.backToAccount(w, r, unlinkDone+up.ID)
}

// Values of the notice cookie, which says what the user has just done. The notice is in a cookie
// because a link of another site could set it in a URL.
const (
	oneDone    = "one"
	allDone    = "all"
	limitDone  = "limit"
	linkDone   = "linked:"   // and the ID of a provider
	lessDone   = "less:"     // and the ID of a provider: the user allowed less than this server asked for
	unlinkDone = "unlinked:" // and the ID of a provider
)

// backToAccount leads to the account page, which shows a notice once, or none if done is empty.
func (s *Server) backToAccount(w http.ResponseWriter, r *http.Request, done string) error {
	if done != "" {
		s.setCookie(w, r, noticeCookie, done, time.Minute)
	}
	redirect(w, r, "/account")
	return nil
}

// notice returns the text for a value of the cookie, or "" for an unknown one.
func (s *Server) notice(done string) string {
	whole := map[string]string{
		oneDone:   "Disconnected. The app no longer has access.",
		allDone:   "Disconnected. No app has access any longer, and this server deleted its own access.",
		limitDone: "Saved. The limits hold from the app’s next request.",
	}
	about := map[string]string{
		linkDone:   " is linked.",
		lessDone:   " is linked, but you allowed less than this server asked for.",
		unlinkDone: " is unlinked. This server deleted its access.",
	}
	kind, id, _ := strings.Cut(done, ":")
	up, err := s.further(id)
	if says := about[kind+":"]; says != "" && err == nil {
		return up.Name + says
	}
	return whole[done]
}
