package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

// request is one call to the API, as the method of a resource describes it.
type request struct {
	method      string // "" is GET
	path        string // below the account
	query       url.Values
	body        []byte         // nil for none
	contentType string         // of the body; "" is JSON
	about       fault.Resource // what a failure is about, if it is about one thing
	file        bool           // the answer is a file, or a redirect to where it is
	twiceAsOnce bool           // doing it twice is as doing it once, though it is a POST
}

// at is a request to a path with one id in it; kind is the word for what has that id.
func at(kind string, id int64, pattern string) request {
	return request{path: fmt.Sprintf(pattern, id), about: about(kind, id)}
}

// within has the thing looked for in a project, 0 for any: the flat routes find it wherever it is (W-17).
func (r request) within(project int64) request {
	if project != 0 {
		r.path = fmt.Sprintf("buckets/%d/", project) + r.path
	}
	return r
}

func about(kind string, id int64) fault.Resource {
	return fault.Resource{Type: kind, ID: strconv.FormatInt(id, 10)}
}

// byStatus is the query for items of a status; active ones are what Basecamp gives unasked, and only unasked.
func byStatus(status string) url.Values {
	if status == "" || status == "active" {
		return nil
	}
	return url.Values{"status": {status}}
}

func sorted(by, direction string) url.Values {
	return url.Values{"sort": {by}, "direction": {direction}}
}

// get reads one item.
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

// read sends a GET through the cache. For an unchanged answer, decode receives the cached value.
func read[T any](ctx context.Context, c *Client, r request, decode func(a upstream.Answer, kept T) (T, error)) (T, error) {
	var none T
	call, err := c.begin(ctx, r)
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
	call, err := c.begin(ctx, r)
	if err != nil {
		return none, err
	}
	return upstream.Send[T](ctx, c.upstream, call.request(), decodeJSON)
}

// toggle sets what is either so or not: POST for so, DELETE for not. Either twice is as once.
func (c *Client) toggle(ctx context.Context, r request, on bool) error {
	method := http.MethodDelete
	if on {
		method = http.MethodPost
	}
	r.twiceAsOnce = true
	_, err := send[struct{}](ctx, c, method, r, nil)
	return err
}
