package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
)

func readMonthDay(said string, parts []string) (Phrase, error) {
	return calendarDay(said, parts[1], parts[4], parts[2], parts[3])
}

func readDayMonth(said string, parts []string) (Phrase, error) {
	return calendarDay(said, parts[1], parts[4], parts[3], parts[2])
}

// calendarDay returns a day of a named month, in a year or in the next or latest year that has it.
// If a weekday is named too, it must be that of the day.
func calendarDay(said, weekday, year, month, day string) (Phrase, error) {
	p, err := dayIn(number(year), monthOf(month), number(day))
	if err != nil || weekday == "" {
		return p, err
	}
	anyDay := p.day
	p.day = func(now time.Time, tense Tense) (time.Time, error) {
		found, err := anyDay(now, tense)
		if err == nil && found.Weekday() != weekdayOf(weekday) {
			err = fmt.Errorf("%q does not exist: %s is a %s", said, found.Format(time.DateOnly), found.Weekday())
		}
		return found, err
	}
	return p, nil
}

func monthOf(name string) int {
	for month := time.January; month < time.December; month++ {
		if strings.HasPrefix(name, strings.ToLower(month.String()[:3])) {
			return int(month)
		}
	}
	return int(time.December)
}

const (
	leapYear = 2024
	leapGap  = 8 // most years from one leap year to the next
)

// readWeekdayOf reads "last Friday of November": of a year, or of the next or the latest November
// that has it.
func readWeekdayOf(_ string, parts []string) (Phrase, error) {
	which := slices.Index([]string{"last", "first", "second", "third", "fourth"}, parts[1])
	weekday, month := weekdayOf(parts[2]), time.Month(monthOf(parts[3]))
	if year := number(parts[4]); parts[4] != "" {
		_, err := date(year, int(month), 1)
		return Phrase{day: func(time.Time, Tense) (time.Time, error) { return weekdayIn(year, month, weekday, which), nil }, fixed: true}, err
	}
	return relative(func(today time.Time, tense Tense) (time.Time, error) {
		found := weekdayIn(today.Year(), month, weekday, which)
		switch {
		case tense == Ahead && found.Before(today):
			found = weekdayIn(today.Year()+1, month, weekday, which)
		case tense == Back && found.After(today):
			found = weekdayIn(today.Year()-1, month, weekday, which)
		}
		return found, nil
	}), nil
}

// weekdayIn returns the weekday of a month that has a number from 1 to 4, or for 0 the last one.
func weekdayIn(year int, month time.Month, weekday time.Weekday, which int) time.Time {
	if which == 0 {
		month++ // the one a week before the first of the next month
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, daysTo(first, weekday)+7*(which-1))
}

// dayIn returns a day in a year, or without a year (0) the next or the latest such day.
func dayIn(year, month, day int) (Phrase, error) {
	if year != 0 {
		found, err := date(year, month, day)
		return Phrase{day: func(time.Time, Tense) (time.Time, error) { return found, nil }, fixed: true}, err
	}
	if month >= 1 && month <= 12 && day > lastOf(leapYear, time.Month(month)) {
		return Phrase{}, fmt.Errorf("there is no day %d in %s", day, time.Month(month))
	}
	_, err := date(leapYear, month, day)
	return relative(func(today time.Time, tense Tense) (time.Time, error) {
		step := 1
		if tense == Back {
			step = -1
		}
		for years := range leapGap + 1 {
			found, err := date(today.Year()+step*years, month, day)
			if err == nil && (found.Equal(today) || found.After(today) == (step > 0)) {
				return found, nil
			}
		}
		return time.Time{}, ErrUnknown
	}), err
}

// readDayAlone reads "15th": of the next or the latest month that has the day.
func readDayAlone(_ string, parts []string) (Phrase, error) {
	day := number(parts[1])
	_, err := date(leapYear, int(time.January), day)
	return relative(func(today time.Time, tense Tense) (time.Time, error) {
		step := 1
		if tense == Back {
			step = -1
		}
		month := beginning(today, "month")
		for found := month; ; found = plus(month, step, "month") {
			month = found
			if at := found.AddDate(0, 0, day-1); at.Month() == found.Month() && (at.Equal(today) || at.After(today) == (step > 0)) {
				return at, nil
			}
		}
	}), err
}

// readNumbers reads 3/4/2026, 31/1 and 31.1., with the day first or second. Without a year, only
// slashes or a last dot make a date.
func readNumbers(said string, parts []string) (Phrase, error) {
	one, other, year := number(parts[1]), number(parts[3]), number(parts[4])
	if parts[4] == "" && parts[2] != "/" && !strings.HasSuffix(said, ".") {
		return Phrase{}, ErrUnknown
	}
	if one > 12 {
		return dayIn(year, other, one)
	}
	if other > 12 {
		return dayIn(year, one, other)
	}
	dayFirst, err := dayIn(year, other, one)
	if err != nil {
		return dayFirst, err
	}
	monthFirst, err := dayIn(year, one, other)
	if err != nil {
		return monthFirst, err
	}
	both := Phrase{fixed: dayFirst.fixed}
	both.day = func(now time.Time, tense Tense) (time.Time, error) {
		first, err := dayFirst.day(now, tense)
		if err != nil {
			return first, err
		}
		second, err := monthFirst.day(now, tense)
		if err != nil {
			return second, err
		}
		return eitherDay(said, first, second)
	}
	return both, nil
}

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
