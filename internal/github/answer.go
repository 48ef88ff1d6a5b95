package github

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// graphqlAnswer is an answer of the GraphQL API (GraphQL specification, "Response"). GitHub answers
// with the status 200 even when it refuses.
type graphqlAnswer struct {
	Data   json.RawMessage `json:"data"`
	Errors []graphqlError  `json:"errors"`
}

// graphqlError is one error. Everything in it is foreign and may have any form.
type graphqlError struct {
	kind    string
	code    string // of the extensions
	message string
	path    []any // keys, and indexes as json.Number; nil if the error has none
}

// UnmarshalJSON implements json.Unmarshaler. It reads members in other forms as missing.
func (e *graphqlError) UnmarshalJSON(data []byte) error {
	var wire struct{ Type, Message, Path, Extensions json.RawMessage }
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	var extensions struct{ Code json.RawMessage }
	_ = json.Unmarshal(wire.Extensions, &extensions)
	*e = graphqlError{kind: text(wire.Type), code: text(extensions.Code), message: text(wire.Message)}
	if path, ok := parsed(wire.Path).([]any); ok {
		e.path = path
	}
	return nil
}

// parsed returns any JSON with its numbers as they are; nil if it is invalid.
func parsed(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}

// absent is the kind of an error that GitHub did not send: what was asked for is null.
const absent = "absent"

var (
	errNoData = errors.New("neither data nor errors")
	errAbsent = errors.New("what was asked for is null")
	errList   = errors.New("null instead of a list")
)

// found is what an answer holds of what was asked for.
type found struct {
	thing  json.RawMessage // nil if the errors leave nothing
	hidden int             // entries and parts that the user may not see
	failed []graphqlError  // why there is no thing, or why it must not be used
}

// valueAt returns what an answer holds at a path of keys. An error that leads into a list there
// makes that entry null; an error below the thing hides a part; every other error is one of the
// thing. A mutation that returned its payload has happened, whatever the errors say.
func (a graphqlAnswer) valueAt(path []string, mutation bool) (found, error) {
	thing, err := reach(a.Data, path)
	if err != nil || isNull(thing) {
		switch {
		case len(a.Errors) > 0:
			return found{failed: a.Errors}, nil
		case err == nil && !mutation:
			return found{}, errAbsent
		}
		return found{}, errNoData
	}
	f := found{thing: thing}
	entries, parts := map[string][]any{}, map[string]bool{}
	for _, e := range a.Errors {
		below, ok := beneath(e.path, path)
		if index := slices.IndexFunc(below, isIndex); ok && index >= 0 {
			entries[fmt.Sprint(below[:index+1])] = below[:index+1]
		} else if ok && len(below) > 0 {
			parts[fmt.Sprint(below)] = true
		} else if !mutation {
			f.failed = append(f.failed, e)
		}
	}
	f.hidden = len(entries) + len(parts)
	if len(entries) > 0 {
		f.thing, err = without(thing, entries)
	}
	return f, err
}

// reach returns the JSON at a path of keys; null if one of the objects on the way is null. A
// missing key is an error.
func reach(data json.RawMessage, path []string) (json.RawMessage, error) {
	if len(data) == 0 {
		return nil, errNoData
	}
	for i, key := range path {
		if isNull(data) {
			if i == 0 {
				return nil, errNoData
			}
			return data, nil
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			return nil, err
		}
		next, ok := object[key]
		if !ok {
			if _, typed := object["__typename"]; typed { // a node of another type
				return json.RawMessage("null"), nil
			}
			return nil, errNoData
		}
		data = next
	}
	return data, nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// beneath returns the part of an error's path below the thing, and whether it leads there.
func beneath(path []any, thing []string) (below []any, ok bool) {
	if len(path) < len(thing) {
		return nil, false
	}
	for i, key := range thing {
		if path[i] != any(key) {
			return nil, false
		}
	}
	return path[len(thing):], true
}

func isIndex(step any) bool { _, ok := step.(json.Number); return ok }

// without returns the thing with null in place of entries.
func without(thing json.RawMessage, entries map[string][]any) (json.RawMessage, error) {
	root := parsed(thing)
	for _, path := range entries {
		hide(root, path)
	}
	return json.Marshal(root)
}

// hide replaces the entry at a path by null. An edge keeps its cursor and loses its node.
func hide(root any, path []any) {
	for _, step := range path[:len(path)-1] {
		key, _ := step.(string)
		object, _ := root.(map[string]any)
		root = object[key]
	}
	entries, _ := root.([]any)
	index, err := path[len(path)-1].(json.Number).Int64()
	if err != nil || index < 0 || index >= int64(len(entries)) {
		return
	}
	if edge, ok := entries[index].(map[string]any); ok && edge["cursor"] != nil {
		edge["node"] = nil
		return
	}
	entries[index] = nil
}

// reply returns an error as a refusal.
func (e graphqlError) reply() reply {
	return reply{graphql: true, status: 200, kind: strings.TrimSpace(e.kind), code: e.code, message: e.message}
}
