package github

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/writeplan"
)

// undoing is what a record of a write has: enough to undo it later.
type undoing struct {
	writeplan.Kept
	By    string            `json:"by"`             // a method of REST, or a mutation
	Read  string            `json:"read"`           // the path of the state below the API, or its node ID
	Node  string            `json:"node,omitempty"` // the type of that node, or one of the constants; empty in REST
	With  fields            `json:"with,omitempty"` // what is sent besides the old values
	Names map[string]string `json:"names,omitempty"`
	Note  string            `json:"note,omitempty"`
}

// carried is a write of a request, which carries one or several.
type carried struct {
	part string // the member of the answer's data that answers it; empty in REST, where the answer does
	body fields // of a mutation, its input
}

// carriedWrites returns the writes of the request.
func (c *call) carriedWrites() []carried {
	value, _ := writeplan.Decode(c.sent.body) // this client has encoded it; some have none
	body, _ := value.(fields)
	if c.sent.does == "" {
		return []carried{{"", body}}
	}
	variables, _ := body["variables"].(fields)
	if c.sent.parts == 0 {
		input, _ := variables["input"].(fields)
		return []carried{{c.sent.does, input}}
	}
	all := make([]carried, c.sent.parts)
	for k := range all {
		number := strconv.Itoa(k)
		input, _ := variables["input"+number].(fields)
		all[k] = carried{"m" + number, input}
	}
	return all
}

// journaled is a write that is recorded with its opposite.
type journaled struct {
	carried
	call  *call
	reads *writeplan.Reads
	row   planRow
	began time.Time
	u     undoing
	old   fields
	step  writeplan.Step
}

// Opposite returns a function that says what undoes each write of the request. It reads what they
// change if the call has not read it.
func (c *call) Opposite(ctx context.Context, journal *writeplan.Journal) (func(answer []byte) []writeplan.Step, error) {
	var all, unread []*journaled
	for _, one := range c.carriedWrites() {
		w := c.journaled(&journal.Reads, one)
		all = append(all, w)
		if w.u.Read != "" && w.step.Cannot == "" && !w.known() {
			unread = append(unread, w)
		}
	}
	if err := c.readOld(ctx, unread); err != nil {
		return nil, err
	}
	return func(answer []byte) (steps []writeplan.Step) {
		for _, w := range all {
			if now, refused := w.answered(answer); !refused {
				w.step.Unsure, w.step.Also = now == nil && w.row.makes != "", w.nodeIDs(now)
				w.compare(flat(now))
				steps = append(steps, w.oppose(now))
			}
		}
		if len(answer) > 0 {
			journal.Saw(c.sent.url.String(), answer)
		}
		return steps
	}, nil
}

// journaled returns a write whose old values are not known yet.
func (c *call) journaled(reads *writeplan.Reads, one carried) *journaled {
	row := rowOf(c.shape())
	if c.sent.does == "closeIssue" {
		one.body = maps.Clone(one.body)
		one.body["state"] = "CLOSED"
	}
	w := &journaled{carried: one, call: c, reads: reads, row: row, began: c.client.Now()}
	w.step = writeplan.Step{Provider: ProviderID, What: row.what, Type: c.sent.about.Type, ID: c.sent.about.ID, Cannot: row.cannot}
	if about := writeplan.Text(w.body[row.about]); w.step.ID == "" && about != "" {
		w.step.Type, w.step.ID = row.kind, cmp.Or(refIn(latest(reads, about)), about)
	}
	if row.what == "" {
		w.step.Cannot = "it is not known what undoes it"
	}
	w.u = undoing{
		Kept: writeplan.Kept{Was: fields{}, Left: fields{}}, Node: row.node, With: fields{}, Names: map[string]string{}, Note: row.note, By: row.by,
	}
	maps.Copy(w.u.With, row.with)
	if row.node == itemNode {
		w.u.With["projectId"] = w.body["projectId"]
	}
	switch {
	case row.makes != "":
	case row.about != "":
		w.u.Read = writeplan.Text(w.body[row.about])
	case row.node == valuesNode:
		w.u.Read = c.client.below(c.subject())
	default:
		w.u.Read = c.client.below(c.sent.url.Path)
	}
	return w
}

// latest returns what the call has read last of a thing with an ID.
func latest(reads *writeplan.Reads, id string) fields {
	all := reads.Objects(id)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].Fields
}

// known reports whether the call has read what the write changes, and keeps that.
func (w *journaled) known() bool {
	address := w.u.Read
	if w.row.node == "" || w.row.node == valuesNode {
		address = w.call.subject()
	}
	for _, o := range slices.Backward(w.reads.Objects(address)) {
		if f := flat(o.Fields); hasAll(f, w.needs()) || w.knowsValue(f, o.Fields) {
			w.old = f
			return true
		}
	}
	return false
}

