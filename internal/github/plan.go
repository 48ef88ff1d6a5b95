package github

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/writeplan"
)

// fields are the members of a JSON object, with numbers as json.Number.
type fields = map[string]any

// planRow says what a write does, and how GitHub answers it.
type planRow struct {
	what   string
	kind   string   // of what it is about
	makes  bool     // it creates something
	about  string   // the field of a mutation's input with the ID of what it is about
	answer []string // path of the answer in the payload of a mutation
	node   string   // the type in GraphQL of what a mutation changes or makes
	undo   opposite
}

// planRows has what the writes do, and what undoes them: by method and the last word of the path in
// REST, and by mutation. A write that is not in it is refused in a preview, and cannot be undone. A
// new write is one row. What it changes is put back without an undo, if the fields of its body have
// the names of those of the thing. What it makes needs the write that removes it, with the field of
// the ID if that is a mutation. Anything else needs the reason why it cannot be undone.
var planRows = map[string]planRow{
	"POST issues":     {what: "create an issue", kind: "repository", makes: true, undo: opposite{by: "PATCH", with: notPlanned, left: open, note: "GitHub deletes no issues, so it is closed as not planned", kind: "issue"}},
	"PATCH issues":    {what: "change an issue", kind: "issue"},
	"POST comments":   {what: "comment on an issue", kind: "issue", makes: true, undo: opposite{by: "DELETE"}},
	"POST milestones": {what: "create a milestone", kind: "repository", makes: true, undo: opposite{by: "DELETE", left: unused}},

	"createProjectV2":               {what: "create a project", kind: "owner", makes: true, about: "ownerId", answer: []string{"projectV2"}, node: "ProjectV2", undo: opposite{by: "updateProjectV2", id: "projectId", with: fields{"closed": true}, left: fields{"closed": false}, note: "GitHub deletes projects permanently, so it is closed", kind: "project"}},
	"updateProjectV2":               {what: "change a project", kind: "project", about: "projectId", answer: []string{"projectV2"}, node: "ProjectV2"},
	"deleteProjectV2":               {what: "delete a project permanently", kind: "project", about: "projectId", undo: opposite{cannot: "GitHub deletes projects permanently"}},
	"addProjectV2ItemById":          {what: "add to a project", kind: "project", makes: true, about: "projectId", answer: []string{"item"}, node: itemNode, undo: opposite{by: "deleteProjectV2Item", id: "itemId", keeps: []string{"projectId"}, kind: "project_item"}},
	"deleteProjectV2Item":           {what: "remove from a project", kind: "project_item", about: "itemId", node: itemNode, undo: opposite{by: "addProjectV2ItemById", keeps: []string{"projectId"}}},
	"updateProjectV2ItemFieldValue": {what: "set a field", kind: "project_item", about: "itemId", node: itemNode},
	"clearProjectV2ItemFieldValue":  {what: "clear a field", kind: "project_item", about: "itemId", node: itemNode},
}

var (
	open       = fields{"state": "open"}
	notPlanned = fields{"state": "closed", "state_reason": "not_planned"}
	unused     = fields{"state": "open", "open_issues": json.Number("0"), "closed_issues": json.Number("0")}
)

// Plan records a write and returns what GitHub would answer, made of the body of the write and of
// what the call has read.
func (c *call) Plan(_ context.Context, plan *writeplan.Plan) ([]byte, error) {
	w := plannedWrite{call: c, plan: plan, row: planRows[c.shape()]}
	if w.row.what == "" {
		return nil, fmt.Errorf("plan %s: it is not known what it does", c.shape())
	}
	w.body = c.sentFields()
	w.old = w.known()
	now := w.answered()
	j := c.journaled(&plan.Reads)
	j.old = plain(w.old)
	j.oppose(now)
	w.record(len(j.step.Opposite))
	if c.sent.does == "" {
		return encode(now)
	}
	payload := fields{}
	if w.row.answer != nil {
		payload[w.row.answer[0]] = now
	}
	return encode(fields{"data": fields{c.sent.does: payload}})
}

