package githubtools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

// offering returns tools whose NOT_FOUND about a repository, a project or an owner lists the
// nearest ones that the user reaches. It costs a request, and only after GitHub found nothing.
func (k *kit) offering(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.Explained(func(ctx context.Context, in json.RawMessage, err error) error {
			return inArgument(in, k.nearby(ctx, err))
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
	if f.Code != fault.NotFound || f.Resource == nil || given[f.Resource.Type] == nil || f.Resource.Type != "project" && f.Resource.Type != "owner" || !strings.HasPrefix(f.Message, "GitHub has no ") {
		return err
	}
	told := *f
	told.Message = f.Resource.Type + ": " + f.Message
	return &told
}

// nearby adds the nearest names to a NOT_FOUND of GitHub that has none. If they cannot be read, the
// error stays as it is.
func (k *kit) nearby(ctx context.Context, err error) error {
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
		if all, me, _, unread := k.github.Organizations(ctx); unread == nil {
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
	refs := mapped(near, func(c fault.Candidate) string { return plaintext.Word(c.Ref) })
	told.Message += "; similar: " + strings.Join(refs, ", ")
	return &told
}

// nearestRepos returns the repositories that the user reaches and whose names are similar to that
// in owner/name, or in owner/name#12. There are none if the user reaches that repository: then it
// is its issue that is missing.
func (k *kit) nearestRepos(ctx context.Context, id string) []fault.Candidate {
	wanted, _, _ := strings.Cut(id, "#")
	all, _, _, err := k.github.Repositories(ctx, "")
	if err != nil || slices.ContainsFunc(all, func(r github.Repository) bool { return strings.EqualFold(r.NameWithOwner, wanted) }) {
		return nil
	}
	_, name, _ := strings.Cut(wanted, "/")
	c := reachableRepos(ctx, all)
	return c.candidates(c.nearest(name))
}

// reachableRepos returns repositories, of which a reference names one without its owner.
func reachableRepos(ctx context.Context, all []github.Repository) choice[github.Repository] {
	return choice[github.Repository]{
		argument: "repo", noun: "repositories that you can reach", items: all, partly: true, look: looking(ctx),
		name:  func(r github.Repository) string { return r.Repo().Name },
		ref:   func(r github.Repository) string { return r.NameWithOwner },
		where: func(r github.Repository) string { return r.Repo().Owner },
	}
}

// nearestProjects returns the projects that the user reaches and whose references are similar.
func (k *kit) nearestProjects(ctx context.Context, id string) []fault.Candidate {
	if !strings.Contains(id, "/") {
		return nil // a node ID
	}
	all, _, err := k.reachable(ctx, "")
	if err != nil {
		return nil
	}
	c := choice[github.Project]{items: all, look: looking(ctx), name: nameOf, where: func(p github.Project) string { return plaintext.Label(p.Title, maxName) }}
	return c.candidates(c.nearest(id))
}

// nearestOwners returns the user and the user's organizations whose logins are similar.
func nearestOwners(all []github.Organization, me github.Owner, login string) []fault.Candidate {
	c := choice[string]{name: func(login string) string { return login }}
	for _, o := range append(all, github.Organization{Login: me.Login}) {
		c.items = append(c.items, o.Login)
	}
	return c.candidates(c.nearest(login))
}
