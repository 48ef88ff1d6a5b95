package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
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

func about(kind string, id int64) fault.Resource {
	return fault.Resource{Type: kind, ID: strconv.FormatInt(id, 10)}
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
