package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
)

// Period is a span of time up to, and without, its end. A zero end is open.
type Period struct{ From, To time.Time }

// Holds reports whether a time is in the period.
func (p Period) Holds(at time.Time) bool { return !at.Before(p.From) && !p.IsOver(at) }

// IsOver reports whether the period ends at a time or before it.
func (p Period) IsOver(at time.Time) bool { return !p.To.IsZero() && !at.Before(p.To) }

// LastDay returns the last day of the period, which may still be running.
func (p Period) LastDay(now time.Time) time.Time {
	if p.To.IsZero() || p.To.After(now) {
		return now
	}
	return p.To.Add(-time.Nanosecond)
}

// UsualPeriod is the period of an overview if the call names none, and usualLength its length in
// days.
const (
	UsualPeriod = "last_7_days"
	usualLength = 7
)

// Period reads the arguments with which a period begins and ends. since may name a week or a month,
// and then sets the end too unless until is given. A day in until belongs to the period. Without
// since, the period has the usual length, or no beginning if usual is empty.
func (rs *dayReader) Period(ctx context.Context, begins, ends, since, until, usual string) (p Period, err error) {
	isUsual := since == ""
	if isUsual && until == "" {
		since = usual
	}
	switch _, _, named := when.Period(since, time.Time{}); {
	case named:
		var now time.Time
		now, err = rs.localTime(ctx)
		p.From, p.To, _ = when.Period(since, now)
	case since != "":
		p.From, err = rs.Since(ctx, begins, since)
	}
	if err != nil || until == "" {
		return p, err
	}
	if p.To, err = rs.until(ctx, ends, until); err != nil {
		return p, err
	}
	if isUsual && usual != "" {
		p.From = p.LastDay(rs.Now()).AddDate(0, 0, -usualLength)
	}
	if p.IsOver(p.From) {
		return p, rs.BadDay(ctx, ends, "must not be before "+begins+", got %s", plaintext.Quote(until))
	}
	return p, nil
}
