package basecamp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

type request struct {
	method      string // empty: GET
	path        string // below that of the account
	query       url.Values
	body        []byte         // nil for none
	contentType string         // of the body; empty: JSON
	about       fault.Resource // what a failure is about; zero if it is not about one item
	file        bool           // the answer is a file, or a redirect to it
	repeatable  bool           // a POST that has the same result when it is repeated
}

// requestAt returns a request to a path with one ID. kind is what the ID identifies, in words for
// the caller.
func requestAt(kind string, id int64, pattern string) request {
	return request{path: fmt.Sprintf(pattern, id), about: about(kind, id)}
}

// within restricts a request to a project. If project is 0, the request finds the item in any
// project.
func (r request) within(project int64) request {
	if project != 0 {
		r.path = fmt.Sprintf("buckets/%d/", project) + r.path
	}
	return r
}

func about(kind string, id int64) fault.Resource {
	return fault.Resource{Type: kind, ID: strconv.FormatInt(id, 10)}
}

// byStatus returns the query for items with a status. Active items need no query: Basecamp returns
// them by default, and does not accept active as a status.
func byStatus(status string) url.Values {
	if status == "" || status == "active" {
		return nil
	}
	return url.Values{"status": {status}}
}

func sorted(by, direction string) url.Values {
	return url.Values{"sort": {by}, "direction": {direction}}
}

func get[T item](ctx context.Context, c *Client, r request) (T, error) {
	return read(ctx, c, r, decodeItem[T])
}

// list reads one page of items. Pages count from 1.
func list[T any](ctx context.Context, c *Client, r request, page int) (Page[T], error) {
	r.query = upstream.WithPage(r.query, page)
	p, err := read(ctx, c, r, decodePage[T])
	p.Items = slices.Clone(p.Items) // the cache keeps the original
	return p, err
}

// listIn reads one page of the items in a field of an object.
func listIn[T any](ctx context.Context, c *Client, r request, field string, page int) (Page[T], error) {
	r.query = upstream.WithPage(r.query, page)
	return read(ctx, c, r, func(a upstream.Answer, kept Page[T]) (Page[T], error) {
		if a.Unchanged() {
			return kept.WithHeaders(a)
		}
		var object map[string]json.RawMessage
		var p Page[T]
		if err := decodeJSON(a.Body, &object); err != nil {
			return p, err
		}
		if err := decodeJSON(object[field], &p.Items); err != nil || p.Items == nil {
			return p, errNoLists
		}
		return p.WithHeaders(a)
	})
}

// read sends a GET through the cache. For an unchanged answer, decode receives the cached value.
func read[T any](ctx context.Context, c *Client, r request, decode func(a upstream.Answer, kept T) (T, error)) (T, error) {
	var none T
	call, err := c.newCall(ctx, r)
	if err != nil {
		return none, err
	}
	return upstream.Read(ctx, c.upstream, call.request(), decode)
}

// send sends a POST, PUT or DELETE with body as JSON. If body is nil, it sends the request's own
// body. If the answer has no body, it returns the zero value.
func send[T any](ctx context.Context, c *Client, method string, r request, body any) (T, error) {
	var none T
	r.method = method
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return none, fmt.Errorf("encode %s %s: %w", method, r.about.Type, err)
		}
		r.body = encoded
	}
	call, err := c.newCall(ctx, r)
	if err != nil {
		return none, err
	}
	return upstream.Send[T](ctx, c.upstream, call.request(), decodeJSON)
}

// write sends a POST, PUT or DELETE whose answer does not matter.
func (c *Client) write(ctx context.Context, method string, r request, body any) error {
	_, err := send[struct{}](ctx, c, method, r, body)
	return err
}

// toggle turns a state on with POST, or off with DELETE. Repeating it changes nothing.
func (c *Client) toggle(ctx context.Context, r request, on bool) error {
	method := http.MethodDelete
	if on {
		method = http.MethodPost
	}
	r.repeatable = true
	return c.write(ctx, method, r, nil)
}

// Operation is a request that is described by data, not by a method of this package. Its answer is
// undecoded.
type Operation struct {
	Method     string // empty: GET
	Path       string // below that of the account, without .json
	Query      url.Values
	Body       map[string]any // nil for none
	About      fault.Resource // what a failure is about; zero if it is not about one item
	Repeatable bool           // a POST that has the same result when it is repeated
}

func (o Operation) request() request {
	return request{path: o.Path + ".json", query: o.Query, about: o.About, repeatable: o.Repeatable}
}

// Read reads the answer of an operation, which must be an object.
func (c *Client) Read(ctx context.Context, o Operation) (json.RawMessage, error) {
	return read(ctx, c, o.request(), func(a upstream.Answer, kept json.RawMessage) (json.RawMessage, error) {
		if a.Unchanged() {
			return kept, nil
		}
		return decodeObject(a.Body)
	})
}

// List reads one page of an operation's answer: a list, or the list in a field of an object.
func (c *Client) List(ctx context.Context, o Operation, field string, page int) (Page[json.RawMessage], error) {
	if field == "" {
		return list[json.RawMessage](ctx, c, o.request(), page)
	}
	return listIn[json.RawMessage](ctx, c, o.request(), field, page)
}

// Write sends an operation that changes something. The answer is nil if it has no body.
func (c *Client) Write(ctx context.Context, o Operation) (json.RawMessage, error) {
	var body any
	if o.Body != nil {
		body = o.Body
	}
	return send[json.RawMessage](ctx, c, o.Method, o.request(), body)
}

// decodeObject returns a copy of JSON that is an object.
func decodeObject(body []byte) (json.RawMessage, error) {
	var v json.RawMessage
	if err := decodeJSON(body, &v); err != nil {
		return nil, err
	}
	if v[0] != '{' {
		return nil, errors.New("no object")
	}
	return v, nil
}
