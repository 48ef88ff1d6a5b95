package authserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// limitStep begins the step of a form that changes the fence of a family; its ID follows.
const limitStep = "limit:"

// listTime limits how long a page waits for the names of projects. Without them, it has fields for
// text.
const listTime = 4 * time.Second

// limits shows the fence of one of the user's clients: GET /account?app=ID.
func (s *Server) limits(w http.ResponseWriter, r *http.Request, of session, id string) error {
	f, err := s.ownFamily(r.Context(), of, id)
	if err != nil {
		return err
	}
	seen := s.projectsOf(r.Context(), f.Subject, f.placesIn())
	pages.Write(w, s.limitsPage(f, of.token, fieldsOf(f.Fence, slices.Contains(f.Scopes, identity.Write), seen != nil), nil, seen, s.accountsOf(r.Context(), of, f.accounts())))
	return nil
}

// limit changes the fence of one of the user's clients: POST /account. It never loses what the user
// typed: a form that cannot be saved is shown again.
func (s *Server) limit(w http.ResponseWriter, r *http.Request, of session, id string, form params) error {
	f, err := s.ownFamily(r.Context(), of, id)
	if err != nil {
		return err
	}
	fields := fieldsIn(form)
	next, wrong := readFence(fields, slices.Contains(f.Scopes, identity.Write))
	next, shown := s.readAccounts(r.Context(), of, f, next, form, wrong)
	seen := s.projectsOf(r.Context(), f.Subject, f.placesIn())
	refuseUnseen(next, f.Fence, seen, wrong)
	if form.get("was") != f.Fence.Text() && !next.Equal(f.Fence) {
		wrong["was"] = "The limits were changed meanwhile, perhaps in another window. If you save now, the fields below replace that change."
	}
	if len(wrong) > 0 {
		pages.Write(w, s.limitsPage(f, of.token, fields, wrong, seen, shown))
		return nil
	}
	err = s.Store.SetFence(r.Context(), f.ID, f.Fence, next)
	if errors.Is(err, ErrConflict) { // since it was read above
		return show(pages.Failure{
			Status: http.StatusConflict, Title: "The limits were changed meanwhile", Link: "/account",
			Message: "No changes were made by this form.", Next: "Look at the limits that the app has now.",
		})
	}
	if err != nil {
		return fmt.Errorf("change a fence: %w", err)
	}
	return s.backToAccount(w, r, limitDone)
}

// ownFamily returns a live family of the user of a session.
func (s *Server) ownFamily(ctx context.Context, of session, id string) (Family, error) {
	families, err := s.Store.FamiliesOf(ctx, of.Subject)
	if err != nil {
		return Family{}, fmt.Errorf("read a connection: %w", err)
	}
	at := slices.IndexFunc(families, func(f Family) bool { return f.ID == id })
	if at < 0 {
		return Family{}, show(pages.Failure{
			Status: http.StatusNotFound, Title: "This app is not connected", Link: "/account",
			Message: "It may have been disconnected meanwhile. No changes were made.", Next: "Your connected apps show what has access.",
		})
	}
	return families[at], nil
}

func (s *Server) limitsPage(f Family, token string, fields, wrong map[string]string, seen []provider.Project, accounts []pages.Account) pages.Limits {
	view := pages.Limits{
		Form:     s.newForm("/account", limitStep+f.ID, token),
		Was:      f.Fence.Text(),
		Client:   f.Client.Name,
		Accounts: accounts,
		Fence:    s.fencePart(fields, wrong, slices.Contains(f.Scopes, identity.Write), seen),
	}
	if len(accounts) > 0 {
		view.Fence.Within = f.accountName(f.placesIn())
	}
	return view
}

