package calendar

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/mcptool"
)

// Repetition is how often an entry is to recur, in the words of [recurs].
type Repetition struct {
	when.Repeat
	until string // the last day as people write it
	times int    // how often; 0: not said
}

const repeatForms = `such as "every Friday", "every weekday", "every Monday and Thursday until 2026-12-18", "every 2 weeks", "every month on day 15", ` +
	`"every month on the last Friday" or "every year, 5 times"`

var (
	repeatEnd   = lazyregexp.New(`^(.*?)(?:,? (?:until|till) (.+)|,? (?:for )?(\w+) times)$`)
	repeatWords = lazyregexp.New(`^every (?:(\w+) )?(day|weekday|workday|week|month|year)s?(?: on (.+))?$`)
	monthDay    = lazyregexp.New(`^(?:day|the)? ?(\d{1,2})(?:st|nd|rd|th)?(?: day)?$`)
)

// sameAs maps single words to what they mean.
var sameAs = map[string]string{
	"daily": "every day", "weekly": "every week", "monthly": "every month", "yearly": "every year", "annually": "every year",
	"fortnightly": "every 2 weeks", "quarterly": "every 3 months", "every quarter": "every 3 months", "weekdays": "every weekday",
}

var numbers = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// number reads a number from 1 to 100, or the word for one up to twelve.
func number(word string) int {
	if n := slices.Index(numbers, word); n > 0 {
		return n
	}
	switch word {
	case "other", "second":
		return 2
	case "third":
		return 3
	}
	n, _ := strconv.Atoi(word)
	if n < 1 || n > 100 {
		return 0
	}
	return n
}

// ParseRepetition reads how often an entry recurs. What Basecamp cannot do is an error.
func ParseRepetition(text string) (r Repetition, err error) {
	words := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if end := repeatEnd.FindStringSubmatch(words); end != nil {
		words, r.until, r.times = end[1], end[2], number(end[3])
		if end[3] != "" && r.times < 2 {
			return r, fmt.Errorf("must be repeated 2 to 100 times, got %s", plaintext.Quote(text))
		}
	}
	if before, _, timed := strings.Cut(words, " at "); timed {
		return r, fmt.Errorf("must be without a time of day, which starts_at has: %s", plaintext.Quote(before))
	}
	words = strings.TrimPrefix(cmp.Or(sameAs[words], words), "on ")
	unknown := fmt.Errorf("must say how often, %s; got %s", repeatForms, plaintext.Quote(text))
	if days, ok := strings.CutPrefix(words, "every "); ok {
		if r.Days = weekdaysIn(days); r.Days != nil {
			r.Unit, r.Interval = "week", 1
			return r, nil
		}
	}
	found := repeatWords.FindStringSubmatch(words)
	if found == nil {
		return r, unknown
	}
	r.Unit, r.Interval = found[2], 1
	if found[1] != "" {
		r.Interval = number(found[1])
	}
	if r.Unit == "weekday" || r.Unit == "workday" {
		r.Unit, r.Days = "week", workdays
		if found[1]+found[3] != "" {
			return r, unknown
		}
	}
	if r.Interval == 0 || found[3] != "" && !r.readOn(found[3]) {
		return r, unknown
	}
	return r, r.possible()
}

// readOn reads the days of a week or a month.
func (r *Repetition) readOn(on string) bool {
	if r.Unit == "week" {
		r.Days = weekdaysIn(on)
		return r.Days != nil
	}
	if r.Unit != "month" {
		return false
	}
	if day := monthDay.FindStringSubmatch(on); day != nil {
		r.Day, _ = strconv.Atoi(day[1])
		return r.Day >= 1 && r.Day <= 31
	}
	which, day, _ := strings.Cut(strings.TrimPrefix(on, "the "), " ")
	for n, word := range ordinals {
		if word == which {
			r.Ordinal = n
		}
	}
	r.Days = weekdaysIn(day)
	return r.Ordinal != 0 && len(r.Days) == 1
}

// weekdaysIn returns the days of the week in a list such as "mon, wed and friday", or nil.
func weekdaysIn(text string) (days []int) {
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(text, " and ", " "), func(r rune) bool { return strings.ContainsRune(", /&", r) }) {
		if strings.HasSuffix(word, "days") {
			word = strings.TrimSuffix(word, "s")
		}
		day := Weekday(word)
		if day < 0 {
			return nil
		}
		days = append(days, day)
	}
	slices.Sort(days)
	return slices.Compact(days)
}

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// Weekday returns the day of the week that a word in lower case names, in full or by its first
// letters, or -1. Sunday is 0.
func Weekday(word string) int {
	return slices.IndexFunc(dayNames, func(day string) bool { return len(word) >= 3 && strings.HasPrefix(day, word) })
}

// possible returns an error for what Basecamp cannot repeat.
func (r Repetition) possible() error {
	switch {
	case (r.Unit == "day" || r.Unit == "year") && r.Interval > 1:
		return fmt.Errorf("an entry can repeat every %[1]s in Basecamp, but not every %[2]d %[1]ss", r.Unit, r.Interval)
	case r.Interval > 12:
		return fmt.Errorf("an entry can repeat at most every 12 %ss in Basecamp", r.Unit)
	case r.Unit == "week" && r.Interval > 1 && len(r.Days) > 1:
		return fmt.Errorf("an entry that repeats every %d weeks falls on one day of the week; make an entry for each day", r.Interval)
	}
	return nil
}

