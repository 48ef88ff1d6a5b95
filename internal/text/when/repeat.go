package when

import (
	"cmp"
	"slices"
	"time"
)

// Repeat says on which dates something takes place again. It knows no time of day: that is one of
// the clocks of a zone, and stays the same when they change.
type Repeat struct {
	Unit     string // day, week, month or year
	Interval int    // every so many weeks or months; 0: every one
	Days     []int  // of the week, from 0 for Sunday; for a month, those that Ordinal counts
	Ordinal  int    // which of these days in the month; -1: the last one; 0: Day says it
	Day      int    // of the month; 0: that of the first date
}

// Falls reports whether what took place on the first date also takes place on a day.
func (r Repeat) Falls(first, day time.Time) bool {
	months := (day.Year()-first.Year())*12 + int(day.Month()-first.Month())
	every := max(1, r.Interval)
	switch r.Unit {
	case "day":
		return len(r.Days) == 0 || r.has(day)
	case "week":
		return DaysBetween(first, day)/7%every == 0 && (r.has(day) || len(r.Days) == 0 && day.Weekday() == first.Weekday())
	case "month":
		return months%every == 0 && r.inMonth(first, day)
	}
	return day.Month() == first.Month() && day.Day() == first.Day()
}

func (r Repeat) has(day time.Time) bool { return slices.Contains(r.Days, int(day.Weekday())) }

// inMonth reports whether a day is the one of its month.
func (r Repeat) inMonth(first, day time.Time) bool {
	switch {
	case r.Ordinal > 0:
		return r.has(day) && (day.Day()-1)/7+1 == r.Ordinal
	case r.Ordinal < 0:
		return r.has(day) && day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return day.Day() == cmp.Or(r.Day, first.Day())
}
