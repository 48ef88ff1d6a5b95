package lookup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
)

// The forms of dates and times that errors tell.
const (
	DayForms    = `a date such as 2026-01-31, today, tomorrow, a weekday, "in 2 weeks" or "December 7"`
	pastForms   = `a date such as 2026-01-31, today, yesterday, a weekday (the last one) or "3 days ago"`
	sinceForms  = pastForms + `, a time such as 2026-01-31T09:00, or a span such as last_7_days or last_30_days`
	momentForms = `a time such as 2026-01-31T09:00, "friday 10:00" or "tomorrow 3pm", or for whole days a date or weekday`
)

// dayReader reads the days and times that callers name.
type dayReader struct {
	personFinder
	Now   func() time.Time
	zones *memo.Memo[string, *time.Location] // those of profiles, because the system reads a file for each
}

// Date reads a day as people write it, and returns it as YYYY-MM-DD. A weekday, or a date without a
// year, is the next one, which may be today. Today is the date in the caller's time zone.
func (rs *dayReader) Date(ctx context.Context, argument, text string) (string, error) {
	day, err := rs.Day(ctx, argument, text, when.Ahead, DayForms)
	return day.Format(time.DateOnly), err
}

// DateOrNone reads a day as Date does. An empty text and none mean no date.
func (rs *dayReader) DateOrNone(ctx context.Context, argument, text string) (string, error) {
	if text == "" || strings.EqualFold(strings.TrimSpace(text), "none") {
		return "", nil
	}
	return rs.Date(ctx, argument, text)
}

// PastDate reads a day up to today, as Date does. A weekday, or a date without a year, is the last
// one, which may be today.
func (rs *dayReader) PastDate(ctx context.Context, argument, text string) (string, error) {
	day, err := rs.Day(ctx, argument, text, when.Back, pastForms)
	if err != nil {
		return "", err
	}
	today, err := rs.Today(ctx)
	if err == nil && when.DateOf(today).Before(day) {
		err = rs.BadDay(ctx, argument, "must not be after today, got %s", plaintext.Quote(text))
	}
	if err != nil {
		return "", err
	}
	return day.Format(time.DateOnly), nil
}

// Day reads a day without a time, and returns it as midnight in UTC. Forms is what an error tells
// about texts that are not a day.
func (rs *dayReader) Day(ctx context.Context, argument, text string, tense when.Tense, forms string) (day time.Time, err error) {
	said, now, err := rs.parse(ctx, argument, text, forms, when.Phrase.IsFixed)
	switch {
	case err != nil:
		return day, err
	case said.HasTime():
		return day, rs.BadDay(ctx, argument, "must be a day without a time: %s; got %s", forms, plaintext.Quote(text))
	}
	day, err = said.Day(now, tense)
	return day, rs.misread(ctx, argument, text, forms, err)
}

// parse reads a text that names a day or a time, and the present time in the caller's time zone,
// unless the phrase needs none.
func (rs *dayReader) parse(ctx context.Context, argument, text, forms string, needsNone func(when.Phrase) bool) (said when.Phrase, now time.Time, err error) {
	said, err = when.Parse(text)
	switch {
	case err != nil:
		return said, now, rs.misread(ctx, argument, text, forms, err)
	case needsNone(said):
		return said, rs.Now(), nil
	}
	now, err = rs.localTime(ctx)
	return said, now, err
}

