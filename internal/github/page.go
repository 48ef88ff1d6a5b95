package github

import (
	"cmp"
	"encoding/json"
	"slices"

	"basecamp-mcp/internal/report/fault"
)

// maxPages limits how many pages make one whole list.
const maxPages = 50

// all reads every page of a list.
func all[T any](read func(next string) (Page[T], error)) ([]T, error) {
	list, err := Pages(maxPages, read)
	if list.Next != "" {
		f := fault.New(fault.UpstreamError, "this list is longer than the %d entries that are read", len(list.Items))
		f.Retryable = false
		return nil, f
	}
	return list.Items, err
}

// Pages reads the first pages of a list as one.
func Pages[T any](most int, read func(next string) (Page[T], error)) (list Page[T], err error) {
	for page := 0; page < most && (page == 0 || list.Next != ""); page++ {
		p, err := read(list.Next)
		if err != nil {
			return Page[T]{}, err
		}
		list.Items, list.Next, list.Incomplete = append(list.Items, p.Items...), p.Next, list.Incomplete.And(p.Incomplete)
	}
	return list, nil
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T
	Next       string      // continues the list; empty after the last page
	Total      int         // entries on all pages; -1 if GitHub does not say
	Incomplete *Incomplete // nil if the user sees everything
	null       int         // entries that the user may not see
	flaw       error       // why it is not a list
}

// UnmarshalJSON implements json.Unmarshaler. It reads a list or a result of the search in REST, and
// a connection in GraphQL, of which it leaves out the entries that are null.
func (p *Page[T]) UnmarshalJSON(data []byte) error {
	*p = Page[T]{Total: -1}
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &p.Items)
	}
	var wire struct {
		TotalCount, IssueCount int
		PageInfo               struct {
			HasNextPage bool
			EndCursor   string
		}
		Nodes []*T
		Edges []struct {
			Cursor string
			Node   *T
		}
		Found   int  `json:"total_count"`
		Partial bool `json:"incomplete_results"`
		Items   []T
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	p.Items, p.Total = append([]T{}, wire.Items...), wire.TotalCount+wire.IssueCount+wire.Found
	switch {
	case wire.Nodes == nil && wire.Edges == nil && wire.Items == nil: // null is not an empty list
		p.flaw = errList
	case wire.PageInfo.HasNextPage && wire.PageInfo.EndCursor == "":
		p.flaw = errCursor
	case wire.PageInfo.HasNextPage:
		p.Next = wire.PageInfo.EndCursor
	case wire.Partial:
		p.Incomplete = &Incomplete{Reason: Timeout}
	case wire.Found > maxHits:
		p.Incomplete = &Incomplete{Reason: MaxHits}
	}
	for _, node := range wire.Nodes {
		if node == nil {
			p.null++
			continue
		}
		p.Items = append(p.Items, *node)
	}
	for _, edge := range wire.Edges { // which keep their places
		if edge.Node == nil {
			p.null++
		}
		one := *cmp.Or(edge.Node, new(T))
		if i, ok := any(&one).(interface {
			at(cursor string, there bool)
		}); ok {
			i.at(edge.Cursor, edge.Node != nil)
		}
		p.Items = append(p.Items, one)
	}
	return nil
}

// check also checks the entries that can be checked.
func (p Page[T]) check() (hidden int, err error) {
	if p.Items == nil {
		return 0, errList
	}
	err = p.flaw
	for i := range p.Items {
		if one, ok := any(&p.Items[i]).(result); ok {
			if _, bad := one.check(); bad != nil {
				err = cmp.Or(err, errNotAnItem)
			}
		}
	}
	return p.null, err
}

// Whole reports whether there are no other entries.
func (p Page[T]) Whole() bool { return p.Total <= len(p.Items)+p.null }

// Reason says why a list or an item lacks a part.
type Reason string

// The reasons.
const (
	Hidden Reason = "hidden" // the user may not see it
	SSO    Reason = "sso"    // organizations require single sign-on
)

// Incomplete says that GitHub left out a part of an answer.
type Incomplete struct {
	Reason        Reason  `json:"reason"`
	Count         int     `json:"count,omitempty"`         // entries that are hidden; 0 if GitHub does not say
	Organizations []int64 `json:"organizations,omitempty"` // IDs of those that require single sign-on
}

// incomplete returns nil if nothing is hidden. Single sign-on is the reason that a user can change,
// so it comes first.
func incomplete(hidden int, organizations []int64) *Incomplete {
	switch {
	case len(organizations) > 0:
		return &Incomplete{Reason: SSO, Count: hidden, Organizations: organizations}
	case hidden > 0:
		return &Incomplete{Reason: Hidden, Count: hidden}
	}
	return nil
}

// And returns what is missing from two answers together.
func (i *Incomplete) And(other *Incomplete) *Incomplete {
	switch {
	case i == nil:
		return other
	case other == nil:
		return i
	}
	organizations := slices.Concat(i.Organizations, other.Organizations)
	slices.Sort(organizations)
	return incomplete(i.Count+other.Count, slices.Compact(organizations))
}

// pageSize returns first within GitHub's limits of 1 to 100.
func pageSize(first int) int { return max(1, min(first, maxPage)) }

const maxPage = 100
