package basecamp

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/writeplan"
)

// opposite says how a write is undone. # in its paths stands for what the write changes.
type opposite struct {
	cannot   string   // why it cannot be undone
	none     bool     // what it does is not seen
	with     string   // method and path of the request that undoes it; empty: the same request with the old fields
	fields   []string // of the body of that request
	reads    string   // path of what the fields are in; empty: the item itself
	made     bool     // # stands for what the write made
	adds     string   // the field of a body that adds people
	drops    string   // the field of a body that removes people
	in       string   // the field of what is read that has the people; empty: it is a list of them
	upNext   bool     // it changes the user's priorities
	reminder bool     // it changes the user's reminder of an item
}

var (
	nothing         = opposite{none: true}
	trash           = opposite{with: "PUT recordings/#/status/trashed", made: true}
	trashSubtask    = opposite{with: "DELETE subtasks/#", reads: "subtasks/#", made: true}
	upNext          = opposite{upNext: true, reads: "my/assignments"}
	reminder        = opposite{reminder: true, reads: "my/readings/bubble_ups"}
	unknownOpposite = opposite{cannot: "it is not known what undoes it"}
)

const (
	chatsLast = "Basecamp deletes a chat line permanently; delete it yourself"
	permanent = "it was deleted permanently"
)

func cannot(why string) opposite         { return opposite{cannot: why} }
func same(fields ...string) opposite     { return opposite{fields: fields} }
func toggle(with, reads string) opposite { return opposite{with: with, reads: reads} }
func roster(adds, drops, in, reads string) opposite {
	return opposite{adds: adds, drops: drops, in: in, reads: reads}
}

// undoing is what a record of a write has: enough to undo it later.
type undoing struct {
	Method string   `json:"method"`
	Path   string   `json:"path"`
	Wrap   string   `json:"wrap,omitempty"`   // the object in the body that has the fields
	Fields []string `json:"fields,omitempty"` // of the body
	Read   string   `json:"read"`             // path of the state
	In     string   `json:"in,omitempty"`     // the field of the state that lists people
	Adds   string   `json:"adds,omitempty"`
	Drops  string   `json:"drops,omitempty"`
	Item   string   `json:"item,omitempty"`   // a priority
	Remind string   `json:"remind,omitempty"` // the item of a reminder
	Was    fields   `json:"was,omitempty"`    // what the write changed
	Left   fields   `json:"left,omitempty"`   // and what it left
	Touch  string   `json:"touch,omitempty"`  // updated_at after the write
	Leave  string   `json:"leave,omitempty"`  // path of a subscription that the write began
}

// journaled is a write that is recorded with its opposite.
type journaled struct {
	call    *call
	journal *writeplan.Journal
	row     planRow
	target  string
	body    fields
	wrap    string
	old     any // what the write changes, as it was
	step    writeplan.Step
}

// Opposite returns a function that says what undoes a write. It reads what the write changes if the
// call has not read it.
func (c *call) Opposite(ctx context.Context, journal *writeplan.Journal) (func(answer []byte) writeplan.Step, error) {
	w := &journaled{call: c, journal: journal}
	w.row, w.target = planRowOf(c.sent.method, c.sent.path)
	if c.sent.contentType == "" {
		w.body = bodyFields(c.sent.body)
		w.wrap = wrapper(c.sent.body)
	}
	w.step = writeplan.Step{Provider: ProviderID, What: w.row.what, Type: c.sent.about.Type, ID: w.target, Cannot: w.row.undo.cannot}
	if undo := w.row.undo; undo.cannot == "" && !undo.none && !undo.made {
		if err := w.readOld(ctx); err != nil {
			return nil, err
		}
	}
	return w.after, nil
}

// ProviderID is what steps of this package have as their provider.
const ProviderID = "basecamp"

// wrapper returns the name of the only object in a body, which has its fields.
func wrapper(body []byte) string {
	value, _ := writeplan.Decode(body)
	f, _ := value.(fields)
	if len(f) == 1 {
		for name, only := range f {
			if _, ok := only.(fields); ok {
				return name
			}
		}
	}
	return ""
}

