package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (x *run) mutationRoot() *object {
	o := &object{"Mutation", fields{}}
	for name, carryOut := range map[string]func(map[string]any) fields{
		"createProjectV2":               x.createProject,
		"updateProjectV2":               onProject(x, x.updateProject),
		"deleteProjectV2":               onProject(x, x.deleteProject),
		"addProjectV2ItemById":          onProject(x, x.addItem),
		"deleteProjectV2Item":           onProject(x, x.deleteItem),
		"updateProjectV2ItemFieldValue": onProject(x, x.setValue),
		"clearProjectV2ItemFieldValue":  onProject(x, x.clearValue),
		"createProjectV2StatusUpdate":   onProject(x, x.createStatusUpdate),
		"createIssue":                   x.createIssue,
		"updateIssue":                   x.updateIssue,
		"closeIssue":                    x.closeIssue,
		"addComment":                    x.addComment,
		"deleteIssueComment":            x.deleteComment,
		"deleteProjectV2StatusUpdate":   x.deleteStatusUpdate,
	} {
		o.fields[name] = resolver(func(args map[string]any) (any, error) {
			input, _ := args["input"].(map[string]any)
			payload := carryOut(input)
			payload["clientMutationId"] = input["clientMutationId"]
			return &object{strings.ToUpper(name[:1]) + name[1:] + "Payload", payload}, nil
		})
	}
	return o
}

// onProject returns a mutation of the project that an input names, if the person may write to it.
func onProject(x *run, carryOut func(*project, map[string]any) fields) func(map[string]any) fields {
	return func(input map[string]any) fields {
		p := withKey(x.allProjects(), word(input, "projectId"))
		refuse(p == nil || !x.t.person.sees(p), unresolved(word(input, "projectId")))
		refuse(!x.t.person.belongsTo(p.owner), x.forbids())
		return carryOut(p, input)
	}
}

const longestShort = 256 // characters of a project's title and short description

func (x *run) createProject(input map[string]any) fields {
	id := word(input, "ownerId")
	owner := withKey(x.s.accounts, id)
	refuse(owner == nil || owner.kind != "User" && owner.kind != "Organization", unresolved(id))
	refuse(!x.t.person.belongsTo(owner), problemf("FORBIDDEN", "%s does not have permission to create projects on the owner %s.", x.t.person.login, owner.login))
	title := word(input, "title")
	checkTitle(title)
	if id := word(input, "repositoryId"); id != "" {
		r := withKey(x.s.repos, id)
		refuse(r == nil || !x.sees(r), unresolved(id))
	}
	p := x.s.addProject(owner, x.t.person, strings.TrimSpace(title), x.s.stampNow())
	x.s.usualFields(p, "Todo", "In Progress", "Done")
	return fields{"projectV2": x.project(p)}
}

func checkTitle(title string) {
	refuse(strings.TrimSpace(title) == "", problemf("UNPROCESSABLE", "Title can't be blank"))
	refuse(len([]rune(title)) > longestShort, problemf("UNPROCESSABLE", "Title is too long (maximum is %d characters)", longestShort))
}

// updateProject changes a project. What the input leaves out, or has as null, stays.
func (x *run) updateProject(p *project, input map[string]any) fields {
	title, closed := p.title, p.closedAt != nil
	set(input, "title", &title)
	checkTitle(title)
	refuse(len([]rune(word(input, "shortDescription"))) > longestShort, problemf("UNPROCESSABLE", "Short description is too long (maximum is %d characters)", longestShort))
	set(input, "shortDescription", &p.description)
	set(input, "readme", &p.readme)
	set(input, "public", &p.public)
	set(input, "closed", &closed)
	p.title, p.updated, p.closedAt = strings.TrimSpace(title), x.s.stampNow(), nil
	if closed {
		p.closedAt = &p.updated
	}
	return fields{"projectV2": x.project(p)}
}

// set takes a field of an input, unless it is left out or null.
func set[T any](input map[string]any, field string, to *T) {
	if value, ok := input[field].(T); ok {
		*to = value
	}
}

func (x *run) deleteProject(p *project, _ map[string]any) fields {
	p.owner.projects = filter(p.owner.projects, func(other *project) bool { return other != p })
	return fields{"projectV2": x.project(p)}
}

// addItem adds an issue or pull request to a project. One that is on the board already comes back
// as it is.
func (x *run) addItem(p *project, input map[string]any) fields {
	i := x.issueSeen(word(input, "contentId"))
	on := first(p.items, func(other *item) bool { return other.content == i })
	if on == nil {
		on = x.s.addItem(p, i, nil, x.s.stampNow())
	}
	return fields{"item": x.item(on)}
}

