package mcptool

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/writeplan"
)

// Written is what one call wrote, by the IDs of the items, and when it ran.
type Written struct {
	Items    []string
	From, To time.Time
}

// A call made the changes from a moment before it to a moment after it: clocks differ.
const beforeWrite, afterWrite = 2 * time.Second, 5 * time.Second

// Made reports whether the call made a change of something that has one of the IDs.
func (w Written) Made(at time.Time, ids ...string) bool {
	if at.Before(w.From.Add(-beforeWrite)) || at.After(w.To.Add(afterWrite)) {
		return false
	}
	return slices.ContainsFunc(w.Items, func(item string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(item, id) })
	})
}

// mostWrittenPages is how many pages of the trail a call reads to find what its connection wrote.
const mostWrittenPages = 20

// WrittenSince returns what the connection of ctx's call wrote in calls that began after a time,
// the last first.
func WrittenSince(ctx context.Context, since time.Time) (all []Written, err error) {
	trail := runIn(ctx).trail
	caller, ok := identity.From(ctx)
	if trail == nil || !ok {
		return nil, nil
	}
	for cursor, pages := "", 0; pages < mostWrittenPages; pages++ {
		var page []audit.Entry
		if page, cursor, err = trail.Page(ctx, caller.Subject, cursor); err != nil {
			return nil, err
		}
		for _, e := range page {
			if e.Time.Before(since) {
				return all, nil
			}
			if e.Connection == caller.Connection && len(e.Wrote) > 0 {
				all = append(all, Written{e.Wrote, e.Time, e.Time.Add(time.Duration(e.Milliseconds) * time.Millisecond)})
			}
		}
		if cursor == "" {
			break
		}
	}
	return all, nil
}

// writtenBy returns the IDs of what steps wrote, each once.
func writtenBy(steps []writeplan.Step) (ids []string) {
	for _, s := range steps {
		for _, id := range append([]string{s.ID}, s.Also...) {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
