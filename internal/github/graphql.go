package github

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// result is what a request asks for. check counts the entries of its lists that are null. It
// returns errAbsent if the result is something else, and another error if it lacks a part.
type result interface {
	check() (hidden int, err error)
}

// identified returns an error for what lacks its ID.
func identified(is bool) (hidden int, err error) {
	if !is {
		err = errNotAnItem
	}
	return 0, err
}

// there is what a thing must have, such as its ID. A node of another type has none.
type there string

func (t there) check() (hidden int, err error) {
	if t == "" {
		err = errAbsent
	}
	return 0, err
}

// together checks the parts of a result.
func together(parts ...result) (hidden int, err error) {
	for _, part := range parts {
		n, bad := part.check()
		hidden, err = hidden+n, cmp.Or(err, bad)
	}
	return hidden, err
}

// ask sends a document and returns what it asks for, and what GitHub left out.
func ask[T result](ctx context.Context, c *Client, name string, about fault.Resource, variables map[string]any) (value T, missing *Incomplete, err error) {
	d := documents()[name]
	call, err := c.callFor(ctx, d, about, variables)
	if err != nil {
		return value, nil, err
	}
	var got asked[T]
	call.sent.judge = func(a upstream.Answer) *fault.Error {
		got = judged[T](d, a)
		return call.meaning(a, got.failed)
	}
	value, err = upstream.Ask(ctx, c.upstream, call.request(), func(upstream.Answer) (T, error) { return got.value, got.err })
	return lockedDown(ctx, c, value), got.incomplete, err
}

// callFor returns the call that sends a document.
func (c *Client) callFor(ctx context.Context, d document, about fault.Resource, variables map[string]any) (*call, error) {
	body, err := encode(map[string]any{"query": d.text(), "variables": variables})
	if err != nil {
		return nil, fmt.Errorf("encode a document: %w", err)
	}
	r := request{method: http.MethodPost, url: c.graphql, body: body, about: about, of: graphql, inRepository: d.inRepository, reads: d.reads, names: inputNames, spoken: spoken[d.thing[0]]}
	if d.mutates() {
		r.writes, r.again, r.does = true, !d.once, d.thing[0]
	}
	return c.newCall(ctx, r)
}

// inputNames has the arguments of the tools by the fields of GitHub's inputs.
var inputNames = map[string]string{"shortDescription": "short_description"}

// asked is what one answer says.
type asked[T any] struct {
	value      T
	incomplete *Incomplete
	failed     []graphqlError // not empty if the answer is a refusal
	err        error          // if the answer is invalid
}

// judged reads an answer.
func judged[T result](d document, a upstream.Answer) asked[T] {
	var answer graphqlAnswer
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		return asked[T]{err: err}
	}
	f, err := answer.valueAt(d.thing, d.mutates())
	if len(f.failed) > 0 {
		return asked[T]{failed: f.failed}
	}
	var value T
	hidden := 0
	if err == nil {
		value, hidden, err = decoded[T](f.thing)
	}
	switch {
	case err == nil:
		return asked[T]{value: value, incomplete: incomplete(max(f.hidden, hidden), ssoOrganizations(a.Header))}
	case d.mutates():
		return asked[T]{err: err}
	case errors.Is(err, errAbsent):
		return asked[T]{failed: []graphqlError{{kind: absent}}}
	}
	return asked[T]{failed: answer.Errors, err: err} // errors say why a part is missing
}

// decoded reads a result, and counts the entries of its lists that are null.
func decoded[T result](body []byte) (value T, hidden int, err error) {
	if err = json.Unmarshal(body, &value); err == nil {
		hidden, err = value.check()
	}
	return value, hidden, err
}

// meaning returns the fault for errors: that of the error whose row of the table comes first.
func (c *call) meaning(a upstream.Answer, failed []graphqlError) *fault.Error {
	if len(failed) == 0 {
		return nil
	}
	rank := func(e graphqlError) int {
		r := e.reply()
		r.header = a.Header
		return slices.IndexFunc(refusals, func(row refusalRow) bool { return row.applies(r) })
	}
	worst := slices.MinFunc(failed, func(x, y graphqlError) int { return rank(x) - rank(y) }).reply()
	worst.header = a.Header
	return c.refusal(worst)
}

// askPage sends a document that reads a page. If GitHub finds the page too large, it asks once for
// a smaller one.
func askPage[T result](ctx context.Context, c *Client, name string, about fault.Resource, variables map[string]any, first int) (T, *Incomplete, error) {
	variables = maps.Clone(variables)
	first = pageSize(first)
	variables["first"] = first
	value, missing, err := ask[T](ctx, c, name, about, variables)
	f := fault.From(err)
	if f.Upstream == nil || f.Upstream.Type != "MAX_NODE_LIMIT_EXCEEDED" && f.Upstream.Type != "RESOURCE_LIMITS_EXCEEDED" || first == 1 {
		return value, missing, err
	}
	variables["first"] = pageSize(first / 4)
	return ask[T](ctx, c, name, about, variables)
}

// nullable returns nil for an empty string: a variable that is left out.
func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

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
	errCursor = errors.New("a page without its cursor")
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
		if index := slices.IndexFunc(below, func(step any) bool { _, is := step.(json.Number); return is }); ok && index >= 0 {
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
