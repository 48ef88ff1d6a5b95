package basecamp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/wire/writeplan"
)

// Plan records a write and returns what Basecamp would answer, made of the body of the write and of
// what the call has read.
func (c *call) Plan(ctx context.Context, plan *writeplan.Plan) ([]byte, error) {
	w := plannedWrite{write: c.write(&plan.Reads), plan: plan}
	w.old = w.known()
	w.nameMentions()
	var err error
	switch {
	case c.sent.path == "attachments.json":
		return w.planFile()
	case w.row.Makes != "":
		w.now, err = w.created(ctx)
	default:
		w.now = w.changed()
		w.now["updated_at"] = w.plan.Now.Format(time.RFC3339)
	}
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(w.now)
	if err != nil {
		return nil, fmt.Errorf("plan %s %s: %w", c.sent.method, c.sent.about.Type, err)
	}
	w.remember(body)
	w.record()
	return body, nil
}

type plannedWrite struct {
	write
	plan *writeplan.Plan
	now  fields // what Basecamp would answer
	made json.Number
}

var newMention = regexp.MustCompile(`<bc-attachment sgid="([^"]*)"></bc-attachment>`)

// nameMentions completes the mentions in the texts of the body as Basecamp does in its answer: with
// their type and the person's name.
func (w *plannedWrite) nameMentions() {
	for field, value := range w.body {
		if text, ok := value.(string); ok {
			w.body[field] = newMention.ReplaceAllStringFunc(text, w.namedMention)
		}
	}
}

func (w *plannedWrite) namedMention(mention string) string {
	sgid := newMention.FindStringSubmatch(mention)[1]
	for _, o := range w.plan.Objects(html.UnescapeString(sgid)) {
		if isPerson(o.Fields) {
			return `<bc-attachment sgid="` + sgid + `" content-type="application/vnd.basecamp.mention">` +
				html.EscapeString(writeplan.Text(o.Fields["name"])) + `</bc-attachment>`
		}
	}
	return mention
}

// changed returns the target with what the write sets.
func (w *write) changed() fields {
	now := maps.Clone(w.old)
	if now == nil {
		now = fields{"id": json.Number(cmp.Or(w.target, "0"))}
	}
	maps.Copy(now, w.answered())
	w.row.Sets.In(now)
	return now
}

func (w *plannedWrite) created(ctx context.Context) (fields, error) {
	me, err := Me.Get(ctx, &Client{w.call.client})
	if err != nil {
		return nil, err
	}
	w.made = w.plan.MakeUp()
	at := w.plan.Now.Format(time.RFC3339)
	now := fields{
		"id": w.made, "type": w.row.Makes, "status": "active", "created_at": at, "updated_at": at, "creator": me,
		"visible_to_clients": me.Client, "title": titleOf(w.body),
	}
	if w.row.Makes == "Document" || w.row.Makes == "Message" {
		now["status"] = "drafted"
	}
	if w.target != "" {
		now["bucket"] = w.old["bucket"]
		now["parent"] = fields{"id": json.Number(w.target), "title": titleOf(w.old), "type": w.old["type"], "app_url": w.old["app_url"]}
	}
	maps.Copy(now, w.answered())
	if w.row.Makes == "Circle" {
		people, _ := now["people"].([]any)
		now["people"], now["room_url"] = append(people, me), w.call.at("chats/"+w.made.String()+".json").String()
	}
	return now, nil
}

// answered returns the fields of the body as an answer has them: people and items in place of their
// IDs.
func (w *write) answered() fields {
	f := fields{}
	for name, value := range w.body {
		field, list, one := relation(name)
		switch {
		case list:
			f[field] = w.all(value)
		case one:
			f[field] = w.reference(value)
		case strings.HasPrefix(name, "notify"):
		default:
			f[field] = value
		}
	}
	return f
}

// relations are fields of an answer by the fields of a body that set them, where the rule of
// [relation] does not hold. A card's column is its parent.
var relations = map[string]string{
	"subscriptions": "subscribers", "user_ids": "people", "column_id": "parent", "grant": "granted", "revoke": "revoked",
}

// relation returns the field of an answer that a field of a body sets, and whether that field has
// the IDs of a list, or of one thing: assignee_ids sets assignees.
func relation(name string) (field string, list, one bool) {
	if field, one = strings.CutSuffix(name, "_id"); !one {
		if field, list = strings.CutSuffix(name, "_ids"); list {
			field += "s"
		}
	}
	if other := relations[name]; other != "" {
		return other, !one, one
	}
	return field, list, one
}

func (w *write) all(ids any) []any {
	list, _ := ids.([]any)
	all := make([]any, len(list))
	for i, id := range list {
		all[i] = w.reference(id)
	}
	return all
}

// reference returns a person or an item by ID, as far as it is known.
func (w *write) reference(id any) any {
	if id == nil {
		return nil
	}
	objects := w.reads.Objects(writeplan.Text(id))
	if people := slices.DeleteFunc(slices.Clone(objects), func(o *writeplan.Object) bool { return !isPerson(o.Fields) }); len(people) > 0 {
		objects = people
	}
	if f := merged(slices.Clone(objects)); f != nil {
		return f
	}
	return fields{"id": id}
}

// remember makes later reads of the call see the write.
func (w *plannedWrite) remember(body []byte) {
	path := w.call.sent.path
	if w.made != "" {
		path = strings.Replace(itemPaths[kindOf(w.row.Makes, "")], "%d", w.made.String(), 1)
	}
	if w.made != "" || w.call.sent.method == "PUT" && strings.HasSuffix(path, w.target+".json") {
		address := w.call.at(path).String()
		w.plan.Saw(address, body)
		w.plan.Answer(address, body)
	}
}

// planFile records that the content of a file is sent. Its SGID is made up.
func (w *plannedWrite) planFile() ([]byte, error) {
	w.made = w.plan.MakeUp()
	w.now = fields{"name": w.call.sent.query.Get("name"), "content_type": w.call.sent.contentType}
	if size := len(w.call.sent.body); size > 0 { // a plan fetches no file
		w.now["bytes"] = size
	}
	w.body = w.now
	w.record()
	return json.Marshal(fields{"attachable_sgid": "made-up" + w.made.String()})
}
