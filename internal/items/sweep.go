package items

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/sweep"
)

const (
	kindSwept = "sweep"
	// sweptAtOnce is how many users a page of a sweep has at most.
	sweptAtOnce = 50
)

// Sweep is the sweep.Table of the grants of some providers.
type Sweep struct {
	*Store
	providers []string
}

var _ sweep.Table = Sweep{}

// Sweep returns the grants of these providers, in this order.
func (s *Store) Sweep(providers ...string) Sweep { return Sweep{s, providers} }

// placeKey returns the key of the item with the place where the last sweep stopped.
var placeKey = Key{kindSwept, "", "place"}

// Grants returns the next page of the grants of all users. A user's grants are on the page of the
// first provider that has one.
func (s Sweep) Grants(ctx context.Context, from string) (page sweep.Page, err error) {
	const doing = "list grants"
	providerID, subject, _ := strings.Cut(from, "\t")
	at := max(0, slices.Index(s.providers, providerID))
	found, err := s.engine.List(ctx, Range{Kind: kindRecord, Owner: s.providers[at], From: subject, Limit: sweptAtOnce + 1})
	if err != nil {
		return page, s.failed(doing, err)
	}
	switch {
	case len(found) > sweptAtOnce:
		page.Next = s.providers[at] + "\t" + found[sweptAtOnce].Name
		found = found[:sweptAtOnce]
	case at+1 < len(s.providers):
		page.Next = s.providers[at+1] + "\t"
	}
	var keys []Key
	for _, i := range found {
		for _, other := range slices.Delete(slices.Clone(s.providers), at, at+1) {
			keys = append(keys, Key{kindRecord, other, i.Name})
		}
	}
	others := map[Key]bool{}
	if len(keys) > 0 {
		items, err := s.engine.Find(ctx, keys...)
		if err != nil {
			return page, s.failed(doing, err)
		}
		for _, i := range items {
			others[i.Key] = true
		}
	}
	for _, i := range found {
		var grants []sweep.Grant
		earlier := false
		for n, id := range s.providers {
			if has := n == at || others[Key{kindRecord, id, i.Name}]; has {
				earlier = earlier || n < at
				grants = append(grants, sweep.Grant{Subject: i.Name, Provider: id})
			}
		}
		if !earlier {
			page.Grants = append(page.Grants, grants...)
		}
	}
	return page, nil
}

// SweptTo returns the place that a sweep saved last.
func (s Sweep) SweptTo(ctx context.Context) (place string, err error) {
	_, err = s.read(ctx, "read the place of a sweep", placeKey, &place)
	return place, err
}

// SaveSweptTo stores the place where a sweep stopped.
func (s Sweep) SaveSweptTo(ctx context.Context, place string) error {
	return s.put(ctx, "save the place of a sweep", placeKey, place, never)
}
