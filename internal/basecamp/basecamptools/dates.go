package basecamptools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
)

// date reads a day: YYYY-MM-DD, today, tomorrow or a weekday (Friday, this Friday, Fri). A weekday
// is the next one, which may be today. Today is the date in the caller's time zone.
func (rs *resolver) date(ctx context.Context, argument, text string) (string, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if day, err := time.Parse(time.DateOnly, word); err == nil {
		return day.Format(time.DateOnly), nil
	}
	ahead, ok := daysAhead(word)
	if !ok {
		return "", rs.badDay(ctx, argument, "must be a date such as 2026-01-31, today, tomorrow or a weekday, got %q", shorten(text))
	}
	today, err := rs.today(ctx)
	if err != nil {
		return "", err
	}
	return today.AddDate(0, 0, ahead(today)).Format(time.DateOnly), nil
}

// pastDate reads a day up to today: YYYY-MM-DD, today, yesterday or a weekday. A weekday is the
// last one, which may be today.
func (rs *resolver) pastDate(ctx context.Context, argument, text string) (string, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	day, notDate := time.Parse(time.DateOnly, word)
	back, ok := daysBack(word)
	if notDate != nil && !ok {
		return "", rs.badDay(ctx, argument, "must be a date such as 2026-01-31, today, yesterday or a weekday (the last one), got %q", shorten(text))
	}
	today, err := rs.today(ctx)
	if err != nil {
		return "", err
	}
	if ok {
		day = today.AddDate(0, 0, -back(today))
	}
	if day.Format(time.DateOnly) > today.Format(time.DateOnly) {
		return "", rs.badDay(ctx, argument, "must not be after today, got %q", shorten(text))
	}
	return day.Format(time.DateOnly), nil
}

// badDay returns an INVALID_INPUT that ends with today's date in the caller's time zone, if known:
// a model may not know the date.
func (rs *resolver) badDay(ctx context.Context, argument, format string, about ...any) error {
	message := fmt.Sprintf(format, about...)
	if today, err := rs.today(ctx); err == nil {
		message += today.Format(" (today is Monday, 2006-01-02)")
	}
	return fault.Invalid(argument, "%s", message)
}

// dateOrNone reads a day as date does. An empty text and none mean no date.
func (rs *resolver) dateOrNone(ctx context.Context, argument, text string) (string, error) {
	if text == "" || strings.EqualFold(strings.TrimSpace(text), "none") {
		return "", nil
	}
	return rs.date(ctx, argument, text)
}

// isDay reports whether a text is a day without a time.
func isDay(text string) bool {
	word := strings.ToLower(strings.TrimSpace(text))
	_, err := time.Parse(time.DateOnly, word)
	_, ok := daysAhead(word)
	return err == nil || ok
}

// daysAhead returns a function that counts the days from today to the day that a word names. It
// returns false for other words.
func daysAhead(word string) (ahead func(today time.Time) int, ok bool) {
	switch word {
	case "today":
		return func(time.Time) int { return 0 }, true
	case "tomorrow":
		return func(time.Time) int { return 1 }, true
	}
	word = strings.TrimPrefix(word, "this ")
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); word == name || word == name[:3] {
			return func(today time.Time) int { return int(day-today.Weekday()+7) % 7 }, true
		}
	}
	return nil, false
}

// daysBack returns a function that counts the days back to the day that a word names. A weekday is
// the last one, which may be today.
func daysBack(word string) (back func(today time.Time) int, ok bool) {
	switch word {
	case "tomorrow":
		return nil, false
	case "yesterday":
		return func(time.Time) int { return 1 }, true
	}
	ahead, ok := daysAhead(word)
	return func(today time.Time) int { return (7 - ahead(today)) % 7 }, ok
}

// today returns the beginning of the day in the caller's time zone.
func (rs *resolver) today(ctx context.Context) (time.Time, error) {
	zone, err := rs.zone(ctx)
	if err != nil {
		return time.Time{}, err
	}
	y, m, d := rs.now().In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), nil
}

