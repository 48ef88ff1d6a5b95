package writes

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

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/writeplan"
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

// carried returns the writes of the request.
func (q Request) carried() []carried {
	value, _ := writeplan.Decode(q.Body) // the client has encoded it; some have none
	body, _ := value.(fields)
	if q.Does == "" {
		return []carried{{"", body}}
	}
	variables, _ := body["variables"].(fields)
	if q.Parts == 0 {
		input, _ := variables["input"].(fields)
		return []carried{{q.Does, input}}
	}
	all := make([]carried, q.Parts)
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
	sent  Request
	reads *writeplan.Reads
	row   planRow
	u     undoing
	old   fields
	step  writeplan.Step
}

// Opposite returns a function that says what undoes each write of a request. It reads what they
// change if the call has not read it.
func Opposite(ctx context.Context, q Request, journal *writeplan.Journal, read States) (func(answer []byte) []writeplan.Step, error) {
	var all, unread []*journaled
	for _, one := range q.carried() {
		w := q.journaled(&journal.Reads, one)
		all = append(all, w)
		if w.u.Read != "" && w.step.Cannot == "" && !w.known() {
			unread = append(unread, w)
		}
	}
	if err := readOld(ctx, unread, read); err != nil {
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
			journal.Saw(q.URL.String(), answer)
		}
		return steps
	}, nil
}

// journaled returns a write whose old values are not known yet.
func (q Request) journaled(reads *writeplan.Reads, one carried) *journaled {
	row := rowOf(q.shape())
	if q.Does == "closeIssue" {
		one.body = maps.Clone(one.body)
		one.body["state"] = "CLOSED"
	}
	w := &journaled{carried: one, sent: q, reads: reads, row: row}
	w.step = writeplan.Step{Provider: Provider, What: row.what, Type: q.About.Type, ID: q.About.ID, Cannot: row.cannot}
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
		w.u.Read = q.below(q.subject())
	default:
		w.u.Read = q.below(q.URL.Path)
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
		address = w.sent.subject()
	}
	for _, o := range slices.Backward(w.reads.Objects(address)) {
		f, needed := flat(o.Fields), w.names()
		if w.row.node == itemNode || w.row.node == valuesNode { // the call may have read only one of the values
			needed = []string{allValues}
		}
		lacks := slices.ContainsFunc(needed, func(name string) bool { _, has := f[name]; return !has })
		if !lacks || w.knowsValue(f, o.Fields) {
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

// readOld reads what writes change. GitHub will refuse to change what it does not have.
func readOld(ctx context.Context, all []*journaled, read States) error {
	if len(all) == 0 {
		return nil
	}
	at := make([]string, len(all))
	for i, w := range all {
		at[i] = w.u.Read
	}
	for i, one := range read(ctx, all[0].row.node, at) {
		if one.Err != nil && !fault.Is(one.Err, fault.NotFound) && (ctx.Err() != nil || all[i].replaces()) {
			return one.Err
		} else if one.Err != nil {
			all[i].step.Cannot = "GitHub did not say what was there before"
		}
		all[i].old = flat(one.Fields)
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
		w.u.By = cmp.Or(w.sent.Does, w.sent.Method)
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
	var errs struct{ Errors []struct{ Path []any } }
	_ = json.Unmarshal(answer, &errs)
	data, _ := now["data"].(fields)
	now, _ = data[w.part].(fields)
	if now == nil && w.sent.Parts > 0 {
		refused = slices.ContainsFunc(errs.Errors, func(e struct{ Path []any }) bool { return len(e.Path) > 0 && e.Path[0] == any(w.part) })
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
		if text := writeplan.Text(id); text != "" && w.sent.Parts > 0 {
			ids = append(ids, text)
		}
	}
	return ids
}

// made keeps what removes what was made. Its fields are compared as they were answered.
func (w *journaled) made(now fields) {
	w.u.Read = writeplan.Text(now["id"])
	if w.row.node == "" {
		w.u.Read = w.sent.below(writeplan.Text(now["url"]))
	}
	if w.u.Read == "" {
		w.step.Cannot = "it is not known what was made"
		return
	}
	left := flat(now)
	if w.row.node == itemNode {
		// GitHub answers an item that was on the project before the call as if it were added.
		if made, err := time.Parse(time.RFC3339, writeplan.Text(now["createdAt"])); err == nil && made.Before(w.sent.Began) {
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
	if list, _ := w.body["issue_field_values"].([]any); w.sent.Method == http.MethodPost {
		for _, entry := range list {
			set, _ := entry.(fields)
			id := writeplan.Text(set["field_id"])
			w.u.Keep(id, was[id], set["value"])
		}
		return
	}
	id := path.Base(w.sent.URL.Path)
	w.u.Keep(id, was[id], nil)
}
