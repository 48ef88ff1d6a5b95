package github

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
	"basecamp-mcp/internal/writeplan"
)

// opposite says how a write is undone. The zero value is the same write with the old values of its
// fields.
type opposite struct {
	cannot string   // why it cannot be undone
	by     string   // the method, or the mutation, that undoes it
	with   fields   // what that sends
	id     string   // the field of that mutation's input with the ID of what was made
	keeps  []string // the fields that it has from the input of the write
	left   fields   // what the write leaves besides the fields that it sends
	note   string   // what the answer says of it
	kind   string   // of what was made; empty if it has no title of its own
}

// undoing is what a record of a write has: enough to undo it later.
type undoing struct {
	writeplan.Kept
	By   string `json:"by"`             // a method of REST, or a mutation
	Read string `json:"read"`           // the path of the state below the API, or its node ID
	Node string `json:"node,omitempty"` // the type of that node; empty in REST
	With fields `json:"with,omitempty"` // what is sent besides the old values
	Note string `json:"note,omitempty"`
}

// journaled is a write that is recorded with its opposite.
type journaled struct {
	call  *call
	reads *writeplan.Reads
	row   planRow
	body  fields // of a mutation, its input
	u     undoing
	old   fields
	step  writeplan.Step
}

// Opposite returns a function that says what undoes a write. It reads what the write changes if the
// call has not read it.
func (c *call) Opposite(ctx context.Context, journal *writeplan.Journal) (func(answer []byte) writeplan.Step, error) {
	w := c.journaled(&journal.Reads)
	if w.u.Read != "" && w.step.Cannot == "" {
		if err := w.readOld(ctx); err != nil {
			return nil, err
		}
	}
	return w.after, nil
}

// journaled returns a write whose old values are not known yet.
func (c *call) journaled(reads *writeplan.Reads) *journaled {
	row := planRows[c.shape()]
	w := &journaled{call: c, reads: reads, row: row, body: c.sentFields()}
	w.step = writeplan.Step{Provider: ProviderID, What: row.what, Type: c.sent.about.Type, ID: c.sent.about.ID, Cannot: row.undo.cannot}
	switch {
	case row.what == "":
		w.step.Cannot = "it is not known what undoes it"
	case c.sent.parts > 0:
		w.step.Cannot = severalAtOnce
	}
	w.u = undoing{
		Kept: writeplan.Kept{Was: fields{}, Left: fields{}}, Node: row.node, With: fields{}, Note: row.undo.note, By: row.undo.by,
	}
	maps.Copy(w.u.With, row.undo.with)
	for _, name := range row.undo.keeps {
		w.u.With[name] = w.body[name]
	}
	switch {
	case row.makes:
	case row.about != "":
		w.u.Read = writeplan.Text(w.body[row.about])
	default:
		w.u.Read = c.client.below(c.sent.url.Path)
	}
	return w
}

// sentFields returns the fields of the body: of a mutation, those of its input.
func (c *call) sentFields() fields {
	value, _ := writeplan.Decode(c.sent.body)
	body, _ := value.(fields)
	if c.sent.does != "" {
		variables, _ := body["variables"].(fields)
		body, _ = variables["input"].(fields)
	}
	return body
}

// readOld finds what the write changes in what the call has read, or reads it. An item is read
// again: the call may have read one of its values.
func (w *journaled) readOld(ctx context.Context) (err error) {
	address := w.u.Read
	if w.row.about == "" {
		address = w.call.sent.url.String()
	}
	for _, o := range slices.Backward(w.reads.Objects(address)) {
		if w.row.node != itemNode && hasAll(o.Fields, w.body, w.row.about) {
			w.old = plain(o.Fields)
			return nil
		}
	}
	w.old, err = (&Client{w.call.client}).state(ctx, w.u.Read, w.row.node, w.names())
	return err
}

// hasAll reports whether a thing has all fields of a body but one.
func hasAll(f, body fields, but string) bool {
	for name := range body {
		if _, has := f[name]; !has && name != but {
			return false
		}
	}
	return true
}