// misread returns the INVALID_INPUT for an error of package when, or nil.
func (rs *dayReader) misread(ctx context.Context, argument, text, forms string, err error) error {
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
func (rs *dayReader) BadDay(ctx context.Context, argument, format string, about ...any) error {
	message := fmt.Sprintf(format, about...)
	if today, err := rs.Today(ctx); err == nil {
		message += today.Format(" (today is Monday, 2006-01-02)")
	}
	return fault.Invalid(argument, "%s", message)
}

func (rs *dayReader) localTime(ctx context.Context) (time.Time, error) {
	zone, err := rs.Zone(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return rs.Now().In(zone), nil
}

// Today returns the beginning of the day in the caller's time zone.
func (rs *dayReader) Today(ctx context.Context) (time.Time, error) {
	now, err := rs.localTime(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return when.Beginning(now, now.Location()), nil
}

// Zone returns the time zone of the caller's Basecamp profile. If that is unknown, it returns UTC,
// and the answer says so.
func (rs *dayReader) Zone(ctx context.Context) (*time.Location, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, err
	}
	zone, _, ok := rs.zones.Get(ctx, me.TimeZone)
	if ok {
		return zone, nil
	}
	if zone, ok = when.Zone(me.TimeZone); !ok {
		mcptool.Understood(ctx, fmt.Sprintf("days and times are in UTC: the time zone of the Basecamp profile, %s, is unknown here", plaintext.Quote(me.TimeZone)))
		return time.UTC, nil
	}
	rs.zones.Put(ctx, me.TimeZone, zone)
	return zone, nil
}

// ZoneNamed returns the time zone with a name, or the caller's if name is empty.
func (rs *dayReader) ZoneNamed(ctx context.Context, name string) (*time.Location, error) {
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
// is on the given day, or on the present one if on is zero. Clock refuses a time that clocks skip
// or show twice on that day.
func (rs *dayReader) Clock(ctx context.Context, argument, text, zoneName string, on time.Time) (time.Time, error) {
	isOn := func(said when.Phrase) bool { return !said.HasDay() && !on.IsZero() }
	said, now, err := rs.parse(ctx, argument, text, momentForms, func(said when.Phrase) bool { return said.IsFixed() || !said.HasTime() || isOn(said) })
	switch {
	case err != nil:
		return now, err
	case !said.HasTime():
		return now, fault.Invalid(argument, "must include a time of day, such as 2026-01-31T09:00, got %s; for whole days set all_day to true", plaintext.Quote(text))
	}
	zone := time.UTC
	if !said.IsZoned() {
		if zone, err = rs.ZoneNamed(ctx, zoneName); err != nil {
			return now, err
		}
	}
	var at time.Time
	if isOn(said) {
		at, err = said.On(on.In(zone), zone)
	} else {
		at, err = said.Time(now.Truncate(time.Minute), when.Ahead, zone) // for "in 2 hours"
	}
	return at, rs.misread(ctx, argument, text, momentForms, err)
}

// past reads a day, a time or a span up to now, as people write them. A day is its beginning.
func (rs *dayReader) past(ctx context.Context, argument, text, forms string, needsNone func(when.Phrase) bool) (at, now time.Time, said when.Phrase, err error) {
	said, now, err = rs.parse(ctx, argument, text, forms, needsNone)
	if err != nil {
		return at, now, said, err
	}
	at, err = said.Time(now, when.Back, now.Location())
	return at, now, said, rs.misread(ctx, argument, text, forms, err)
}

// Since reads the beginning of a period that ends now.
func (rs *dayReader) Since(ctx context.Context, argument, text string) (time.Time, error) {
	begin, now, _, err := rs.past(ctx, argument, text, sinceForms, when.Phrase.IsZoned)
	if err == nil && begin.After(now) {
		err = rs.BadDay(ctx, argument, "must not be in the future, got %s", plaintext.Quote(text))
	}
	return begin, err
}

// until reads the end of a period: a time, or a day, which belongs to the period. Unlike a
// beginning, the end may be in the future.
func (rs *dayReader) until(ctx context.Context, argument, text string) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(word, "last_") || strings.HasPrefix(word, "this_") {
		return time.Time{}, rs.BadDay(ctx, argument, "must be a day or a time, such as yesterday, got %s; name a period as the beginning", plaintext.Quote(text))
	}
	end, _, said, err := rs.past(ctx, argument, text, pastForms, func(when.Phrase) bool { return false })
	if err == nil && !said.HasTime() {
		end = when.After(end, 1)
	}
	return end, err
}
