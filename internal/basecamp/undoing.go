package basecamp

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/wire/writeplan"
)

// undoing is what a record of a write has: enough to undo it later.
type undoing struct {
	writeplan.Kept
	operations.Undo
	Method string `json:"method"`
	Path   string `json:"path"`
	Wrap   string `json:"wrap,omitempty"`  // the object in the body that has the fields
	Read   string `json:"read"`            // path of the state
	ID     string `json:"id,omitempty"`    // of what changed
	Touch  string `json:"touch,omitempty"` // updated_at after the write
	Leave  string `json:"leave,omitempty"` // path of a subscription that the write began
	Up     bool   `json:"up,omitempty"`    // it was moved up in its list
}

// undoing returns what undoes the write, or why nothing does.
func (w *journaled) undoing(now fields) (u undoing, why string) {
	old, _ := w.state.(fields)
	u = undoing{
		Kept: writeplan.Kept{Was: fields{}, Left: fields{}}, Undo: *w.row.Undo, Method: w.call.sent.method, Path: w.call.sent.path,
		Wrap: w.wrap, Read: w.where(old), ID: w.target, Touch: writeplan.Text(now["updated_at"]),
	}
	switch u.By {
	case operations.Removes:
		why = w.undoMade(&u, now)
	case operations.UpNext:
		w.undoUpNext(&u)
	case operations.Reminder:
		why = w.undoReminder(&u)
	case operations.Boosts:
		why = w.undoUnboost(&u, old)
	case operations.Members:
		why = w.undoMembers(&u)
	default:
		why = w.undoFields(&u, old, now)
	}
	return u, why
}

// value returns what a state says of a field that the write left with a value: of a truth value,
// whether it is there.
func (u *undoing) value(state any, name string, left any) (value any) {
	f, _ := state.(fields)
	switch u.By {
	case operations.Members:
		id, _ := strconv.ParseInt(name, 10, 64) // it was one in the body of a request
		value = slices.Contains(peopleIn(state, u.In), id)
	case operations.Reminder:
		value, _ = reminderIn(state, u.ID)
	default:
		value = valueIn(name, f)
	}
	if _, toggled := left.(bool); toggled {
		return truth(value)
	}
	return value
}

// keep adds a field if the write changed it.
func (u *undoing) keep(state any, name string, left any) {
	u.Keep(name, u.value(state, name, left), left)
}

// undoFields completes what gives fields their old values.
func (w *journaled) undoFields(u *undoing, old, now fields) string {
	if old["recurrence_schedule"] != nil {
		return "the entry recurs, and Basecamp changes its other occurrences with it"
	}
	if s := w.row.Sets; s != nil {
		u.keep(old, s.Field, s.To)
	}
	for _, name := range u.Fields {
		if name == "position" { // the moves of this call change it too: it is put back, and not compared
			if place := w.firstPlace(); place != nil {
				u.Was[name] = place
			} else if len(u.Was) == 0 {
				return "Basecamp does not say where it was"
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
		if u.keep(old, name, left); name == scheduled && left != nil && valueIn(name, old) == nil {
			return "the project had no dates, and dates can be removed only in Basecamp"
		}
	}
	switch u.By {
	case operations.Reverses:
		u.Method = map[string]string{"POST": "DELETE", "DELETE": "POST"}[u.Method]
	case operations.Statuses:
		u.Method, u.Path = w.statusRequest(writeplan.Text(old["status"]))
	case operations.Restores:
		return w.unrestored(old)
	}
	return ""
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
	for name, value := range w.body {
		switch {
		case slices.Contains(w.row.Undo.Fields, name), strings.HasPrefix(name, "notify"), writeplan.Equal(valueIn(name, old), value):
		case name == "status":
			return "what was published cannot become a draft again"
		default:
			return "Basecamp does not say what " + strings.ReplaceAll(name, "_", " ") + " was"
		}
	}
	return ""
}

// truth returns a state that is a boolean, or there or not.
func truth(value any) bool {
	if on, ok := value.(bool); ok {
		return on
	}
	return value != nil
}

// undoMade completes what removes what the write made.
func (w *journaled) undoMade(u *undoing, now fields) string {
	if u.ID = writeplan.Text(now["id"]); u.ID == "" {
		return "it is not known what was made"
	}
	method, where, _ := strings.Cut(u.With, " ")
	u.Method, u.Path = method, strings.ReplaceAll(where, "{id}", u.ID)+".json"
	if u.Read = w.call.client.pathOf(writeplan.Text(now["url"])); u.Reads != "" {
		u.Read = strings.ReplaceAll(u.Reads, "{id}", u.ID) + ".json"
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
	return ""
}

// began returns the path of the subscription that a comment of the user begins, or "" if there was
// one, or if the call has not read it.
func (w *journaled) began() string {
	if w.row.Makes != "Comment" {
		return ""
	}
	where := w.beside("recordings/{id}/subscription")
	if string(w.reads.Member(w.call.at(where).String(), "subscribed")) != "false" {
		return ""
	}
	return where
}

// undoMembers completes what changes a list of people the other way round.
func (w *journaled) undoMembers(u *undoing) string {
	switch {
	case w.body["create"] != nil:
		return "people were invited by mail"
	case u.In == "" && len(peopleIn(w.state, "")) >= fullPage:
		return "there are too many people to know who was there before"
	}
	for list, there := range map[string]bool{u.Adds: true, u.Drops: false} {
		ids, _ := w.body[list].([]any)
		for _, id := range ids {
			u.keep(w.state, writeplan.Text(id), there)
		}
	}
	return ""
}

// fullPage is the size of a first page of Basecamp: a longer list has others.
const fullPage = 15

// peopleIn returns the IDs of the people in a state.
func peopleIn(state any, field string) []int64 {
	if f, ok := state.(fields); ok {
		state = f[field]
	}
	return sortedIDs(state)
}

// undoUpNext completes what puts one of the user's priorities back in its place.
func (w *journaled) undoUpNext(u *undoing) {
	u.ID = cmp.Or(writeplan.Text(w.body["source_id"]), writeplan.Text(w.body["id"]), w.target)
	w.step.ID = u.ID
	was, left := slices.Index(priorities(w.state), u.ID)+1, 0
	if u.Method == http.MethodPost {
		left = 1 // where, does not matter: other priorities move it
	}
	if was > 0 || left > 0 {
		u.Was["position"], u.Left["position"] = was, left
	}
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

// undoUnboost completes what boosts again.
func (w *journaled) undoUnboost(u *undoing, old fields) string {
	on, _ := old["recording"].(fields)
	if on["id"] == nil {
		return "Basecamp did not say what was boosted"
	}
	u.Method, u.Path, u.Fields = "POST", "recordings/"+writeplan.Text(on["id"])+"/boosts.json", []string{"content"}
	u.Read = u.Path
	u.Was["content"], u.Left["content"] = old["content"], nil
	return ""
}

// undoReminder completes what gives the user's reminder of an item its old day.
func (w *journaled) undoReminder(u *undoing) string {
	was, known := reminderIn(w.state, u.ID)
	if !known {
		return "it is not known which reminder there was"
	}
	u.Method = "DELETE"
	if was != "" {
		u.Method, u.Fields = "POST", []string{"at"}
	}
	u.keep(w.state, "at", writeplan.Text(w.body["at"]))
	return ""
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