// zone returns the time zone of the caller's Basecamp profile, or UTC.
func (rs *resolver) zone(ctx context.Context) (*time.Location, error) {
	me, err := rs.me(ctx)
	if err != nil {
		return nil, err
	}
	if zone, err := time.LoadLocation(me.TimeZone); err == nil {
		return zone, nil
	}
	return time.UTC, nil
}

// momentIn reads a time in RFC 3339, or a local time or date in the time zone with an IANA name. A
// date means its midnight. If zoneName is empty, the zone is the caller's.
func (rs *resolver) momentIn(ctx context.Context, argument, text, zoneName string) (time.Time, error) {
	t, zoned, ok := written(strings.TrimSpace(text))
	switch {
	case !ok:
		return time.Time{}, rs.badDay(ctx, argument,
			"must be a local time such as 2026-01-31T09:00 or friday 10:00; for whole days a date, today or a weekday; got %q", shorten(text))
	case zoned:
		return t, nil
	}
	zone, err := rs.zoneNamed(ctx, zoneName)
	if err != nil {
		return time.Time{}, err
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), nil
}

// written reads a date and time. zoned reports whether the text has an offset.
func written(text string) (t time.Time, zoned, ok bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true, true
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, false, true
		}
	}
	return time.Time{}, false, false
}

// dated replaces the day in "friday 10:00" or "tomorrow at 10:00" with its date. It returns other
// texts unchanged.
func (rs *resolver) dated(ctx context.Context, argument, text string) (string, error) {
	text = strings.TrimSpace(text)
	space := strings.LastIndexByte(text, ' ')
	if space < 0 {
		return text, nil
	}
	day, clock := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text[:space])), " at"), text[space+1:]
	if _, _, ok := written("2006-01-02 " + clock); !ok || !isDay(day) {
		return text, nil
	}
	date, err := rs.date(ctx, argument, day)
	return date + " " + clock, err
}

// zoneNamed returns the time zone with an IANA name, or the caller's if name is empty.
func (rs *resolver) zoneNamed(ctx context.Context, name string) (*time.Location, error) {
	if name == "" {
		return rs.zone(ctx)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fault.Invalid("time_zone", "must be an IANA name such as Europe/Berlin, got %q", shorten(name))
	}
	return zone, nil
}

// spans are the periods that Basecamp's search accepts, with their lengths.
var spans = []struct {
	word         string
	months, days int
}{{"last_7_days", 0, 7}, {"last_30_days", 0, 30}, {"last_90_days", 0, 90}, {"last_12_months", 12, 0}}

// since reads the beginning of a period that ends now: a date, today, yesterday, a weekday (the
// last one), a time, or one of the spans.
func (rs *resolver) since(ctx context.Context, argument, text string) (time.Time, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	for _, s := range spans {
		if word == s.word {
			return rs.now().AddDate(0, -s.months, -s.days), nil
		}
	}
	if back, ok := daysBack(word); ok {
		today, err := rs.today(ctx)
		return today.AddDate(0, 0, -back(today)), err
	}
	begin, err := rs.momentIn(ctx, argument, text, "")
	switch {
	case fault.Is(err, fault.InvalidInput):
		return begin, rs.badDay(ctx, argument, "must be a date such as 2026-01-31, today, yesterday, a weekday (the last one), a time such as "+
			"2026-01-31T09:00, or one of last_7_days, last_30_days, last_90_days, last_12_months, got %q", shorten(text))
	case err == nil && begin.After(rs.now()):
		return begin, rs.badDay(ctx, argument, "must not be in the future, got %q", shorten(text))
	}
	return begin, err
}

// rightOrder returns an error if dueOn is before startsOn.
func rightOrder(startsOn, dueOn string) error {
	if startsOn != "" && dueOn != "" && dueOn < startsOn {
		return fault.Invalid("due_on", "must not be before starts_on: %s is before %s", dueOn, startsOn)
	}
	return nil
}
