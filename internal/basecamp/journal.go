package basecamp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/wire/writeplan"
)

// journaled is a write that is recorded with its opposite.
type journaled struct {
	write
	state any // what the fields of the opposite are in, as it was
	step  writeplan.Step
}

// Opposite returns a function that says what undoes a write. It reads what the write changes if the
// call has not read it.
func (c *call) Opposite(ctx context.Context, journal *writeplan.Journal) (func(answer []byte) []writeplan.Step, error) {
	w := &journaled{write: c.write(&journal.Reads)}
	if w.row.Makes == "" {
		w.old = w.known()
	}
	w.step = writeplan.Step{Provider: ProviderID, What: w.row.Says, Type: c.sent.about.Type, ID: w.target, Cannot: w.row.Undo.Cannot}
	if undo := w.row.Undo; undo.Cannot == "" && undo.By != operations.Unseen && undo.By != operations.Removes {
		if err := w.readOld(ctx); err != nil && (ctx.Err() != nil || w.replaces()) {
			return nil, err
		} else if err != nil {
			w.step.Cannot = "what was there before could not be read"
		}
	}
	return func(answer []byte) []writeplan.Step { return []writeplan.Step{w.after(answer)} }, nil
}

// ProviderID is what steps of this package have as their provider.
const ProviderID = "basecamp"

// where returns the path of the state that the write changes, or "".
func (w *journaled) where(old fields) string {
	if reads := w.row.Undo.Reads; reads != "" {
		return w.beside(reads)
	}
	return w.call.client.pathOf(writeplan.Text(old["url"]))
}

// readOld finds what the write changes in what the call has read, or reads it.
func (w *journaled) readOld(ctx context.Context) error {
	var seen []*writeplan.Object
	itself, where := w.row.Undo.Reads == "", w.where(w.old)
	if where != "" {
		seen = w.reads.Objects(w.call.at(where).String())
	}
	switch {
	case itself && where != "" && (len(seen) > 0 || w.complete()):
		w.state = w.old
		return nil
	case !itself && len(seen) > 0:
		w.state = seen[len(seen)-1].Fields
		return nil
	case where == "" && w.call.sent.method == "PUT" && strings.HasSuffix(w.call.sent.path, "/"+w.target+".json"):
		where = w.call.sent.path
	case where == "":
		w.step.Cannot = "the call did not read what was there before"
		return nil
	}
	var err error
	w.state, err = w.call.client.state(ctx, where)
	if f, ok := w.state.(fields); ok && itself && f["url"] == nil {
		f["url"] = w.call.at(where).String()
	}
	return err
}

// keptTexts are the fields of bodies whose old values a write must not lose.
var keptTexts = []string{"content", "description", "title", "subject", "name", "summary", "base_name"}

// replaces reports whether the write puts a text in place of another.
func (w *journaled) replaces() bool {
	return slices.ContainsFunc(keptTexts, func(name string) bool {
		_, sent := w.body[name]
		return sent && slices.Contains(w.row.Undo.Fields, name)
	})
}

// beside returns a path with the ID of the target, in the form of the sent one: within a project,
// or not.
func (w *journaled) beside(pattern string) string {
	where := strings.ReplaceAll(pattern, "{id}", w.target) + ".json"
	if parts := strings.Split(w.call.sent.path, "/"); parts[0] == "buckets" && !strings.HasPrefix(where, "my/") {
		where = "buckets/" + parts[1] + "/" + where
	}
	return where
}

// complete reports whether all fields that the opposite needs are known.
func (w *journaled) complete() bool {
	for _, name := range w.names() {
		if _, has := w.old[sourceOf(name)]; !has {
			return false
		}
	}
	return true
}

// names returns the fields that the write sets and its opposite restores.
func (w *journaled) names() []string {
	names := slices.Clone(w.row.Undo.Fields)
	if s := w.row.Sets; s != nil {
		names = append(names, s.Field)
	}
	return names
}

// pathOf returns the flat path of an address of the API, below that of the account, or "".
func (c *connection) pathOf(address string) string {
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
	if within, ok := strings.CutPrefix(below, "buckets/"); ok {
		_, below, _ = strings.Cut(within, "/") // the project
	}
	return below
}

// after returns the step of a write, given Basecamp's answer.
func (w *journaled) after(answer []byte) writeplan.Step {
	value, _ := writeplan.Decode(answer)
	now, _ := value.(fields)
	w.oppose(now)
	w.compare(now)
	if w.step.Type == "item" { // of an endpoint for items of any kind
		w.step.Type = kindOf(writeplan.Text(w.old["type"]), w.step.Type)
	}
	if made := writeplan.Text(now["id"]); w.row.Makes != "" && made != "" {
		w.step.Also = []string{w.step.ID} // a new comment or subtask also changes what it is in
		w.step.ID, w.step.Type = made, kindOf(writeplan.Text(now["type"]), w.step.Type)
	}
	w.seeAfter(answer, now)
	return w.step
}