// shape returns the key of a write in planRows.
func (c *call) shape() string {
	if c.sent.does != "" {
		return c.sent.does
	}
	words := strings.FieldsFunc(c.sent.url.Path, func(r rune) bool { return r == '/' })
	words = slices.DeleteFunc(words, func(word string) bool { return strings.Trim(word, "0123456789") == "" })
	return c.sent.method + " " + words[len(words)-1]
}

// plannedWrite is a write that is recorded.
type plannedWrite struct {
	call *call
	plan *writeplan.Plan
	row  planRow
	body fields // of a mutation, its input
	old  fields // what it is about, as the call has read it
	made json.Number
}

// known returns what the call has read of what the write is about.
func (w *plannedWrite) known() fields {
	if w.row.about != "" {
		return w.named(writeplan.Text(w.body[w.row.about]))
	}
	address := w.call.sent.url.String()
	if w.row.makes {
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
		maps.Copy(all, o.Fields)
		for in := o.In; in != nil && all["content"] == nil && all["project"] != nil; in = in.In {
			if in.Fields["title"] != nil {
				all["content"] = in.Fields
			}
		}
	}
	return all
}

// answered returns what GitHub would answer.
func (w *plannedWrite) answered() fields {
	now := maps.Clone(w.old)
	if w.row.makes || now == nil {
		now = fields{}
	}
	if w.row.makes {
		w.made = w.plan.MakeUp()
		now["id"], now["node_id"], now["number"], now["state"] = any(w.made), w.made.String(), w.made, "open"
		if w.call.sent.does != "" {
			now["id"], now["type"], now["fieldValues"] = w.made.String(), IssueItem, fields{"nodes": []any{}}
			now["content"] = w.named(writeplan.Text(w.body["contentId"]))
			now["owner"] = w.old
		}
	}
	for name, value := range w.body {
		switch name {
		case "labels":
			now[name] = objectsWith("name", value)
		case "assignees":
			now[name] = objectsWith("login", value)
		case "milestone":
			now[name] = nil
			if value != nil {
				now[name] = fields{"number": value}
			}
		default:
			now[name] = value
		}
	}
	return now
}

func objectsWith(member string, list any) []any {
	values, _ := list.([]any)
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = fields{member: value}
	}
	return all
}

// record adds the write to the plan, with what changes in words, and how many bytes undo it.
func (w *plannedWrite) record(kept int) {
	r := writeplan.Write{
		What: w.row.what, Kept: kept,
		Sent: writeplan.Request{Method: w.call.sent.method, URL: w.call.sent.url.String(), Body: w.call.sent.body},
		Made: w.made.String(),
		On:   w.on(), Before: map[string]any{}, After: map[string]any{},
	}
	for name, value := range w.body {
		if name == w.row.about || strings.HasSuffix(name, "Id") && w.row.about == "itemId" && name == "projectId" {
			continue
		}
		old, known := w.old[name]
		from, to := w.shown(old), w.shown(value)
		if known && !w.row.makes {
			r.Before[name] = dropped(from, to)
		}
		r.After[strings.TrimSuffix(name, "Id")] = dropped(to, from)
	}
	if w.row.makes {
		r.After["id"] = w.made
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
		Type: w.row.kind, ID: cmp.Or(w.call.sent.about.ID, writeplan.Text(w.body[w.row.about])), Title: plaintext.Clean(title), URL: url,
	}
}

// shown returns a value as a person reads it: things by their name.
func (w *plannedWrite) shown(value any) any {
	switch v := value.(type) {
	case string:
		if f := w.named(v); f != nil {
			return plaintext.Clean(cmp.Or(writeplan.Text(f["title"]), writeplan.Text(f["name"]), writeplan.Text(f["nameWithOwner"]), v))
		}
		return plaintext.Clean(v)
	case []any:
		all := make([]any, len(v))
		for i, entry := range v {
			all[i] = w.shown(entry)
		}
		return all
	case fields:
		for _, name := range []string{"title", "name", "login", "number"} {
			if text := writeplan.Text(v[name]); text != "" {
				return plaintext.Clean(text)
			}
		}
	}
	return value
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
	has, _ := w.old["fieldValueByName"].(fields)
	r.Before[field] = nil
	for _, name := range []string{"text", "number", "date", "name", "title"} {
		if text := writeplan.Text(has[name]); text != "" {
			r.Before[field] = plaintext.Clean(text)
		}
	}
}