// readOld finds what the write changes in what the call has read, or reads it.
func (w *journaled) readOld(ctx context.Context) error {
	if reads := w.row.undo.reads; reads != "" {
		where := w.beside(reads, w.target)
		if seen := w.journal.Objects(w.call.at(where).String()); len(seen) > 0 {
			w.old = seen[len(seen)-1].Fields
			return nil
		}
		var err error
		w.old, err = w.call.client.state(ctx, where)
		return err
	}
	old := knownNow(w.journal, w.target, strings.HasPrefix(w.call.sent.path, "projects/"))
	where := w.call.client.pathOf(writeplan.Text(old["url"]))
	if where == "" && w.call.sent.method == "PUT" && strings.HasSuffix(w.call.sent.path, "/"+w.target+".json") {
		where = w.call.sent.path
	}
	if old != nil && w.complete(old) {
		w.old = old
		return nil
	}
	if where == "" {
		w.step.Cannot = "the call did not read what was there before"
		return nil
	}
	read, err := w.call.client.state(ctx, where)
	if f, ok := read.(fields); ok && f["url"] == nil {
		f["url"] = w.call.at(where).String()
	}
	w.old = read
	return err
}

// beside returns a path with an ID, in the form of the sent one: within a project, or not.
func (w *journaled) beside(pattern, id string) string {
	where := strings.ReplaceAll(pattern, "#", id) + ".json"
	if parts := strings.Split(w.call.sent.path, "/"); parts[0] == "buckets" && !strings.HasPrefix(where, "my/") {
		where = "buckets/" + parts[1] + "/" + where
	}
	return where
}

// complete reports whether all fields that the opposite needs are known.
func (w *journaled) complete(old fields) bool {
	if old["url"] == nil {
		return false
	}
	for _, name := range w.names() {
		if _, has := old[sourceOf(name)]; !has {
			return false
		}
	}
	return true
}

// names returns the fields that the write sets and its opposite restores.
func (w *journaled) names() []string {
	names := slices.Clone(w.row.undo.fields)
	for name := range w.row.sets {
		names = append(names, name)
	}
	return names
}

// knownNow returns what a call knows of an item or a project. The latest and fullest answer comes
// first.
func knownNow(journal *writeplan.Journal, id string, project bool) fields {
	objects := slices.Clone(journal.Objects(id))
	slices.Reverse(objects)
	return merged(slices.DeleteFunc(objects, func(o *writeplan.Object) bool {
		return isPerson(o.Fields) || (o.Fields["dock"] != nil) != project
	}))
}

// pathOf returns the path of an address of the API, below that of the account, or "".
func (c *Client) pathOf(address string) string {
	_, below, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	_, below, _ = strings.Cut(below, "/") // the host
	if prefix := strings.Trim(c.base.Path, "/"); prefix != "" {
		below = strings.TrimPrefix(below, prefix+"/")
	}
	_, below, _ = strings.Cut(below, "/") // the account
	if _, step, ok := strings.Cut(below, "/card_tables/steps/"); ok {
		return "subtasks/" + step // the address is not a documented one
	}
	return below
}

// after returns the step of a write, given Basecamp's answer.
func (w *journaled) after(answer []byte) writeplan.Step {
	value, _ := writeplan.Decode(answer)
	now, _ := value.(fields)
	u, why := undoing{}, w.step.Cannot
	if why == "" && !w.row.undo.none {
		u, why = w.undoing(now)
	}
	w.step.Cannot = why
	if made := writeplan.Text(now["id"]); w.row.makes != "" && made != "" {
		w.step.ID, w.step.Type = made, kindOf(writeplan.Text(now["type"]), w.step.Type)
	}
	if why == "" && (len(u.Was) > 0 || w.row.undo.made) {
		w.step.Opposite, _ = json.Marshal(u) // what was decoded from JSON can be encoded
	}
	w.seeAfter(answer, now)
	return w.step
}

// kindOf returns a type of Basecamp in the words of this server.
func kindOf(known, otherwise string) string {
	if known == "" {
		return otherwise
	}
	return strings.ToLower(known[strings.LastIndex(known, ":")+1:])
}

// seeAfter makes later writes of the call know what this one left.
func (w *journaled) seeAfter(answer []byte, now fields) {
	old, _ := w.old.(fields)
	switch {
	case writeplan.Text(now["id"]) != "":
		w.journal.Saw(w.call.at(w.call.sent.path).String(), answer)
	case old["id"] != nil:
		left := fields{}
		for name, was := range old {
			left[name] = was
		}
		for name, value := range w.row.sets {
			left[name] = value
		}
		for name, value := range w.body {
			if source := sourceOf(name); source == "parent" {
				left[source] = fields{"id": value}
			} else if _, has := old[name]; has {
				left[name] = value
			}
		}
		body, _ := json.Marshal(left)
		w.journal.Saw("", body)
	}
}

