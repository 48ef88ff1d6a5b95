package github

import (
	"cmp"
	"context"
	"slices"

	"basecamp-mcp/internal/report/fault"
)

// reached is a user with repositories in an answer.
type reached struct {
	Owner
	Repositories              Page[Repository]
	RepositoriesContributedTo Page[Repository]
	Organizations             Page[Organization]
}

func (r reached) check() (hidden int, err error) { return together(r.Owner, r.Repositories) }

// Repositories returns the first 100 repositories of an owner, the latest changed first. Without
// an owner, they are those that the user owns or works in, and those that the user recently
// contributed to.
func (c *Client) Repositories(ctx context.Context, owner string) (Page[Repository], error) {
	document, variables := "Reach", map[string]any(nil)
	about := fault.Resource{Type: "user"}
	if owner != "" {
		document, variables, about = "Owned", map[string]any{"login": owner}, fault.Resource{Type: "owner", ID: owner}
	}
	got, missing, err := ask[reached](ctx, c, document, about, variables)
	all := got.all()
	all.Incomplete = missing
	return all, err
}

// all returns the repositories, each once.
func (r reached) all() (all Page[Repository]) {
	seen := map[string]bool{}
	for _, one := range slices.Concat(r.Repositories.Items, r.RepositoriesContributedTo.Items) {
		if !seen[one.ID] {
			seen[one.ID], all.Items = true, append(all.Items, one)
		}
	}
	all.Next = cmp.Or(r.Repositories.Next, r.RepositoriesContributedTo.Next)
	return all
}

// Scope is what a user reaches: the first 20 organizations, and the repositories that Repositories
// returns.
type Scope struct {
	Owner
	Organizations []Organization
	Repositories  []Repository
}

// Scope returns what the user reaches.
func (c *Client) Scope(ctx context.Context) (Scope, error) {
	got, _, err := ask[reached](ctx, c, "Scope", fault.Resource{Type: "user"}, nil)
	return Scope{got.Owner, got.Organizations.Items, got.all().Items}, err
}

// Organization is an organization of the user, with its first 100 members and teams.
type Organization struct {
	ID, Login, Name string
	MembersWithRole Page[Named]
	Teams           Page[Team]
}

// Team is a team of an organization.
type Team struct{ ID, Name, CombinedSlug, URL string }

type organizations struct {
	Owner
	Organizations Page[Organization]
}

func (o organizations) check() (hidden int, err error) { return together(o.Owner, o.Organizations) }

// Organizations returns the first 20 organizations of the user, and the user.
func (c *Client) Organizations(ctx context.Context) ([]Organization, Owner, *Incomplete, error) {
	got, missing, err := ask[organizations](ctx, c, "Organizations", fault.Resource{Type: "user"}, nil)
	return got.Organizations.Items, got.Owner, missing, err
}

type assignable struct {
	Repository
	AssignableUsers Page[Named]
}

func (a assignable) check() (hidden int, err error) { return together(a.Repository, a.AssignableUsers) }

// Assignable returns the first 100 users who can be assigned in a repository and match a query.
func (c *Client) Assignable(ctx context.Context, repo Repo, query string) ([]Named, error) {
	variables := map[string]any{"owner": repo.Owner, "name": repo.Name, "query": nullable(query)}
	got, _, err := ask[assignable](ctx, c, "Assignable", repo.about("repository", 0), variables)
	return got.AssignableUsers.Items, err
}
