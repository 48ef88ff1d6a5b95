package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/text/when"
)

var scheduleRoutes = []route{
	{"GET /schedules/{id}/entries", func(c *call, schedule *recording) reply {
		entries := c.listed(schedule.within(kindEntry))
		slices.SortStableFunc(entries, func(a, b *recording) int { return a.Entry.StartsAt.Compare(b.Entry.StartsAt) })
		return page(c, entries, "full")
	}},
	// Answers with an entry. For a recurring entry, it redirects to the first occurrence.
	{"GET /schedule_entries/{id}", func(c *call, r *recording) reply {
		if r.Entry.Recurs != nil {
			return c.toFirst(r)
		}
		return ok(c.show(r))
	}},
	{"GET /schedule_entries/{id}/occurrences/{day}", func(c *call, r *recording) reply {
		day, err := time.Parse("20060102", c.params[1])
		refuse(err != nil || !r.Entry.happensOn(day), notFound())
		return ok(c.show(r.occurringAt(r.Entry.on(day))))
	}},
}

// An entry is an event on a schedule. For all-day events, starts and ends are midnight UTC of the
// first and the last day. Others recur at the same time of the clocks where their writer is, so
// those starts are in that time zone.
type entry struct {
	StartsAt     time.Time
	EndsAt       time.Time
	AllDay       bool
	Highlighted  bool
	JoinURL      string
	Participants []*Person
	Recurs       *recurrence
}

// occurringAt returns the entry as it is on one of its days.
func (r *recording) occurringAt(starts time.Time) *recording {
	e, at := *r.Entry, *r
	e.StartsAt, e.EndsAt = starts, starts.Add(e.EndsAt.Sub(e.StartsAt))
	at.Entry = &e
	return &at
}

// occasion returns the path of an entry, or of this occurrence of a recurring one.
func (r *recording) occasion() string {
	if r.Entry.Recurs == nil {
		return r.place()
	}
	return r.place() + "/occurrences/" + r.Entry.StartsAt.Format("20060102")
}

// moment returns a date for an all-day entry, otherwise a time.
func (e *entry) moment(at time.Time) any {
	if e.AllDay {
		return at.Format(time.DateOnly)
	}
	return at
}

// sortedBy returns a text by which the beginnings of entries are ordered.
func (e *entry) sortedBy(starts time.Time) string {
	if e.AllDay {
		return starts.Format(time.DateOnly)
	}
	return starts.UTC().Format(time.RFC3339)
}

func (c *call) toFirst(r *recording) reply {
	moved := replyWith(http.StatusFound, nil)
	moved.header.Set("Location", c.url("/buckets/%d/schedule_entries/%d/occurrences/%s.json", r.Bucket.ID, r.ID,
		r.Entry.StartsAt.Format("20060102")))
	return moved
}

// entries keep participants, link and highlight if a change does not have them. A recurring entry
// cannot be changed, so a request for it is redirected.
var entries = writing{
	kind: kindEntry, within: []kind{kindSchedule}, list: "entries",
	fill:      (*call).writeEntry,
	mayChange: func(c *call, r *recording) { refuse(r.Entry.Recurs != nil, c.toFirst(r)) },
	made: func(c *call, r *recording) {
		c.tellParticipants(r)
		c.mention(r, nil)
	},
	changed: func(c *call, r *recording, was recording) {
		change := "content_changed"
		if !was.Entry.StartsAt.Equal(r.Entry.StartsAt) {
			change = "rescheduled"
		}
		c.changed(r, change, nil)
		c.tellParticipants(r)
	},
}

func (c *call) tellParticipants(r *recording) {
	r.subscribe(r.Entry.Participants...)
	if c.fields.yes("notify") {
		c.notifyAll(r, r.Entry.Participants, "inbox")
	}
}

// writeEntry sets all fields of an entry, whose times depend on each other.
func (c *call) writeEntry(r *recording, f fields) {
	e := entry{}
	if r.Entry != nil {
		e = *r.Entry
	} else if f.text("status") == string(drafted) {
		r.Status = drafted
	}
	e.AllDay = f.yes("all_day")
	var startsOK, endsOK bool
	e.StartsAt, startsOK = c.moment(f.trimmed("starts_at"), e.AllDay)
	e.EndsAt, endsOK = c.moment(f.trimmed("ends_at"), e.AllDay)
	refuse(f.trimmed("summary") == "", invalidField("summary", blank))
	refuse(!startsOK, invalidField("starts_at", blank))
	refuse(!endsOK, invalidField("ends_at", blank))
	refuse(e.EndsAt.Before(e.StartsAt), invalidField("ends_at", "must be on or after the start"))
	if f.has("participant_ids") {
		e.Participants = c.known(r.Bucket, f.numbers("participant_ids"))
	}
	if f.has("url") {
		e.JoinURL = f.trimmed("url")
	}
	refuse(e.JoinURL != "" && !strings.HasPrefix(e.JoinURL, "http"), invalidField("url", "is invalid"))
	if f.has("highlighted") {
		e.Highlighted = f.yes("highlighted")
	}
	if f.has("recurrence_schedule") {
		if !e.AllDay {
			e.StartsAt = e.StartsAt.In(c.me.location)
		}
		e.Recurs = recurring(f.object("recurrence_schedule"), e.StartsAt)
	}
	if end, ok := f.date("recurs_until"); ok && e.Recurs != nil {
		e.Recurs.EndDate = nil
		if end != "" {
			e.Recurs.EndDate = &end
		}
	}
	r.Title = f.trimmed("summary")
	r.Body = c.s.richText(c.account, f.text("description"))
	r.Entry = &e
}

// moment parses a time, or a date for an all-day entry. A time without an offset is in the caller's
// time zone.
func (c *call) moment(text string, allDay bool) (time.Time, bool) {
	if len(text) >= len(time.DateOnly) && (allDay || len(text) == len(time.DateOnly)) {
		day, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)])
		return day, err == nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime} {
		if at, err := time.ParseInLocation(layout, text, c.me.location); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

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
	first := when.DateOf(e.StartsAt)
	if e.Recurs == nil {
		return first.Equal(day)
	}
	over := e.Recurs.EndDate != nil && day.Format(time.DateOnly) > *e.Recurs.EndDate
	return !day.Before(first) && !over && e.Recurs.repeat().Falls(first, day)
}

// on returns when an entry begins on one of its days.
func (e *entry) on(day time.Time) time.Time {
	hour, minute, second := e.StartsAt.Clock()
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, second, 0, e.StartsAt.Location())
}

// repeat returns the dates of a recurrence of an entry.
func (r *recurrence) repeat() when.Repeat {
	number := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	switch r.Frequency {
	case "every_day", "every_weekday":
		return when.Repeat{Unit: "day", Days: r.Days}
	case "every_week":
		return when.Repeat{Unit: "week"}
	case "every_other_week":
		return when.Repeat{Unit: "week", Interval: 2}
	case "custom_week":
		return when.Repeat{Unit: "week", Interval: number(r.WeekInterval)}
	case "every_year":
		return when.Repeat{Unit: "year"}
	}
	return when.Repeat{Unit: "month", Interval: number(r.MonthInterval), Days: r.Days, Ordinal: number(r.WeekInstance)}
}
