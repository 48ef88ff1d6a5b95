package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

// period is a span of time up to, and without, its end. A zero end is open.
type period struct{ from, to time.Time }

// holds reports whether a time is in the period.
func (p period) holds(at time.Time) bool { return !at.Before(p.from) && !p.isOver(at) }

// isOver reports whether the period ends at a time or before it.
func (p period) isOver(at time.Time) bool { return !p.to.IsZero() && !at.Before(p.to) }

// usualPeriod is the period of an overview if the call names none, and usualLength its length in
// days.
const (
	usualPeriod = "last_7_days"
	usualLength = 7
)

// period reads the arguments since and until. since may name a week or a month, and then sets the
// end too unless until is given. A day in until belongs to the period. Without since, the period
// has the usual length, or no beginning if usual is empty.
func (rs *resolver) period(ctx context.Context, since, until, usual string) (period, error) {
	return rs.periodOf(ctx, "since", "until", since, until, usual)
}

// periodOf does the same for arguments with other names.
func (rs *resolver) periodOf(ctx context.Context, begins, ends, since, until, usual string) (p period, err error) {
	named := false
	if since != "" || until == "" {
		since = cmp.Or(since, usual)
		p, named, err = rs.calendarPeriod(ctx, since)
	}
	if err == nil && !named && since != "" {
		p.from, err = rs.since(ctx, begins, since)
	}
	if err != nil || until == "" {
		return p, err
	}
	if p.to, err = rs.until(ctx, ends, until); err != nil {
		return p, err
	}
	if since == "" && usual != "" {
		p.from = p.lastDay(rs.now()).AddDate(0, 0, -usualLength)
	}
	if p.isOver(p.from) {
		return p, rs.badDay(ctx, ends, "must not be before "+begins+", got %s", plaintext.Quote(until))
	}
	return p, nil
}

// calendarWord returns the word for a week or a month that a text names in any spelling, or "".
func calendarWord(text string) string {
	word := strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(text)))
	if slices.Contains([]string{"this_week", "last_week", "this_month", "last_month"}, word) {
		return word
	}
	return ""
}

// calendarPeriod returns the week or the month that a text names, or false. Weeks begin on Monday.
func (rs *resolver) calendarPeriod(ctx context.Context, text string) (p period, named bool, err error) {
	word := calendarWord(text)
	if word == "" {
		return period{}, false, nil
	}
	today, err := rs.today(ctx)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	first := today.AddDate(0, 0, 1-today.Day())
	switch word {
	case "this_week":
		return period{from: monday}, true, err
	case "last_week":
		return period{monday.AddDate(0, 0, -7), monday}, true, err
	case "this_month":
		return period{from: first}, true, err
	}
	return period{first.AddDate(0, -1, 0), first}, true, err
}

// until reads the end of a period: a time, or a day, which belongs to the period. Unlike a
// beginning, the end may be in the future.
func (rs *resolver) until(ctx context.Context, argument, text string) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(word, "last_") || strings.HasPrefix(word, "this_") {
		return time.Time{}, rs.badDay(ctx, argument, "must be a day or a time, such as yesterday, got %s; name a period as the beginning", plaintext.Quote(text))
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

// lastDay returns the last day of the period, which may still be running.
func (p period) lastDay(now time.Time) time.Time {
	if p.to.IsZero() || p.to.After(now) {
		return now
	}
	return p.to.Add(-time.Nanosecond)
}

// isSpan reports whether a text names a number of days or months back, such as last_7_days. An
// empty text stands for such a span.
func isSpan(text string) bool {
	return text == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "last_")
}
