package mcptool

import (
	"context"
	"slices"
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
		if s.ID != "" && !slices.Contains(ids, s.ID) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