// knowsValue reports whether the call has read an item with the one field that the write sets, and
// adds its value to the fields of the item.
func (w *journaled) knowsValue(item, read fields) bool {
	project, _ := read["project"].(fields)
	field, _ := project["field"].(fields)
	value, asked := read["fieldValueByName"]
	if w.row.node != itemNode || !asked || field == nil || field["id"] != w.body["fieldId"] {
		return false
	}
	flatten(item, "fieldValues", fields{"nodes": []any{value}})
	return true
}

func hasAll(f fields, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, has := f[name]
		return !has
	})
}

// needs returns the fields of what is there before the write that undoing it needs. The call may
// have read an item with one of its values only.
func (w *journaled) needs() []string {
	if w.row.node == itemNode || w.row.node == valuesNode {
		return []string{allValues}
	}
	return w.names()
}

// readOld reads what writes change. GitHub will refuse to change what it does not have.
func (c *call) readOld(ctx context.Context, all []*journaled) error {
	if len(all) == 0 {
		return nil
	}
	at := make([]string, len(all))
	for i, w := range all {
		at[i] = w.u.Read
	}
	for i, one := range (&Client{c.client}).states(ctx, all[0].row.node, at) {
		if one.Err != nil && !fault.Is(one.Err, fault.NotFound) && (ctx.Err() != nil || all[i].replaces()) {
			return one.Err
		} else if one.Err != nil {
			all[i].step.Cannot = "GitHub did not say what was there before"
		}
		all[i].old = flat(fields(one.Value))
	}
	return nil
}

// replaces reports whether the write puts a text in place of another, which it must not lose.
func (w *journaled) replaces() bool { return w.body["title"] != nil || w.body["body"] != nil }

// names returns the fields that the write sets.
func (w *journaled) names() []string {
	return slices.DeleteFunc(slices.Collect(maps.Keys(w.body)), func(name string) bool {
		return name == w.row.about || name == "stateReason" || strings.HasSuffix(name, "Id") && name != "milestoneId"
	})
}

// compare notes the fields of a changed thing that GitHub answered as they were.
func (w *journaled) compare(now fields) {
	if w.row.makes != "" || w.old == nil {
		return
	}
	asked := flat(w.body)
	for _, name := range slices.Sorted(slices.Values(w.names())) {
		was, known := w.old[name]
		if is, answered := now[name]; known && answered && writeplan.Equal(was, is) {
			w.step.Compare(name, &was, asked[name], is, func(value any) any { return value })
		} else if answered && known {
			w.step.Compare(name, &was, is, is, nil)
		}
	}
}

// oppose returns the step with what undoes it, given what GitHub answered.
func (w *journaled) oppose(now fields) writeplan.Step {
	switch {
	case w.step.Cannot != "":
		return w.step
	case w.row.makes != "":
		w.made(now)
	case w.row.node == itemNode:
		id := writeplan.Text(w.body["fieldId"])
		w.u.Keep(id, values(w.old)[id], w.body["value"])
	case w.row.node == valuesNode:
		w.gaveValues()
	default:
		w.changed(flat(now))
	}
	if w.step.Cannot != "" || len(w.u.Was) == 0 && w.u.By == "" {
		return w.step
	}
	if w.u.By == "" && w.row.node != valuesNode {
		w.u.By = cmp.Or(w.call.sent.does, w.call.sent.method)
	}
	w.name(w.u.Left)
	for name := range w.u.Left {
		w.name(name)
	}
	w.step.Opposite, _ = json.Marshal(w.u) // what was decoded from JSON can be encoded
	return w.step
}

// name keeps the names of the things whose IDs a value has, because a refusal shows what was left.
func (w *journaled) name(value any) {
	switch v := value.(type) {
	case string:
		if name := nameIn(latest(w.reads, v)); name != "" {
			w.u.Names[v] = name
		}
	case []string:
		for _, entry := range v {
			w.name(entry)
		}
	case fields:
		for _, member := range v {
			w.name(member)
		}
	}
}

// answered returns what GitHub answered to the write: of a mutation, the thing in its payload. It
// reports whether GitHub refused it.
func (w *journaled) answered(answer []byte) (now fields, refused bool) {
	value, _ := writeplan.Decode(answer)
	now, _ = value.(fields)
	if w.part == "" {
		return now, false
	}
	var errs struct{ Errors []graphqlError }
	_ = json.Unmarshal(answer, &errs)
	data, _ := now["data"].(fields)
	now, _ = data[w.part].(fields)
	if now == nil && w.call.sent.parts > 0 {
		refused = slices.ContainsFunc(errs.Errors, func(e graphqlError) bool { return len(e.path) > 0 && e.path[0] == any(w.part) })
	}
	for _, name := range w.row.answer {
		now, _ = now[name].(fields)
	}
	return now, refused
}

