package parts

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
)

// Offering returns tools whose NOT_FOUND about a repository, a project or an owner lists the
// nearest ones that the user reaches. It costs a request, and only after GitHub found nothing.
func (k *Kit) Offering(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.Explained(func(ctx context.Context, in json.RawMessage, err error) error {
			return inArgument(in, k.Nearby(ctx, err))
		})
	}
	return tools
}

// inArgument puts the name of the argument before the message that GitHub has no such project or
// owner.
func inArgument(arguments json.RawMessage, err error) error {
	f := fault.From(err)
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // the schema has accepted them
	if f.Code != fault.NotFound || f.Resource == nil || given[f.Resource.Type] == nil || f.Resource.Type != "project" && f.Resource.Type != "owner" || f.Upstream == nil || f.MayHaveHappened {
		return err
	}
	told := *f
	told.Message = f.Resource.Type + ": " + f.Message
	return &told
}

// Nearby adds the nearest names to a NOT_FOUND of GitHub that has none. If they cannot be read, the
// error stays as it is.
func (k *Kit) Nearby(ctx context.Context, err error) error {
	f := fault.From(err)
	if f.Code != fault.NotFound || f.Resource == nil || f.Resource.ID == "" || len(f.Nearest) > 0 || f.MayHaveHappened || github.IsGone(f) {
		return err
	}
	var near []fault.Candidate
	switch f.Resource.Type {
	case "repository", "issue":
		near = k.nearestRepos(ctx, f.Resource.ID)
	case "project":
		near = k.nearestProjects(ctx, f.Resource.ID)
	case "owner":
		if all, me, _, unread := k.GitHub.Organizations(ctx); unread == nil {
			near = nearestOwners(all, me, f.Resource.ID)
		}
	}
	return withNearest(f, near)
}

// withNearest returns the fault with names that its message lists.
func withNearest(f *fault.Error, near []fault.Candidate) *fault.Error {
	if len(near) == 0 {
		return f
	}
	told := *f
	told.Nearest = near
	refs := Mapped(near, func(c fault.Candidate) string { return plaintext.Word(c.Ref) })
	told.Message += "; similar: " + strings.Join(refs, ", ")
	return &told
}

// nearestRepos returns the repositories that the user reaches and whose names are similar to that
// in owner/name, or in owner/name#12. There are none if the user reaches that repository: then it
// is its issue that is missing.
func (k *Kit) nearestRepos(ctx context.Context, id string) []fault.Candidate {
	wanted, _, _ := strings.Cut(id, "#")
	all, err := k.GitHub.Repositories(ctx, "")
	if err != nil || slices.ContainsFunc(all.Items, func(r github.Repository) bool { return strings.EqualFold(r.NameWithOwner, wanted) }) {
		return nil
	}
	_, name, _ := strings.Cut(wanted, "/")
	c := reachableRepos(ctx, all.Items)
	return c.candidates(c.nearest(name))
}

// reachableRepos returns repositories, of which a reference names one without its owner.
func reachableRepos(ctx context.Context, all []github.Repository) Choice[github.Repository] {
	return Choice[github.Repository]{
		Argument: "repo", Noun: "repositories that you can reach", Items: all, Partly: true, Look: Looking(ctx),
		Name:  func(r github.Repository) string { return r.Repo().Name },
		Ref:   func(r github.Repository) string { return r.NameWithOwner },
		Where: func(r github.Repository) string { return r.Repo().Owner },
	}
}

// nearestProjects returns the projects that the user reaches and whose references are similar.
func (k *Kit) nearestProjects(ctx context.Context, id string) []fault.Candidate {
	if !strings.Contains(id, "/") {
		return nil // a node ID
	}
	all, err := k.Reachable(ctx, "")
	if err != nil {
		return nil
	}
	c := Choice[github.Project]{Items: all.Items, Look: Looking(ctx), Name: NameOf, Where: func(p github.Project) string { return plaintext.Label(p.Title, MaxName) }}
	return c.candidates(c.nearest(id))
}

// nearestOwners returns the user and the user's organizations whose logins are similar.
func nearestOwners(all []github.Organization, me github.Owner, login string) []fault.Candidate {
	c := Choice[string]{Name: func(login string) string { return login }}
	for _, o := range append(all, github.Organization{Login: me.Login}) {
		c.Items = append(c.Items, o.Login)
	}
	return c.candidates(c.nearest(login))
}

// Found returns a repository with its owner. It looks for a name without one among the repositories
// that the user owns, works in or recently contributed to.
func (k *Kit) Found(ctx context.Context, repo github.Repo) (github.Repo, error) {
	if repo.Owner != "" || repo.Name == "" {
		return repo, nil
	}
	all, err := k.GitHub.Repositories(ctx, "")
	if err != nil {
		return repo, err
	}
	one, err := reachableRepos(ctx, all.Items).Pick(repo.Name)
	return one.Repo(), err
}

// InRepo returns the repository that an argument names, once the checks of the other arguments have
// passed, and the user has granted one of the scopes. Without a name, it returns none.
func (k *Kit) InRepo(ctx context.Context, text string, scopes []string, checks ...error) (repo github.Repo, err error) {
	if text != "" {
		repo, err = k.Repo("repo", text)
	}
	if err = fault.All(append([]error{err}, checks...)...); err == nil && len(scopes) > 0 {
		err = k.GitHub.Require(ctx, scopes...)
	}
	if err != nil {
		return repo, err
	}
	return k.Found(ctx, repo)
}

// OwnerLike returns the organization of the user whose login or name a text is, or is a part of.
// The error is missing if there is none, with the nearest.
func (k *Kit) OwnerLike(ctx context.Context, text string, missing error) (string, error) {
	all, me, _, err := k.GitHub.Organizations(ctx)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(me.Login, text) || slices.ContainsFunc(all, func(o github.Organization) bool { return strings.EqualFold(o.Login, text) }) {
		return "", missing
	}
	one, known, err := OrganizationsOf(all).Find(text)
	if err == nil && !known {
		err = withNearest(fault.From(missing), nearestOwners(all, me, text))
	}
	return one.Login, err
}

// OrganizationsOf returns organizations, of which an owner names one by login or name.
func OrganizationsOf(all []github.Organization) Choice[github.Organization] {
	return Choice[github.Organization]{
		Argument: "owner", Noun: "organizations of yours", Items: all, Partly: true,
		Name: func(o github.Organization) string { return o.Login + " " + o.Name },
		Ref:  func(o github.Organization) string { return o.Login },
	}
}

// Reachable returns the projects of an owner or, without one, of the caller and of the caller's
// organizations.
func (k *Kit) Reachable(ctx context.Context, login string) (github.Page[github.Project], error) {
	if login == "" {
		return k.GitHub.ReachableProjects(ctx, "", PageSize)
	}
	return github.Pages(MaxPages, func(next string) (github.Page[github.Project], error) {
		return k.GitHub.OwnerProjects(ctx, login, "", PageSize, next)
	})
}

// NameOf returns a project as its argument takes it.
func NameOf(p github.Project) string { return string(p.Owner) + "/" + strconv.Itoa(p.Number) }
