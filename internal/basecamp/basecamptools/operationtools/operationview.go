package operationtools

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
)

// operationItem is what Basecamp answered to an operation, in the words of the other tools: texts
// are Markdown or plain and cleaned, and what only a program needs is left out.
type operationItem toolanswer.Object

// MarshalJSON writes the fields in their order.
func (o operationItem) MarshalJSON() ([]byte, error) { return toolanswer.Object(o).MarshalJSON() }

// Trim shortens the texts of the item, also those of what it holds, and marks it as truncated.
func (o *operationItem) Trim(characters int) {
	if trimTexts(toolanswer.Object(*o), characters) && toolanswer.Object(*o).Get("truncated") == nil {
		*o = append(*o, toolanswer.Member{Name: "truncated", Value: true})
	}
}

func trimTexts(o toolanswer.Object, characters int) (trimmed bool) {
	for i := range o {
		switch value := o[i].Value.(type) {
		case string:
			if short, cut := plaintext.Excerpt(value, characters); cut {
				o[i].Value, trimmed = short, true
			}
		case toolanswer.Object:
			trimmed = trimTexts(value, characters) || trimmed
		case []any:
			for _, element := range value {
				if object, ok := element.(toolanswer.Object); ok {
					trimmed = trimTexts(object, characters) || trimmed
				}
			}
		}
	}
	return trimmed
}

func (rs *Resolver) viewOperation(raw json.RawMessage) operationItem {
	object, _ := rs.viewValue(toolanswer.Decode(raw), false).(toolanswer.Object)
	return operationItem(object)
}

// viewValue returns the view of a value. Inside of another value, people are shown in short.
func (rs *Resolver) viewValue(value any, inside bool) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = rs.viewValue(v[i], true)
		}
	case toolanswer.Object:
		for i := range v {
			v[i].Value = rs.viewValue(v[i].Value, true)
		}
		return rs.viewFields(v, inside)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64() // a number of JSON
		return n
	}
	return value
}

// viewFields returns the view of an object whose values are viewed already.
func (rs *Resolver) viewFields(fields toolanswer.Object, inside bool) toolanswer.Object {
	upstream, _ := fields.Get("type").(string)
	if fields.Get("attachable_sgid") != nil || fields.Get("personable_type") != nil {
		return viewPersonFields(fields, inside)
	}
	var view toolanswer.Object
	for _, m := range fields {
		if files, ok := m.Value.([]any); ok && len(files) == 0 && strings.HasSuffix(m.Name, "_attachments") {
			continue
		}
		if text, ok := m.Value.(string); ok {
			m.Value = rs.viewText(fields, upstream, m.Name, text)
			if n, isHours := hoursIn(text); isHours && m.Name == "hours" {
				m.Value = n
			}
		}
		if m.Name == "url" && slices.Contains(linkTypes, upstream) {
			m.Name = "link"
		}
		if bucket, ok := m.Value.(toolanswer.Object); ok && m.Name == "bucket" {
			m.Value = toolanswer.Object{{Name: "id", Value: bucket.Get("id")}, {Name: "name", Value: bucket.Get("name")}}
		}
		if name := viewedName(m.Name); name != "" && !(m.Name == "url" && fields.Get("app_url") != nil) {
			view = append(view, toolanswer.Member{Name: name, Value: m.Value})
		}
	}
	if lookup.ViewSeen(seenOf(fields, upstream)).ClientsSee != nil {
		view = append(view, toolanswer.Member{Name: "clients_see", Value: true})
	}
	return view
}

// hoursIn returns the number of hours in a text such as 1.5, 1,5 or 1:30.
func hoursIn(text string) (n float64, ok bool) {
	hours, minutes, clock := strings.Cut(strings.Replace(text, ",", ".", 1), ":")
	n, err := strconv.ParseFloat(hours, 64)
	if clock && err == nil {
		var m float64
		m, err = strconv.ParseFloat(minutes, 64)
		n += m / 60
	}
	return Rounded(n), err == nil
}

// PersonHours has the hours of a person in timesheet entries.
type PersonHours struct {
	ID    int64   `json:"id"`
	Name  string  `json:"name"`
	Hours float64 `json:"hours"`
}

// addUp adds up the hours of timesheet entries.
func (r *operationRead) addUp(entries []operationItem) {
	r.Hours, r.ByPerson = new(float64), nil
	for _, e := range entries {
		n, _ := toolanswer.Object(e).Get("hours").(float64)
		person, _ := toolanswer.Object(e).Get("person").(toolanswer.Object)
		id, _ := person.Get("id").(int64)
		i := slices.IndexFunc(r.ByPerson, func(p PersonHours) bool { return p.ID == id })
		if i < 0 {
			name, _ := person.Get("name").(string)
			i, r.ByPerson = len(r.ByPerson), append(r.ByPerson, PersonHours{ID: id, Name: name})
		}
		r.ByPerson[i].Hours = Rounded(r.ByPerson[i].Hours + n)
		*r.Hours = Rounded(*r.Hours + n)
	}
	slices.SortStableFunc(r.ByPerson, func(a, b PersonHours) int { return cmp.Compare(b.Hours, a.Hours) })
}

