package basecamp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/writeplan"
)

// undoing is what a record of a write has: enough to undo it later.
type undoing struct {
	writeplan.Kept
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
	Touch  string   `json:"touch,omitempty"`  // updated_at after the write
	Leave  string   `json:"leave,omitempty"`  // path of a subscription that the write began
	Up     bool     `json:"up,omitempty"`     // it was moved up in its list
}

// undoing returns what undoes the write, or why nothing does.
func (w *journaled) undoing(now fields) (u undoing, why string) {
	undo := w.row.undo
	u = undoing{Method: w.call.sent.method, Path: w.call.sent.path, Wrap: w.wrap, Fields: undo.fields, Kept: writeplan.Kept{Was: fields{}, Left: fields{}}}
	u.Touch = writeplan.Text(now["updated_at"])
	switch {
	case undo.made:
		return w.undoMade(u, now)
	case undo.upNext:
		return w.undoUpNext(u)
	case undo.reminder:
		return w.undoReminder(u)
	case undo.boost:
		return w.undoUnboost(u)
	case undo.adds != "":
		return w.undoMembers(u)
	}
	old, _ := w.state.(fields)
	if u.Read = w.beside(undo.reads); undo.reads == "" {
		u.Read = w.call.client.pathOf(writeplan.Text(old["url"]))
	}
	if old["recurrence_schedule"] != nil {
		return u, "the entry recurs, and Basecamp changes its other occurrences with it"
	}
	if s := w.row.sets; s.field != "" {
		u.add(s.field, valueIn(s.field, old), s.to)
	}
	for _, name := range undo.fields {
		if name == "position" { // the moves of this call change it too: it is put back, and not compared
			if place := w.firstPlace(); place != nil {
				u.Was[name] = place
			} else if len(u.Was) == 0 {
				return u, "Basecamp does not say where it was"
			}
			to, _ := strconv.Atoi(writeplan.Text(w.body[name]))
			u.Up = len(u.Was) == 1 && to < u.place()
			continue
		}
		left, sent := w.body[name]
		if _, answered := now[sourceOf(name)]; answered {
			left = valueIn(name, now)
		} else if !sent {
			continue
		}
		if u.add(name, valueIn(name, old), left); name == scheduled && left != nil && valueIn(name, old) == nil {
			return u, "the project had no dates, and dates can be removed only in Basecamp"
		}
	}
	if method, where, ok := strings.Cut(undo.with, " "); ok {
		u.Method, u.Path = method, w.beside(where)
		if strings.HasSuffix(where, "/status/") {
			u.Method, u.Path = w.statusRequest(writeplan.Text(old["status"]))
		}
	}
	return u, w.unrestored(old)
}

// firstPlace returns the place of the item before the call wrote anything, or nil.
func (w *journaled) firstPlace() any {
	for _, o := range w.reads.Objects(w.target) {
		if place := o.Fields["position"]; place != nil {
			return place
		}
	}
	return nil
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
		case slices.Contains(w.row.undo.fields, name), strings.HasPrefix(name, "notify"), writeplan.Equal(valueIn(name, old), value):
		case name == "status":
			return "what was published cannot become a draft again"
		default:
			return "Basecamp does not say what " + strings.ReplaceAll(name, "_", " ") + " was"
		}
	}
	return ""
}

func (u *undoing) add(name string, was, left any) {
	if _, toggled := left.(bool); toggled {
		was = truth(was)
	}
	u.Keep(name, was, left)
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
	where := w.beside("recordings/#/subscription")
	if string(w.reads.Member(w.call.at(where).String(), "subscribed")) != "false" {
		return ""
	}
	return where
}

// undoMembers returns what undoes a change of a list of people.
func (w *journaled) undoMembers(u undoing) (undoing, string) {
	undo := w.row.undo
	if w.body["create"] != nil {
		return u, "people were invited by mail"
	}
	u.Read, u.In, u.Adds, u.Drops = w.beside(undo.reads), undo.in, undo.adds, undo.drops
	before := peopleIn(w.state, undo.in)
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
	was, left := slices.Index(priorities(w.state), id)+1, 0
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

// undoUnboost returns what boosts again.
func (w *journaled) undoUnboost(u undoing) (undoing, string) {
	old, _ := w.state.(fields)
	on, _ := old["recording"].(fields)
	if on["id"] == nil {
		return u, "Basecamp did not say what was boosted"
	}
	u.Method, u.Path, u.Fields = "POST", "recordings/"+writeplan.Text(on["id"])+"/boosts.json", []string{"content"}
	u.Read = u.Path
	u.Was["content"], u.Left["content"] = old["content"], nil
	return u, ""
}

// undoReminder returns what undoes a change of the user's reminder of an item.
func (w *journaled) undoReminder(u undoing) (undoing, string) {
	was, known := reminderIn(w.state, w.target)
	if !known {
		return u, "it is not known which reminder there was"
	}
	u.Read, u.Remind, u.Method, u.Path = w.row.undo.reads+".json", w.target, "DELETE", w.call.sent.path
	if was != "" {
		u.Method, u.Fields = "POST", []string{"at"}
	}
	u.add("at", was, writeplan.Text(w.body["at"]))
	return u, ""
}

// reminderIn returns the day of the reminder of an item, "today" for one that has appeared, or "".
// known is false if it may be on another page, or has a time that cannot be read.
func reminderIn(state any, item string) (day string, known bool) {
	list, _ := state.([]any)
	for _, entry := range list {
		e, _ := entry.(fields)
		if !strings.HasSuffix(writeplan.Text(e["bubble_up_url"]), "/recordings/"+item+"/bubble_up.json") {
			continue
		}
		text := writeplan.Text(e["bubble_up_at"])
		if text == "" {
			return "today", true
		}
		// It appears at 8:00 in the user's time zone. In UTC, five and a half hours later is on the same
		// day, from UTC-10 to UTC+13.
		at, err := time.Parse(time.RFC3339, text)
		return at.UTC().Add(5*time.Hour + 30*time.Minute).Format(time.DateOnly), err == nil
	}
	return "", len(list) < fullPage
}
