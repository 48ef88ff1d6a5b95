package basecamp

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

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
