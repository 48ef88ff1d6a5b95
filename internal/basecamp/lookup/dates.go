package lookup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/when"
)

// The forms of dates and times that errors tell.
const (
	DayForms    = `a date such as 2026-01-31, today, tomorrow, a weekday, "in 2 weeks" or "December 7"`
	pastForms   = `a date such as 2026-01-31, today, yesterday, a weekday (the last one) or "3 days ago"`
	sinceForms  = pastForms + `, a time such as 2026-01-31T09:00, or a span such as last_7_days or last_30_days`
	momentForms = `a time such as 2026-01-31T09:00, "friday 10:00" or "tomorrow 3pm", or for whole days a date or weekday`
)

// Date reads a day as people write it, and returns it as YYYY-MM-DD. A weekday, or a date without a
// year, is the next one, which may be today. Today is the date in the caller's time zone.
func (rs *Resolver) Date(ctx context.Context, argument, text string) (string, error) {
	day, err := rs.Day(ctx, argument, text, when.Ahead, DayForms)
	return day.Format(time.DateOnly), err
}

// PastDate reads a day up to today, as date does. A weekday, or a date without a year, is the last
// one, which may be today.
func (rs *Resolver) PastDate(ctx context.Context, argument, text string) (string, error) {
	day, err := rs.Day(ctx, argument, text, when.Back, pastForms)
	if err != nil {
		return "", err
	}
	today, err := rs.Today(ctx)
	if err != nil {
		return "", err
	}
	date := day.Format(time.DateOnly)
	if date > today.Format(time.DateOnly) {
		return "", rs.BadDay(ctx, argument, "must not be after today, got %s", plaintext.Quote(text))
	}
	return date, nil
}

// Day reads a day without a time. Forms is what an error tells about texts that are not a day.
func (rs *Resolver) Day(ctx context.Context, argument, text string, tense when.Tense, forms string) (time.Time, error) {
	said, err := when.Parse(text)
	if err == nil && said.HasTime() {
		return time.Time{}, rs.BadDay(ctx, argument, "must be a day without a time: %s; got %s", forms, plaintext.Quote(text))
	}
	var now time.Time
	if err == nil && !said.IsFixed() {
		if now, err = rs.localTime(ctx); err != nil {
			return now, err
		}
	}
	var day time.Time
	if err == nil {
		day, err = said.Day(now, tense)
	}
	return day, rs.misread(ctx, argument, text, forms, err)
}

// misread returns the INVALID_INPUT for an error of package when, or nil.
func (rs *Resolver) misread(ctx context.Context, argument, text, forms string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, when.ErrUnknown):
		return rs.BadDay(ctx, argument, "must be %s (in English), got %s", forms, plaintext.Quote(text))
	}
	if message := err.Error(); strings.Contains(message, strings.ToLower(strings.TrimSpace(text))) {
		return rs.BadDay(ctx, argument, "%s", message)
	}
	return rs.BadDay(ctx, argument, "%s; got %s", err, plaintext.Quote(text))
}

// BadDay returns an INVALID_INPUT that ends with today's date in the caller's time zone, if known:
// a model may not know the date.
func (rs *Resolver) BadDay(ctx context.Context, argument, format string, about ...any) error {
	message := fmt.Sprintf(format, about...)
	if today, err := rs.Today(ctx); err == nil {
		message += today.Format(" (today is Monday, 2006-01-02)")
	}
	return fault.Invalid(argument, "%s", message)
}

// DateOrNone reads a day as date does. An empty text and none mean no date.
func (rs *Resolver) DateOrNone(ctx context.Context, argument, text string) (string, error) {
	if text == "" || strings.EqualFold(strings.TrimSpace(text), "none") {
		return "", nil
	}
	return rs.Date(ctx, argument, text)
}

// IsDay reports whether a text is a day without a time.
func IsDay(text string) bool {
	said, err := when.Parse(text)
	return err == nil && !said.HasTime()
}

