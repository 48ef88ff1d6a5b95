package mcptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	// textShare is the part of the structured content's weight that the Markdown text may have.
	textShare = 4
	minText   = 40 // weight that every text may have
	closing   = 16 // weight kept for the line about more items
	maxCell   = 80 // characters
)

// Names of fields in the order in which they tell something.
var (
	titleKeys = []string{"name", "title", "subject", "summary", "filename", "content", "text", "what"}
	telling   = []string{
		"day", "at", "date", "due_on", "starts_at", "ends_at", "scope", "status", "completed", "ok", "who", "what",
		"assignees", "people", "participants", "mentioned", "notified", "author", "creator", "error", "message", "done", "total",
		"column", "list", "group", "project", "excerpt", "description", "comments_count", "replies_count", "completed_at",
		"created_at",
	}
	bodyKeys   = []string{"content", "description", "text", "notes", "body"}
	pagingKeys = []string{"has_more", "next_page", "next_cursor", "next_offset", "more"}
)

// markdown returns an answer as a short Markdown text for a reader who has the JSON too. What users
// wrote is escaped or quoted, so that it cannot pass for structure.
func markdown(answer []byte) string {
	root, err := readTree(answer)
	if err != nil {
		return string(answer)
	}
	object, ok := root.(*briefObject)
	if !ok {
		return string(answer)
	}
	t := &textWriter{left: max(minText, weigh(string(answer))/textShare-closing)}
	t.root(object)
	return strings.TrimSuffix(t.String(), "\n")
}

// readTree parses JSON and keeps the order of members.
func readTree(data []byte) (brief, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return nil, err
	}
	switch raw[0] {
	case '{':
		return readObject(raw)
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(raw, &elements); err != nil {
			return nil, err
		}
		array := make(briefArray, len(elements))
		for i, element := range elements {
			var err error
			if array[i], err = readTree(element); err != nil {
				return nil, err
			}
		}
		return array, nil
	}
	return briefLeaf(raw), nil
}

func readObject(raw json.RawMessage) (brief, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	object := &briefObject{}
	if _, err := decoder.Token(); err != nil { // the brace
		return nil, err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		member, err := readTree(value)
		if err != nil {
			return nil, err
		}
		object.members = append(object.members, briefMember{name: fmt.Sprint(name), value: member})
	}
	return object, nil
}

// textWriter writes a text that may have a certain weight.
type textWriter struct {
	strings.Builder
	left int
}

// line writes a line if it fits, and reports whether it does.
func (t *textWriter) line(line string) bool {
	weight := weigh(line) + 1
	if weight > t.left {
		return false
	}
	t.left -= weight
	t.WriteString(line + "\n")
	return true
}

func (t *textWriter) root(o *briefObject) {
	title, named := o.title()
	if named {
		t.line("**" + title.cell(maxCell) + "**" + prefixed(" ", o.reference()))
	}
	tables, body := o.split(title.name)
	if len(tables) > 0 { // most of the room is theirs
		room := t.left / 3
		t.left -= room
		inner := textWriter{left: room}
		inner.fields(o, title.name, body.name)
		t.WriteString(inner.String())
		t.left += inner.left
	} else {
		t.fields(o, title.name, body.name)
	}
	t.body(body)
	for i, table := range tables {
		room := t.left / (len(tables) - i)
		rest := t.left - room
		t.left = room
		t.table(table.name, table.value.(briefArray))
		t.left += rest
	}
	if more, ok := o.member("has_more"); ok && plainText(more.value) == "true" {
		t.WriteString("More follow: see next_cursor in the structured content.\n")
	}
}

// split returns the arrays of objects of an answer, and the field that is a long text.
func (o *briefObject) split(title string) (tables []briefMember, body briefMember) {
	for _, m := range o.members {
		if array, ok := m.value.(briefArray); ok && !slices.Contains(peopleKeys, m.name) && (array.holdObjects() || slices.Contains(itemArrays, m.name)) {
			tables = append(tables, m)
		}
		if body.name == "" && m.name != title && slices.Contains(bodyKeys, m.name) && plainText(m.value) != "" {
			body = m
		}
	}
	return tables, body
}

func (a briefArray) holdObjects() bool {
	return slices.ContainsFunc(a, func(element brief) bool {
		_, ok := element.(*briefObject)
		return ok
	})
}

// fields writes the fields of an answer, the telling ones first, as far as they fit.
func (t *textWriter) fields(o *briefObject, without ...string) {
	for _, m := range o.ranked() {
		array, _ := m.value.(briefArray)
		switch {
		case slices.Contains(without, m.name), slices.Contains(pagingKeys, m.name), slices.Contains([]string{"id", "type", "url"}, m.name),
			array.holdObjects() && !slices.Contains(peopleKeys, m.name):
			continue
		}
		if value := m.shown(maxCell); value != "" {
			t.line("- " + m.name + ": " + value)
		}
	}
}

// body writes a long text as a quotation, up to half of what is left.
func (t *textWriter) body(m briefMember) {
	text := plainText(m.value)
	if text == "" {
		return
	}
	room := t.left / 2
	for line := range strings.Lines(text) {
		quoted := "> " + strings.TrimRight(visible(line), " \n")
		weight := weigh(quoted) + 1
		if weight > room {
			most := room * 2 // characters
			if quoted = clip(quoted, most); most > 10 {
				t.WriteString(quoted + "\n")
			}
			t.left -= room
			return
		}
		room, t.left = room-weight, t.left-weight
		t.WriteString(quoted + "\n")
	}
}

