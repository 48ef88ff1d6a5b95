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
	for name, carryOut := range map[string]func(map[string]any) (fields, error){
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
			payload, err := carryOut(input)
			if err != nil {
				return nil, err
			}
			payload["clientMutationId"] = input["clientMutationId"]
			return &object{strings.ToUpper(name[:1]) + name[1:] + "Payload", payload}, nil
		})
	}
	return o
}

// onProject returns a mutation of the project that an input names, if the person may write to it.
func onProject(x *run, carryOut func(*project, map[string]any) (fields, error)) func(map[string]any) (fields, error) {
	return func(input map[string]any) (fields, error) {
		p := withKey(x.allProjects(), word(input, "projectId"))
		switch {
		case p == nil || !x.t.person.sees(p):
			return nil, unresolved(word(input, "projectId"))
		case !x.t.person.belongsTo(p.owner):
			return nil, x.forbids()
		}
		return carryOut(p, input)
	}
}

const longestShort = 256 // characters of a project's title and short description

func (x *run) createProject(input map[string]any) (fields, error) {
	id := word(input, "ownerId")
	owner := withKey(x.s.accounts, id)
	switch {
	case owner == nil || owner.kind != "User" && owner.kind != "Organization":
		return nil, unresolved(id)
	case !x.t.person.belongsTo(owner):
		return nil, problemf("FORBIDDEN", "%s does not have permission to create projects on the owner %s.", x.t.person.login, owner.login)
	}
	title := word(input, "title")
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	if id := word(input, "repositoryId"); id != "" {
		if r := withKey(x.s.repos, id); r == nil || !x.sees(r) {
			return nil, unresolved(id)
		}
	}
	p := x.s.addProject(owner, x.t.person, strings.TrimSpace(title), x.s.stampNow())
	x.s.usualFields(p, "Todo", "In Progress", "Done")
	return fields{"projectV2": x.project(p)}, nil
}

func checkTitle(title string) error {
	switch {
	case strings.TrimSpace(title) == "":
		return problemf("UNPROCESSABLE", "Title can't be blank")
	case len([]rune(title)) > longestShort:
		return problemf("UNPROCESSABLE", "Title is too long (maximum is %d characters)", longestShort)
	}
	return nil
}

// updateProject changes a project. What the input leaves out, or has as null, stays.
func (x *run) updateProject(p *project, input map[string]any) (fields, error) {
	title, closed := p.title, p.closedAt != nil
	set(input, "title", &title)
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	if len([]rune(word(input, "shortDescription"))) > longestShort {
		return nil, problemf("UNPROCESSABLE", "Short description is too long (maximum is %d characters)", longestShort)
	}
	set(input, "shortDescription", &p.description)
	set(input, "readme", &p.readme)
	set(input, "public", &p.public)
	set(input, "closed", &closed)
	p.title, p.updated, p.closedAt = strings.TrimSpace(title), x.s.stampNow(), nil
	if closed {
		p.closedAt = &p.updated
	}
	return fields{"projectV2": x.project(p)}, nil
}

// set takes a field of an input, unless it is left out or null.
func set[T any](input map[string]any, field string, to *T) {
	if value, ok := input[field].(T); ok {
		*to = value
	}
}

func (x *run) deleteProject(p *project, _ map[string]any) (fields, error) {
	p.owner.projects = filter(p.owner.projects, func(other *project) bool { return other != p })
	return fields{"projectV2": x.project(p)}, nil
}

// addItem adds an issue or pull request to a project. One that is on the board already comes back
// as it is.
func (x *run) addItem(p *project, input map[string]any) (fields, error) {
	id := word(input, "contentId")
	i := x.issueSeen(id)
	if i == nil {
		return nil, unresolved(id)
	}
	on := first(p.items, func(other *item) bool { return other.content == i })
	if on == nil {
		on = x.s.addItem(p, i, nil, x.s.stampNow())
	}
	return fields{"item": x.item(on)}, nil
}

