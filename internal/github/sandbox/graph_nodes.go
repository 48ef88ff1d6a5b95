package sandbox

// node returns what an ID belongs to, if the person may see it.
func (x *run) node(id string) (any, error) {
	for _, a := range x.s.accounts {
		if a.node == id {
			return x.account(a), nil
		}
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
	for _, f := range x.known(p.fields) {
		if f.node == id {
			return x.field(f)
		}
	}
	for _, u := range p.updates {
		if u.node == id {
			return x.statusUpdate(u)
		}
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
		for _, m := range i.comments {
			if m.node == id {
				return x.comment(m)
			}
		}
	}
	for _, m := range r.milestones {
		if m.node == id {
			return x.milestone(m).(*object)
		}
	}
	return nil
}

// projectToEdit returns the project that an input names, if the person may write to it.
func (x *run) projectToEdit(input map[string]any, mutation string) (*project, error) {
	id := word(input, "projectId")
	for _, p := range x.allProjects() {
		if p.node != id {
			continue
		}
		if x.t.person.belongsTo(p.owner) || p.public {
			if err := x.admit(p.owner); err != nil {
				return nil, err
			}
		}
		if x.t.app && !x.t.installed(p.owner) {
			return nil, problemf("FORBIDDEN", "%s", notInstalled)
		}
		if !x.t.sees(p) {
			return nil, unresolved(id)
		}
		if !x.t.edits(p) {
			return nil, problemf("FORBIDDEN", "%s does not have the correct permissions to execute `%s`", x.t.person.login, mutation)
		}
		return p, nil
	}
	return nil, unresolved(id)
}

// itemToEdit returns the item of a project that an input names.
func (x *run) itemToEdit(p *project, input map[string]any) (*item, error) {
	id := word(input, "itemId")
	for _, i := range p.items {
		if i.node == id {
			return i, nil
		}
	}
	return nil, unresolved(id)
}

// fieldToEdit returns the field of a project that an input names.
func (x *run) fieldToEdit(p *project, input map[string]any) (*field, error) {
	id := word(input, "fieldId")
	for _, f := range x.known(p.fields) {
		if f.node == id {
			return f, nil
		}
	}
	return nil, unresolved(id)
}