// undoing returns what undoes the write, or why nothing does.
func (w *journaled) undoing(now fields) (u undoing, why string) {
	undo := w.row.undo
	u = undoing{Method: w.call.sent.method, Path: w.call.sent.path, Wrap: w.wrap, Fields: undo.fields, Was: fields{}, Left: fields{}}
	u.Touch = writeplan.Text(now["updated_at"])
	switch {
	case undo.made:
		return w.undoMade(u, now)
	case undo.upNext:
		return w.undoUpNext(u)
	case undo.reminder:
		return w.undoReminder(u)
	case undo.adds != "":
		return w.undoMembers(u)
	}
	old, _ := w.old.(fields)
	if u.Read = w.beside(undo.reads, w.target); undo.reads == "" {
		u.Read = w.call.client.pathOf(writeplan.Text(old["url"]))
	}
	if old["recurrence_schedule"] != nil {
		return u, "the entry recurs, and Basecamp changes its other occurrences with it"
	}
	for name, left := range w.row.sets {
		u.add(name, valueIn(name, old), left)
	}
	for _, name := range undo.fields {
		left, sent := w.body[name]
		if _, answered := now[sourceOf(name)]; answered {
			left = valueIn(name, now)
		} else if !sent {
			continue
		}
		u.add(name, valueIn(name, old), left)
	}
	if method, where, ok := strings.Cut(undo.with, " "); ok {
		u.Method, u.Path = method, w.beside(where, w.target)
		if strings.HasSuffix(where, "/status/") {
			u.Method, u.Path = w.statusRequest(writeplan.Text(old["status"]))
		}
	}
	return u, w.unrestored(old)
}

// statusRequest returns the request that gives an item or a project a status.
func (w *journaled) statusRequest(status string) (method, where string) {
	if !strings.HasPrefix(w.call.sent.path, "projects/") {
		return "PUT", "recordings/" + w.target + "/status/" + status + ".json"
	}
	if status == "trashed" {
		return "DELETE", "projects/" + w.target + ".json"
	}
	return "PUT", "projects/" + w.target + "/status/" + status + ".json"
}

// unrestored returns why the opposite does not restore a field of the body, or "".
func (w *journaled) unrestored(old fields) string {
	if w.row.undo.with != "" {
		return ""
	}
	for name, value := range w.body {
		switch {
		case slices.Contains(w.row.undo.fields, name), strings.HasPrefix(name, "notify"), equal(valueIn(name, old), value):
		case name == "status":
			return "what was published cannot become a draft again"
		default:
			return "Basecamp does not say what " + strings.ReplaceAll(name, "_", " ") + " was"
		}
	}
	return ""
}

// add adds a field that changes.
func (u *undoing) add(name string, was, left any) {
	if _, toggled := left.(bool); toggled {
		was = truth(was)
	}
	if !equal(was, left) {
		u.Was[name], u.Left[name] = was, left
	}
}

// truth returns a state that is a boolean, or there or not.
func truth(value any) bool {
	if on, ok := value.(bool); ok {
		return on
	}
	return value != nil
}

// undoMade returns what undoes a write that made something.
func (w *journaled) undoMade(u undoing, now fields) (undoing, string) {
	id := writeplan.Text(now["id"])
	if id == "" {
		return u, "it is not known what was made"
	}
	method, where, _ := strings.Cut(w.row.undo.with, " ")
	u.Method, u.Path, u.Wrap, u.Fields = method, strings.ReplaceAll(where, "#", id)+".json", "", nil
	if u.Read = w.call.client.pathOf(writeplan.Text(now["url"])); w.row.undo.reads != "" || u.Read == "" {
		u.Read = strings.ReplaceAll(w.row.undo.reads, "#", id) + ".json"
	}
	for name := range w.body {
		if _, has := now[sourceOf(name)]; has {
			u.Left[name] = valueIn(name, now)
		}
	}
	if now["status"] != nil {
		u.Left["status"] = now["status"]
	}
	u.Leave = w.began()
	return u, ""
}

// began returns the path of the subscription that a comment of the user begins, or "" if there was
// one, or if the call has not read it.
func (w *journaled) began() string {
	if w.row.makes != "Comment" {
		return ""
	}
	where := w.beside("recordings/#/subscription", w.target)
	for _, o := range slices.Backward(w.journal.Objects(w.call.at(where).String())) {
		if o.Fields["subscribed"] == false {
			return where
		}
		break
	}
	return ""
}

// undoMembers returns what undoes a change of a list of people.
func (w *journaled) undoMembers(u undoing) (undoing, string) {
	undo := w.row.undo
	if w.body["create"] != nil {
		return u, "people were invited by mail"
	}
	u.Read, u.In, u.Adds, u.Drops = w.beside(undo.reads, w.target), undo.in, undo.adds, undo.drops
	before := peopleIn(w.old, undo.in)
	if undo.in == "" && len(before) >= fullPage {
		return u, "there are too many people to know who was there before"
	}
	for list, there := range map[string]bool{undo.adds: true, undo.drops: false} {
		ids, _ := w.body[list].([]any)
		for _, id := range ids {
			u.add(writeplan.Text(id), before[writeplan.Text(id)], there)
		}
	}
	return u, ""
}

