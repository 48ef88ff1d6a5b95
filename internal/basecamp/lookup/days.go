package lookup

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

// The lengths of windows on schedules, in days.
const (
	UsualDays = 30  // default length of a window on schedules
	mostDays  = 366 // its maximum length
)

// Days is a window on schedules: from the beginning of one day to the end of another, in the
// caller's time zone.
type Days struct{ From, To time.Time }

// days returns the window from one day to another: by default the usual number of days from today
// on.
func (rs *Resolver) days(ctx context.Context, from, to string, usual int) (Days, error) {
	today, err := rs.Today(ctx)
	if err != nil {
		return Days{}, err
	}
	first, err := rs.dayOr(ctx, "from", from, today)
	if err != nil {
		return Days{}, err
	}
	last, err := rs.dayOr(ctx, "to", to, when.After(first, usual))
	if err != nil {
		return Days{}, err
	}
	switch {
	case last.Before(first):
		return Days{}, fault.Invalid("to", "must not be before from, which is %s", first.Format(time.DateOnly))
	case last.After(when.After(first, mostDays)):
		return Days{}, fault.Invalid("to", "must be within a year of from, which is %s; ask for the rest in another call", first.Format(time.DateOnly))
	}
	return Days{first, when.After(last, 1)}, nil
}

// Dated adds the first and the last day of the window to a list.
func Dated[T any](d Days, list listing.Scroll[T], left Gaps) DayList[T] {
	return DayList[T]{list, d.From.Format(time.DateOnly), d.LastDay(), left}
}

// LastDay returns the last date of the window.
func (d Days) LastDay() string { return when.After(d.To, -1).Format(time.DateOnly) }

// dayOr returns the beginning of the day that text names, or otherwise if text is empty.
func (rs *Resolver) dayOr(ctx context.Context, argument, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := rs.Day(ctx, argument, text, when.Ahead, DayForms)
	if err != nil {
		return time.Time{}, err
	}
	return when.Beginning(day, otherwise.Location()), nil
}

// Report reads what all schedules have in the window, and what is due then. It reads one more day
// on both sides, because Basecamp may count days in another time zone.
func (rs *Resolver) Report(ctx context.Context, window Days) (basecamp.Upcoming, error) {
	before := when.After(window.From, -1)
	return rs.BC.Upcoming(ctx, before.Format(time.DateOnly), window.To.Format(time.DateOnly))
}

// ReportDays returns the window from one day to another, or of the usual length from today on, and
// starts to read the report of a window that contains it. Until it is known which day today is for
// the caller, that is the wide one, with the days of any time zone.
func (rs *Resolver) ReportDays(ctx context.Context, from, to string, usual int) (window, wide Days, err error) {
	expect := func(of Days) {
		Ahead(ctx, func(ctx context.Context) (basecamp.Upcoming, error) { return rs.Report(ctx, of) })
	}
	wide, early := rs.Anywhere(from, to, usual)
	if _, _, known := rs.profiles.get(ctx, 0); known {
		early = false
	}
	if early {
		expect(wide)
	}
	window, err = rs.days(ctx, from, to, usual)
	if err == nil && !early {
		wide = window
		expect(wide)
	}
	return window, wide, err
}

// Anywhere returns a window that contains the one from one day to another, or of the usual length,
// in every time zone. It returns false unless the days are dates, or missing.
func (rs *Resolver) Anywhere(from, to string, usual int) (Days, bool) {
	const west, east = -12 * time.Hour, 14 * time.Hour
	now := rs.Now().UTC()
	first, last := now.Add(west), now.Add(east)
	if from != "" {
		day, ok := fixedDay(from)
		if !ok {
			return Days{}, false
		}
		first, last = day, day
	}
	last = when.After(last, usual)
	if to != "" {
		day, ok := fixedDay(to)
		if !ok {
			return Days{}, false
		}
		last = day
	}
	window := Days{when.Beginning(first, time.UTC), when.After(when.Beginning(last, time.UTC), 1)}
	return window, window.From.Before(window.To) && !window.To.After(when.After(window.From, mostDays))
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

// Holds returns when a span starts, and whether it overlaps the window. Known is false if Basecamp
// gives its times in a form that cannot be read.
func (d Days) Holds(s basecamp.Span) (starts time.Time, holds, known bool) {
	starts, ends, known := s.Times(d.From.Location())
	if s.AllDay {
		starts, ends = when.Beginning(starts, d.From.Location()), when.After(when.Beginning(ends, d.From.Location()), 1)
	}
	return starts, known && starts.Before(d.To) && (ends.After(d.From) || !starts.Before(d.From)), known
}

// Occurrence returns an id for one occurrence of an item that may recur.
func Occurrence(id int64, at string) int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", id, at)
	return int64(h.Sum64() >> 1)
}

