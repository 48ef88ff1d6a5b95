// Package when reads dates and times as people write them: "tomorrow 9:30", "in 2 weeks",
// "December 7". It knows English only. A text that could mean two days is an error that names both.
package when

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Tense says which day a text means that names one in every week or year, such as "Friday".
type Tense int

// The two tenses.
const (
	Ahead Tense = iota // the next one, which may be today
	Back               // the latest one, which may be today
)

// maxLength is the length, in bytes, of the longest text that is read.
const maxLength = 100

// ErrUnknown is the error for a text that is not a date or a time. Other errors say which two
// meanings a text has, or why there is no such date or time.
var ErrUnknown = errors.New("not a date or a time")

// Phrase is a text that was read. Its meaning may depend on the present time.
type Phrase struct {
	day   rule // nil for a time without a day
	clock *clock
	fixed bool           // the day does not depend on the present time
	zone  *time.Location // of a written offset, otherwise nil
	exact bool           // the rule returns a time, not a day
}

// rule returns the day or the time that a text means. A day is midnight in UTC; a time is exact.
type rule func(now time.Time, tense Tense) (time.Time, error)

// Parse reads a date, a time, or both. It returns ErrUnknown for other texts, and an error that
// says what is wrong with an impossible date or time. Parse needs no clock, so it can check an
// argument before the time zone of a person is known.
func Parse(text string) (Phrase, error) {
	if len(text) > maxLength {
		return Phrase{}, ErrUnknown
	}
	text = strings.TrimRight(strings.TrimSpace(text), ",;!?")
	words := split(text)
	if len(words) == 0 {
		return Phrase{}, ErrUnknown
	}
	return parseWords(words)
}

// HasDay reports whether the text names a day. If not, it is a time without a day.
func (p Phrase) HasDay() bool { return p.day != nil }

// HasTime reports whether the text names a time, not only a day.
func (p Phrase) HasTime() bool { return p.clock != nil || p.exact }

// IsFixed reports whether the text means the same at all times, so that Day and Time ignore now.
func (p Phrase) IsFixed() bool { return p.fixed }

// IsZoned reports whether the text contains its offset from UTC, or counts from the present time.
func (p Phrase) IsZoned() bool { return p.zone != nil || p.exact }

// Day returns the day that the text names, as midnight in UTC. Now is in the person's time zone.
func (p Phrase) Day(now time.Time, tense Tense) (time.Time, error) {
	if p.day == nil {
		return time.Time{}, ErrUnknown
	}
	found, err := p.found(now, tense)
	return DateOf(found), err
}

// found returns what the rule returns, unless no calendar has it.
func (p Phrase) found(now time.Time, tense Tense) (time.Time, error) {
	found, err := p.day(now, tense)
	if err == nil && (found.Year() < 1 || found.Year() > 9999) {
		err = errors.New("this date is too far away")
	}
	return found, err
}

// Time returns the time that the text means in a time zone. A day without a time means
// its beginning. A time without a day is on the present day. If that is over, it is an error for
// Ahead; if it is still to come, it is the day before for Back. Now is in the person's time zone.
func (p Phrase) Time(now time.Time, tense Tense, zone *time.Location) (time.Time, error) {
	switch {
	case p.exact:
		return p.found(now, tense)
	case p.day == nil:
		return p.clock.near(now, tense, zone)
	}
	day, err := p.Day(now, tense)
	switch {
	case err != nil:
		return time.Time{}, err
	case p.clock == nil:
		return Beginning(day, zone), nil
	case p.zone != nil:
		zone = p.zone
	}
	return p.clock.timeOn(day, zone)
}

// On returns the time on a day, for a text that is a time without a day.
func (p Phrase) On(day time.Time, zone *time.Location) (time.Time, error) {
	if p.clock == nil {
		return time.Time{}, ErrUnknown
	}
	return p.clock.timeOn(day, zone)
}

// Beginning returns the first moment of a day in a time zone. It is not midnight if clocks go
// forward then.
func Beginning(day time.Time, zone *time.Location) time.Time {
	midnight := DateOf(day)
	if moments := instants(midnight, zone); len(moments) > 0 {
		return moments[0]
	}
	after := midnight.Add(-offset(midnight.Add(-24*time.Hour), zone)).In(zone)
	if start, _ := after.ZoneBounds(); !start.IsZero() {
		return start
	}
	return after
}

// After returns the beginning of the day that is a number of days after a day, in the same time
// zone.
func After(day time.Time, days int) time.Time {
	return Beginning(DateOf(day).AddDate(0, 0, days), day.Location())
}

// instants returns the moments at which clocks in a time zone show a date and time, which is given
// in UTC: usually one, none when clocks go forward, two when they go back.
func instants(wall time.Time, zone *time.Location) []time.Time {
	var moments []time.Time
	for _, around := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		moment := wall.Add(-offset(wall.Add(around), zone)).In(zone)
		_, seconds := moment.Zone()
		shown := moment.Add(time.Duration(seconds) * time.Second)
		if shown.Equal(wall) && (len(moments) == 0 || !moments[0].Equal(moment)) {
			moments = append(moments, moment)
		}
	}
	return moments
}

func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// DaysBetween counts the days from the date of a time to that of another.
func DaysBetween(from, to time.Time) int { return int(DateOf(to).Sub(DateOf(from)) / (24 * time.Hour)) }

// DateOf returns the date of a time, as midnight in UTC. A whole day is such a date until it is
// shown or compared with a time, because midnight does not exist everywhere on every day.
func DateOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// either returns the error for a text with two meanings.
func either(text, one, other string) error {
	return fmt.Errorf("%q could be %s or %s; give one of them", text, one, other)
}

// eitherDay returns a day if both meanings are the same day, otherwise an error.
func eitherDay(text string, one, other time.Time) (time.Time, error) {
	if one.Equal(other) {
		return one, nil
	}
	if other.Before(one) {
		one, other = other, one
	}
	return time.Time{}, either(text, one.Format(time.DateOnly), other.Format(time.DateOnly))
}