// deleteItem removes an item from a project. The text of a draft goes with its item.
func (x *run) deleteItem(p *project, input map[string]any) fields {
	i := withKey(p.items, word(input, "itemId"))
	refuse(i == nil, unresolved(word(input, "itemId")))
	p.items = filter(p.items, func(other *item) bool { return other != i })
	p.updated = x.s.stampNow()
	return fields{"deletedItemId": i.node}
}

// parts has the part of an input that belongs to a kind of field. The values of other kinds are not
// written here.
var parts = map[string]string{
	"TEXT": "text", "NUMBER": "number", "DATE": "date", "SINGLE_SELECT": "singleSelectOptionId", "ITERATION": "iterationId",
}

func (x *run) valueToEdit(p *project, input map[string]any) (*item, *field) {
	i, f := withKey(p.items, word(input, "itemId")), withKey(x.known(p.fields), word(input, "fieldId"))
	refuse(i == nil, unresolved(word(input, "itemId")))
	refuse(f == nil, unresolved(word(input, "fieldId")))
	refuse(x.hidden(i), problemf("FORBIDDEN", "%s does not have access to the item.", x.t.person.login))
	refuse(i.archived, problemf("UNPROCESSABLE", "The item is archived and cannot be updated"))
	refuse(parts[f.kind] == "", problemf("UNPROCESSABLE", "The field of type %s is not supported by this mutation", strings.ToLower(f.kind)))
	return i, f
}

func (x *run) setValue(p *project, input map[string]any) fields {
	i, f := x.valueToEdit(p, input)
	sent, _ := input["value"].(map[string]any)
	v := f.read(sent)
	v.updated = x.s.stampNow()
	i.values[f] = v
	i.updated, p.updated = v.updated, v.updated
	return fields{"projectV2Item": x.item(i)}
}

// read returns the value in an input, which must have exactly the part of the field's kind.
func (f *field) read(sent map[string]any) value {
	given := 0
	for _, part := range sent {
		if part != nil {
			given++
		}
	}
	part := parts[f.kind]
	refuse(given != 1 || sent[part] == nil, problemf("VALIDATION", "Did not receive a %s value to update a field of type %s", part, strings.ToLower(f.kind)))
	chosen := word(sent, part)
	switch f.kind {
	case "TEXT":
		return value{text: chosen}
	case "NUMBER":
		return value{number: float(sent[part])}
	case "DATE":
		refuse(!isDate(chosen), problemf("VALIDATION", "The date is not valid"))
		return value{date: chosen}
	case "SINGLE_SELECT":
		known := slices.ContainsFunc(f.options, func(p option) bool { return p.id == chosen })
		refuse(!known, problemf("VALIDATION", "The single select option Id does not belong to the field"))
	case "ITERATION":
		known := slices.ContainsFunc(f.iterations, func(p iteration) bool { return p.id == chosen })
		refuse(!known, problemf("VALIDATION", "The iteration Id does not belong to the field"))
	}
	return value{chosen: []string{chosen}}
}

func isDate(text string) bool { _, err := time.Parse(time.DateOnly, text); return err == nil }

func float(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case json.Number:
		f, _ := n.Float64()
		return f
	}
	return 0
}

func (x *run) clearValue(p *project, input map[string]any) fields {
	i, f := x.valueToEdit(p, input)
	delete(i.values, f)
	i.updated = x.s.stampNow()
	p.updated = i.updated
	return fields{"projectV2Item": x.item(i)}
}

func (x *run) createStatusUpdate(p *project, input map[string]any) fields {
	u := &statusUpdate{
		project: p, creator: x.t.person, status: word(input, "status"), body: word(input, "body"),
		start: word(input, "startDate"), target: word(input, "targetDate"), created: x.s.stampNow(),
	}
	refuse(u.start != "" && !isDate(u.start) || u.target != "" && !isDate(u.target), problemf("UNPROCESSABLE", "The date is not valid"))
	u.thing = x.s.next("PVTSU")
	p.updates = append(slices.Clip(p.updates), u)
	p.updated = u.created
	return fields{"statusUpdate": x.statusUpdate(u)}
}

func (x *run) deleteStatusUpdate(input map[string]any) fields {
	id := word(input, "statusUpdateId")
	p := first(x.allProjects(), func(p *project) bool { return withKey(p.updates, id) != nil })
	refuse(p == nil, unresolved(id))
	refuse(!x.t.person.belongsTo(p.owner), x.forbids())
	p.updates = filter(p.updates, func(u *statusUpdate) bool { return u.node != id })
	p.updated = x.s.stampNow()
	return fields{"deletedStatusUpdateId": id, "projectV2": x.project(p)}
}

