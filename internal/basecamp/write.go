package basecamp

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/wire/writeplan"
)

// fields are the members of a JSON object, with numbers as json.Number.
type fields = map[string]any

// write is a write that is planned, or recorded with its opposite.
type write struct {
	call   *call
	reads  *writeplan.Reads // of the call
	row    operations.Row
	target string // the last ID in its path: of what it changes, or of what holds what it makes
	body   fields // of its JSON
	wrap   string // the name of the object in the body that has the fields; empty if the body has them
	old    fields // the target as it was read; nil if it was not, or if that does not matter
}

func (c *call) write(reads *writeplan.Reads) write {
	w := write{call: c, reads: reads}
	w.row, w.target = operations.Write(c.sent.method, c.sent.path)
	if c.sent.contentType == "" {
		w.body, w.wrap = bodyFields(c.sent.body)
	}
	return w
}

// bodyFields returns the fields that a body writes. A single object in it holds them all: then its
// name is returned too.
func bodyFields(body []byte) (f fields, wrap string) {
	value, _ := writeplan.Decode(body)
	f, _ = value.(fields)
	if len(f) == 1 {
		for name, only := range f {
			if inner, ok := only.(fields); ok {
				return inner, name
			}
		}
	}
	return f, ""
}

// known returns what the call has read of the target, which is an item or a project: the latest and
// fullest answer, with what others have in addition.
func (w *write) known() fields {
	objects := w.reads.Objects(w.target)
	slices.Reverse(objects)
	project := strings.HasPrefix(w.call.sent.path, "projects/")
	return merged(slices.DeleteFunc(objects, func(o *writeplan.Object) bool {
		return isPerson(o.Fields) || (o.Fields["dock"] != nil) != project
	}))
}

func isPerson(f fields) bool { return f["personable_type"] != nil || f["email_address"] != nil }

// merged returns what objects say about one thing. Longer ones come first. The project of an object
// inside another is that of the other.
func merged(objects []*writeplan.Object) fields {
	slices.SortStableFunc(objects, func(a, b *writeplan.Object) int { return cmp.Compare(len(b.Fields), len(a.Fields)) })
	var all fields
	for _, o := range objects {
		if all == nil {
			all = fields{}
		}
		for name, value := range o.Fields {
			if _, has := all[name]; !has {
				all[name] = value
			}
		}
	}
	for _, o := range objects {
		if all["bucket"] == nil {
			all["bucket"] = bucketOf(o)
		}
	}
	return all
}

// bucketOf returns the project of an object, or nil.
func bucketOf(o *writeplan.Object) any {
	for ; o != nil; o = o.In {
		if o.Fields["dock"] != nil {
			return fields{"id": o.Fields["id"], "name": o.Fields["name"], "type": "Project"}
		}
		if bucket := o.Fields["bucket"]; bucket != nil {
			return bucket
		}
	}
	return nil
}

// sourceOf returns the field of an answer that has what a field of a body sets.
func sourceOf(name string) string {
	switch name {
	case "completion":
		return "completed"
	case "base_name":
		return "filename"
	case scheduled:
		return "start_date"
	}
	field, _, _ := relation(name)
	return field
}

// scheduled is the field of a body that has the dates of a project.
const scheduled = "schedule_attributes"

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
	case name == scheduled && value != nil:
		return fields{"start_date": value, "end_date": f["end_date"]}
	case list:
		return sortedIDs(value)
	case one:
		e, _ := value.(fields)
		return e["id"]
	}
	return value
}

// sortedIDs returns the IDs of a list, which has them or what they identify.
func sortedIDs(value any) []int64 {
	list, _ := value.([]any)
	ids := make([]int64, len(list))
	for i, entry := range list {
		if f, ok := entry.(fields); ok {
			entry = f["id"]
		}
		ids[i], _ = strconv.ParseInt(writeplan.Text(entry), 10, 64)
	}
	slices.Sort(ids)
	return ids
}