// nodeIDs returns the node IDs of what a part of a document wrote: what it is about, and what it
// made.
func (w *journaled) nodeIDs(made fields) (ids []string) {
	for _, id := range []any{w.body[w.row.about], made["id"]} {
		if text := writeplan.Text(id); text != "" && w.call.sent.parts > 0 {
			ids = append(ids, text)
		}
	}
	return ids
}

// made keeps what removes what was made. Its fields are compared as they were answered.
func (w *journaled) made(now fields) {
	w.u.Read = writeplan.Text(now["id"])
	if w.row.node == "" {
		w.u.Read = w.call.client.below(writeplan.Text(now["url"]))
	}
	if w.u.Read == "" {
		w.step.Cannot = "it is not known what was made"
		return
	}
	left := flat(now)
	if w.row.node == itemNode {
		if w.wasThere(now) {
			w.u = undoing{}
			return
		}
		w.u.Left = values(left)
	}
	for _, name := range w.names() {
		if value, has := left[name]; has {
			w.u.Left[name] = value
		}
	}
	maps.Copy(w.u.Left, w.row.left)
	if w.row.id != "" {
		w.u.With[w.row.id] = w.u.Read
	}
	switch number := writeplan.Text(now["number"]); {
	case w.row.makes == untitled:
	case w.row.node == "":
		w.step.Type, w.step.ID = w.row.makes, w.step.ID+"#"+number
	default:
		w.step.Type, w.step.ID = w.row.makes, cmp.Or(refIn(now), w.u.Read)
	}
}

// wasThere reports whether an item that GitHub answered was on the project before the call. GitHub
// answers such an item as if it were added.
func (w *journaled) wasThere(item fields) bool {
	made, err := time.Parse(time.RFC3339, writeplan.Text(item["createdAt"]))
	return err == nil && made.Before(w.began)
}

// changed keeps the old values of the fields that changed.
func (w *journaled) changed(now fields) {
	if w.row.about != "" {
		w.u.With[w.row.about] = w.u.Read
	}
	for _, name := range w.names() {
		left, answered := now[name]
		if !answered {
			left = flat(w.body)[name]
		}
		if _, known := w.old[name]; !known {
			w.step.Cannot = "GitHub does not say what " + name + " was"
			return
		}
		w.u.Keep(name, w.old[name], left)
	}
	if w.row.node == "" && w.u.Was["state"] == "closed" {
		w.u.With["state_reason"] = w.old["state_reason"]
	}
}

// gaveValues keeps the old values of the issue fields that were set or cleared.
func (w *journaled) gaveValues() {
	was := values(w.old)
	if list, _ := w.body["issue_field_values"].([]any); w.call.sent.method == http.MethodPost {
		for _, entry := range list {
			set, _ := entry.(fields)
			id := writeplan.Text(set["field_id"])
			w.u.Keep(id, was[id], set["value"])
		}
		return
	}
	id := path.Base(w.call.sent.url.Path)
	w.u.Keep(id, was[id], nil)
}

// planRow says what a write does, and what undoes it.
type planRow struct {
	what    string
	kind    string // of what it is about
	makes   string // the kind of what it creates; untitled if that has no title of its own; empty for none
	cannot  string // why it cannot be undone
	left    fields // what the write leaves besides the fields that it sends
	note    string // what the answer says of its undo
	removed string // what its undo deletes, with its article
	ways    []way
	way     // the one that a request takes
}

// way is how one of the APIs carries out a write. If nothing is said to undo it, the same write
// does, with the old values of its fields.
type way struct {
	write  string   // the method and the last word of the path, or the mutation
	what   string   // it does, if the ways of a row do different things
	about  string   // the field of a mutation's input with the ID of what it is about
	answer []string // path of the answer in the payload of a mutation
	node   string   // the type in GraphQL of what a mutation changes or makes
	by     string   // the method, or the mutation, that undoes it
	with   fields   // what that sends
	id     string   // the field of that mutation's input with the ID of what was made
}

