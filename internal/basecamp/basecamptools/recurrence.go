package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/when"
)

var (
	workdays = []int{1, 2, 3, 4, 5}
	ordinals = map[int]string{1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}
)

// recurs describes how often an entry recurs: "every Monday and Thursday, until 2026-05-01". It
// leaves out the time of day, because that depends on a time zone.
func recurs(r basecamp.Recurrence) string {
	words := frequency(r)
	if r.EndDate != "" {
		words += ", until " + r.EndDate
	}
	return words
}

func frequency(r basecamp.Recurrence) string {
	on := weekdays(r.Days)
	switch r.Frequency {
	case "every_weekday":
		return "every weekday"
	case "every_day", "every_week", "on_certain_days":
		return often(r)
	case "every_other_week":
		return strings.TrimSuffix("every other week on "+on, " on ")
	case "custom_week":
		return strings.TrimSuffix(fmt.Sprintf("every %d weeks on %s", r.WeekInterval, on), " on ")
	case "every_month", "every_day_of_month":
		return "every month" + dayOfMonth(r)
	case "custom_month":
		return fmt.Sprintf("every %d months", r.MonthInterval) + dayOfMonth(r)
	}
	return strings.ReplaceAll(r.Frequency, "_", " ") // every_year, and values that Basecamp may add later
}

// often describes a recurrence on days of the week.
func often(r basecamp.Recurrence) string {
	days := slices.Compact(slices.Sorted(slices.Values(r.Days)))
	switch {
	case slices.Equal(days, workdays):
		return "every weekday"
	case len(days) > 0 && len(days) < 7:
		return "every " + weekdays(days)
	case r.Frequency == "every_week":
		return "every week"
	}
	return "every day"
}

// dayOfMonth describes the day of a monthly recurrence: "on the third Monday" or "on day 15", after
// a space.
func dayOfMonth(r basecamp.Recurrence) string {
	switch {
	case r.WeekInstance != 0:
		return strings.TrimRight(fmt.Sprintf(" on the %s %s", ordinals[r.WeekInstance], weekdays(r.Days)), " ")
	case r.Frequency == "custom_month" && len(r.Days) == 1:
		return fmt.Sprintf(" on day %d", r.Days[0])
	}
	if first, err := time.Parse(time.DateOnly, r.StartDate); err == nil && r.Frequency == "every_day_of_month" {
		return fmt.Sprintf(" on day %d", first.Day())
	}
	return ""
}

// weekdays names days of the week: "Monday, Tuesday and Friday".
func weekdays(days []int) string {
	names := lookup.Mapped(days, func(day int) string { return time.Weekday(day % 7).String() })
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// latestDay returns the latest day up to today, YYYY-MM-DD, on which a question is asked. If the
// question is not asked on days of every week, it returns today.
func latestDay(r *basecamp.Recurrence, today time.Time) string {
	if r != nil && slices.Contains([]string{"every_day", "every_weekday", "every_week", "on_certain_days"}, r.Frequency) {
		days := r.Days
		if r.Frequency == "every_weekday" {
			days = workdays
		}
		for back := range 7 {
			if day := when.After(today, -back); slices.Contains(days, int(day.Weekday())) {
				return day.Format(time.DateOnly)
			}
		}
	}
	return today.Format(time.DateOnly)
}
