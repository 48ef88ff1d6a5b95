package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// mutationRoot returns the entry points of mutations.
func (x *run) mutationRoot() *object {
	o := &object{"Mutation", fields{}}
	for name, carryOut := range map[string]func(map[string]any) (fields, error){
		"createProjectV2":               x.createProject,
		"updateProjectV2":               x.updateProject,
		"deleteProjectV2":               x.deleteProject,
		"addProjectV2ItemById":          x.addItem,
		"deleteProjectV2Item":           x.deleteItem,
		"updateProjectV2ItemFieldValue": x.setValue,
		"clearProjectV2ItemFieldValue":  x.clearValue,
		"createProjectV2StatusUpdate":   x.createStatusUpdate,
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

const longestShort = 256 // characters of a project's title and short description

// createProject adds a project with the usual fields.
func (x *run) createProject(input map[string]any) (fields, error) {
	id := word(input, "ownerId")
	owner := withKey(x.s.accounts, id)
	if owner == nil || owner.kind != "User" && owner.kind != "Organization" {
		return nil, unresolved(id)
	}
	if err := x.admit(owner); err != nil {
		return nil, err
	}
	switch {
	case !x.t.installed(owner):
		return nil, problemf("FORBIDDEN", "%s", notInstalled)
	case !x.t.person.belongsTo(owner):
		return nil, problemf("FORBIDDEN", "%s does not have permission to create projects on the owner %s.", x.t.person.login, owner.login)
	case input["teamId"] != nil:
		return nil, unresolved(word(input, "teamId"))
	}
	title := word(input, "title")
	if err := checkTitle(title); err != nil {
		return nil, err
	}
	var linked []*repository
	if id := word(input, "repositoryId"); id != "" {
		r := withKey(x.s.repos, id)
		if r == nil || !x.sees(r) {
			return nil, unresolved(id)
		}
		linked = append(linked, r)
	}
	p := x.s.addProject(owner, x.t.person, strings.TrimSpace(title), x.s.stampNow())
	p.repositories = linked
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
func (x *run) updateProject(input map[string]any) (fields, error) {
	p, err := x.projectToEdit(input, "UpdateProjectV2")
	if err != nil {
		return nil, err
	}
	if title, ok := input["title"].(string); ok {
		if err := checkTitle(title); err != nil {
			return nil, err
		}
	}
	if len([]rune(word(input, "shortDescription"))) > longestShort {
		return nil, problemf("UNPROCESSABLE", "Short description is too long (maximum is %d characters)", longestShort)
	}
	now := x.s.stampNow()
	if title, ok := input["title"].(string); ok {
		p.title = strings.TrimSpace(title)
	}
	if words, ok := input["shortDescription"].(string); ok {
		p.description = words
	}
	if readme, ok := input["readme"].(string); ok {
		p.readme = readme
	}
	if public, ok := input["public"].(bool); ok {
		p.public = public
	}
	switch closed, ok := input["closed"].(bool); {
	case ok && closed && p.closedAt == nil:
		p.closedAt = &now
	case ok && !closed:
		p.closedAt = nil
	}
	p.updated = now
	return fields{"projectV2": x.project(p)}, nil
}

// deleteProject removes a project with its items.
func (x *run) deleteProject(input map[string]any) (fields, error) {
	p, err := x.projectToEdit(input, "DeleteProjectV2")
	if err != nil {
		return nil, err
	}
	p.owner.projects = slices.DeleteFunc(p.owner.projects, func(other *project) bool { return other == p })
	return fields{"projectV2": x.project(p)}, nil
}

// addItem adds an issue or pull request to a project. One that is on the board already comes back
// as it is.
func (x *run) addItem(input map[string]any) (fields, error) {
	p, err := x.projectToEdit(input, "AddProjectV2ItemById")
	if err != nil {
		return nil, err
	}
	id := word(input, "contentId")
	i := x.issueSeen(id)
	if i == nil {
		return nil, unresolved(id)
	}
	on := first(p.items, func(other *item) bool { return other.content == i })
	if on == nil {
		on = x.s.addItem(p, x.t.person, i, nil, x.s.stampNow())
	}
	return fields{"item": x.item(on)}, nil
}

// deleteItem removes an item from a project. The text of a draft goes with its item.
func (x *run) deleteItem(input map[string]any) (fields, error) {
	p, err := x.projectToEdit(input, "DeleteProjectV2Item")
	if err != nil {
		return nil, err
	}
	i, err := x.itemToEdit(p, input)
	if err != nil {
		return nil, err
	}
	p.items = slices.DeleteFunc(p.items, func(other *item) bool { return other == i })
	p.updated = x.s.stampNow()
	return fields{"deletedItemId": i.node}, nil
}

// valueToEdit returns the item and the field that an input names.
func (x *run) valueToEdit(input map[string]any, mutation string) (*item, *field, error) {
	p, err := x.projectToEdit(input, mutation)
	if err != nil {
		return nil, nil, err
	}
	i, err := x.itemToEdit(p, input)
	if err != nil {
		return nil, nil, err
	}
	f := withKey(x.known(p.fields), word(input, "fieldId"))
	switch {
	case f == nil:
		return nil, nil, unresolved(word(input, "fieldId"))
	case x.hidden(i):
		return nil, nil, problemf("FORBIDDEN", "%s does not have access to the item.", x.t.person.login)
	case i.archived:
		return nil, nil, problemf("UNPROCESSABLE", "The item is archived and cannot be updated")
	case !slices.Contains([]string{"TEXT", "NUMBER", "DATE", "SINGLE_SELECT", "ITERATION"}, f.kind):
		return nil, nil, problemf("UNPROCESSABLE", "The field of type %s is not supported by this mutation", strings.ToLower(f.kind))
	}
	return i, f, nil
}

// setValue writes the value of a field of an item.
func (x *run) setValue(input map[string]any) (fields, error) {
	i, f, err := x.valueToEdit(input, "UpdateProjectV2ItemFieldValue")
	if err != nil {
		return nil, err
	}
	sent, _ := input["value"].(map[string]any)
	v, err := f.read(sent)
	if err != nil {
		return nil, err
	}
	v.updated = x.s.stampNow()
	if v.node = x.s.next("PVTFSV").node; i.values[f].node != "" {
		v.node = i.values[f].node
	}
	i.values[f] = v
	i.updated, i.project.updated = v.updated, v.updated
	return fields{"projectV2Item": x.item(i)}, nil
}

// parts has the part of an input that belongs to a kind of field.
var parts = map[string]string{
	"TEXT": "text", "NUMBER": "number", "DATE": "date", "SINGLE_SELECT": "singleSelectOptionId", "ITERATION": "iterationId",
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
	switch f.kind {
	case "TEXT":
		v.text = chosen
	case "NUMBER":
		v.number = float(sent[part])
	case "DATE":
		if _, err := time.Parse(time.DateOnly, chosen); err != nil {
			return v, problemf("VALIDATION", "The date is not valid")
		}
		v.date = chosen
	case "SINGLE_SELECT":
		if !slices.ContainsFunc(f.options, func(p option) bool { return p.id == chosen }) {
			return v, problemf("VALIDATION", "The single select option Id does not belong to the field")
		}
		v.chosen = []string{chosen}
	case "ITERATION":
		if !slices.ContainsFunc(f.iterations, func(p iteration) bool { return p.id == chosen }) {
			return v, problemf("VALIDATION", "The iteration Id does not belong to the field")
		}
		v.chosen = []string{chosen}
	}
	return v, nil
}

// float returns an argument of the type Float.
func float(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case int:
		return float64(n)
	case json.Number:
		f, _ := n.Float64()
		return f
	}
	return 0
}

// clearValue removes the value of a field of an item.
func (x *run) clearValue(input map[string]any) (fields, error) {
	i, f, err := x.valueToEdit(input, "ClearProjectV2ItemFieldValue")
	if err != nil {
		return nil, err
	}
	delete(i.values, f)
	i.updated = x.s.stampNow()
	i.project.updated = i.updated
	return fields{"projectV2Item": x.item(i)}, nil
}
