package github

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github/writes"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// written returns the request as package writes knows it.
func (c *call) written(ctx context.Context) writes.Request {
	return writes.Request{
		API: c.client.rest, Method: c.sent.method, URL: c.sent.url, Body: c.sent.body, Does: c.sent.does, Parts: c.sent.parts, About: c.sent.about,
		Began: c.client.Now(), Withhold: c.client.withholding(ctx),
	}
}

// Plan records the writes of the request, and returns what GitHub would answer.
func (c *call) Plan(ctx context.Context, plan *writeplan.Plan) ([]byte, error) {
	return writes.Plan(c.written(ctx), plan)
}

// Opposite returns a function that says what undoes each write of the request.
func (c *call) Opposite(ctx context.Context, journal *writeplan.Journal) (func(answer []byte) []writeplan.Step, error) {
	return writes.Opposite(ctx, c.written(ctx), journal, (&Client{c.client}).states)
}

// Restore undoes steps of this package in their order, unless what they wrote has changed since.
func (c *Client) Restore(ctx context.Context, steps []writeplan.Step) []writeplan.Restored {
	return writes.Client{States: c.states, Undo: c.undo, Withhold: c.withholding(ctx)}.Restore(ctx, steps)
}

// nodeState are the fields of a thing, as GitHub answers them.
type nodeState fields

// UnmarshalJSON implements json.Unmarshaler. It keeps numbers as they are.
func (n *nodeState) UnmarshalJSON(data []byte) error {
	return writeplan.DecodeInto(data, (*fields)(n))
}

func (n nodeState) check() (hidden int, err error) { return there(writeplan.Text(n["id"])).check() }

// states reads the fields of things of one type: by their node IDs, or in REST by their paths. Each
// is read once.
func (c *Client) states(ctx context.Context, node string, at []string) []writes.State {
	once := slices.Compact(slices.Sorted(slices.Values(at)))
	var read []Outcome[nodeState]
	if document, isNode := writes.StateDocuments[node]; isNode {
		read = batch[nodeState](ctx, c, document, fault.Resource{Type: "item"}, partsWith("id", once))
	} else {
		for _, path := range once {
			value, err := c.stateAt(ctx, path)
			read = append(read, Outcome[nodeState]{Value: value, Err: err})
		}
	}
	all := make([]writes.State, len(at))
	for i, one := range at {
		k, _ := slices.BinarySearch(once, one)
		all[i] = writes.State{Fields: read[k].Value, Err: read[k].Err}
	}
	return all
}

// stateAt reads what is at a path of the REST API.
func (c *Client) stateAt(ctx context.Context, path string) (nodeState, error) {
	r := request{method: http.MethodGet, url: c.rest.JoinPath(path), about: fault.Resource{Type: "item", ID: path}, of: core, inRepository: true}
	return tell[nodeState](ctx, c, r)
}

// undo sends writes of one kind, and returns the error of each.
func (c *Client) undo(ctx context.Context, does string, inputs []fields, about fault.Resource) []error {
	errs := make([]error, len(inputs))
	if strings.ToUpper(does) == does { // a method
		for i, input := range inputs {
			errs[i] = c.sendPlain(ctx, does, input, about)
		}
		return errs
	}
	for i, one := range sendAll[happened](ctx, c, undoes(does), fault.Resource{Type: about.Type}, partsWith("input", inputs)) {
		errs[i] = one.Err
	}
	return errs
}

// sendPlain sends a write to a path of the REST API.
func (c *Client) sendPlain(ctx context.Context, method string, with fields, about fault.Resource) error {
	r := request{url: c.rest.JoinPath(writeplan.Text(with[""])), about: about, of: core, inRepository: true, again: method != http.MethodPost}
	var body any
	if method != http.MethodDelete {
		values := maps.Clone(with)
		delete(values, "")
		body = values
	}
	_, err := send[restored](ctx, c, method, r, body)
	return err
}

// restored is what GitHub answers to a write that undoes another: a thing, a list of values, or
// nothing.
type restored struct{ is any }

// UnmarshalJSON implements json.Unmarshaler.
func (r *restored) UnmarshalJSON(data []byte) error { return writeplan.DecodeInto(data, &r.is) }

func (r restored) check() (hidden int, err error) {
	f, _ := r.is.(fields)
	_, isList := r.is.([]any)
	return identified(r.is == nil || isList || f["id"] != nil)
}

// ItemTitle returns the title of what a step wrote, and the repository of an issue; "" if it cannot
// be read.
func (c *Client) ItemTitle(ctx context.Context, kind, id string) (title, within string) {
	switch kind {
	case "repository":
		return id, ""
	case "issue":
		name, number, _ := strings.Cut(id, "#")
		n, _ := strconv.Atoi(number)
		i, _ := c.Issue(ctx, parseRepo(name), n)
		return plaintext.Clean(i.Title), name
	case "project_item":
		i, _, _ := c.Item(ctx, id, "")
		return plaintext.Clean(i.Title), ""
	case "project":
		one := c.states(ctx, writes.ProjectNode, []string{id})[0]
		return plaintext.Clean(writeplan.Text(one.Fields["title"])), ""
	}
	return "", ""
}
