package calendar

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
)

// The lengths of windows on schedules, in days.
const (
	UsualDays = 30  // default length of a window on schedules
	mostDays  = 366 // its maximum length
)

// Window is a part of the schedules: from the beginning of one day to the end of another, in the
// caller's time zone.
type Window struct{ From, To time.Time }

// WindowList is a list with the first and the last day of its window.
type WindowList[T any] struct {
	listing.Scroll[T]
	From string `json:"from"`
	To   string `json:"to"`
	listing.Gaps
}

// inWindow adds the first and the last day of the window to a list.
func inWindow[T any](w Window, list listing.Scroll[T], left listing.Gaps) WindowList[T] {
	return WindowList[T]{list, w.From.Format(time.DateOnly), w.LastDay(), left}
}

// LastDay returns the last date of the window.
func (w Window) LastDay() string { return when.After(w.To, -1).Format(time.DateOnly) }

// holds returns when a span starts, and whether it overlaps the window. known is false if Basecamp
// gives its times in a form that cannot be read.
func (w Window) holds(s basecamp.Span) (starts time.Time, holds, known bool) {
	zone := w.From.Location()
	starts, ends, known := s.Times(zone)
	if s.AllDay {
		starts, ends = when.Beginning(starts, zone), when.After(when.Beginning(ends, zone), 1)
	}
	return starts, known && starts.Before(w.To) && (ends.After(w.From) || !starts.Before(w.From)), known
}

// report reads what all schedules have in the window, and what is due then. It reads one more day
// on both sides, because Basecamp may count days in another time zone.
func (rs *Resolver) report(ctx context.Context, in Window) (basecamp.Upcoming, error) {
	return basecamp.UpcomingDays.Where(url.Values{"window_starts_on": {when.After(in.From, -1).Format(time.DateOnly)}, "window_ends_on": {in.To.Format(time.DateOnly)}}).Get(ctx, rs.BC)
}

// window returns the window from one day to another, or of the usual length from today on, and
// starts to read the report of a window that contains it. Until it is known which day today is for
// the caller, that is the wide one, with the days of any time zone.
func (rs *Resolver) window(ctx context.Context, from, to string, usual int) (exact, wide Window, err error) {
	wide, early := rs.Anywhere(from, to, usual)
	expect := func() {
		listing.ReadAhead(ctx, func(ctx context.Context) (basecamp.Upcoming, error) { return rs.report(ctx, wide) })
	}
	if early = early && !rs.KnowsMe(ctx); early {
		expect()
	}
	exact, err = rs.days(ctx, from, to, usual)
	if err == nil && !early {
		wide = exact
		expect()
	}
	return exact, wide, err
}

// days returns the window from one day to another: by default the usual number of days from today
// on.
func (rs *Resolver) days(ctx context.Context, from, to string, usual int) (Window, error) {
	first, err := rs.Today(ctx)
	if err == nil {
		first, err = rs.dayOr(ctx, "from", from, first)
	}
	if err != nil {
		return Window{}, err
	}
	last, err := rs.dayOr(ctx, "to", to, when.After(first, usual))
	switch {
	case err != nil:
		return Window{}, err
	case last.Before(first):
		return Window{}, fault.Invalid("to", "must not be before from, which is %s", first.Format(time.DateOnly))
	case last.After(when.After(first, mostDays)):
		return Window{}, fault.Invalid("to", "must be within a year of from, which is %s; ask for the rest in another call", first.Format(time.DateOnly))
	}
	return Window{first, when.After(last, 1)}, nil
}

// dayOr returns the beginning of the day that text names, or otherwise if text is empty.
func (rs *Resolver) dayOr(ctx context.Context, argument, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := rs.Day(ctx, argument, text, when.Ahead, lookup.DayForms)
	if err != nil {
		return time.Time{}, err
	}
	return when.Beginning(day, otherwise.Location()), nil
}

// Anywhere returns a window that contains the one from one day to another, or of the usual length,
// in every time zone. It returns false unless the days are dates, or missing.
func (rs *Resolver) Anywhere(from, to string, usual int) (Window, bool) {
	const west, east = -12 * time.Hour, 14 * time.Hour
	now := rs.Now().UTC()
	first, fromFixed := fixedDay(from, now.Add(west))
	last, _ := fixedDay(from, now.Add(east))
	last, toFixed := fixedDay(to, when.After(last, usual))
	wide := Window{when.Beginning(first, time.UTC), when.After(when.Beginning(last, time.UTC), 1)}
	return wide, fromFixed && toFixed && wide.From.Before(wide.To) && !wide.To.After(when.After(wide.From, mostDays))
}

// fixedDay returns the day that a date names, or otherwise if the text is empty. It returns false
// for other texts.
func fixedDay(text string, otherwise time.Time) (time.Time, bool) {
	if text == "" {
		return otherwise, true
	}
	said, err := when.Parse(text)
	if err != nil || said.HasTime() || !said.IsFixed() {
		return time.Time{}, false
	}
	day, err := said.Day(time.Time{}, when.Ahead)
	return day, err == nil
}

// Occurrence returns an ID for one occurrence of an item that may recur.
func Occurrence(id int64, at string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", id, at)
	return int64(h.Sum64() >> 1)
}