// fencePart returns the part of a page with the fields of a fence. seen are the projects that the
// user sees; nil if they are not known.
func (s *Server) fencePart(fields, wrong map[string]string, writes bool, seen []provider.Project) pages.Fence {
	part := pages.Fence{
		Writes: writes, Fields: fields, Wrong: wrong,
		Listed: fields["listed"] != "",
	}
	if len(s.Upstreams) > 1 {
		part.Further = s.Upstreams[1].Name
	}
	if !part.Listed {
		return part
	}
	listed := map[int64]bool{}
	for _, p := range seen {
		listed[p.ID] = true
		part.Projects = append(part.Projects, pages.Project(p))
	}
	slices.SortStableFunc(part.Projects, func(x, y pages.Project) int { return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	for _, name := range slices.Sorted(maps.Keys(fields)) { // chosen before, and not seen now
		if id, ok := projectOf(name); ok && !listed[id] && fields[name] != "" {
			part.Projects = append(part.Projects, pages.Project{ID: id})
		}
	}
	return part
}

// fieldsIn returns the fields of a form, which have one value each.
func fieldsIn(form params) map[string]string {
	fields := map[string]string{}
	for name := range form.values {
		fields[name] = form.get(name)
	}
	return fields
}

// projectsOf returns the projects that a user sees in an account, or nil if they cannot be read:
// then the page must work without them.
func (s *Server) projectsOf(ctx context.Context, subject string, account int64) []provider.Project {
	token, err := s.first().Keeper.AccessToken(ctx, subject, "")
	if err != nil {
		s.note(ctx, slog.LevelWarn, fmt.Errorf("read a user's projects: %w", err))
		return nil
	}
	return s.projectsSeen(ctx, token, account)
}

// projectsHere returns the projects of the user who is signed in to the account page in the browser
// of a request. It returns nil if there is none, or if the account is not known yet.
func (s *Server) projectsHere(r *http.Request) []provider.Project {
	of, err := s.session(r)
	if err != nil || len(of.Accounts) != 1 {
		return nil
	}
	return s.projectsOf(r.Context(), of.Subject, of.Accounts[0].ID)
}

// projectsSeen returns the projects of an account that the user of a token of the first provider
// sees, or nil.
func (s *Server) projectsSeen(ctx context.Context, token string, account int64) []provider.Project {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	seen, err := s.Projects(ctx, token, account)
	if err != nil {
		s.note(ctx, slog.LevelWarn, fmt.Errorf("read a user's projects: %w", err))
		return nil
	}
	if seen == nil {
		return []provider.Project{}
	}
	return seen
}

// unseen returns the first project that a fence names, its predecessor does not, and the user does
// not see. It returns 0 if there is none, or if the projects are not known. A project that was in
// the trash since is closed all the same.
func unseen(next, was fence.Fence, seen []provider.Project) int64 {
	if seen == nil {
		return 0
	}
	known := projectsIn(was)
	for _, p := range seen {
		known = append(known, p.ID)
	}
	for _, id := range projectsIn(next) {
		if !slices.Contains(known, id) {
			return id
		}
	}
	return 0
}

// refuseUnseen notes in wrong that a fence names such a project.
func refuseUnseen(next, was fence.Fence, seen []provider.Project, wrong map[string]string) {
	if id := unseen(next, was, seen); id != 0 {
		wrong["projects"] = fmt.Sprintf("You do not see the project %d, so no app can be allowed to use it.", id)
	}
}

// projectsIn returns the projects that a fence names.
func projectsIn(f fence.Fence) (all []int64) {
	for _, p := range []*fence.Places{f.Read, f.Write} {
		if p != nil {
			all = append(all, p.Projects...)
		}
	}
	return all
}

// seesPlaces returns an error for a client whose fence, at the consent, names a project that the
// user does not see.
func (s *Server) seesPlaces(ctx context.Context, to authRequest, who upstreamUser, account fence.Account) error {
	if len(projectsIn(to.Fence)) == 0 {
		return nil
	}
	id := unseen(to.Fence, fence.Fence{}, s.projectsSeen(ctx, who.tokens.AccessToken, account.ID))
	if id == 0 {
		return nil
	}
	return &clientError{request: to, failure: &oauthError{
		code: accessDenied, description: "the user limited the app to project " + strconv.FormatInt(id, 10) + ", which the user does not see; connect again",
	}}
}