// names returns the fields that the write sets.
func (w *journaled) names() []string {
	names := slices.Collect(maps.Keys(w.body))
	return slices.DeleteFunc(names, func(name string) bool { return name == w.row.about || strings.HasSuffix(name, "Id") })
}

// after returns the step of a write, given GitHub's answer.
func (w *journaled) after(answer []byte) writeplan.Step {
	w.oppose(w.answered(answer))
	w.step.Also = w.partIDs(answer)
	if len(answer) > 0 {
		w.reads.Saw(w.call.sent.url.String(), answer)
	}
	return w.step
}

// oppose adds to the step what undoes the write, given what GitHub answered.
func (w *journaled) oppose(now fields) {
	if w.step.Cannot != "" {
		return
	}
	switch {
	case w.row.makes:
		w.made(now)
	case w.row.node == itemNode:
		w.onItem()
	default:
		w.changed(plain(now))
	}
	if w.step.Cannot == "" && (len(w.u.Was) > 0 || w.u.By != "") {
		if w.u.By == "" {
			w.u.By = w.does()
		}
		w.step.Opposite, _ = json.Marshal(w.u) // what was decoded from JSON can be encoded
	}
}

func (w *journaled) does() string {
	if w.call.sent.does != "" {
		return w.call.sent.does
	}
	return w.call.sent.method
}

// answered returns what GitHub answered: of a mutation, the thing in its payload.
func (w *journaled) answered(answer []byte) fields {
	value, _ := writeplan.Decode(answer)
	now, _ := value.(fields)
	if w.call.sent.does != "" {
		for _, name := range append([]string{"data", w.call.sent.does}, w.row.answer...) {
			now, _ = now[name].(fields)
		}
	}
	return now
}

