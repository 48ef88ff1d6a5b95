package when

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
)

// clock is a time of day.
type clock struct {
	text       string
	sinceStart time.Duration
}

// clockForm matches 17:00, 9:30:15, 3pm, 3:30pm and 10. The last is a time only after "at".
var clockForm = lazyregexp.New(`^(\d{1,2})(?::(\d{2}))?(?::(\d{2})(\.\d{1,9})?)?(am|pm)?$`)

// hourWords are the words that can follow an hour.
var hourWords = []string{"am", "pm", "o'clock"}

// parseClock reads a time of day. It returns false for words that are not one.
func parseClock(words []string) (c *clock, ok bool, err error) {
	said := strings.Join(words, " ")
	atHour := words[0] == "at"
	if atHour {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 2 || len(words) == 2 && !slices.Contains(hourWords, words[1]) {
		return nil, false, nil
	}
	text, oClock := strings.CutSuffix(strings.Join(words, ""), "o'clock")
	switch text {
	case "noon", "midday", "12noon":
		return &clock{said, 12 * time.Hour}, true, nil
	case "midnight":
		return nil, true, errors.New(`"midnight" could be the beginning or the end of the day; give the date with 00:00`)
	}
	parts := clockForm.FindStringSubmatch(text)
	if len(parts) == 0 {
		return nil, false, nil
	}
	if isHour := parts[2] == "" && parts[5] == ""; isHour && !atHour && !oClock {
		return nil, false, nil
	}
	since, err := parts24(said, parts)
	return &clock{said, since}, true, err
}

// parts24 returns the time since midnight of the parts of a time of day.
func parts24(said string, parts []string) (time.Duration, error) {
	hour, _ := strconv.Atoi(parts[1]) // the expression admits only digits
	minute, _ := strconv.Atoi("0" + parts[2])
	second, _ := strconv.Atoi("0" + parts[3])
	fraction, _ := time.ParseDuration("0" + parts[4] + "s")
	half := parts[5]
	switch {
	case half != "" && (hour < 1 || hour > 12):
		return 0, fmt.Errorf("there is no time %q: with am or pm, hours are 1 to 12", said)
	case hour > 23 || minute > 59 || second > 59:
		return 0, fmt.Errorf("there is no time %q: hours are 0 to 23, minutes and seconds 0 to 59", said)
	case half == "" && parts[2] == "" && hour > 0 && hour < 7:
		return 0, either(said, fmt.Sprintf("%02d:00", hour), fmt.Sprintf("%02d:00", hour+12))
	case half == "am" && hour == 12:
		hour = 0
	case half == "pm" && hour < 12:
		hour += 12
	}
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + fraction, nil
}

// timeOn returns this time on a day. It returns an error if clocks skip the time on that day, or
// show it twice.
func (c *clock) timeOn(day time.Time, zone *time.Location) (time.Time, error) {
	switch moments := instants(DateOf(day).Add(c.sinceStart), zone); len(moments) {
	case 0:
		return time.Time{}, fmt.Errorf("%q does not exist on %s, because clocks go forward in %s; give another time",
			c.text, day.Format(time.DateOnly), zone)
	case 1:
		return moments[0], nil
	default:
		return time.Time{}, either(c.text, moments[0].Format(time.RFC3339), moments[1].Format(time.RFC3339))
	}
}

// near returns this time on the present day. A time that is over is an error for Ahead, because it
// could be today's or tomorrow's. For Back, a time that is still to come is yesterday's.
func (c *clock) near(now time.Time, tense Tense, zone *time.Location) (time.Time, error) {
	today := DateOf(now)
	moment, err := c.timeOn(today, zone)
	switch {
	case err != nil:
		return moment, err
	case tense == Back && moment.After(now):
		return c.timeOn(today.AddDate(0, 0, -1), zone)
	case tense == Ahead && moment.Before(now):
		return moment, either(c.text, moment.Format("2006-01-02T15:04"), moment.AddDate(0, 0, 1).Format("2006-01-02T15:04"))
	}
	return moment, nil
}