// deleteItem removes an item from a project. The text of a draft goes with its item.
func (x *run) deleteItem(p *project, input map[string]any) (fields, error) {
	i := withKey(p.items, word(input, "itemId"))
	if i == nil {
		return nil, unresolved(word(input, "itemId"))
	}
	p.items = filter(p.items, func(other *item) bool { return other != i })
	p.updated = x.s.stampNow()
	return fields{"deletedItemId": i.node}, nil
}

// parts has the part of an input that belongs to a kind of field. The values of other kinds are not
// written here.
var parts = map[string]string{
	"TEXT": "text", "NUMBER": "number", "DATE": "date", "SINGLE_SELECT": "singleSelectOptionId", "ITERATION": "iterationId",
}

func (x *run) valueToEdit(p *project, input map[string]any) (*item, *field, error) {
	i, f := withKey(p.items, word(input, "itemId")), withKey(x.known(p.fields), word(input, "fieldId"))
	switch {
	case i == nil:
		return nil, nil, unresolved(word(input, "itemId"))
	case f == nil:
		return nil, nil, unresolved(word(input, "fieldId"))
	case x.hidden(i):
		return nil, nil, problemf("FORBIDDEN", "%s does not have access to the item.", x.t.person.login)
	case i.archived:
		return nil, nil, problemf("UNPROCESSABLE", "The item is archived and cannot be updated")
	case parts[f.kind] == "":
		return nil, nil, problemf("UNPROCESSABLE", "The field of type %s is not supported by this mutation", strings.ToLower(f.kind))
	}
	return i, f, nil
}

func (x *run) setValue(p *project, input map[string]any) (fields, error) {
	i, f, err := x.valueToEdit(p, input)
	if err != nil {
		return nil, err
	}
	sent, _ := input["value"].(map[string]any)
	v, err := f.read(sent)
	if err != nil {
		return nil, err
	}
	v.updated = x.s.stampNow()
	i.values[f] = v
	i.updated, p.updated = v.updated, v.updated
	return fields{"projectV2Item": x.item(i)}, nil
}

