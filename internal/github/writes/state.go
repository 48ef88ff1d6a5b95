package writes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// The types of nodes in GraphQL whose state can be read, and the states that are no nodes.
const (
	issueNode   = "Issue"
	itemNode    = "ProjectV2Item"
	commentNode = "IssueComment"
	ProjectNode = "ProjectV2"
	statusNode  = "ProjectV2StatusUpdate"
	valuesNode  = "values" // the values of the fields of an issue, in REST
)

// StateDocuments read the state of things of each type.
var StateDocuments = map[string]string{
	issueNode: "StateOfIssue", itemNode: "StateOfItem", commentNode: "StateOfComment", ProjectNode: "StateOfProject", statusNode: "StateOfStatus",
}

const (
	updated   = "updated_at" // of a state: when it was last changed
	allValues = "all values" // of the state of an item or an issue: its values, by the IDs of their fields
)

// values returns the values of a state of an item or an issue.
func values(state fields) fields {
	all := fields{}
	of, _ := state[allValues].(fields)
	maps.Copy(all, of)
	return all
}

// flat returns the fields of a thing as bodies and inputs have them: in REST people and labels by
// their names and a milestone by its number, in GraphQL all by their IDs. The state of an issue has
// its reason.
func flat(f fields) fields {
	all := fields{}
	for name, value := range f {
		all[name] = value
		switch v := value.(type) {
		case []any:
			all[name] = namesIn(v)
		case fields:
			flatten(all, name, v)
		}
	}
	if list, has := f["issue_field_values"].([]any); has {
		all[allValues] = issueValues(list)
	}
	if at := f["updatedAt"]; at != nil {
		all[updated] = at
	}
	if value, has := f["milestone"]; has && value == nil {
		all["milestoneId"] = nil
	}
	if state, isState := f["state"].(string); isState && f["stateReason"] != nil && state == "CLOSED" {
		all["state"] = closedAs + strings.ToLower(writeplan.Text(f["stateReason"]))
	} else if isState {
		all["state"] = strings.ToLower(state)
	}
	return all
}

// closedAs begins the state of an issue that is closed for a reason.
const (
	closedAs  = "closed as "
	duplicate = closedAs + "duplicate"
)

// flatten adds a member that is an object.
func flatten(all fields, name string, v fields) {
	nodes, isList := v["nodes"].([]any)
	switch {
	case name == "fieldValues" && isList:
		all[allValues] = valuesOf(nodes)
	case isList && (name == "labels" || name == "assignees"):
		ids := []string{}
		for _, node := range nodes {
			f, _ := node.(fields)
			ids = append(ids, writeplan.Text(f["id"]))
		}
		slices.Sort(ids)
		all[strings.TrimSuffix(name, "s")+"Ids"] = ids
	case name == "milestone":
		all["milestoneId"], all[name] = v["id"], v["number"]
	case v["name"] != nil: // the type of an issue
		all[name] = v["name"]
	}
}

// namesIn returns the names of labels or people in an answer of REST, or the IDs in an input.
func namesIn(list []any) any {
	names := []string{}
	for _, entry := range list {
		switch v := entry.(type) {
		case fields:
			names = append(names, writeplan.Text(v["name"])+writeplan.Text(v["login"])) // it has one of them
		case string:
			names = append(names, v)
		default:
			return list
		}
	}
	slices.Sort(names)
	return names
}

// issueValues returns the values of the fields of an issue, by the IDs of the fields.
func issueValues(list []any) fields {
	all := fields{}
	for _, entry := range list {
		v, _ := entry.(fields)
		id := writeplan.Text(v["issue_field_id"])
		all[id] = v["value"]
		if option, chosen := v["single_select_option"].(fields); chosen {
			all[id] = option["name"]
		}
	}
	return all
}

// valuesOf returns the values of the fields of an item, as mutations take them.
func valuesOf(nodes []any) fields {
	all := fields{}
	for _, node := range nodes {
		v, _ := node.(fields)
		of, _ := v["field"].(fields)
		kinds := map[string][2]string{
			"TEXT": {"text", "text"}, "NUMBER": {"number", "number"}, "DATE": {"date", "date"},
			"SINGLE_SELECT": {"singleSelectOptionId", "optionId"}, "ITERATION": {"iterationId", "iterationId"},
		}
		if kind, sets := kinds[writeplan.Text(of["dataType"])]; sets && (kind[0] != "iterationId" || v[kind[1]] != nil) {
			all[writeplan.Text(of["id"])] = fields{kind[0]: v[kind[1]]}
		}
	}
	return all
}

// refIn returns an issue as owner/name#12, or "" for another thing.
func refIn(f fields) string {
	number := writeplan.Text(f["number"])
	repository, _ := f["repository"].(fields)
	name := writeplan.Text(repository["nameWithOwner"])
	if name = cmp.Or(name, repoIn(f["repository_url"])); number == "" || name == "" {
		return ""
	}
	return name + "#" + number
}

// nameIn returns the name of a thing as people know it, or "".
func nameIn(f fields) string {
	return cmp.Or(refIn(f), writeplan.Text(f["title"]), writeplan.Text(f["name"]), writeplan.Text(f["login"]))
}

// shown returns a value as people know it: things by their names, which nameOf returns by their
// IDs, and texts without hidden characters.
func shown(value any, nameOf func(id string) string) any {
	switch v := value.(type) {
	case string:
		return plaintext.Clean(cmp.Or(nameOf(v), v))
	case []string:
		all := make([]any, len(v))
		for i, entry := range v {
			all[i] = shown(entry, nameOf)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, entry := range v {
			all[i] = shown(entry, nameOf)
		}
		return all
	case fields:
		if id := cmp.Or(writeplan.Text(v["field_id"]), writeplan.Text(v["issue_field_id"])); id != "" {
			return fmt.Sprintf("%s: %v", cmp.Or(plaintext.Clean(nameOf(id)), id), shown(v["value"], nameOf))
		}
		if nodes, isList := v["nodes"].([]any); isList {
			return shown(nodes, nameOf)
		}
		for _, only := range v { // the value of a field
			if len(v) == 1 {
				return shown(only, nameOf)
			}
		}
		for _, name := range []string{"title", "name", "login", "number"} {
			if text := writeplan.Text(v[name]); text != "" {
				return plaintext.Clean(text)
			}
		}
	}
	return value
}
