package github

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
	"basecamp-mcp/internal/writeplan"
)

// The types of nodes in GraphQL whose state can be read, and the states that are no nodes.
const (
	issueNode   = "Issue"
	itemNode    = "ProjectV2Item"
	commentNode = "IssueComment"
	projectNode = "ProjectV2"
	statusNode  = "ProjectV2StatusUpdate"
	valuesNode  = "values" // the values of the fields of an issue, in REST
)

// stateDocuments read the state of things of each type.
var stateDocuments = map[string]string{
	issueNode: "StateOfIssue", itemNode: "StateOfItem", commentNode: "StateOfComment", projectNode: "StateOfProject", statusNode: "StateOfStatus",
}

// nodeState are the fields of a thing, as GitHub answers them.
type nodeState fields

// UnmarshalJSON implements json.Unmarshaler. It keeps numbers as they are.
func (n *nodeState) UnmarshalJSON(data []byte) error {
	return writeplan.DecodeInto(data, (*fields)(n))
}

func (n nodeState) check() error {
	if n["id"] == nil {
		return errAbsent
	}
	return nil
}

// states reads the fields of things of one type: by their node IDs, or in REST by their paths. Each
// is read once.
func (c *Client) states(ctx context.Context, node string, at []string) []Outcome[nodeState] {
	once := slices.Compact(slices.Sorted(slices.Values(at)))
	var read []Outcome[nodeState]
	if document, isNode := stateDocuments[node]; isNode {
		read = batch[nodeState](ctx, c, document, fault.Resource{Type: "item"}, partsWith("id", once))
	} else {
		for _, path := range once {
			value, err := c.stateAt(ctx, path)
			read = append(read, Outcome[nodeState]{Value: value, Err: err})
		}
	}
	all := make([]Outcome[nodeState], len(at))
	for i, one := range at {
		k, _ := slices.BinarySearch(once, one)
		all[i] = read[k]
	}
	return all
}

// stateAt reads what is at a path of the REST API.
func (c *Client) stateAt(ctx context.Context, path string) (nodeState, error) {
	r := request{method: http.MethodGet, url: c.rest.JoinPath(path), about: fault.Resource{Type: "item", ID: path}, of: core, inRepository: true}
	call, err := c.newCall(ctx, r)
	if err != nil {
		return nil, err
	}
	return upstream.Ask(ctx, c.upstream, call.request(), func(a upstream.Answer) (nodeState, error) {
		value, err := writeplan.Decode(a.Body)
		f, _ := value.(fields)
		if err == nil && f["id"] == nil {
			err = errNotAnItem
		}
		return nodeState(f), err
	})
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
		var values connection[FieldValue]
		encoded, _ := json.Marshal(v)
		_ = json.Unmarshal(encoded, &values) // GitHub's client has decoded it before
		all[allValues] = valuesOf(values.Entries())
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
func valuesOf(all []FieldValue) fields {
	f := fields{}
	for _, v := range all {
		if input := v.input(); input != nil {
			f[v.Field.ID] = input
		}
	}
	return f
}

// input returns a value as a mutation takes it, or nil for one that no mutation sets.
func (v FieldValue) input() any {
	switch v.Field.DataType {
	case "TEXT":
		return fields{"text": v.Value}
	case "NUMBER":
		return fields{"number": v.Value}
	case "DATE":
		return fields{"date": v.Value}
	case "SINGLE_SELECT":
		return fields{"singleSelectOptionId": v.OptionID}
	case "ITERATION":
		if v.Iteration != nil {
			return fields{"iterationId": v.Iteration.ID}
		}
	}
	return nil
}

// refIn returns an issue as owner/name#12, or "" for another thing.
func refIn(f fields) string {
	number := writeplan.Text(f["number"])
	repository, _ := f["repository"].(fields)
	name := writeplan.Text(repository["nameWithOwner"])
	if repo := parseRepo(writeplan.Text(f["repository_url"])); name == "" && repo != (Repo{}) {
		name = repo.String()
	}
	if number == "" || name == "" {
		return ""
	}
	return name + "#" + number
}

// nameIn returns the name of a thing as people know it, or "".
func nameIn(f fields) string {
	return cmp.Or(refIn(f), writeplan.Text(f["title"]), writeplan.Text(f["name"]), writeplan.Text(f["login"]))
}

// below returns a path or an address of the API below its base.
func (c *common) below(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	below, _ := strings.CutPrefix(u.Path, c.rest.Path)
	return below
}
