package when

import (
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
)

var punctuation = strings.NewReplacer("_", " ", ",", " ", "a.m", "am", "p.m", "pm", "’", "'")

// dotted matches a day and a month in numbers, such as 24.12., whose last dot makes it a date.
var dotted = lazyregexp.New(`^\d{1,2}\.\d{1,2}\.$`)

// split returns the words of a text in lower case, without dots after abbreviations and without
// words such as "on" at the beginning.
func split(text string) []string {
	words := strings.Fields(punctuation.Replace(strings.ToLower(text)))
	for i, word := range words {
		if !dotted.MatchString(word) {
			words[i] = strings.TrimRight(word, ".")
		}
	}
	for len(words) > 1 && slices.Contains([]string{"on", "by", "since", "the"}, words[0]) {
		words = words[1:]
	}
	return words
}

// maxClockWords is the number of words of the longest time of day: "at 3 pm".
const maxClockWords = 3

// parseWords reads a day, a time of day, or both in any order.
func parseWords(words []string) (Phrase, error) {
	if p, ok, err := parseDay(words); ok {
		return p, err
	}
	for n := min(len(words), maxClockWords); n > 0; n-- {
		if p, ok, err := timed(words[:len(words)-n], words[len(words)-n:]); ok {
			return p, err
		}
		if p, ok, err := timed(words[n:], words[:n]); ok {
			return p, err
		}
	}
	return Phrase{}, ErrUnknown
}

// timed reads a day that may be absent, and a time of day.
func timed(day, clock []string) (p Phrase, ok bool, err error) {
	c, ok, err := parseClock(clock)
	if !ok {
		return p, false, nil
	}
	if len(day) > 0 && day[0] == "on" {
		day = day[1:]
	}
	if len(day) == 0 {
		return Phrase{clock: c}, true, err
	}
	p, ok, dayErr := parseDay(day)
	if !ok || p.exact {
		return p, false, nil
	}
	if dayErr != nil {
		err = dayErr
	}
	p.clock = c
	return p, true, err
}

// form is a way to write a day: an expression, and what its groups mean.
type form struct {
	matches lazyregexp.Regexp
	read    func(said string, parts []string) (Phrase, error)
}

const (
	weekdayNames = `(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	monthNames   = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	counts       = `(\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	units        = `(minute|min|hour|hr|day|week|fortnight|month|year)s?`
	dayOfMonth   = `(\d{1,2})(?:st|nd|rd|th)?`
)

var forms = []form{
	{expression(`(now)`), readNow},
	{expression(`(today|tonight|tomorrow|yesterday|day after tomorrow|day before yesterday)`), readNear},
	{expression(`(?:(this|next|last) )?` + weekdayNames), readWeekday},
	{expression(counts + ` weeks? (?:on|from) ` + weekdayNames), readWeeksOn},
	{expression(weekdayNames + ` (?:of )?next week`), readNextWeek},
	{expression(`(first|second|third|fourth|last) ` + weekdayNames + ` (?:of|in) ` + monthNames + `(?: (\d{4}))?`), readWeekdayOf},
	{expression(`in ` + counts + ` ` + units + `()`), readDistance},
	{expression(counts + ` ` + units + ` (ago|from now|from today)`), readDistance},
	{expression(`(?:last|past|previous) ` + counts + ` ` + units), readSpan},
	{expression(`past()? ` + units), readSpan},
	{expression(`(this|next|last) (week|month|year)`), readPeriod},
	{expression(`end of (?:the |(this |next |last ))?(week|month|year)`), readEnd},
	{expression(`eo(w|m|y)()`), readEnd},
	{expression(`(?:` + weekdayNames + ` )?` + monthNames + ` ` + dayOfMonth + `(?: (\d{4}))?`), readMonthDay},
	{expression(`(?:` + weekdayNames + ` )?(?:the )?` + dayOfMonth + ` (?:of )?` + monthNames + `(?: (\d{4}))?`), readDayMonth},
	{expression(`(\d{1,2})(?:st|nd|rd|th)`), readDayAlone},
	{expression(`(\d{1,2})([/.-])(\d{1,2})(?:[/.-](\d{4}))?\.?`), readNumbers},
}

func expression(text string) lazyregexp.Regexp { return lazyregexp.New(`^` + text + `$`) }

// parseDay reads the words of a day, or of a time that counts from the present. It
// returns false for other words.
func parseDay(words []string) (p Phrase, ok bool, err error) {
	said := strings.Join(words, " ")
	if p, ok, err := parseISO(strings.ToUpper(said)); ok {
		return p, true, err
	}
	for _, f := range forms {
		if parts := f.matches.FindStringSubmatch(said); parts != nil {
			p, err = f.read(said, parts)
			return p, true, err
		}
	}
	return p, false, nil
}

func readNow(string, []string) (Phrase, error) {
	return Phrase{exact: true, day: func(now time.Time, _ Tense) (time.Time, error) { return now, nil }}, nil
}
