package basecamp

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ScheduleEntry is something on a schedule.
type ScheduleEntry struct {
	Recording
	Span
	Summary      string       `json:"summary"`
	Description  HTML         `json:"description"`
	Attachments  []Attachment `json:"description_attachments"`
	Participants []Person     `json:"participants"`
	JoinURL      string       `json:"join_url"`            // where to meet, "" for nowhere in particular
	Recurrence   *Recurrence  `json:"recurrence_schedule"` // nil for what happens once
}

// Span is when something happens: from a time to a time (RFC 3339), or for whole days from a date to a date (YYYY-MM-DD), the
// last one included.
type Span struct {
	AllDay   bool   `json:"all_day"`
	StartsAt string `json:"starts_at"`
	EndsAt   string `json:"ends_at"`
}

// Times are when it starts and ends, in a zone; of whole days, midnight there at the beginning of the first and the last.
func (s Span) Times(zone *time.Location) (starts, ends time.Time) {
	return s.time(s.StartsAt, zone), s.time(s.EndsAt, zone)
}

func (s Span) time(text string, zone *time.Location) time.Time {
	if s.AllDay {
		day, _ := time.ParseInLocation(time.DateOnly, text[:min(len(text), len(time.DateOnly))], zone)
		return day
	}
	t, _ := time.Parse(time.RFC3339, text)
	return t.In(zone)
}

// Recurrence is when something comes back: an entry of a schedule, or a question. Days are of the week, Sunday being 0, or of
// a month for every_day_of_month and for a custom_month without a week.
type Recurrence struct {
	Frequency     string `json:"frequency"` // every_day, every_week, ...: an open set
	Days          []int  `json:"days"`
	Hour          int    `json:"hour"`
	Minute        int    `json:"minute"`
	WeekInstance  int    `json:"week_instance"` // which week of the month, -1 the last; 0 for none
	WeekInterval  int    `json:"week_interval"`
	MonthInterval int    `json:"month_interval"`
	StartDate     string `json:"start_date"` // YYYY-MM-DD
	EndDate       string `json:"end_date"`   // YYYY-MM-DD, "" when it goes on for ever
}

// EntryFields are what an entry is written with. Of an entry that exists, what is empty here is cleared; only the participants,
// when nil, and what is not here (the link, the highlight) stay.
type EntryFields struct {
	Span
	Summary        string  `json:"summary"`
	Description    string  `json:"description"` // HTML
	ParticipantIDs []int64 `json:"participant_ids,omitzero"`
	Notify         bool    `json:"notify,omitempty"` // tells the participants
}

// ScheduleEntry is one entry in full. What recurs is given as it happens the first time.
func (c *Client) ScheduleEntry(ctx context.Context, id int64) (ScheduleEntry, error) {
	return get[ScheduleEntry](ctx, c, at("schedule_entry", id, "schedule_entries/%d.json"))
}

// Occurrence is an entry that recurs, as it happens on a day, YYYYMMDD.
func (c *Client) Occurrence(ctx context.Context, id int64, day string) (ScheduleEntry, error) {
	r := at("schedule_entry", id, "schedule_entries/%d/occurrences/")
	r.path += day + ".json"
	return get[ScheduleEntry](ctx, c, r)
}

// CreateScheduleEntry puts an entry on a schedule, for everybody to see.
func (c *Client) CreateScheduleEntry(ctx context.Context, schedule int64, f EntryFields) (ScheduleEntry, error) {
	return send[ScheduleEntry](ctx, c, http.MethodPost, at("schedule", schedule, "schedules/%d/entries.json"), f)
}

// UpdateScheduleEntry replaces an entry. Basecamp refuses to for one that recurs.
func (c *Client) UpdateScheduleEntry(ctx context.Context, id int64, f EntryFields) (ScheduleEntry, error) {
	return send[ScheduleEntry](ctx, c, http.MethodPut, at("schedule_entry", id, "schedule_entries/%d.json"), f)
}

// Upcoming is what is on all schedules, and what is due, in a time.
type Upcoming struct {
	Entries     []Appointment `json:"schedule_entries"`                     // those that happen once
	Occurrences []Appointment `json:"recurring_schedule_entry_occurrences"` // and each time of those that recur
	Assignables []Assignable  `json:"assignables"`
}

// Appointment is an entry of a schedule in brief. People have but an id and a name.
type Appointment struct {
	ID int64 `json:"id"`
	Span
	Summary       string   `json:"summary"`
	Recurring     bool     `json:"recurring"`
	AppURL        string   `json:"app_url"`
	Bucket        Bucket   `json:"bucket"`
	Creator       Person   `json:"creator"`
	Participants  []Person `json:"participants"`
	CommentsCount int      `json:"comments_count"`
}

// Assignable is a to-do, card or subtask in brief: Type is todo, card or step. Assignees have but an id and a name.
type Assignable struct {
	ID            int64    `json:"id"`
	Type          string   `json:"type"`
	Content       string   `json:"content"`   // its title
	DueOn         string   `json:"due_on"`    // YYYY-MM-DD
	StartsOn      string   `json:"starts_on"` // likewise, "" for none
	Completed     bool     `json:"completed"`
	AppURL        string   `json:"app_url"`
	Bucket        Bucket   `json:"bucket"`
	Parent        Parent   `json:"parent"` // its id, and its title: of a group "List: Group"
	Assignees     []Person `json:"assignees"`
	CommentsCount int      `json:"comments_count"`
}

// Upcoming gives everything between two dates (YYYY-MM-DD), both included, in all projects. It has no pages.
func (c *Client) Upcoming(ctx context.Context, from, to string) (Upcoming, error) {
	r := request{path: "reports/schedules/upcoming.json", query: url.Values{"window_starts_on": {from}, "window_ends_on": {to}}}
	return read(ctx, c, r, decodeReport[Upcoming])
}

func (u Upcoming) whole() bool { return u.Entries != nil && u.Occurrences != nil }
