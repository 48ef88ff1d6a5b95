package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// createIssue adds an issue. Who may not set labels, assignees and the milestone is refused.
func (x *run) createIssue(input map[string]any) (fields, error) {
	r := withKey(x.s.repos, word(input, "repositoryId"))
	if r == nil || !x.sees(r) {
		return nil, unresolved(word(input, "repositoryId"))
	}
	if err := x.mayWrite(r); err != nil {
		return nil, err
	}
	if r.issuesOff {
		return nil, problemf("UNPROCESSABLE", "Issues are disabled for this repository.")
	}
	made := &issue{repository: r}
	if err := x.fill(made, input); err != nil {
		return nil, err
	}
	var parent *issue
	if id := word(input, "parentIssueId"); id != "" {
		var err error
		if parent, err = x.issueToEdit(id); err != nil {
			return nil, err
		}
		if parent.repository.owner != r.owner || len(parent.subs) >= maxSubIssues {
			return nil, problemf("UNPROCESSABLE", "The parent issue cannot have this sub-issue")
		}
	}
	i := x.s.addIssue(r, x.t.person, made.title, made.body, x.s.stampNow())
	i.labels, i.assignees, i.milestone = made.labels, made.assignees, made.milestone
	if parent != nil {
		i.parent, parent.subs = parent, append(slices.Clip(parent.subs), i)
	}
	return fields{"issue": x.issue(i)}, nil
}

// updateIssue changes an issue. What the input leaves out stays; a milestone that is null goes.
func (x *run) updateIssue(input map[string]any) (fields, error) {
	i, err := x.issueToEdit(word(input, "id"))
	if err != nil {
		return nil, err
	}
	if i.pull {
		return nil, unresolved(word(input, "id"))
	}
	if i.author != x.t.person && x.t.inRepository(i.repository) < mayPush {
		return nil, problemf("FORBIDDEN", "%s does not have the correct permissions to execute `UpdateIssue`", x.t.person.login)
	}
	changed := *i
	if err := x.fill(&changed, input); err != nil {
		return nil, err
	}
	if state := word(input, "state"); state != "" {
		changed.setState(state == "CLOSED", nil, x.t.person, x.s.stampNow())
	}
	changed.updated = x.s.stampNow()
	*i = changed
	return fields{"issue": x.issue(i)}, nil
}

// closeIssue closes an issue for a reason, or changes the reason of a closed one.
func (x *run) closeIssue(input map[string]any) (fields, error) {
	i, err := x.issueToEdit(word(input, "issueId"))
	if err != nil {
		return nil, err
	}
	if i.pull {
		return nil, unresolved(word(input, "issueId"))
	}
	if i.author != x.t.person && x.t.inRepository(i.repository) < mayPush {
		return nil, problemf("FORBIDDEN", "%s does not have the correct permissions to execute `CloseIssue`", x.t.person.login)
	}
	var other *issue
	if id := word(input, "duplicateIssueId"); id != "" {
		if other, err = x.issueToEdit(id); err != nil {
			return nil, err
		}
	}
	reason := strings.ToLower(word(input, "stateReason"))
	i.setState(true, &reason, x.t.person, x.s.stampNow())
	i.duplicate, i.updated = other, x.s.stampNow()
	return fields{"issue": x.issue(i)}, nil
}

// addComment adds a comment to an issue or pull request.
func (x *run) addComment(input map[string]any) (fields, error) {
	i, err := x.issueToEdit(word(input, "subjectId"))
	if err != nil {
		return nil, err
	}
	body := word(input, "body")
	switch {
	case strings.TrimSpace(body) == "":
		return nil, problemf("UNPROCESSABLE", "Body cannot be blank")
	case len([]rune(body)) > longestBody:
		return nil, problemf("UNPROCESSABLE", "%s", tooLong)
	}
	m := x.s.addComment(i, x.t.person, body, x.s.stampNow())
	return fields{"commentEdge": &object{"IssueCommentEdge", fields{"cursor": m.node, "node": x.comment(m)}}, "subject": x.issue(i)}, nil
}

