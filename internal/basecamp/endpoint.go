package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// Endpoint is a path of the API with %d for each ID. T is what it answers, or what a page of its
// list holds. The IDs of a call are in the order of the path.
type Endpoint[T any] struct {
	kind   string         // what the last ID identifies, in words for the caller
	about  fault.Resource // what a failure is about, if the path has no ID
	path   string         // below that of the account
	query  url.Values
	list   string // the field of the answer that has the list; empty: the answer is the list
	again  bool   // a POST that has the same result when it is repeated
	beside func(T) (parent int64, list Endpoint[T])
}

// In restricts an endpoint to a project. If project is 0, it finds the item in any project.
func (e Endpoint[T]) In(project int64) Endpoint[T] {
	if project != 0 {
		e.path = fmt.Sprintf("buckets/%d/", project) + e.path
	}
	return e
}

// Where restricts a list.
func (e Endpoint[T]) Where(query url.Values) Endpoint[T] {
	e.query = query
	return e
}

func (e Endpoint[T]) request(ids []int64) request {
	r := request{path: e.path, about: e.about, repeatable: e.again}
	for _, id := range ids {
		r.about = about(e.kind, id)
		r.path = strings.Replace(r.path, "%d", r.about.ID, 1)
	}
	return r
}

// Get reads one item or report. In a batch, it may read what stands beside the item too (see
// [WithSiblings]).
func (e Endpoint[T]) Get(ctx context.Context, c *Client, ids ...int64) (T, error) {
	r := e.request(ids)
	r.query = e.query
	one := func(ctx context.Context) (T, error) { return read(ctx, c, r, decodeOne[T]) }
	s := siblingsOf(ctx)
	if s == nil || e.beside == nil {
		return one(ctx)
	}
	return familyOf[T](s).get(ctx, ids[0], one, func(item T) (int64, pager[T]) {
		parent, list := e.beside(item)
		return parent, list.Source(c, parent)
	})
}

// Reader returns a function that reads one item.
func (e Endpoint[T]) Reader(c *Client) func(ctx context.Context, id int64) (T, error) {
	return func(ctx context.Context, id int64) (T, error) { return e.Get(ctx, c, id) }
}

// pager reads a page of a list.
type pager[T any] = func(ctx context.Context, page int) (Page[T], error)

// Page reads one page of a list. Pages count from 1.
func (e Endpoint[T]) Page(ctx context.Context, c *Client, page int, ids ...int64) (Page[T], error) {
	r := e.request(ids)
	r.query = upstream.WithPage(e.query, page)
	p, err := read(ctx, c, r, e.decodePage)
	p.Items = slices.Clone(p.Items) // the cache keeps the original
	return p, err
}

// All reads a list that Basecamp does not split into pages.
func (e Endpoint[T]) All(ctx context.Context, c *Client, ids ...int64) ([]T, error) {
	p, err := e.Page(ctx, c, 1, ids...)
	return p.Items, err
}

// Source returns a function that reads the pages of a list.
func (e Endpoint[T]) Source(c *Client, ids ...int64) func(ctx context.Context, page int) (Page[T], error) {
	return func(ctx context.Context, page int) (Page[T], error) { return e.Page(ctx, c, page, ids...) }
}

// Raw returns the endpoint of an operation that is described by data. Its answers are not decoded:
// an object, or what is in a list.
func Raw(path string, query url.Values, about fault.Resource) Endpoint[json.RawMessage] {
	return Endpoint[json.RawMessage]{path: path + ".json", query: query, about: about}
}

// Listed returns the endpoint of a list in a field of an object. If field is empty, the answer is
// the list.
func (e Endpoint[T]) Listed(field string) Endpoint[T] {
	e.list = field
	return e
}

// Send sends a request that changes something, with the fields of its body, or nil. It returns the
// zero value if the answer has no body. again is a POST that has the same result when it is
// repeated.
func (e Endpoint[T]) Send(ctx context.Context, c *Client, method string, again bool, body map[string]any) (T, error) {
	r := e.request(nil)
	r.query, r.repeatable = e.query, again
	if body == nil {
		return send[T](ctx, c, method, r, nil)
	}
	return send[T](ctx, c, method, r, body)
}

// Post creates what body says. It returns the zero value if the answer has no body.
func (e Endpoint[T]) Post(ctx context.Context, c *Client, body any, ids ...int64) (T, error) {
	return send[T](ctx, c, http.MethodPost, e.request(ids), body)
}

// Put changes an item. It returns the zero value if the answer has no body.
func (e Endpoint[T]) Put(ctx context.Context, c *Client, body any, ids ...int64) (T, error) {
	return send[T](ctx, c, http.MethodPut, e.request(ids), body)
}

// Set changes something whose answer does not matter, with PUT.
func (e Endpoint[T]) Set(ctx context.Context, c *Client, body any, ids ...int64) error {
	_, err := e.Put(ctx, c, body, ids...)
	return err
}

// Delete removes an item, or turns a state off.
func (e Endpoint[T]) Delete(ctx context.Context, c *Client, ids ...int64) error {
	_, err := send[T](ctx, c, http.MethodDelete, e.request(ids), nil)
	return err
}

// Turn turns a state on or off. Repeating it changes nothing.
func (e Endpoint[T]) Turn(ctx context.Context, c *Client, on bool, ids ...int64) error {
	if !on {
		return e.Delete(ctx, c, ids...)
	}
	e.again = true
	_, err := e.Post(ctx, c, nil, ids...)
	return err
}

func (e Endpoint[T]) decodePage(a upstream.Answer, kept Page[T]) (Page[T], error) {
	if a.Unchanged() {
		return kept.WithHeaders(a)
	}
	var p Page[T]
	list := a.Body
	if e.list != "" {
		var object map[string]json.RawMessage
		if err := decodeJSON(list, &object); err != nil {
			return p, err
		}
		list = object[e.list]
	}
	if err := decodeJSON(list, &p.Items); err != nil {
		return p, err
	}
	if p.Items == nil {
		return p, errNoLists
	}
	return p.WithHeaders(a)
}