// compare notes the fields of the body that the answer has otherwise than asked. Of people who are
// asked for, all must be there; Basecamp may add others. Texts that it has formatted and places
// that it has counted are not otherwise.
func (w *journaled) compare(now fields) {
	old, _ := w.state.(fields)
	if old == nil {
		old = w.old
	}
	if old == nil && w.row.Makes == "" {
		if seen := w.reads.Objects(w.call.at(w.call.sent.path).String()); len(seen) > 0 {
			old = seen[len(seen)-1].Fields
		}
	}
	body := maps.Clone(w.body)
	for _, inner := range w.body {
		part, _ := inner.(fields)
		maps.Copy(body, part)
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if name == w.row.Undo.Drops {
			w.compareDropped(name, now)
		}
		field, list, _ := relation(name)
		answered, has := now[sourceOf(name)]
		if _, outer := w.body[name]; !has && outer || name == "position" || name == scheduled || strings.HasPrefix(name, "notify") {
			continue
		}
		asked, is := body[name], valueIn(name, now)
		was := w.before(name, old)
		if list {
			asked = sortedIDs(asked)
			if ids, _ := is.([]int64); !slices.ContainsFunc(asked.([]int64), func(id int64) bool { return !slices.Contains(ids, id) }) && (was == nil || !writeplan.Equal(*was, is)) {
				is = asked
			}
		} else if _, text := asked.(string); text && was == nil && !strings.HasSuffix(name, "_on") && !strings.HasSuffix(name, "_date") {
			continue
		}
		w.step.Compare(cmp.Or(w.row.Named[name], field), was, moment(asked), moment(is), func(any) any { return names(shownEither(answered)) })
	}
	if s := w.row.Sets; s != nil && now[s.Field] != nil {
		w.step.Compare(s.Field, nil, s.To, now[s.Field], shownEither)
	}
}

// before returns the value of a field of the body before the write, or nil if it is not known.
func (w *journaled) before(name string, old fields) *any {
	value, known := old[sourceOf(name)]
	if !known || w.row.Makes != "" {
		return nil
	}
	was := new(any)
	if value != nil {
		*was = moment(valueIn(name, old))
	}
	return was
}

// compareDropped notes the people of a field of the body who should have left the item, but did
// not.
func (w *journaled) compareDropped(name string, now fields) {
	in := w.row.Undo.In
	if now[in] == nil {
		return
	}
	for _, id := range sortedIDs(w.body[name]) {
		w.step.Compare(in, nil, false, slices.Contains(sortedIDs(now[in]), id), func(any) any { return names(shownEither(now[in])) })
	}
}

// names returns the entries of a list in one line; other values stay.
func names(value any) any {
	list, isList := value.([]any)
	if !isList {
		return value
	}
	all := make([]string, len(list))
	for i, entry := range list {
		all[i] = writeplan.Text(entry)
	}
	return strings.Join(all, ", ")
}

// moment returns a time in UTC, because Basecamp answers in its own zone. Other values stay.
func moment(value any) any {
	text, _ := value.(string)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format(time.RFC3339)
	}
	return value
}

// oppose adds to the step what undoes it, or why nothing does.
func (w *journaled) oppose(now fields) {
	if w.step.Cannot != "" || w.row.Undo.By == operations.Unseen {
		return
	}
	u, why := w.undoing(now)
	if w.step.Cannot = why; why == "" && (len(u.Was) > 0 || u.By == operations.Removes) {
		w.step.Opposite, _ = json.Marshal(u) // what was decoded from JSON can be encoded
	}
}

// kindOf returns a type of Basecamp in the words of this server.
func kindOf(known, otherwise string) string {
	if known == "" {
		return otherwise
	}
	kind := strings.ToLower(known[strings.LastIndex(known, ":")+1:])
	return cmp.Or(map[string]string{"vault": "folder", "entry": "schedule_entry", "step": "subtask"}[kind], kind)
}

// seeAfter makes later writes of the call know what this one left.
func (w *journaled) seeAfter(answer []byte, now fields) {
	address := w.call.at(w.call.sent.path).String()
	if writeplan.Text(now["id"]) == "" {
		if w.old, _ = w.state.(fields); w.old["id"] == nil {
			return
		}
		address = ""
		answer, _ = json.Marshal(w.changed()) // what was decoded from JSON can be encoded
	}
	w.reads.Saw(address, answer)
}
