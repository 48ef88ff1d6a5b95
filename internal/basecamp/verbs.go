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

// list reads one page of items; pages count from 1.
func list[T any](ctx context.Context, c *Client, r request, page int) (Page[T], error) {
	r.query = withPage(r.query, page)
	p, err := read(ctx, c, r, decodePage[T])
	p.Items = slices.Clone(p.Items) // the cache keeps the original
	return p, err
}

// read is a GET through the cache: what has not changed is neither sent nor decoded again. For a 304, decode is given what
// was kept.
func read[T any](ctx context.Context, c *Client, r request, decode func(a answer, kept T) (T, error)) (T, error) {
	var none T
	x, err := c.begin(ctx, r)
	if err != nil {
		return none, err
	}
	key := x.cacheKey()
	kept := lookup[T](c.cache, key)
	x.kept = kept.freshness

	a, err := x.run(ctx)
	if err != nil {
		return none, err
	}
	value, err := decode(a, kept.value)
	if err != nil {
		return none, x.garbled(a, err)
	}
	if !a.unchanged() {
		keep(c.cache, key, fresh[T]{value: value, freshness: freshnessOf(a.header)}, len(a.body))
	}
	return value, nil
}

// send writes: POST, PUT or DELETE with body as its JSON, nil for the request's own. An answer without a body leaves T zero.
func send[T any](ctx context.Context, c *Client, method string, r request, body any) (T, error) {
	var out T
	r.method = method
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return out, fmt.Errorf("encode %s %s: %w", method, r.about.Type, err)
		}
		r.body = encoded
	}
	x, err := c.begin(ctx, r)
	if err != nil {
		return out, err
	}
	a, err := x.run(ctx)
	if err != nil || len(a.body) == 0 {
		return out, err
	}
	if err := decodeJSON(a.body, &out); err != nil {
		return out, x.garbled(a, err)
	}
	return out, nil
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
