package sandbox

// node returns what an ID belongs to, if the person may see it.
func (x *run) node(id string) (any, error) {
	if a := withKey(x.s.accounts, id); a != nil {
		return x.account(a), nil
	}
	for _, p := range x.allProjects() {
		if shown := x.inProject(p, id); shown != nil {
			return x.admitted(shown, id, p.owner, x.t.person.belongsTo(p.owner) || p.public, x.t.sees(p))
		}
	}
	for _, r := range x.s.repos {
		if shown := x.insideRepository(r, id); shown != nil {
			return x.admitted(shown, id, r.owner, x.t.person.inRepository(r) > noAccess, x.t.inRepository(r) > noAccess)
		}
	}
	return nil, unresolved(id)
}

// admitted returns a node if its person may see it and the token shows it. Between the two stands
// the single sign-on of its owner.
func (x *run) admitted(shown *object, id string, owner *account, person, token bool) (any, error) {
	if !person {
		return nil, unresolved(id)
	}
	if err := x.admit(owner); err != nil {
		return nil, err
	}
	if !token {
		return nil, unresolved(id)
	}
	return shown, nil
}

// inProject returns what an ID belongs to in a project, or nil.
func (x *run) inProject(p *project, id string) *object {
	if p.node == id {
		return x.project(p)
	}
	if f := withKey(x.known(p.fields), id); f != nil {
		return x.field(f)
	}
	if u := withKey(p.updates, id); u != nil {
		return x.statusUpdate(u)
	}
	for _, i := range p.items {
		switch {
		case i.node == id:
			return x.item(i)
		case i.draft != nil && i.draft.node == id:
			return x.draft(i)
		}
	}
	return nil
}

// insideRepository returns what an ID belongs to in a repository, or nil.
func (x *run) insideRepository(r *repository, id string) *object {
	if r.node == id {
		return x.repository(r)
	}
	for _, i := range r.issues {
		if i.node == id {
			return x.issue(i)
		}
		if m := withKey(i.comments, id); m != nil {
			return x.comment(m)
		}
	}
	return x.milestone(withKey(r.milestones, id))
}

// projectToEdit returns the project that an input names, if the person may write to it.
func (x *run) projectToEdit(input map[string]any, mutation string) (*project, error) {
	id := word(input, "projectId")
	p := withKey(x.allProjects(), id)
	if p == nil {
		return nil, unresolved(id)
	}
	if x.t.person.belongsTo(p.owner) || p.public {
		if err := x.admit(p.owner); err != nil {
			return nil, err
		}
	}
	switch {
	case !x.t.installed(p.owner):
		return nil, problemf("FORBIDDEN", "%s", notInstalled)
	case !x.t.sees(p):
		return nil, unresolved(id)
	case !x.t.edits(p):
		return nil, problemf("FORBIDDEN", "%s does not have the correct permissions to execute `%s`", x.t.person.login, mutation)
	}
	return p, nil
}

// itemToEdit returns the item of a project that an input names.
func (x *run) itemToEdit(p *project, input map[string]any) (*item, error) {
	id := word(input, "itemId")
	if i := withKey(p.items, id); i != nil {
		return i, nil
	}
	return nil, unresolved(id)
}
