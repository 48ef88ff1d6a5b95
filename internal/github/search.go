package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
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
	values := url.Values{"q": {query}, "sort": {sort}, "order": {order}, "per_page": {"100"}}
	return readPage(ctx, c, r.withQuery(values), next, c.found)
}

// found reads a page of the search.
func (c *Client) found(a upstream.Answer) (Page[Issue], error) {
	var wire struct {
		Total      int     `json:"total_count"`
		Incomplete bool    `json:"incomplete_results"`
		Items      []Issue `json:"items"`
	}
	if err := json.Unmarshal(a.Body, &wire); err != nil {
		return Page[Issue]{}, err
	}
	if wire.Items == nil {
		return Page[Issue]{}, errList
	}
	if slices.ContainsFunc(wire.Items, func(i Issue) bool { return !i.valid() }) {
		return Page[Issue]{}, errNotAnItem
	}
	next, err := c.nextOf(a)
	p := Page[Issue]{Items: wire.Items, Total: wire.Total, Next: next, Incomplete: incomplete(0, ssoOrganizations(a.Header))}
	switch {
	case p.Incomplete != nil:
	case wire.Incomplete:
		p.Incomplete = &Incomplete{Reason: Timeout}
	case wire.Total > maxHits:
		p.Incomplete = &Incomplete{Reason: MaxHits}
	}
	return p, err
}

// Found is the first page of a search, 100 at most, and how many things it found.
type Found struct {
	IssueCount int
	Nodes      []*Issue
}

func (f Found) check() error {
	if f.Nodes == nil {
		return errList
	}
	for _, s := range f.Nodes {
		if s != nil && s.check() != nil {
			return errNotAnItem
		}
	}
	return nil
}

func (f Found) hidden() int { return len(f.Nodes) - len(f.Issues()) }

// Issues returns the issues and pull requests that the user may see.
func (f Found) Issues() (all []Issue) {
	for _, s := range f.Nodes {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// Searches searches issues and pull requests with one request, each query with an outcome of its
// own.
func (c *Client) Searches(ctx context.Context, queries ...string) []Outcome[Found] {
	return batch[Found](ctx, c, "Searches", fault.Resource{Type: "search"}, partsWith("q", queries))
}
