package github

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
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
		if adds, _ := w.nests(); adds && w.nested().parent == "" && !journal.NotesOnly {
			path, _, _ := strings.Cut(c.client.below(c.sent.url.Path), "/sub_issue")
			if _, err := (&Client{c.client}).stateAt(ctx, path); err != nil { // the journal notes it
				return nil, err
			}
		}
		all = append(all, w)
		if w.u.Read != "" && w.step.Cannot == "" && !journal.NotesOnly && !w.known() {
			unread = append(unread, w)
		}
	}
	if err := c.readOld(ctx, unread); err != nil {
		return nil, err
	}
	return func(answer []byte) (steps []writeplan.Step) {
		for _, w := range all {
			steps = append(steps, w.after(answer)...)
		}
		if len(answer) > 0 {
			journal.Saw(c.sent.url.String(), answer)
		}
		return steps
	}, nil
}

// journaled returns a write whose old values are not known yet.
func (c *call) journaled(reads *writeplan.Reads, one carried) *journaled {
	row := planRows[c.shape()]
	// An undo unmarks what it reopens.
	if state := map[string]string{"closeIssue": "CLOSED", unmarks: "OPEN"}[c.sent.does]; state != "" {
		one.body = maps.Clone(one.body)
		one.body["state"] = state
	}
	w := &journaled{carried: one, call: c, reads: reads, row: row, began: c.client.now()}
	w.step = writeplan.Step{Provider: ProviderID, What: row.what, Type: c.sent.about.Type, ID: c.sent.about.ID, Cannot: row.undo.cannot}
	if about := writeplan.Text(w.body[row.about]); w.step.ID == "" && about != "" {
		w.step.Type, w.step.ID = row.kind, cmp.Or(refIn(latest(reads, about)), about)
	}
	if row.what == "" {
		w.step.Cannot = "it is not known what undoes it"
	}
	w.u = undoing{
		Kept: writeplan.Kept{Was: fields{}, Left: fields{}}, Node: row.node, With: fields{}, Names: map[string]string{}, Note: row.undo.note, By: row.undo.by,
	}
	maps.Copy(w.u.With, row.undo.with)
	for _, name := range row.undo.keeps {
		w.u.With[name] = w.body[name]
	}
	switch {
	case row.makes, row.node == blockersNode:
	case row.node == nestingNode:
		w.u.Read = w.nested().sub
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
	if w.row.node == nestingNode {
		return w.hadNoParent()
	}
	for _, o := range slices.Backward(w.reads.Objects(address)) {
		if f := flat(o.Fields); hasAll(f, w.needs()) {
			w.old = f
			return true
		}
	}
	return false
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
	switch {
	case w.row.node == itemNode && w.body["fieldId"] == nil:
		return []string{allValues, "contentId"}
	case w.row.node == itemNode, w.row.node == valuesNode:
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

// after returns the steps of a write, given GitHub's answer; none if GitHub refused the write.
func (w *journaled) after(answer []byte) []writeplan.Step {
	now, refused := w.answered(answer)
	if refused {
		return nil
	}
	w.step.Unsure, w.step.Also = now == nil && w.row.makes, w.nodeIDs(now)
	return w.oppose(now)
}

// oppose returns the steps that undo the write, given what GitHub answered.
func (w *journaled) oppose(now fields) []writeplan.Step {
	switch {
	case w.step.Cannot != "":
		return []writeplan.Step{w.step}
	case w.row.makes:
		w.made(now)
	case w.row.node == itemNode:
		w.onItem()
	case w.row.node == nestingNode:
		w.moved()
	case w.row.node == blockersNode:
		w.blocked()
	case w.row.node == valuesNode:
		w.gaveValues()
	default:
		w.changed(flat(now))
	}
	steps := []writeplan.Step{w.finished()}
	if parent := writeplan.Text(w.body["parentIssueId"]); parent != "" && w.row.makes && w.u.Read != "" {
		nested := *w
		nested.u = undoing{Kept: writeplan.Kept{Was: fields{"parentId": nil}, Left: fields{"parentId": parent}}, Read: w.u.Read, Node: nestingNode, Names: map[string]string{}}
		nested.step.What = planRows["addSubIssue"].what
		steps = append(steps, nested.finished())
	}
	return steps
}

// finished returns the step with its opposite.
func (w *journaled) finished() writeplan.Step {
	if w.step.Cannot != "" || len(w.u.Was) == 0 && w.u.By == "" {
		return w.step
	}
	if w.u.By == "" && w.row.node != nestingNode && w.row.node != blockersNode && w.row.node != valuesNode {
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
	maps.Copy(w.u.Left, w.row.undo.left)
	if w.row.undo.id != "" {
		w.u.With[w.row.undo.id] = w.u.Read
	}
	switch number := writeplan.Text(now["number"]); {
	case w.row.undo.kind == "":
	case w.row.node == "":
		w.step.Type, w.step.ID = w.row.undo.kind, w.step.ID+"#"+number
	default:
		w.step.Type, w.step.ID = w.row.undo.kind, cmp.Or(refIn(now), w.u.Read)
	}
}

// wasThere reports whether an item that GitHub answered was on the project before the call. GitHub
// answers such an item as if it were added. The clocks of GitHub and of this server may differ.
func (w *journaled) wasThere(item fields) bool {
	made, err := time.Parse(time.RFC3339, writeplan.Text(item["createdAt"]))
	return err == nil && made.Before(w.began.Add(-time.Minute))
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
	// GitHub does not say of which issue another one is a duplicate.
	w.u.Keep(duplicateOf, w.body["canonicalId"], w.body[duplicateOf])
	if w.row.node == "" && w.u.Was["state"] == "closed" {
		w.u.With["state_reason"] = w.old["state_reason"]
	}
}
