package writes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// Plan records a write, or each of those that a document carries, and returns what GitHub would
// answer, made of the body of the write and of what the call has read.
func Plan(q Request, plan *writeplan.Plan) ([]byte, error) {
	row := rowOf(q.shape())
	if row.what == "" {
		return nil, fmt.Errorf("plan %s: it is not known what it does", q.shape())
	}
	data := fields{}
	for _, one := range q.carried() {
		w := plannedWrite{carried: one, sent: q, plan: plan, row: row}
		w.old = w.known()
		now := w.answered()
		if w.follows() {
			plan.Follow()
		} else {
			j := q.journaled(&plan.Reads, one)
			j.old = flat(w.old)
			w.record(len(j.oppose(now).Opposite))
		}
		switch {
		case row.node == valuesNode && one.body == nil: // GitHub answers a clear with nothing
			return nil, nil
		case row.node == valuesNode:
			return []byte("[]"), nil
		case one.part == "":
			return json.Marshal(now)
		}
		data[one.part] = row.payload(now)
	}
	return json.Marshal(fields{"data": data})
}

// payload returns the payload of a mutation with its answer.
func (r planRow) payload(now fields) fields {
	if r.answer == nil {
		return fields{}
	}
	for _, key := range slices.Backward(r.answer) {
		now = fields{key: now}
	}
	return now
}

// plannedWrite is a write that is recorded.
type plannedWrite struct {
	carried
	sent Request
	plan *writeplan.Plan
	row  planRow
	old  fields // what it is about, as the call has read it
	made json.Number
}

// follows reports whether the write names something that the plan makes.
func (w *plannedWrite) follows() bool {
	for name, value := range w.body {
		if id := writeplan.Text(value); strings.HasPrefix(id, "-") && (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "id")) {
			return true
		}
	}
	return strings.Contains(w.sent.URL.Path, "/-")
}

// known returns what the call has read of what the write is about.
func (w *plannedWrite) known() fields {
	if w.row.about != "" {
		return w.named(writeplan.Text(w.body[w.row.about]))
	}
	address := w.sent.subject()
	if w.row.makes != "" {
		address = address[:strings.LastIndex(address, "/")]
	}
	return w.named(address)
}

// named returns what the call has read of the thing with a node ID or an address. The item of a
// project may be inside its issue.
func (w *plannedWrite) named(id string) fields {
	var all fields
	for _, o := range w.plan.Objects(id) {
		if all == nil {
			all = fields{}
		}
		read := maps.Clone(o.Fields)
		w.sent.Withhold(read, read)
		maps.Copy(all, read)
		for in := o.In; in != nil && all["content"] == nil && all["project"] != nil; in = in.In {
			if in.Fields["title"] != nil {
				content := maps.Clone(in.Fields)
				w.sent.Withhold(content, content)
				all["content"] = content
			}
		}
	}
	return all
}

// answered returns what GitHub would answer.
func (w *plannedWrite) answered() fields {
	now := maps.Clone(w.old)
	if w.row.makes != "" || now == nil {
		now = fields{}
	}
	if w.row.makes != "" {
		w.made = w.plan.MakeUp()
		now["id"], now["node_id"], now["number"], now["state"] = any(w.made), w.made.String(), w.made, "open"
		if w.sent.Does != "" {
			now["id"], now["type"], now["fieldValues"], now["repository"] = w.made.String(), "ISSUE", fields{"nodes": []any{}}, w.old
		}
	}
	if number := w.sent.numberInPath(); w.row.makes == "" && w.sent.Does == "" && now["number"] == nil {
		now["number"], now["node_id"] = number, number.String()
	}
	if w.row.node == issueNode && w.row.makes == "" {
		inGraph(now)
	}
	// Of lists and of things, the plan has only the IDs or the names, which no answer has. What the
	// answer lacks counts as it was sent.
	for name, value := range w.body {
		switch name {
		case "type", "milestone", "labels", "assignees", "issue_field_values":
			delete(now, name)
		case "labelIds", "assigneeIds":
			delete(now, strings.TrimSuffix(name, "Ids")+"s")
		case "milestoneId":
			delete(now, "milestone")
		default:
			now[name] = value
		}
	}
	return now
}

