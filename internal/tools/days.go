package tools

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
)

const (
	usualDays = 30  // how far a schedule is listed when no end is named
	mostDays  = 366 // how far it may be
)

// days are a window on schedules: from the beginning of a day to the end of another, where the caller lives.
type days struct{ from, to time.Time }

func (ws *workspace) days(ctx context.Context, from, to string) (days, error) {
	today, err := ws.today(ctx)
	if err != nil {
		return days{}, err
	}
	first, err := ws.dayOr(ctx, "from", from, today)
	if err != nil {
		return days{}, err
	}
	last, err := ws.dayOr(ctx, "to", to, first.AddDate(0, 0, usualDays))
	if err != nil {
		return days{}, err
	}
	switch {
	case last.Before(first):
		return days{}, fault.Invalid("to", "must not be before from, which is %s", first.Format(time.DateOnly))
	case last.After(first.AddDate(0, 0, mostDays)):
		return days{}, fault.Invalid("to", "must be within a year of from, which is %s; ask for the rest in another call", first.Format(time.DateOnly))
	}
	return days{first, last.AddDate(0, 0, 1)}, nil
}

// dayOr is the beginning of a day, of another when none was named.
func (ws *workspace) dayOr(ctx context.Context, argument, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := ws.date(ctx, argument, text)
	if err != nil {
		return time.Time{}, err
	}
	return time.ParseInLocation(time.DateOnly, day, otherwise.Location())
}

// report reads what is on all schedules and what is due in the window, and a day more on both sides, as Basecamp may count days in
// another zone.
func (ws *workspace) report(ctx context.Context, window days) (basecamp.Upcoming, error) {
	before := window.from.AddDate(0, 0, -1)
	return ws.bc.Upcoming(ctx, before.Format(time.DateOnly), window.to.Format(time.DateOnly))
}

func (d days) starts(s basecamp.Span) time.Time {
	starts, _ := s.Times(d.from.Location())
	return starts
}

// holds reports whether anything of a span lies in the window.
func (d days) holds(s basecamp.Span) bool {
	starts, ends := s.Times(d.from.Location())
	if s.AllDay {
		ends = ends.AddDate(0, 0, 1)
	}
	return starts.Before(d.to) && (ends.After(d.from) || !starts.Before(d.from))
}

// occurrence identifies one time of what may recur under its id.
func occurrence(id int64, at string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", id, at)
	return int64(h.Sum64() >> 1)
}
