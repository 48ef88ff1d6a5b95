package when

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
)

// relative returns a phrase for a day that depends on the present time.
func relative(day func(today time.Time, tense Tense) (time.Time, error)) Phrase {
	return Phrase{day: func(now time.Time, tense Tense) (time.Time, error) { return day(DateOf(now), tense) }}
}

func readNear(_ string, parts []string) (Phrase, error) {
	days := map[string]int{"yesterday": -1, "tomorrow": 1, "day after tomorrow": 2, "day before yesterday": -2}[parts[1]]
	return relative(func(today time.Time, _ Tense) (time.Time, error) { return today.AddDate(0, 0, days), nil }), nil
}

func readWeekday(said string, parts []string) (Phrase, error) {
	weekday := weekdayOf(parts[2])
	return relative(func(today time.Time, tense Tense) (time.Time, error) {
		switch parts[1] {
		case "next":
			return besideThisWeek(said, today, weekday, 1)
		case "last":
			return besideThisWeek(said, today, weekday, -1)
		}
		ahead := daysTo(today, weekday)
		if tense == Back && ahead > 0 {
			ahead -= 7
		}
		return today.AddDate(0, 0, ahead), nil
	}), nil
}

// readWeeksOn reads "a week on Friday", which is a week after the next Friday.
func readWeeksOn(_ string, parts []string) (Phrase, error) {
	weeks, weekday := count(parts[1]), weekdayOf(parts[2])
	return relative(func(today time.Time, _ Tense) (time.Time, error) {
		return today.AddDate(0, 0, daysTo(today, weekday)+7*weeks), nil
	}), nil
}

// readNextWeek reads "Thursday next week". Weeks begin on Monday.
func readNextWeek(_ string, parts []string) (Phrase, error) {
	weekday := weekdayOf(parts[1])
	return relative(func(today time.Time, _ Tense) (time.Time, error) {
		monday := weekOf(today, time.Monday).AddDate(0, 0, 7)
		return monday.AddDate(0, 0, daysTo(monday, weekday)), nil
	}), nil
}

// daysTo counts the days from a day to the next such weekday, which may be the same day.
func daysTo(today time.Time, weekday time.Weekday) int { return int(weekday-today.Weekday()+7) % 7 }

// besideThisWeek returns the weekday that "next" (by 1) or "last" (by -1) names. It can be the
// first one after or before today, or the one in the next or last week. People begin weeks on
// Monday or on Sunday.
func besideThisWeek(said string, today time.Time, weekday time.Weekday, by int) (time.Time, error) {
	closest := today.AddDate(0, 0, daysTo(today, weekday))
	if by < 0 || closest.Equal(today) {
		closest = closest.AddDate(0, 0, 7*by)
	}
	for _, begins := range []time.Weekday{time.Monday, time.Sunday} {
		week := weekOf(today, begins).AddDate(0, 0, 7*by)
		day, err := eitherDay(said, closest, week.AddDate(0, 0, int(weekday-begins+7)%7))
		if err != nil {
			return day, err
		}
	}
	return closest, nil
}

// weekOf returns the first day of the week of a day.
func weekOf(day time.Time, begins time.Weekday) time.Time {
	return day.AddDate(0, 0, -(int(day.Weekday()-begins+7) % 7))
}

func weekdayOf(name string) time.Weekday {
	for day := range time.Saturday {
		if strings.HasPrefix(name, strings.ToLower(day.String()[:3])) {
			return day
		}
	}
	return time.Saturday
}

var numerals = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count returns the number that a numeral or digits name. "a" and "an" are 1.
func count(text string) int {
	if text == "a" || text == "an" || text == "" {
		return 1
	}
	if n := slices.Index(numerals, text); n > 0 {
		return n
	}
	return number(text)
}

// readDistance reads "in 2 weeks", "3 days ago" and "2 weeks from now". Minutes and hours lead to a
// time, longer units to a day.
func readDistance(_ string, parts []string) (Phrase, error) {
	n, unit := count(parts[1]), parts[2]
	if parts[3] == "ago" {
		n = -n
	}
	away := func(now time.Time, _ Tense) (time.Time, error) { return plus(now, n, unit), nil }
	if isShort(unit) {
		return Phrase{exact: true, day: away}, nil
	}
	return relative(away), nil
}

