package sandbox

import (
	"cmp"
	"slices"
	"strings"
)

// repositoriesOf returns the repositories of an owner or, for a person, those that the affiliations
// name.
func (x *run) repositoriesOf(a *account, args map[string]any) (any, error) {
	if err := x.admit(a); err != nil {
		return nil, err
	}
	of := func(r *repository) bool { return r.owner == a || affiliated(a, r, args["affiliations"]) }
	for _, r := range x.s.repos {
		if of(r) && x.t.lacksSSO(r.owner) {
			x.leaveOut(r.owner)
		}
	}
	return x.listRepositories(filter(x.s.repos, func(r *repository) bool { return x.sees(r) && of(r) }), args)
}

// affiliated reports whether a person works in a repository of others, as one of the affiliations
// says.
func affiliated(a *account, r *repository, affiliations any) bool {
	asked, _ := affiliations.([]any)
	return slices.Contains(asked, any("ORGANIZATION_MEMBER")) && slices.Contains(r.owner.members, a) && !slices.Contains(r.closedTo, a) ||
		slices.Contains(asked, any("COLLABORATOR")) && r.guests[a] > noAccess
}

// contributedTo returns the repositories in which a person opened issues or pull requests.
func (x *run) contributedTo(a *account, args map[string]any) (any, error) {
	return x.listRepositories(filter(x.s.repos, func(r *repository) bool {
		return x.sees(r) && slices.ContainsFunc(r.issues, func(i *issue) bool { return i.author == a })
	}), args)
}

func (x *run) listRepositories(list []*repository, args map[string]any) (any, error) {
	list = ordered(list, args, func(field string, a, b *repository) int {
		if field == "NAME" {
			return strings.Compare(a.name, b.name)
		}
		return cmp.Compare(a.id, b.id)
	})
	return connect("RepositoryConnection", list, x.repository)(args)
}
