package basecamptools

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/when"
)

const (
	usualDays = 30  // default length of a window on schedules
	mostDays  = 366 // its maximum length
)

// days is a window on schedules: from the beginning of one day to the end of another, in the
// caller's time zone.
type days struct{ from, to time.Time }

// days returns the window from one day to another: by default the 30 days from today on.
func (rs *resolver) days(ctx context.Context, from, to string) (days, error) {
	today, err := rs.today(ctx)
	if err != nil {
		return days{}, err
	}
	first, err := rs.dayOr(ctx, "from", from, today)
	if err != nil {
		return days{}, err
	}
	last, err := rs.dayOr(ctx, "to", to, when.After(first, usualDays))
	if err != nil {
		return days{}, err
	}
	switch {
	case last.Before(first):
		return days{}, fault.Invalid("to", "must not be before from, which is %s", first.Format(time.DateOnly))
	case last.After(when.After(first, mostDays)):
		return days{}, fault.Invalid("to", "must be within a year of from, which is %s; ask for the rest in another call", first.Format(time.DateOnly))
	}
	return days{first, when.After(last, 1)}, nil
}

// dated adds the first and the last day of the window to a list.
func dated[T any](d days, list listing.Scroll[T]) dayList[T] {
	return dayList[T]{list, d.from.Format(time.DateOnly), when.After(d.to, -1).Format(time.DateOnly)}
}

// dayOr returns the beginning of the day that text names, or otherwise if text is empty.
func (rs *resolver) dayOr(ctx context.Context, argument, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := rs.day(ctx, argument, text, when.Ahead, dayForms)
	if err != nil {
		return time.Time{}, err
	}
	return when.Beginning(day, otherwise.Location()), nil
}

// report reads what all schedules have in the window, and what is due then. It reads one more day
// on both sides, because Basecamp may count days in another time zone.
func (rs *resolver) report(ctx context.Context, window days) (basecamp.Upcoming, error) {
	before := window.from.AddDate(0, 0, -1)
	return rs.bc.Upcoming(ctx, before.Format(time.DateOnly), window.to.Format(time.DateOnly))
}

// expectReport starts to read the report of a window before it is known which day today is for the
// caller. It reads the days that the window has in any time zone. What is not in the window is
// dropped later. It returns false if the time zone is known, or if the arguments need it.
func (rs *resolver) expectReport(ctx context.Context, from, to string, usual int) (wide days, ok bool) {
	wide, ok = rs.anywhere(from, to, usual)
	if !ok || rs.knowsMe(ctx) {
		return days{}, false
	}
	ahead(ctx, func(ctx context.Context) (basecamp.Upcoming, error) { return rs.report(ctx, wide) })
	return wide, true
}

// anywhere returns a window that contains the one from one day to another, or of the usual length,
// in every time zone. It returns false unless the days are dates, or missing.
func (rs *resolver) anywhere(from, to string, usual int) (days, bool) {
	const west, east = -12 * time.Hour, 14 * time.Hour
	now := rs.now().UTC()
	first, last := now.Add(west), now.Add(east)
	if from != "" {
		day, ok := fixedDay(from)
		if !ok {
			return days{}, false
		}
		first, last = day, day
	}
	last = when.After(last, usual)
	if to != "" {
		day, ok := fixedDay(to)
		if !ok {
			return days{}, false
		}
		last = day
	}
	window := days{when.Beginning(first, time.UTC), when.After(when.Beginning(last, time.UTC), 1)}
	return window, window.from.Before(window.to) && !window.to.After(when.After(window.from, mostDays))
}

// fixedDay returns the day that a date names, and whether the text is a date.
func fixedDay(text string) (time.Time, bool) {
	said, err := when.Parse(text)
	if err != nil || said.HasTime() || !said.IsFixed() {
		return time.Time{}, false
	}
	day, err := said.Day(time.Time{}, when.Ahead)
	return day, err == nil
}

// starts returns when a span starts.
func (d days) starts(s basecamp.Span) time.Time {
	starts, _ := s.Times(d.from.Location())
	return starts
}

// holds reports whether a span overlaps the window.
func (d days) holds(s basecamp.Span) bool {
	starts, ends := s.Times(d.from.Location())
	if s.AllDay {
		ends = ends.AddDate(0, 0, 1)
	}
	return starts.Before(d.to) && (ends.After(d.from) || !starts.Before(d.from))
}

// occurrence returns an id for one occurrence of an item that may recur.
func occurrence(id int64, at string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", id, at)
	return int64(h.Sum64() >> 1)
}