func (rs *Resolver) localTime(ctx context.Context) (time.Time, error) {
	zone, err := rs.Zone(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return rs.Now().In(zone), nil
}

// Today returns the beginning of the day in the caller's time zone.
func (rs *Resolver) Today(ctx context.Context) (time.Time, error) {
	now, err := rs.localTime(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return when.Beginning(now, now.Location()), nil
}

// Zone returns the time zone of the caller's Basecamp profile. If that is unknown, it returns UTC,
// and the answer says so.
func (rs *Resolver) Zone(ctx context.Context) (*time.Location, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, err
	}
	zone, ok := when.Zone(me.TimeZone)
	if !ok {
		mcptool.Understood(ctx, fmt.Sprintf("days and times are in UTC: the time zone of the Basecamp profile, %s, is unknown here", plaintext.Quote(me.TimeZone)))
		zone = time.UTC
	}
	return zone, nil
}

// ZoneNamed returns the time zone with a name, or the caller's if name is empty.
func (rs *Resolver) ZoneNamed(ctx context.Context, name string) (*time.Location, error) {
	if name == "" {
		return rs.Zone(ctx)
	}
	zone, ok := when.Zone(name)
	if !ok {
		return nil, fault.Invalid("time_zone", "must be an IANA name such as Europe/Berlin, got %s", plaintext.Quote(name))
	}
	return zone, nil
}

// Clock reads a time as people write it. A day is one of the caller's time zone; a time of day is
// in the time zone with an IANA name, or if zoneName is empty in the caller's. A time without a day
// is on the given day, or on the present one if on is zero. clock refuses a time that clocks skip
// or show twice on that day.
func (rs *Resolver) Clock(ctx context.Context, argument, text, zoneName string, on time.Time) (time.Time, error) {
	said, err := when.Parse(text)
	switch {
	case err != nil:
		return time.Time{}, rs.misread(ctx, argument, text, momentForms, err)
	case !said.HasTime():
		return time.Time{}, fault.Invalid(argument, "must include a time of day, such as 2026-01-31T09:00, got %s; for whole days set all_day to true", plaintext.Quote(text))
	}
	var now time.Time
	zone := time.UTC
	if !said.IsZoned() {
		if zone, err = rs.ZoneNamed(ctx, zoneName); err != nil {
			return now, err
		}
	}
	if !said.HasDay() && !on.IsZero() {
		at, err := said.On(on.In(zone), zone)
		return at, rs.misread(ctx, argument, text, momentForms, err)
	}
	if !said.IsFixed() {
		if now, err = rs.localTime(ctx); err != nil {
			return now, err
		}
		now = now.Truncate(time.Minute) // for "in 2 hours"
	}
	at, err := said.Time(now, when.Ahead, zone)
	return at, rs.misread(ctx, argument, text, momentForms, err)
}

// Since reads the beginning of a period that ends now: a day, a time or a span, as people write
// them.
func (rs *Resolver) Since(ctx context.Context, argument, text string) (time.Time, error) {
	said, err := when.Parse(text)
	if err != nil {
		return time.Time{}, rs.misread(ctx, argument, text, sinceForms, err)
	}
	now := rs.Now()
	if !said.IsZoned() {
		if now, err = rs.localTime(ctx); err != nil {
			return now, err
		}
	}
	begin, err := said.Time(now, when.Back, now.Location())
	if err != nil {
		return begin, rs.misread(ctx, argument, text, sinceForms, err)
	}
	if begin.After(now) {
		return begin, rs.BadDay(ctx, argument, "must not be in the future, got %s", plaintext.Quote(text))
	}
	return begin, nil
}

// SinceList is a list with the beginning of its period, as it was understood.
type SinceList[T any] struct {
	listing.Scroll[T]
	Since string `json:"since,omitempty"`
}

// DayList is a list with the first and the last day of its period.
type DayList[T any] struct {
	listing.Scroll[T]
	From string `json:"from"`
	To   string `json:"to"`
	Gaps
}

// Understood returns how an answer shows a time that the caller named, or "" for none.
func Understood(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

// RightOrder returns an error if dueOn is before startsOn.
func RightOrder(startsOn, dueOn string) error {
	if startsOn != "" && dueOn != "" && dueOn < startsOn {
		return fault.Invalid("due_on", "must not be before starts_on: %s is before %s", dueOn, startsOn)
	}
	return nil
}