// Rounded returns a number of hours with two decimals.
func Rounded(n float64) float64 { return math.Round(n*100) / 100 }

// linkTypes are the types whose url leads elsewhere.
var linkTypes = []string{"CloudFile", "GoogleDocument", "Door"}

// viewText returns a text of an object as the view shows it.
func (rs *Resolver) viewText(fields toolanswer.Object, upstream, name, text string) string {
	rich := fields.Get(name+"_attachments") != nil || (name == "content" || name == "description") && slices.Contains(richTypes, upstream)
	switch {
	case name == "type":
		return lookup.TypeOf(text)
	case strings.HasSuffix(name, "_at"), strings.HasSuffix(name, "url"):
		return text
	case rich:
		return rs.Markdown(basecamp.HTML(text))
	}
	return plaintext.Clean(text)
}

// richTypes are the types whose content or description is rich text, also where the answer does not
// name its files (rich_text.md).
var richTypes = []string{"Gauge", "Gauge::Needle", "Notebook::Note", "CloudFile", "GoogleDocument", "Door", "Message", "Document", "Comment"}

// seenOf returns what decides whether clients see an object that is an item.
func seenOf(fields toolanswer.Object, upstream string) basecamp.Recording {
	r := basecamp.Recording{Type: upstream}
	if visible, ok := fields.Get("visible_to_clients").(bool); ok {
		r.VisibleToClients = &visible
	}
	r.Status, _ = fields.Get("status").(string)
	if parent, ok := fields.Get("parent").(toolanswer.Object); ok {
		kind, _ := parent.Get("type").(string)
		r.Parent = &basecamp.Parent{Type: kind}
	}
	return r
}

// viewedName returns the name of a field in the view, or "" if only programs need it.
func viewedName(name string) string {
	switch name {
	case "creator", "booster":
		return "author"
	case "bucket":
		return "project"
	case "parent":
		return "part_of"
	case "app_url":
		return "url"
	case "payload_url", "command_url", "url":
		return name
	case "inherits_status", "visible_to_clients", "sgid", "personable_type", "position_digest":
		return ""
	}
	if strings.HasSuffix(name, "_url") || strings.HasSuffix(name, "_sgid") {
		return ""
	}
	return name
}

// viewPersonFields returns the view of a person, in short inside of another object.
func viewPersonFields(fields toolanswer.Object, inside bool) toolanswer.Object {
	var view toolanswer.Object
	names := []string{"id", "name", "client", "email_address", "title", "bio", "location", "company", "time_zone"}
	if inside {
		names = names[:4]
	}
	for _, name := range names {
		value := fields.Get(name)
		if text, ok := value.(string); ok {
			value = plaintext.Clean(text)
		}
		switch {
		case name == "email_address" && value != nil && strings.Contains(value.(string), "•"):
		case name == "email_address":
			view = append(view, toolanswer.Member{Name: "email", Value: value})
		case value != nil && value != false:
			view = append(view, toolanswer.Member{Name: name, Value: value})
		}
	}
	return view
}

// viewChange returns the view of an event with what happened in words.
func viewChange(all operationItem, what string) operationItem {
	event := slices.DeleteFunc(all, func(m toolanswer.Member) bool {
		return !slices.Contains([]string{"id", "created_at", "author"}, m.Name)
	})
	return append(event, toolanswer.Member{Name: "what", Value: what})
}

// viewResult returns what a caller needs to know of what an operation made or changed: without
// empty fields, without what is the same after any change, and of other things only their names.
func viewResult(all operationItem) operationItem {
	var told operationItem
	for _, m := range all {
		object, isObject := m.Value.(toolanswer.Object)
		list, isList := m.Value.([]any)
		switch {
		case m.Value == nil || m.Value == "" || isList && len(list) == 0:
			continue
		case slices.Contains([]string{"created_at", "updated_at", "author", "subscribers"}, m.Name):
			continue
		case isObject && object.Get("id") != nil:
			m.Value = viewNamed(object)
		}
		told = append(told, m)
	}
	return told
}

func viewNamed(object toolanswer.Object) toolanswer.Object {
	return slices.DeleteFunc(slices.Clone(object), func(m toolanswer.Member) bool {
		return !slices.Contains([]string{"id", "type", "title", "name"}, m.Name)
	})
}
