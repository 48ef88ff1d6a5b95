package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/lazyregexp"
)

// isoForm matches dates that begin with a year, and what may follow: a time, with or without an
// offset from UTC.
var isoForm = lazyregexp.New(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:T| +)(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$`)

// parseISO reads 2026-01-31, 2026-01-31T09:00 and 2026-01-31T09:00:00+01:00. It returns false for
// texts in other forms.
func parseISO(text string) (p Phrase, ok bool, err error) {
	parts := isoForm.FindStringSubmatch(text)
	if parts == nil {
		return p, false, nil
	}
	day, err := date(number(parts[1]), number(parts[2]), number(parts[3]))
	if err != nil {
		return p, true, err
	}
	p = Phrase{day: func(time.Time, Tense) (time.Time, error) { return day, nil }, fixed: true}
	if parts[4] == "" {
		return p, true, nil
	}
	p.clock, _, err = parseClock([]string{parts[4]})
	if err == nil && parts[5] != "" {
		p.zone, err = parseOffset(parts[5])
	}
	return p, true, err
}

func parseOffset(text string) (*time.Location, error) {
	if text == "Z" || text == "UTC" {
		return time.UTC, nil
	}
	digits := strings.ReplaceAll(text[1:], ":", "")
	hours, minutes := number(digits[:2]), number(digits[2:])
	if hours > 23 || minutes > 59 {
		return nil, fmt.Errorf("there is no offset %q", text)
	}
	seconds := hours*3600 + minutes*60
	if text[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds), nil
}

// number converts a text that has only a few digits.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// date returns a day, or an error that says why there is no such day.
func date(year, month, day int) (time.Time, error) {
	if year < 1 {
		return time.Time{}, fmt.Errorf("there is no year %d", year)
	}
	if month < 1 || month > 12 {
		return time.Time{}, fmt.Errorf("there is no month %d", month)
	}
	if last := lastOf(year, time.Month(month)); day < 1 || day > last {
		return time.Time{}, fmt.Errorf("there is no day %d in %s %d, which has %d days", day, time.Month(month), year, last)
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), nil
}

// lastOf returns the number of days of a month.
func lastOf(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