// readSpan reads "last 7 days", which begins 7 days before the present time. It is in the past, so
// it means nothing ahead.
func readSpan(_ string, parts []string) (Phrase, error) {
	n, unit := count(parts[1]), parts[2]
	return Phrase{exact: true, day: func(now time.Time, tense Tense) (time.Time, error) {
		if tense == Ahead {
			return time.Time{}, ErrUnknown
		}
		return plus(now, -n, unit), nil
	}}, nil
}

func isShort(unit string) bool { return slices.Contains([]string{"minute", "min", "hour", "hr"}, unit) }

// plus adds a number of units to a time. A month later is the same day of that month, or its last.
func plus(t time.Time, n int, unit string) time.Time {
	switch unit {
	case "minute", "min":
		return t.Add(time.Duration(n) * time.Minute)
	case "hour", "hr":
		return t.Add(time.Duration(n) * time.Hour)
	case "day":
		return t.AddDate(0, 0, n)
	case "week":
		return t.AddDate(0, 0, 7*n)
	case "fortnight":
		return t.AddDate(0, 0, 14*n)
	case "year":
		n *= 12
	}
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	over := max(0, t.Day()-lastOf(first.Year(), first.Month()))
	return t.AddDate(0, n, -over)
}

// instead is the span to give for a vague past period.
var instead = map[string]string{"week": "last_7_days", "month": "last_30_days", "year": "last_12_months"}

// readPeriod reads "next week" and "last month". "next week" could be its Monday or its Friday. The
// others could be the first day of the period, or one week, month or year from today. "this week"
// is its first day, and only in the past.
func readPeriod(said string, parts []string) (Phrase, error) {
	which, unit := parts[1], parts[2]
	return relative(func(today time.Time, tense Tense) (time.Time, error) {
		begins := beginning(today, unit)
		switch {
		case which == "next" && unit == "week":
			return eitherDay(said, begins.AddDate(0, 0, 7), begins.AddDate(0, 0, 11))
		case which == "next":
			return eitherDay(said, beginning(plus(begins, 1, unit), unit), plus(today, 1, unit))
		case which == "last":
			day, err := eitherDay(said, plus(begins, -1, unit), plus(today, -1, unit))
			if err != nil {
				err = fmt.Errorf("%w, or %s", err, instead[unit])
			}
			return day, err
		case tense == Ahead:
			return today, ErrUnknown
		case unit == "week":
			return eitherDay(said, begins, weekOf(today, time.Sunday))
		}
		return begins, nil
	}), nil
}

// beginning returns the first day of the week (a Monday), month or year of a day.
func beginning(day time.Time, unit string) time.Time {
	switch unit {
	case "week":
		return weekOf(day, time.Monday)
	case "month":
		return day.AddDate(0, 0, 1-day.Day())
	}
	return time.Date(day.Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
}

// periodForm matches the names of a week or a month with a beginning and an end.
var periodForm = lazyregexp.New(`^(this|last)[ _-](week|month)$`)

// Period returns the week or the month that a text such as last_week names, in the time zone of
// now: from its beginning up to, and without, its end, which is zero if it is still running. Weeks
// begin on Monday.
func Period(text string, now time.Time) (from, to time.Time, ok bool) {
	parts := periodForm.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if parts == nil {
		return from, to, false
	}
	first := beginning(DateOf(now), parts[2])
	if parts[1] == "last" {
		to = Beginning(first, now.Location())
		first = plus(first, -1, parts[2])
	}
	return Beginning(first, now.Location()), to, true
}

// readEnd reads "end of next month" and "eow". The end of a week could be a Friday or a Sunday.
func readEnd(said string, parts []string) (Phrase, error) {
	by := map[string]int{"next ": 1, "last ": -1}[parts[1]]
	unit := cmp.Or(parts[2], map[string]string{"w": "week", "m": "month", "y": "year"}[parts[1]])
	return relative(func(today time.Time, _ Tense) (time.Time, error) {
		last := plus(beginning(today, unit), by+1, unit).AddDate(0, 0, -1)
		if unit == "week" {
			return eitherDay(said, last.AddDate(0, 0, -2), last)
		}
		return last, nil
	}), nil
}
