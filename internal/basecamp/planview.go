package basecamp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// record adds the write to the plan, with what changes in words.
func (w *plannedWrite) record() {
	r := writeplan.Write{
		What: w.row.Says,
		Sent: writeplan.Request{Method: w.call.sent.method, URL: w.call.url().String(), Body: w.call.sent.body},
		Made: w.made.String(),
	}
	r.On = w.on()
	r.Before, r.After = w.difference()
	if w.made != "" && w.row.Makes != "" {
		r.After["id"] = w.made
	}
	if undo := w.row.Undo; undo.Cannot == "" {
		j := journaled{write: w.write, state: w.old}
		j.oppose(w.now)
		r.Kept = len(j.step.Opposite)
	}
	w.plan.Record(r)
}

// on returns what the write changes, or what holds what it makes.
func (w *plannedWrite) on() *writeplan.Item {
	if w.target == "" {
		return nil
	}
	kind := w.call.sent.about.Type
	if known := writeplan.Text(w.old["type"]); kind == "" || known != "" && (kind == "item" || kind == "project") {
		kind = kindOf(known, kind)
	} else if kind == "project" { // of a tool of the project: in its dock, it has no type
		kind = kindOf(collection(w.call.sent.path, w.target), kind)
	}
	url, _ := w.old["app_url"].(string)
	return &writeplan.Item{Type: kind, ID: w.target, Title: plaintext.Clean(titleOf(w.old)), URL: url}
}

// collection returns what the ID of a path is one of, in words: "card table" in card_tables/7.
func collection(path, id string) string {
	before, _, _ := strings.Cut(path, "/"+id)
	return strings.ReplaceAll(strings.TrimSuffix(before[strings.LastIndexByte(before, '/')+1:], "s"), "_", " ")
}

// titleOf returns the title of an item, a project or a file, or the name of a person, whose title
// is a job.
func titleOf(f fields) string {
	names := []string{"title", "subject", "summary", "name", "content"}
	if isPerson(f) {
		names = []string{"name"}
	}
	for _, name := range names {
		if title, _ := f[name].(string); title != "" && !strings.HasPrefix(title, "<") {
			return title
		}
	}
	return ""
}

// unshown are fields of bodies that say nothing to a person.
var unshown = []string{"attachable_sgid", "content_type"}

// difference returns the fields that the write changes, before and after it. What a new item has is
// all in after. Null stands for nothing.
func (w *plannedWrite) difference() (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	old := w.old
	if w.row.Makes != "" {
		old = nil
	}
	answered := w.answered()
	for name, value := range w.body {
		field, list, one := relation(name)
		switch {
		case slices.Contains(unshown, name):
		case list || one:
			difference(before, after, cmp.Or(map[string]string{"parent": "in"}[field], field), old[field], answered[field])
		case name == "readables":
			sgids, _ := value.([]any)
			after["notifications"] = len(sgids)
		default:
			difference(before, after, name, old[name], value)
		}
	}
	if s := w.row.Sets; s != nil {
		difference(before, after, s.Field, old[s.Field], s.To)
	}
	return before, after
}

// difference adds a field to what is before and after a write if it changes: of texts, the
// paragraphs that change.
func difference(before, after map[string]any, name string, old, now any) {
	rich := isRich(old) || isRich(now)
	from, to := shownValue(old, rich), shownValue(now, rich)
	if encoded(from) == encoded(to) {
		return
	}
	after[name] = paragraphs(to, from)
	if gone := paragraphs(from, to); gone != nil {
		before[name] = gone
	}
}

// isRich reports whether a value is rich text with any formatting.
func isRich(value any) bool {
	text, _ := value.(string)
	return strings.Contains(text, "</") || strings.Contains(text, "<br>")
}

// shownValue returns a value as a person reads it: rich text as Markdown, people and items by name.
func shownValue(value any, rich bool) any {
	switch v := value.(type) {
	case string:
		if rich {
			v = richtext.Markdown(v)
		}
		if v = plaintext.Clean(v); v == "" {
			return nil
		}
		return v
	case []any:
		if len(v) == 0 {
			return nil
		}
		all := make([]any, len(v))
		for i, entry := range v {
			all[i] = shownValue(entry, false)
		}
		return all
	case map[string]any:
		if title := titleOf(v); title != "" {
			return plaintext.Clean(title)
		}
		if id := v["id"]; id != nil {
			return id
		}
	}
	return value
}

// shownEither does the same with a value that may be rich text.
func shownEither(value any) any { return shownValue(value, isRich(value)) }

// paragraphs returns a text without the paragraphs that another has too. Other values stay.
func paragraphs(value, other any) any {
	text, isText := value.(string)
	if !isText {
		return value
	}
	without, _ := other.(string)
	if text = plaintext.Dropped(text, without); text == "" {
		return nil
	}
	return text
}

func encoded(value any) string {
	b, _ := json.Marshal(value) // what was decoded from JSON can be encoded
	return string(b)
}
