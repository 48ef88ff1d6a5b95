package lookup

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

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

// Period reads the arguments since and until. since may name a week or a month, and then sets the
// end too unless until is given. A day in until belongs to the period. Without since, the period
// has the usual length, or no beginning if usual is empty.
func (rs *Resolver) Period(ctx context.Context, since, until, usual string) (Period, error) {
	return rs.PeriodOf(ctx, "since", "until", since, until, usual)
}

// PeriodOf does the same for arguments with other names.
func (rs *Resolver) PeriodOf(ctx context.Context, begins, ends, since, until, usual string) (p Period, err error) {
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
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	first := today.AddDate(0, 0, 1-today.Day())
	switch word {
	case "this_week":
		return Period{From: monday}, true, err
	case "last_week":
		return Period{monday.AddDate(0, 0, -7), monday}, true, err
	case "this_month":
		return Period{From: first}, true, err
	}
	return Period{first.AddDate(0, -1, 0), first}, true, err
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