// deleteComment deletes a comment, which its author and those who can push may do.
func (x *run) deleteComment(input map[string]any) (fields, error) {
	for _, r := range filter(x.s.repos, x.sees) {
		for _, i := range r.issues {
			gone := withKey(i.comments, word(input, "id"))
			if gone == nil {
				continue
			}
			if err := x.mayWrite(r); err != nil {
				return nil, err
			}
			if gone.author != x.t.person && x.t.inRepository(r) < mayPush {
				return nil, problemf("FORBIDDEN", "%s does not have the correct permissions to execute `DeleteIssueComment`", x.t.person.login)
			}
			i.comments = filter(i.comments, func(m *comment) bool { return m != gone })
			return fields{}, nil
		}
	}
	return nil, unresolved(word(input, "id"))
}

func (x *run) comment(m *comment) *object {
	r := m.issue.repository
	return &object{"IssueComment", fields{
		"repository": resolver(func(map[string]any) (any, error) { return x.repository(r), nil }),
		"id":         m.node, "author": x.account(m.author), "authorAssociation": m.author.association(r), "body": m.body,
		"url":       x.url("/%s/%s/%d#issuecomment-%d", r.fullName(), m.issue.segment(), m.issue.number, m.id),
		"createdAt": stamp(m.created), "updatedAt": stamp(m.updated),
	}}
}

// mayWrite refuses writes to a repository that the token or its state does not allow.
func (x *run) mayWrite(r *repository) error {
	switch {
	case !x.t.installed(r.owner):
		return problemf("FORBIDDEN", "%s", notInstalled)
	case !x.t.has("public_repo", "repo"):
		return problemf("INSUFFICIENT_SCOPES", "Your token lacks a scope for this query: the field requires one of the following scopes: ['public_repo'].")
	case r.archived:
		return problemf("FORBIDDEN", "Repository was archived so is read-only.")
	}
	return nil
}

// issueToEdit returns the issue or pull request with a node ID.
func (x *run) issueToEdit(id string) (*issue, error) {
	if i := x.issueSeen(id); i != nil {
		return i, x.mayWrite(i.repository)
	}
	return nil, unresolved(id)
}

// issueSeen returns the issue or pull request with a node ID, as far as the person sees it.
func (x *run) issueSeen(id string) *issue {
	for _, r := range filter(x.s.repos, x.sees) {
		if i := withKey(r.issues, id); i != nil {
			return i
		}
	}
	return nil
}

// fill sets the fields of an issue that an input has.
func (x *run) fill(i *issue, input map[string]any) error {
	if title, ok := input["title"].(string); ok {
		if err := checkTitle(title); err != nil {
			return err
		}
		i.title = strings.TrimSpace(title)
	}
	if body, ok := input["body"].(string); ok {
		if len([]rune(body)) > longestBody {
			return problemf("UNPROCESSABLE", "%s", tooLong)
		}
		i.body = body
	}
	labels, relabels := input["labelIds"].([]any)
	logins, assigns := input["assigneeIds"].([]any)
	goal, plans := input["milestoneId"]
	if (len(labels) > 0 || len(logins) > 0 || goal != nil) && x.t.inRepository(i.repository) < mayPush {
		return problemf("FORBIDDEN", "%s does not have the correct permissions to set labels, assignees or the milestone", x.t.person.login)
	}
	if relabels {
		i.labels = nil
	}
	for _, id := range labels {
		l := withKey(i.repository.labels, fmt.Sprint(id))
		if l == nil {
			return problemf("NOT_FOUND", "Could not resolve to Label node with the global id of '%v'.", id)
		}
		i.labels = append(i.labels, l)
	}
	if assigns {
		i.assignees = nil
	}
	for _, id := range logins {
		a := withKey(x.s.accounts, fmt.Sprint(id))
		if a == nil || a.inRepository(i.repository) < mayPush {
			return problemf("UNPROCESSABLE", "Assignee could not be assigned")
		}
		i.assignees = append(i.assignees, a)
	}
	if plans {
		i.milestone = withKey(i.repository.milestones, word(input, "milestoneId"))
		if i.milestone == nil && goal != nil {
			return problemf("NOT_FOUND", "Could not resolve to Milestone node with the global id of '%v'.", goal)
		}
	}
	return nil
}