// fields returns a repetition that begins on a day in Basecamp's words. Basecamp derives the days
// of most from the beginning.
func (r Repetition) fields() *basecamp.NewRecurrence {
	switch {
	case r.Unit == "day", len(r.Days) == 7:
		return &basecamp.NewRecurrence{Frequency: "every_day"}
	case r.Unit == "year":
		return &basecamp.NewRecurrence{Frequency: "every_year"}
	case r.Unit == "week" && slices.Equal(r.Days, workdays):
		return &basecamp.NewRecurrence{Frequency: "every_weekday"}
	case r.Unit == "week" && len(r.Days) > 1:
		return &basecamp.NewRecurrence{Frequency: "every_day", Days: r.Days}
	case r.Unit == "week" && r.Interval == 1:
		return &basecamp.NewRecurrence{Frequency: "every_week"}
	case r.Unit == "week" && r.Interval == 2:
		return &basecamp.NewRecurrence{Frequency: "every_other_week"}
	case r.Unit == "week":
		return &basecamp.NewRecurrence{Frequency: "custom_week", WeekInterval: r.Interval}
	case r.Interval == 1 && r.Ordinal == 0:
		return &basecamp.NewRecurrence{Frequency: "every_day_of_month"}
	case r.Interval == 1:
		return &basecamp.NewRecurrence{Frequency: "every_month", WeekInstance: r.Ordinal}
	case r.Ordinal != 0:
		return &basecamp.NewRecurrence{Frequency: "custom_month", MonthInterval: r.Interval, WeekInstance: r.Ordinal}
	}
	return &basecamp.NewRecurrence{Frequency: "custom_month", MonthInterval: r.Interval, Days: []int{r.Day}}
}

// repeated adds to the fields of an entry how often it recurs, by the clocks of the caller's time
// zone, which is the only one that Basecamp knows. The entry must begin on a day on which it
// recurs.
func (rs *Resolver) repeated(ctx context.Context, f *basecamp.EntryFields, text string, zone *time.Location) error {
	if text == "" {
		return nil
	}
	r, err := ParseRepetition(text)
	if err != nil {
		return fault.Invalid("repeats", "%s", err)
	}
	own, err := rs.Zone(ctx)
	if err != nil {
		return err
	}
	starts, _, ok := f.Times(own)
	if !ok {
		return fault.Invalid("starts_at", "the present times of this entry cannot be read; give starts_at and ends_at")
	}
	first := when.DateOf(starts)
	if !r.Falls(first, first) {
		next := first
		for !r.Falls(next, next) {
			next = next.AddDate(0, 0, 1)
		}
		return fault.Invalid("starts_at", "must be a day on which the entry recurs (%s) in %s: %s is a %s; the next one is %s",
			plaintext.Quote(text), own, first.Format(time.DateOnly), first.Weekday(), next.Format("Monday, 2006-01-02"))
	}
	if !f.AllDay && own.String() != zone.String() {
		mcptool.Understood(ctx, fmt.Sprintf("repeats: at %s in %s, the time zone of the Basecamp profile, also when the clocks change there or in %s",
			starts.Format("15:04"), own, zone))
	}
	r.Day = first.Day()
	f.Recurrence = r.fields()
	switch {
	case r.until != "":
		f.RecursUntil, err = rs.Date(ctx, "repeats", r.until)
		if err == nil && f.RecursUntil < first.Format(time.DateOnly) {
			err = fault.Invalid("repeats", "must not end before starts_at: %s is before %s", f.RecursUntil, first.Format(time.DateOnly))
		}
	case r.times > 0:
		last := first
		for n := 1; n < r.times; {
			if last = last.AddDate(0, 0, 1); r.Falls(first, last) {
				n++
			}
		}
		f.RecursUntil = last.Format(time.DateOnly)
	}
	return err
}

// recurringAs returns an error if an entry that was written does not recur as asked: Basecamp drops
// what it does not understand. The entry exists.
func recurringAs(wanted *basecamp.NewRecurrence, e basecamp.ScheduleEntry) error {
	if wanted == nil || e.Recurrence != nil && e.Recurrence.Frequency == wanted.Frequency {
		return nil
	}
	how := "exists once"
	if e.Recurrence != nil {
		how = "recurs " + Recurs(*e.Recurrence)
	}
	f := fault.New(fault.UpstreamError, "the entry was written, but Basecamp did not accept how it recurs: schedule_entry:%d %s; do not create it again, and let the user set it on its page: %s", e.ID, how, e.AppURL)
	f.Retryable, f.MayHaveHappened = false, true
	return f
}

var (
	workdays = []int{1, 2, 3, 4, 5}
	ordinals = map[int]string{1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}
)

// Recurs describes how often an entry recurs: "every Monday and Thursday, until 2026-05-01". It
// leaves out the time of day, because that depends on a time zone.
func Recurs(r basecamp.Recurrence) string {
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

// askedOn returns the days on which a question can be asked. It returns false if its schedule does
// not say them: those of a month may be days of the week or of the month.
func askedOn(r *basecamp.Recurrence) (days when.Repeat, known bool) {
	switch {
	case r == nil:
		return days, false
	case r.Frequency == "every_weekday":
		return when.Repeat{Unit: "day", Days: workdays}, true
	case r.Frequency == "every_month" && r.WeekInstance != 0:
		days = when.Repeat{Unit: "month", Days: r.Days, Ordinal: r.WeekInstance}
	case slices.Contains([]string{"every_day", "every_week", "every_other_week", "on_certain_days"}, r.Frequency):
		days = when.Repeat{Unit: "day", Days: r.Days}
	}
	return days, days.Unit != "" && len(r.Days) > 0
}

// Nearest returns the first day from a day on, in steps of one day ahead or back, on which a
// question can be asked. If its schedule does not say when, it returns the day itself.
func Nearest(r *basecamp.Recurrence, day time.Time, step int) time.Time {
	days, known := askedOn(r)
	for n := range 64 {
		if at := when.DateOf(day).AddDate(0, 0, n*step); known && days.Falls(at, at) {
			return at
		}
	}
	return when.DateOf(day)
}
