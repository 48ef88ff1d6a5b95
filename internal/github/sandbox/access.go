package sandbox

import (
	"slices"
)

// lacksSSO reports whether the token lacks the single sign-on that an owner requires.
func (t *token) lacksSSO(owner *account) bool { return slices.Contains(t.unsaid, owner) }

// installed reports whether a GitHub App's token reaches what belongs to an owner. An OAuth App
// needs no installation.
func (t *token) installed(owner *account) bool { return !t.app || owner.login == organization }

// inRepository returns what the token's person may do in a repository, and the token shows.
// Scopes for writing are checked elsewhere.
func (t *token) inRepository(r *repository) access {
	level := t.person.inRepository(r)
	if r.private && (!t.has("repo") || !t.installed(r.owner)) {
		return noAccess
	}
	return level
}

func (a *account) inRepository(r *repository) access {
	switch granted := r.guests[a]; {
	case r.owner == a || slices.Contains(r.owner.owners, a):
		return mayAdminister
	case granted > mayRead:
		return granted
	case slices.Contains(r.owner.members, a) && !slices.Contains(r.closedTo, a):
		return mayPush
	case !r.private:
		return mayRead
	default:
		return granted
	}
}

// association returns what a person is in a repository, in GitHub's words.
func (a *account) association(r *repository) string {
	switch {
	case a == nil:
		return "NONE"
	case r.owner == a:
		return "OWNER"
	case slices.Contains(r.owner.members, a):
		return "MEMBER"
	case r.guests[a] > mayRead:
		return "COLLABORATOR"
	}
	return "NONE"
}

// sees reports whether the token's person may read a project.
func (t *token) sees(p *project) bool {
	return t.installed(p.owner) && (p.public || t.person.belongsTo(p.owner))
}

// edits reports whether the token's person may write to a project.
func (t *token) edits(p *project) bool { return t.person.belongsTo(p.owner) }

// belongsTo reports whether a person is an account or a member of it.
func (a *account) belongsTo(owner *account) bool {
	return a == owner || slices.Contains(owner.members, a)
}
