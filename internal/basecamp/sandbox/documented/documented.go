// Package documented contains the routes, query parameters and body fields of Basecamp's public API
// documentation, listed in routes.txt. The sandbox supports nothing else, so a client that relies
// on undocumented behaviour fails in every test.
package documented

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

//go:embed routes.txt
var text string

// Table holds the documented routes.
type Table map[shape][]*Route

type shape struct {
	method string
	length int
}

// A Route is one documented request.
type Route struct {
	Name     string // its method and its path, without a project that may precede it: GET /todos/{id}
	segments []string
	query    []string
	fields   object // nil if the body is a file
}

// An object holds the documented fields of a JSON object. A field without fields of its own takes
// any value.
type object map[string]object

// Read returns the table, which callers must not change.
func Read() Table { return read() }

var read = sync.OnceValue(func() Table {
	t := Table{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			t.add(words[0], words[1], words[2:])
		}
	}
	return t
})

func (t Table) add(method, path string, names []string) {
	if flat, ok := strings.CutPrefix(path, "~"); ok {
		t.add(method, flat, names)
		path = "/buckets/{project}" + flat
	}
	r := &Route{Name: method + " " + strings.TrimPrefix(path, "/buckets/{project}"), segments: strings.Split(path[1:], "/"), fields: object{}}
	for _, name := range names {
		if name == "(bytes)" {
			r.fields = nil
			continue
		}
		if query, ok := strings.CutPrefix(name, "?"); ok {
			r.query = append(r.query, query)
			continue
		}
		at := r.fields
		for part := range strings.SplitSeq(name, ".") {
			if at[part] == nil {
				at[part] = object{}
			}
			at = at[part]
		}
	}
	key := shape{method, len(r.segments)}
	t[key] = append(t[key], r)
}

// Find returns the route of a path, or nil. The path has no account and no .json, and is split into
// segments.
func (t Table) Find(method string, segments []string) *Route {
	for _, r := range t[shape{method, len(segments)}] {
		if slices.EqualFunc(r.segments, segments, fits) {
			return r
		}
	}
	return nil
}

// Params returns the segments of a path where the route has a name in braces, without the project.
func (r *Route) Params(path []string) (values []string) {
	for i, s := range r.segments {
		if strings.HasPrefix(s, "{") && s != "{project}" {
			values = append(values, path[i])
		}
	}
	return values
}

// IsFile reports whether the body of a request is a file.
func (r *Route) IsFile() bool { return r.fields == nil }

// fits reports whether a segment of a path matches the documented segment.
func fits(documented, segment string) bool {
	switch {
	case documented == "{id}", documented == "{project}":
		return segment != "" && strings.Trim(segment, "0123456789") == ""
	case strings.HasPrefix(documented, "{"):
		return segment != ""
	}
	return documented == segment
}

// Query removes undocumented parameters from a query and returns their names.
func (r *Route) Query(query url.Values) (unknown []string) {
	for name := range query {
		if !slices.Contains(r.query, name) && !slices.Contains(r.query, "*") {
			delete(query, name)
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// Fields removes undocumented fields from a body and returns their names. The name of an inner
// field follows a dot.
func (r *Route) Fields(body map[string]json.RawMessage) (unknown []string) {
	if r.fields == nil {
		return nil
	}
	unknown = trim(body, r.fields)
	slices.Sort(unknown)
	return unknown
}

func trim(body map[string]json.RawMessage, known object) (unknown []string) {
	for name, value := range body {
		inner, ok := known[name]
		if !ok {
			delete(body, name)
			unknown = append(unknown, name)
			continue
		}
		if len(inner) == 0 {
			continue
		}
		trimmed, names := trimValue(value, inner)
		body[name] = trimmed
		for _, n := range names {
			unknown = append(unknown, name+"."+n)
		}
	}
	return unknown
}

// trimValue removes undocumented fields from an object or from each object of a list. It does not
// change other values.
func trimValue(value json.RawMessage, known object) (trimmed json.RawMessage, unknown []string) {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) == nil && items != nil {
		for i := range items {
			var names []string
			items[i], names = trimValue(items[i], known)
			unknown = append(unknown, names...)
		}
		return encode(items), unknown
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal(value, &inner) != nil || inner == nil {
		return value, nil
	}
	unknown = trim(inner, known)
	return encode(inner), unknown
}

// encode returns the JSON of a value. It cannot fail, because the value was decoded from JSON.
func encode(value any) json.RawMessage {
	data, _ := json.Marshal(value)
	return data
}