// planRows has what the writes do, and what undoes them. The twins of REST and GraphQL are one row.
// A write that is not in it is refused in a preview, and cannot be undone. A new write is one row;
// of a mutation, the type of its node has a document in stateDocuments. What it changes is put back
// without an undo, if the fields of its body have the names of those of the thing. What it makes
// needs the write that undoes it, with the field of the ID if that is a mutation, and removed or a
// row for it. Anything else needs the reason why it cannot be undone.
var planRows = []planRow{
	{what: "create an issue", kind: "repository", makes: "issue", left: open, note: "GitHub deletes no issues, so it is closed as not planned", ways: []way{
		{write: "POST issues", by: "PATCH", with: fields{"state": "closed", "state_reason": "not_planned"}},
		{write: "createIssue", about: "repositoryId", answer: issueAnswer, node: issueNode, by: "closeIssue", id: "issueId", with: fields{"stateReason": "NOT_PLANNED"}},
	}},
	{what: "change an issue", kind: "issue", ways: []way{{write: "PATCH issues"}, {write: "updateIssue", about: "id", answer: issueAnswer, node: issueNode}}},
	{what: "close an issue", kind: "issue", ways: []way{{write: "closeIssue", about: "issueId", answer: issueAnswer, node: issueNode}}},
	{what: "comment on an issue", kind: "issue", makes: untitled, removed: "a comment", ways: []way{
		{write: "POST comments", by: "DELETE"},
		{write: "addComment", about: "subjectId", answer: []string{"commentEdge", "node"}, node: commentNode, by: "deleteIssueComment", id: "id"},
	}},
	{what: "create a milestone", kind: "repository", makes: untitled, left: unused, removed: "a milestone", ways: []way{{write: "POST milestones", by: "DELETE"}}},
	{what: "nest an issue in an issue", kind: "issue", cannot: staysNested, ways: []way{{write: "POST sub_issues"}}},
	{what: "take an issue out of its parent", kind: "issue", cannot: staysNested, ways: []way{{write: "DELETE sub_issue"}}},
	{what: "move a sub-issue", kind: "issue", cannot: staysNested, ways: []way{{write: "PATCH priority"}}},
	{kind: "issue", ways: []way{
		{what: "set fields of an issue", write: "POST " + fieldValues, node: valuesNode},
		{what: "clear a field of an issue", write: "DELETE " + fieldValues, node: valuesNode},
	}},
	{what: "make an issue wait for another", kind: "issue", cannot: stillWaits, ways: []way{{write: "POST blocked_by"}}},
	{what: "end that an issue waits for another", kind: "issue", cannot: stillWaits, ways: []way{{write: "DELETE blocked_by"}}},
	{what: "create a project", kind: "owner", makes: "project", left: fields{"closed": false}, note: "GitHub deletes projects permanently, so it is closed", ways: []way{{write: "createProjectV2", about: "ownerId", answer: []string{"projectV2"}, node: projectNode, by: "updateProjectV2", id: "projectId", with: fields{"closed": true}}}},
	{what: "change a project", kind: "project", ways: []way{{write: "updateProjectV2", about: "projectId", answer: []string{"projectV2"}, node: projectNode}}},
	{what: "delete a project permanently", kind: "project", cannot: "GitHub deletes projects permanently", ways: []way{{write: "deleteProjectV2", about: "projectId"}}},
	{what: "add to a project", kind: "project", makes: "project_item", ways: []way{{write: "addProjectV2ItemById", about: "projectId", answer: []string{"item"}, node: itemNode, by: "deleteProjectV2Item", id: "itemId"}}},
	{what: "remove from a project", kind: "project_item", cannot: staysRemoved, ways: []way{{write: "deleteProjectV2Item", about: "itemId"}}},
	{kind: "project_item", ways: []way{
		{what: "set a field", write: "updateProjectV2ItemFieldValue", about: "itemId", node: itemNode},
		{what: "clear a field", write: "clearProjectV2ItemFieldValue", about: "itemId", node: itemNode},
	}},
	{what: "post a status update", kind: "project", makes: untitled, removed: "a status update", ways: []way{{write: "createProjectV2StatusUpdate", about: "projectId", answer: []string{"statusUpdate"}, node: statusNode, by: "deleteProjectV2StatusUpdate", id: "statusUpdateId"}}},
}

// rowOf returns the row of a write by its shape, with the way that it takes. What removes something
// that a row makes has a row of its own, or is one that cannot be undone.
func rowOf(shape string) planRow {
	for _, row := range planRows {
		for _, w := range row.ways {
			_, thing, _ := strings.Cut(w.write, " ")
			switch {
			case w.write == shape:
				row.way, row.what = w, cmp.Or(w.what, row.what)
				return row
			case row.removed != "" && strings.TrimSpace(w.by+" "+thing) == shape:
				_, name, _ := strings.Cut(row.removed, " ")
				return planRow{what: "delete " + row.removed, kind: row.kind, cannot: "GitHub deletes " + name + "s permanently", way: way{about: w.id}}
			}
		}
	}
	return planRow{}
}

var (
	open        = fields{"state": "open"}
	issueAnswer = []string{"issue"}
	unused      = fields{"state": "open", "open_issues": json.Number("0"), "closed_issues": json.Number("0")}
)

const (
	untitled     = "untitled"
	staysNested  = "nesting is not taken back; give the issue its old parent and place by another change"
	staysRemoved = "what is added to a project again is a new item, without its values and its place"
	stillWaits   = "what an issue waits for is not taken back; change it again"
)