// partIDs returns the node IDs of what the parts of a document wrote: what they are about, and what
// they made.
func (w *journaled) partIDs(answer []byte) (ids []string) {
	sent, _ := writeplan.Decode(w.call.sent.body)
	body, _ := sent.(fields)
	variables, _ := body["variables"].(fields)
	value, _ := writeplan.Decode(answer)
	got, _ := value.(fields)
	data, _ := got["data"].(fields)
	for k := range w.call.sent.parts {
		number := strconv.Itoa(k)
		input, _ := variables["input"+number].(fields)
		made, _ := data["m"+number].(fields)
		if made == nil && len(answer) > 0 { // GitHub refused it
			continue
		}
		for _, name := range w.row.answer {
			made, _ = made[name].(fields)
		}
		for _, id := range []any{input[w.row.about], made["id"]} {
			if text := writeplan.Text(id); text != "" {
				ids = append(ids, text)
			}
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
	flat := plain(now)
	for _, name := range w.names() {
		if value, has := flat[name]; has {
			w.u.Left[name] = value
		}
	}
	maps.Copy(w.u.Left, w.row.undo.left)
	if w.row.undo.id != "" {
		w.u.With[w.row.undo.id] = w.u.Read
	}
	if w.row.node == itemNode {
		w.u.Left = valuesOf(now)
	}
	switch {
	case w.row.node != "":
		w.step.Type, w.step.ID = w.row.undo.kind, w.u.Read
	case w.row.undo.kind != "":
		w.step.Type, w.step.ID = w.row.undo.kind, w.step.ID+"#"+writeplan.Text(now["number"])
	}
}

// onItem keeps the old value of a field of an item, or what puts a removed item back.
func (w *journaled) onItem() {
	id := writeplan.Text(w.body["fieldId"])
	if id == "" {
		w.removed()
		return
	}
	w.u.With["projectId"], w.u.With["fieldId"] = w.body["projectId"], id
	w.u.Keep(id, w.old[id], w.body["value"])
}

// removed keeps what puts an item back on its project, with its values.
func (w *journaled) removed() {
	if w.u.With["contentId"] = w.old["contentId"]; w.u.With["contentId"] == nil {
		w.step.Cannot = "GitHub deletes drafts permanently, and does not show all items"
		return
	}
	w.u.Was = fields{}
	for name, value := range w.old {
		if name != "contentId" && name != updated {
			w.u.Was[name] = value
		}
	}
}

// changed keeps the old values of the fields that changed.
func (w *journaled) changed(now fields) {
	if w.row.about != "" {
		w.u.With[w.row.about] = w.u.Read
	}
	for _, name := range w.names() {
		left, answered := now[name]
		if !answered {
			left = w.body[name]
		}
		if _, known := w.old[name]; !known {
			w.step.Cannot = "GitHub does not say what " + name + " was"
			return
		}
		w.u.Keep(name, w.old[name], left)
	}
	if w.u.Was["state"] == "closed" {
		w.u.With["state_reason"] = w.old["state_reason"]
	}
}

// plain returns the fields of a thing as bodies have them: people and labels by their names, a
// milestone by its number.
func plain(f fields) fields {
	flat := fields{}
	for name, value := range f {
		switch v := value.(type) {
		case []any:
			value = namesIn(v)
		case fields:
			if v["number"] != nil {
				value = v["number"]
			}
		}
		flat[name] = value
	}
	return flat
}

func namesIn(list []any) any {
	names := []string{}
	for _, entry := range list {
		f, ok := entry.(fields)
		if !ok {
			return list
		}
		names = append(names, writeplan.Text(f["name"])+writeplan.Text(f["login"])) // it has one of them
	}
	slices.Sort(names)
	return names
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

// itemNode is the type of an item of a project in GraphQL.
const itemNode = "ProjectV2Item"

// updated is the field of a state that says when it was last changed.
const updated = "updated_at"

// state reads the fields of what is at a path, or of a node. Those of an item are its values, by
// the IDs of their fields.
func (c *Client) state(ctx context.Context, at, node string, names []string) (fields, error) {
	about := fault.Resource{Type: "item", ID: at}
	switch node {
	case "":
		call, err := c.newCall(ctx, request{method: http.MethodGet, url: c.rest.JoinPath(at), about: about, of: core, inRepository: true})
		if err != nil {
			return nil, err
		}
		return upstream.Ask(ctx, c.upstream, call.request(), func(a upstream.Answer) (fields, error) {
			value, err := writeplan.Decode(a.Body)
			f, _ := value.(fields)
			return plain(f), err
		})
	case itemNode:
		item, _, err := c.Item(ctx, at)
		return itemState(item), err
	}
	d := document{thing: []string{"node"}, text: "query State($id: ID!) { node(id: $id) { __typename ... on " + node + " { id updatedAt " + strings.Join(names, " ") + " } } }"}
	f, _, err := ask[nodeState](ctx, c, d, about, map[string]any{"id": at})
	if err != nil {
		return nil, err
	}
	f[updated] = f["updatedAt"]
	return fields(f), nil
}

// nodeState are the fields of a node.
type nodeState fields

func (n nodeState) check() error {
	if n["id"] == nil {
		return errAbsent
	}
	return nil
}

func (nodeState) hidden() int { return 0 }

// itemState returns the values of an item, and the content that puts it on a project again.
func itemState(i Item) fields {
	f := fields{updated: i.UpdatedAt.Format("2006-01-02T15:04:05Z")}
	if i.Type == IssueItem || i.Type == PullRequestItem {
		f["contentId"] = i.ContentID
	}
	for _, v := range i.Values {
		if input := v.input(); input != nil {
			f[v.Field.ID] = input
		}
	}
	return f
}

// valuesOf returns the values of an item in an answer.
func valuesOf(answer fields) fields {
	var wire itemWire
	encoded, _ := json.Marshal(answer)
	_ = json.Unmarshal(encoded, &wire) // GitHub's client has decoded it before
	f := fields{}
	for _, v := range wire.FieldValues.entries() {
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
