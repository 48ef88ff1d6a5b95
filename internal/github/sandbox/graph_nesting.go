package sandbox

// nestingToEdit returns the parent and the sub-issue that an input names.
func (x *run) nestingToEdit(input map[string]any) (parent, sub *issue, err error) {
	if parent, err = x.issueToEdit(word(input, "issueId")); err != nil {
		return nil, nil, err
	}
	if x.t.inRepository(parent.repository) < mayPush {
		return nil, nil, problemf("FORBIDDEN", "%s does not have the correct permissions to change sub-issues", x.t.person.login)
	}
	sub, err = x.issueToEdit(word(input, "subIssueId"))
	if err == nil && (parent.pull || sub.pull) {
		err = unresolved(word(input, "subIssueId"))
	}
	return parent, sub, err
}

// addSubIssue makes an issue the last sub-issue of another one.
func (x *run) addSubIssue(input map[string]any) (fields, error) {
	parent, sub, err := x.nestingToEdit(input)
	if err != nil {
		return nil, err
	}
	if words := parent.adopt(sub, input["replaceParent"] == true); words != "" {
		return nil, problemf("UNPROCESSABLE", "%s", words)
	}
	return fields{"issue": x.issue(parent), "subIssue": x.issue(sub)}, nil
}

// removeSubIssue takes an issue out of its parent.
func (x *run) removeSubIssue(input map[string]any) (fields, error) {
	parent, sub, err := x.nestingToEdit(input)
	if err != nil {
		return nil, err
	}
	if sub.parent != parent {
		return nil, problemf("NOT_FOUND", "The sub-issue does not exist")
	}
	sub.leave()
	return fields{"issue": x.issue(parent), "subIssue": x.issue(sub)}, nil
}

// moveSubIssue puts a sub-issue before or after another one.
func (x *run) moveSubIssue(input map[string]any) (fields, error) {
	parent, sub, err := x.nestingToEdit(input)
	if err != nil {
		return nil, err
	}
	after, before := word(input, "afterId"), word(input, "beforeId")
	if (after == "") == (before == "") {
		return nil, problemf("UNPROCESSABLE", "Exactly one of afterId and beforeId is needed")
	}
	next, err := x.issueToEdit(after + before)
	if err != nil {
		return nil, err
	}
	if !parent.move(sub, next, after != "") {
		return nil, problemf("UNPROCESSABLE", "The sub-issue was not moved")
	}
	return fields{"issue": x.issue(parent)}, nil
}

// parent returns the parent of an issue, as far as the person sees it.
func (x *run) parent(i *issue) *object {
	if i.parent == nil || !x.sees(i.parent.repository) {
		return nil
	}
	return x.issue(i.parent)
}