// table writes objects as the rows of a table, with as many columns as fit.
func (t *textWriter) table(name string, rows briefArray) {
	if len(rows) == 0 {
		t.line(name + ": none")
		return
	}
	objects, group := ungrouped(name, rows)
	t.left -= weigh(name) + 4
	t.WriteString("\n" + name + ":\n\n")
	columns := chosen(objects, group, t.left)
	t.WriteString("| " + strings.Join(columns.names(), " | ") + " |\n|" + strings.Repeat("---|", len(columns)) + "\n")
	for i, object := range objects {
		if !t.line(columns.row(object)) {
			fmt.Fprintf(t, "\n%d more in the structured content.\n", len(objects)-i)
			return
		}
	}
}

// ungrouped returns the objects of an array. If they hold items of their own, such as the columns
// of a board or the days of a project, it returns those items, and the name of the field that says
// which group an item is in.
func ungrouped(name string, rows briefArray) (objects []*briefObject, group string) {
	group = strings.TrimSuffix(name, "s")
	if inner := rows.held(group, nil); len(inner) > 0 {
		return inner, group
	}
	for _, row := range rows {
		if object, ok := row.(*briefObject); ok {
			objects = append(objects, object.flat())
		}
	}
	return objects, ""
}

// held returns the items that the groups of an array hold, and the groups in these. An item gets
// the members outer, and one that names its group.
func (a briefArray) held(group string, outer []briefMember) []*briefObject {
	var items []*briefObject
	for _, row := range a {
		object, ok := row.(*briefObject)
		if !ok {
			continue
		}
		around := append(slices.Clone(outer), briefMember{name: group, value: object.label(group)})
		for _, m := range object.members {
			inner, ok := m.value.(briefArray)
			switch {
			case !ok:
			case slices.Contains(itemArrays, m.name):
				for _, element := range inner {
					if item, ok := element.(*briefObject); ok {
						items = append(items, &briefObject{members: slices.Concat(item.members, around)})
					}
				}
			case inner.holdObjects():
				items = append(items, inner.held(strings.TrimSuffix(m.name, "s"), around)...)
			}
		}
	}
	return items
}

// label returns what names a group: the member that is called so, the title or the scope.
func (o *briefObject) label(group string) brief {
	if m, ok := o.member(group); ok {
		return m.value
	}
	if m, ok := o.title(); ok {
		return m.value
	}
	m, _ := o.member("scope")
	return m.value
}

// flat returns an object with the members of an item in it as its own.
func (o *briefObject) flat() *briefObject {
	m, ok := o.member("item")
	inner, isObject := m.value.(*briefObject)
	if !ok || !isObject {
		return o
	}
	return &briefObject{members: slices.Concat(o.members, inner.members)}
}

// ranked returns the members, the telling ones first.
func (o *briefObject) ranked() []briefMember {
	rank := func(m briefMember) int {
		if strings.HasPrefix(m.name, sharedPrefix) {
			return -1
		}
		if i := slices.Index(telling, m.name); i >= 0 {
			return i
		}
		return len(telling)
	}
	ranked := slices.Clone(o.members)
	slices.SortStableFunc(ranked, func(a, b briefMember) int { return rank(a) - rank(b) })
	return ranked
}

func (o *briefObject) title() (briefMember, bool) {
	for _, name := range titleKeys {
		if m, ok := o.member(name); ok && plainText(m.value) != "" {
			return m, true
		}
	}
	return briefMember{}, false
}

// reference returns what tools take for the object: its ref, or its type and ID. The type goes only
// with an ID that is a number.
func (o *briefObject) reference() string {
	if ref, ok := o.member("ref"); ok && plainText(ref.value) != "" {
		return ref.cell(maxCell)
	}
	id, _ := o.member("id")
	kind, _ := o.member("type")
	if id.value == nil {
		item, _ := o.member("item")
		return plainText(item.value)
	}
	if kind.value == nil || strings.Trim(plainText(id.value), "0123456789") != "" {
		return id.cell(maxCell)
	}
	return kind.cell(maxCell) + ":" + id.cell(maxCell)
}

// shown returns a value as one line of Markdown: the name and ID of an object, or the elements of
// an array. It returns "" for empty values.
func (m briefMember) shown(limit int) string {
	switch value := m.value.(type) {
	case *briefObject:
		var parts []string
		if slices.Contains(peopleKeys, m.name) {
			return m.cell(limit)
		}
		if title, ok := value.title(); ok {
			return title.cell(limit) + bracketed(value.reference())
		}
		for _, inner := range value.members {
			if text := inner.shown(limit); text != "" {
				parts = append(parts, inner.name+" "+text)
			}
		}
		return strings.Join(parts, "; ")
	case briefArray:
		if len(value) == 0 {
			return ""
		}
	}
	if m.value.empty(m.name) {
		return ""
	}
	return m.cell(limit)
}

// cell returns a value as the text of a table's cell.
func (m briefMember) cell(limit int) string {
	switch value := m.value.(type) {
	case nil:
		return ""
	case briefArray:
		cells := make([]string, 0, len(value))
		for _, element := range value {
			cells = append(cells, briefMember{value: element}.cell(limit))
		}
		return strings.Join(cells, ", ")
	case *briefObject:
		title, _ := value.title()
		return title.cell(limit)
	}
	return escapeMarkdown(clip(strings.Join(strings.Fields(shortTime(plainText(m.value))), " "), limit))
}