// read returns the value in an input, which must have exactly the part of the field's kind.
func (f *field) read(sent map[string]any) (v value, err error) {
	given := 0
	for _, part := range sent {
		if part != nil {
			given++
		}
	}
	part := parts[f.kind]
	if given != 1 || sent[part] == nil {
		return v, problemf("VALIDATION", "Did not receive a %s value to update a field of type %s", part, strings.ToLower(f.kind))
	}
	chosen := word(sent, part)
	v.chosen = []string{chosen}
	switch f.kind {
	case "TEXT":
		v = value{text: chosen}
	case "NUMBER":
		v = value{number: float(sent[part])}
	case "DATE":
		if v = (value{date: chosen}); !isDate(chosen) {
			return v, problemf("VALIDATION", "The date is not valid")
		}
	case "SINGLE_SELECT":
		if !slices.ContainsFunc(f.options, func(p option) bool { return p.id == chosen }) {
			return v, problemf("VALIDATION", "The single select option Id does not belong to the field")
		}
	case "ITERATION":
		if !slices.ContainsFunc(f.iterations, func(p iteration) bool { return p.id == chosen }) {
			return v, problemf("VALIDATION", "The iteration Id does not belong to the field")
		}
	}
	return v, nil
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

func (x *run) clearValue(p *project, input map[string]any) (fields, error) {
	i, f, err := x.valueToEdit(p, input)
	if err != nil {
		return nil, err
	}
	delete(i.values, f)
	i.updated = x.s.stampNow()
	p.updated = i.updated
	return fields{"projectV2Item": x.item(i)}, nil
}

func (x *run) createStatusUpdate(p *project, input map[string]any) (fields, error) {
	u := &statusUpdate{
		project: p, creator: x.t.person, status: word(input, "status"), body: word(input, "body"),
		start: word(input, "startDate"), target: word(input, "targetDate"), created: x.s.stampNow(),
	}
	if u.start != "" && !isDate(u.start) || u.target != "" && !isDate(u.target) {
		return nil, problemf("UNPROCESSABLE", "The date is not valid")
	}
	u.thing = x.s.next("PVTSU")
	p.updates = append(slices.Clip(p.updates), u)
	p.updated = u.created
	return fields{"statusUpdate": x.statusUpdate(u)}, nil
}

func (x *run) deleteStatusUpdate(input map[string]any) (fields, error) {
	id := word(input, "statusUpdateId")
	p := first(x.allProjects(), func(p *project) bool { return withKey(p.updates, id) != nil })
	if p == nil {
		return nil, unresolved(id)
	}
	if !x.t.person.belongsTo(p.owner) {
		return nil, x.forbids()
	}
	p.updates = filter(p.updates, func(u *statusUpdate) bool { return u.node != id })
	p.updated = x.s.stampNow()
	return fields{"deletedStatusUpdateId": id, "projectV2": x.project(p)}, nil
}

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
		if parent = x.issueSeen(id); parent == nil {
			return nil, unresolved(id)
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
	var other *issue
	if id := word(input, "duplicateIssueId"); id != "" {
		if other = x.issueSeen(id); other == nil {
			return nil, unresolved(id)
		}
	}
	reason := strings.ToLower(word(input, "stateReason"))
	i.setState(true, &reason, x.t.person, x.s.stampNow())
	i.duplicate, i.updated = other, x.s.stampNow()
	return fields{"issue": x.issue(i)}, nil
}

func (x *run) addComment(input map[string]any) (fields, error) {
	i := x.issueSeen(word(input, "subjectId"))
	if i == nil {
		return nil, unresolved(word(input, "subjectId"))
	}
	if err := x.mayWrite(i.repository); err != nil {
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
	id := word(input, "id")
	for _, r := range filter(x.s.repos, x.sees) {
		i := first(r.issues, func(i *issue) bool { return withKey(i.comments, id) != nil })
		if i == nil {
			continue
		}
		err := x.mayWrite(r)
		if err == nil && withKey(i.comments, id).author != x.t.person && x.t.inRepository(r) < mayPush {
			err = x.forbids()
		}
		if err == nil {
			i.comments = filter(i.comments, func(m *comment) bool { return m.node != id })
		}
		return fields{}, err
	}
	return nil, unresolved(id)
}

func (x *run) fill(i *issue, input map[string]any) error {
	set(input, "title", &i.title)
	set(input, "body", &i.body)
	if err := checkTitle(i.title); err != nil {
		return err
	}
	if len([]rune(i.body)) > longestBody {
		return problemf("UNPROCESSABLE", "%s", tooLong)
	}
	i.title = strings.TrimSpace(i.title)
	labels, relabels := input["labelIds"].([]any)
	logins, assigns := input["assigneeIds"].([]any)
	goal, plans := input["milestoneId"]
	if (len(labels) > 0 || len(logins) > 0 || goal != nil) && x.t.inRepository(i.repository) < mayPush {
		return problemf("FORBIDDEN", "%s does not have the correct permissions to set labels, assignees or the milestone", x.t.person.login)
	}
	if relabels {
		i.labels = apply(labels, func(id any) *label { return withKey(i.repository.labels, fmt.Sprint(id)) })
	}
	if assigns {
		i.assignees = apply(logins, func(id any) *account { return withKey(x.s.accounts, fmt.Sprint(id)) })
	}
	if plans {
		i.milestone = withKey(i.repository.milestones, word(input, "milestoneId"))
	}
	switch {
	case slices.Contains(i.labels, nil), goal != nil && i.milestone == nil:
		return problemf("NOT_FOUND", "Could not resolve to a node with the global ids of '%v', '%v'.", labels, goal)
	case slices.ContainsFunc(i.assignees, func(a *account) bool { return assigns && (a == nil || a.inRepository(i.repository) < mayPush) }):
		return problemf("UNPROCESSABLE", "Assignee could not be assigned")
	}
	return nil
}