// createIssue adds an issue. Who may not set labels, assignees and the milestone is refused.
func (x *run) createIssue(input map[string]any) fields {
	r := withKey(x.s.repos, word(input, "repositoryId"))
	refuse(r == nil || !x.sees(r), unresolved(word(input, "repositoryId")))
	x.mustWrite(r)
	refuse(r.issuesOff, problemf("UNPROCESSABLE", "Issues are disabled for this repository."))
	made := &issue{repository: r}
	x.fill(made, input)
	var parent *issue
	if id := word(input, "parentIssueId"); id != "" {
		parent = x.issueSeen(id)
		refuse(parent.repository.owner != r.owner || len(parent.subs) >= maxSubIssues, problemf("UNPROCESSABLE", "The parent issue cannot have this sub-issue"))
	}
	i := x.s.addIssue(r, x.t.person, made.title, made.body, x.s.stampNow())
	i.labels, i.assignees, i.milestone = made.labels, made.assignees, made.milestone
	if parent != nil {
		i.parent, parent.subs = parent, append(slices.Clip(parent.subs), i)
	}
	return fields{"issue": x.issue(i)}
}

// updateIssue changes an issue. What the input leaves out stays; a milestone that is null goes.
func (x *run) updateIssue(input map[string]any) fields {
	i := x.issueToEdit(word(input, "id"))
	changed := *i
	x.fill(&changed, input)
	if state := word(input, "state"); state != "" {
		changed.setState(state == "CLOSED", nil, x.t.person, x.s.stampNow())
	}
	changed.updated = x.s.stampNow()
	*i = changed
	return fields{"issue": x.issue(i)}
}

// closeIssue closes an issue for a reason, or changes the reason of a closed one.
func (x *run) closeIssue(input map[string]any) fields {
	i := x.issueToEdit(word(input, "issueId"))
	var other *issue
	if id := word(input, "duplicateIssueId"); id != "" {
		other = x.issueSeen(id)
	}
	reason := strings.ToLower(word(input, "stateReason"))
	i.setState(true, &reason, x.t.person, x.s.stampNow())
	i.duplicate, i.updated = other, x.s.stampNow()
	return fields{"issue": x.issue(i)}
}

func (x *run) addComment(input map[string]any) fields {
	i := x.issueSeen(word(input, "subjectId"))
	x.mustWrite(i.repository)
	body := word(input, "body")
	refuse(strings.TrimSpace(body) == "", problemf("UNPROCESSABLE", "Body cannot be blank"))
	refuse(len([]rune(body)) > longestBody, problemf("UNPROCESSABLE", "%s", tooLong))
	m := x.s.addComment(i, x.t.person, body, x.s.stampNow())
	return fields{"commentEdge": &object{"IssueCommentEdge", fields{"cursor": m.node, "node": x.comment(m)}}, "subject": x.issue(i)}
}

// deleteComment deletes a comment, which its author and those who can push may do.
func (x *run) deleteComment(input map[string]any) fields {
	id := word(input, "id")
	for _, r := range filter(x.s.repos, x.sees) {
		i := first(r.issues, func(i *issue) bool { return withKey(i.comments, id) != nil })
		if i == nil {
			continue
		}
		x.mustWrite(r)
		refuse(withKey(i.comments, id).author != x.t.person && x.t.inRepository(r) < mayPush, x.forbids())
		i.comments = filter(i.comments, func(m *comment) bool { return m.node != id })
		return fields{}
	}
	panic(unresolved(id))
}

func (x *run) fill(i *issue, input map[string]any) {
	set(input, "title", &i.title)
	set(input, "body", &i.body)
	checkTitle(i.title)
	refuse(len([]rune(i.body)) > longestBody, problemf("UNPROCESSABLE", "%s", tooLong))
	i.title = strings.TrimSpace(i.title)
	labels, relabels := input["labelIds"].([]any)
	logins, assigns := input["assigneeIds"].([]any)
	goal, plans := input["milestoneId"]
	sets := len(labels) > 0 || len(logins) > 0 || goal != nil
	refuse(sets && x.t.inRepository(i.repository) < mayPush,
		problemf("FORBIDDEN", "%s does not have the correct permissions to set labels, assignees or the milestone", x.t.person.login))
	if relabels {
		i.labels = apply(labels, func(id any) *label { return withKey(i.repository.labels, fmt.Sprint(id)) })
	}
	if assigns {
		i.assignees = apply(logins, func(id any) *account { return withKey(x.s.accounts, fmt.Sprint(id)) })
	}
	if plans {
		i.milestone = withKey(i.repository.milestones, word(input, "milestoneId"))
	}
	missing := slices.Contains(i.labels, nil) || goal != nil && i.milestone == nil
	refuse(missing, problemf("NOT_FOUND", "Could not resolve to a node with the global ids of '%v', '%v'.", labels, goal))
	cannot := func(a *account) bool { return assigns && (a == nil || a.inRepository(i.repository) < mayPush) }
	refuse(slices.ContainsFunc(i.assignees, cannot), problemf("UNPROCESSABLE", "Assignee could not be assigned"))
}
