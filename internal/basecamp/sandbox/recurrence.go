package sandbox

import (
	"slices"
	"time"
)

// A recurrence says when an entry or a check-in question repeats. Days count from Sunday, 0.
type recurrence struct {
	Frequency     string  `json:"frequency"`
	Days          []int   `json:"days"`
	Hour          int     `json:"hour"`
	Minute        int     `json:"minute"`
	WeekInstance  *int    `json:"week_instance"`
	WeekInterval  *int    `json:"week_interval"`
	MonthInterval *int    `json:"month_interval"`
	StartDate     string  `json:"start_date"`
	Duration      *int    `json:"duration"`
	EndDate       *string `json:"end_date"`
}

// recurring returns the recurrence in a request for an entry that begins at a time, or nil if it is
// invalid: Basecamp discards it then (schedule_entries.md, "Create a schedule entry").
func recurring(f fields, starts time.Time) *recurrence {
	r := &recurrence{
		Frequency: f.text("frequency"), Days: []int{int(starts.Weekday())}, Hour: starts.Hour(), Minute: starts.Minute(),
		StartDate: starts.Format(time.DateOnly), WeekInstance: f.small("week_instance"),
	}
	within := func(n *int, low, high int) bool { return n != nil && *n >= low && *n <= high }
	instance := within(r.WeekInstance, 1, 4) || within(r.WeekInstance, -1, -1)
	var days []int
	for _, day := range f.numbers("days") {
		days = append(days, int(day))
	}
	valid := false
	switch r.Frequency {
	case "every_day":
		r.Days = days
		valid = !slices.ContainsFunc(days, func(day int) bool { return day < 0 || day > 6 })
	case "every_weekday":
		r.Days, valid = []int{1, 2, 3, 4, 5}, true
	case "every_week", "every_other_week", "every_year":
		valid = true
	case "every_day_of_month":
		r.Days, valid = []int{starts.Day()}, true
	case "every_month":
		valid = instance
	case "custom_week":
		r.WeekInterval = f.small("week_interval")
		valid = within(r.WeekInterval, 2, 12)
	case "custom_month":
		r.MonthInterval = f.small("month_interval")
		valid = within(r.MonthInterval, 2, 12) && (instance || len(days) == 1 && within(&days[0], 1, 31))
		if !instance {
			r.Days = days
		}
	}
	if !valid {
		return nil
	}
	if r.Frequency != "every_month" && r.Frequency != "custom_month" {
		r.WeekInstance = nil
	}
	return r
}

// small returns a small number, or nil if the request has none.
func (f fields) small(name string) *int {
	if !f.has(name) {
		return nil
	}
	n := int(f.number(name))
	return &n
}

// happensOn reports whether an entry begins on a day.
func (e *entry) happensOn(day time.Time) bool {
	first := e.starts.Truncate(24 * time.Hour)
	r := e.recurs
	if r == nil {
		return first.Equal(day)
	}
	if day.Before(first) || r.EndDate != nil && day.Format(time.DateOnly) > *r.EndDate {
		return false
	}
	weeks := int(day.Sub(first).Hours()/24) / 7
	months := (day.Year()-first.Year())*12 + int(day.Month()-first.Month())
	switch r.Frequency {
	case "every_week":
		return day.Weekday() == first.Weekday()
	case "every_weekday":
		return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
	case "every_day":
		return len(r.Days) == 0 || slices.Contains(r.Days, int(day.Weekday()))
	case "every_other_week":
		return day.Weekday() == first.Weekday() && weeks%2 == 0
	case "custom_week":
		return day.Weekday() == first.Weekday() && weeks%*r.WeekInterval == 0
	case "custom_month":
		return months%*r.MonthInterval == 0 && r.inMonth(first, day)
	case "every_month", "every_day_of_month":
		return r.inMonth(first, day)
	case "every_year":
		return day.YearDay() == first.YearDay()
	}
	return first.Equal(day)
}

// inMonth reports whether a day is the one on which an entry recurs in its month.
func (r *recurrence) inMonth(first, day time.Time) bool {
	switch {
	case r.WeekInstance == nil:
		return day.Day() == first.Day()
	case day.Weekday() != first.Weekday():
		return false
	case *r.WeekInstance < 0:
		return day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return (day.Day()-1)/7+1 == *r.WeekInstance
}
