package github

import (
	"context"
	"net/http"
	"net/url"

	"basecamp-mcp/internal/report/fault"
)

const (
	searchPath = "search/issues"
	maxHits    = 1000 // that GitHub's search returns of all
)

// Timeout means that GitHub's search ended before it had looked at everything.
const (
	Timeout Reason = "timeout"
	MaxHits Reason = "1000_hits"
)

// SearchIssues returns one page of the issues and pull requests that GitHub's search finds, 100 at
// most. query has GitHub's qualifiers. sort is created, updated or comments, order asc or desc.
// next is the Next of the page before.
func (c *Client) SearchIssues(ctx context.Context, query, sort, order, next string) (Page[Issue], error) {
	r := request{
		method: http.MethodGet, url: c.rest.JoinPath(searchPath), about: fault.Resource{Type: "search"}, of: search,
		names: map[string]string{"q": "query"},
	}
	return listed[Issue](ctx, c, r, url.Values{"q": {query}, "sort": {sort}, "order": {order}}, next)
}

// Searches searches issues and pull requests with one request, each query with an outcome of its
// own: the first page, 100 at most.
func (c *Client) Searches(ctx context.Context, queries ...string) []Outcome[Page[Issue]] {
	return batch[Page[Issue]](ctx, c, "Searches", fault.Resource{Type: "search"}, partsWith("q", queries))
}