// inGraph writes the fields of an issue that REST answered as GraphQL has them. It removes those
// that have another form there.
func inGraph(issue fields) {
	if issue["node_id"] == nil {
		return
	}
	issue["id"], issue["repository"] = issue["node_id"], fields{"nameWithOwner": repoIn(issue["repository_url"])}
	for _, name := range []string{"labels", "assignees", "milestone"} {
		delete(issue, name)
	}
}

// record adds the write to the plan, with what changes in words, and how many bytes undo it.
func (w *plannedWrite) record(kept int) {
	r := writeplan.Write{
		What: w.row.what, Kept: kept, Made: w.made.String(),
		On: w.on(), Before: map[string]any{}, After: map[string]any{},
	}
	if w.sent.Parts == 0 || w.part == "m0" {
		r.Sent = writeplan.Request{Method: w.sent.Method, URL: w.sent.URL.String(), Body: w.sent.Body}
	}
	for name, value := range w.body {
		if list, byID := strings.CutSuffix(name, "Ids"); byID {
			value, name = w.shown(value), list+"s"
		}
		if name == w.row.about || name == "repositoryId" || strings.HasSuffix(name, "Id") && w.row.about == "itemId" && name == "projectId" {
			continue
		}
		if id, byNumber := strings.CutSuffix(name, "_id"); byNumber {
			value, name = cmp.Or(nameIn(w.named(writeplan.Text(value))), writeplan.Text(value)), id
		}
		old, known := w.old[name]
		from, to, name := w.shown(old), w.shown(value), cmp.Or(map[string]string{"issue_field_values": "issue_fields"}[name], name)
		if known && w.row.makes == "" {
			r.Before[name] = dropped(from, to)
		}
		r.After[strings.TrimSuffix(name, "Id")] = dropped(to, from)
	}
	switch {
	case w.row.makes != "":
		r.After["id"] = w.made
	case w.sent.shape() == "DELETE blocked_by":
		id := path.Base(w.sent.URL.Path)
		r.Before["issue"] = cmp.Or(nameIn(w.named(id)), id)
	}
	w.value(&r)
	w.plan.Record(r)
}

// on returns what the write changes or adds to.
func (w *plannedWrite) on() *writeplan.Item {
	content, _ := w.old["content"].(fields)
	title := cmp.Or(writeplan.Text(w.old["title"]), writeplan.Text(content["title"]), writeplan.Text(w.old["login"]))
	url := cmp.Or(writeplan.Text(w.old["html_url"]), writeplan.Text(content["url"]))
	if w.row.about != "" {
		url = cmp.Or(url, writeplan.Text(w.old["url"]))
	}
	return &writeplan.Item{
		Type: w.row.kind, ID: cmp.Or(w.sent.About.ID, refIn(w.old), writeplan.Text(w.old["nameWithOwner"]), writeplan.Text(w.body[w.row.about])), Title: plaintext.Clean(title), URL: url,
	}
}

// shown returns a value as a person reads it: things by their name.
func (w *plannedWrite) shown(value any) any {
	return shown(value, func(id string) string {
		f := w.named(id)
		return cmp.Or(writeplan.Text(f["title"]), writeplan.Text(f["name"]), writeplan.Text(f["login"]), writeplan.Text(f["nameWithOwner"]))
	})
}

// dropped returns a text without the paragraphs that another has too. Other values stay.
func dropped(value, other any) any {
	text, isText := value.(string)
	if !isText {
		return value
	}
	without, _ := other.(string)
	return plaintext.Dropped(text, without)
}

// value says in words what a field of a project's item was and becomes.
func (w *plannedWrite) value(r *writeplan.Write) {
	id := writeplan.Text(w.body["fieldId"])
	if id == "" {
		return
	}
	field := cmp.Or(writeplan.Text(w.named(id)["name"]), "value")
	delete(r.After, "field")
	delete(r.After, "value")
	r.After[field] = nil
	value, _ := w.body["value"].(fields)
	for _, set := range value {
		r.After[field] = w.shown(set)
	}
	old := flat(w.old)
	if only := w.old["fieldValueByName"]; only != nil {
		flatten(old, "fieldValues", fields{"nodes": []any{only}})
	}
	r.Before[field] = w.shown(values(old)[id])
	if number, is := r.Before[field].(json.Number); is {
		r.Before[field] = number.String()
	}
}