// fullPage is the size of a first page of Basecamp: a longer list has others.
const fullPage = 15

// peopleIn returns the IDs of the people in a state.
func peopleIn(state any, field string) map[string]bool {
	if f, ok := state.(fields); ok {
		state = f[field]
	}
	list, _ := state.([]any)
	ids := map[string]bool{}
	for _, entry := range list {
		person, _ := entry.(fields)
		ids[writeplan.Text(person["id"])] = true
	}
	return ids
}

// undoUpNext returns what undoes a change of the user's priorities: the place of one.
func (w *journaled) undoUpNext(u undoing) (undoing, string) {
	id := w.target
	for _, name := range []string{"id", "source_id"} {
		if given := writeplan.Text(w.body[name]); given != "" {
			id = given
		}
	}
	u.Item, u.Read, u.Wrap, w.step.ID = id, w.row.undo.reads+".json", "", id
	was, left := slices.Index(priorities(w.old), id)+1, 0
	if w.call.sent.method == "POST" {
		left = 1 // where, does not matter: other priorities move it
	}
	if was > 0 || left > 0 {
		u.Was["position"], u.Left["position"] = was, left
	}
	return u, ""
}

// priorities returns the IDs of the user's priorities in their order.
func priorities(state any) (ids []string) {
	f, _ := state.(fields)
	list, _ := f["priorities"].([]any)
	for _, entry := range list {
		e, _ := entry.(fields)
		id := writeplan.Text(e["priority_recording_id"])
		if id == "" || id == "0" {
			id = writeplan.Text(e["id"])
		}
		ids = append(ids, id)
	}
	return ids
}

// undoReminder returns what undoes a change of the user's reminder of an item.
func (w *journaled) undoReminder(u undoing) (undoing, string) {
	was, known := reminderIn(w.old, w.target)
	if !known {
		return u, "there are too many reminders to know which one there was"
	}
	u.Read, u.Remind, u.Method, u.Path = w.row.undo.reads+".json", w.target, "DELETE", w.call.sent.path
	if was != "" {
		u.Method, u.Fields = "POST", []string{"at"}
	}
	u.add("at", was, writeplan.Text(w.body["at"]))
	return u, ""
}

// reminderIn returns the day of the reminder of an item, "today" for one that has appeared, or "".
// known is false if it may be on another page.
func reminderIn(state any, item string) (day string, known bool) {
	list, _ := state.([]any)
	for _, entry := range list {
		e, _ := entry.(fields)
		if !strings.HasSuffix(writeplan.Text(e["bubble_up_url"]), "/recordings/"+item+"/bubble_up.json") {
			continue
		}
		at, err := time.Parse(time.RFC3339, writeplan.Text(e["bubble_up_at"]))
		if err != nil {
			return "today", true
		}
		// It appears at 8:00 in the user's time zone. In UTC, four hours later is on the same day,
		// from UTC-11 to UTC+12.
		return at.UTC().Add(4*time.Hour - time.Minute).Format(time.DateOnly), true
	}
	return "", len(list) < fullPage
}

// sourceOf returns the field of an answer that has what a field of a body sets.
func sourceOf(name string) string {
	switch name {
	case "completion":
		return "completed"
	case "base_name":
		return "filename"
	}
	field, _, _ := relation(name)
	return field
}

// valueIn returns the value of a field of a body in an answer: people and items by their IDs.
func valueIn(name string, f fields) any {
	value := f[sourceOf(name)]
	switch _, list, one := relation(name); {
	case name == "completion":
		if value == true {
			return "on"
		}
		return ""
	case name == "base_name":
		text := writeplan.Text(value)
		return strings.TrimSuffix(text, path.Ext(text))
	case list:
		entries, _ := value.([]any)
		ids := make([]int64, 0, len(entries))
		for _, entry := range entries {
			e, _ := entry.(fields)
			id, _ := strconv.ParseInt(writeplan.Text(e["id"]), 10, 64)
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return ids
	case one:
		e, _ := value.(fields)
		return e["id"]
	}
	return value
}

// equal reports whether two values are the same. Null, an empty text and an empty list are nothing.
func equal(a, b any) bool { return plainly(a) == plainly(b) }

func plainly(value any) string {
	switch text := encoded(value); text {
	case `""`, `[]`:
		return "null"
	default:
		return text
	}
}