// Period is a span of time up to, and without, its end. A zero end is open.
type Period struct{ From, To time.Time }

// Holds reports whether a time is in the period.
func (p Period) Holds(at time.Time) bool { return !at.Before(p.From) && !p.IsOver(at) }

// IsOver reports whether the period ends at a time or before it.
func (p Period) IsOver(at time.Time) bool { return !p.To.IsZero() && !at.Before(p.To) }

// UsualPeriod is the period of an overview if the call names none, and usualLength its length in
// days.
const (
	UsualPeriod = "last_7_days"
	usualLength = 7
)

// Period reads the arguments with which a period begins and ends. since may name a week or a month,
// and then sets the end too unless until is given. A day in until belongs to the period. Without
// since, the period has the usual length, or no beginning if usual is empty.
func (rs *Resolver) Period(ctx context.Context, begins, ends, since, until, usual string) (p Period, err error) {
	named := false
	if since != "" || until == "" {
		since = cmp.Or(since, usual)
		p, named, err = rs.calendarPeriod(ctx, since)
	}
	if err == nil && !named && since != "" {
		p.From, err = rs.Since(ctx, begins, since)
	}
	if err != nil || until == "" {
		return p, err
	}
	if p.To, err = rs.until(ctx, ends, until); err != nil {
		return p, err
	}
	if since == "" && usual != "" {
		p.From = p.LastDay(rs.Now()).AddDate(0, 0, -usualLength)
	}
	if p.IsOver(p.From) {
		return p, rs.BadDay(ctx, ends, "must not be before "+begins+", got %s", plaintext.Quote(until))
	}
	return p, nil
}

// CalendarWord returns the word for a week or a month that a text names in any spelling, or "".
func CalendarWord(text string) string {
	word := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(text)))
	if slices.Contains([]string{"this_week", "last_week", "this_month", "last_month"}, word) {
		return word
	}
	return ""
}

// calendarPeriod returns the week or the month that a text names, or false. Weeks begin on Monday.
func (rs *Resolver) calendarPeriod(ctx context.Context, text string) (p Period, named bool, err error) {
	word := CalendarWord(text)
	if word == "" {
		return Period{}, false, nil
	}
	today, err := rs.Today(ctx)
	monday := when.After(today, -(int(today.Weekday())+6)%7)
	first := when.After(today, 1-today.Day())
	switch word {
	case "this_week":
		return Period{From: monday}, true, err
	case "last_week":
		return Period{when.After(monday, -7), monday}, true, err
	case "this_month":
		return Period{From: first}, true, err
	}
	last := when.After(first, -1)
	return Period{when.After(last, 1-last.Day()), first}, true, err
}

// until reads the end of a period: a time, or a day, which belongs to the period. Unlike a
// beginning, the end may be in the future.
func (rs *Resolver) until(ctx context.Context, argument, text string) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(word, "last_") || strings.HasPrefix(word, "this_") {
		return time.Time{}, rs.BadDay(ctx, argument, "must be a day or a time, such as yesterday, got %s; name a period as the beginning", plaintext.Quote(text))
	}
	said, err := when.Parse(text)
	if err != nil {
		return time.Time{}, rs.misread(ctx, argument, text, pastForms, err)
	}
	now, err := rs.localTime(ctx)
	if err != nil {
		return now, err
	}
	end, err := said.Time(now, when.Back, now.Location())
	if err != nil {
		return end, rs.misread(ctx, argument, text, pastForms, err)
	}
	if !said.HasTime() {
		end = when.After(end, 1)
	}
	return end, nil
}

// LastDay returns the last day of the period, which may still be running.
func (p Period) LastDay(now time.Time) time.Time {
	if p.To.IsZero() || p.To.After(now) {
		return now
	}
	return p.To.Add(-time.Nanosecond)
}

// IsSpan reports whether a text names a number of days or months back, such as last_7_days. An
// empty text stands for such a span.
func IsSpan(text string) bool {
	return text == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "last_")
}
