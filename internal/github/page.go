package github

import (
	"slices"

	"basecamp-mcp/internal/report/fault"
)

// maxPages limits how many pages make one whole list.
const maxPages = 50

// all reads every page of a list.
func all[T any](read func(next string) (Page[T], error)) ([]T, error) {
	var items []T
	for page, next := 0, ""; ; page++ {
		p, err := read(next)
		if err != nil {
			return nil, err
		}
		items = append(items, p.Items...)
		if next = p.Next; next == "" {
			return items, nil
		}
		if page+1 == maxPages {
			f := fault.New(fault.UpstreamError, "this list is longer than the %d entries that are read", len(items))
			f.Retryable = false
			return nil, f
		}
	}
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T
	Next       string      // continues the list; empty after the last page
	Total      int         // entries on all pages; -1 if GitHub does not say
	Incomplete *Incomplete // nil if the user sees everything
}

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
