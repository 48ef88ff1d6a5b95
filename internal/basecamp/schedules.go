package basecamp

import (
	"strings"
	"time"
)

// ScheduleEntry is an entry of a schedule.
type ScheduleEntry struct {
	Recording
	Span
	Summary      string       `json:"summary"`
	Description  HTML         `json:"description"`
	Attachments  []Attachment `json:"description_attachments"`
	Participants []Person     `json:"participants"`
	JoinURL      string       `json:"join_url"`            // where to meet; empty if it is not set
	Recurrence   *Recurrence  `json:"recurrence_schedule"` // nil if the entry does not recur
}

// Span is the time of an entry: between two times (RFC 3339), or, for whole days, from the first to
// the last date (YYYY-MM-DD).
type Span struct {
	AllDay   bool   `json:"all_day"`
	StartsAt string `json:"starts_at"`
	EndsAt   string `json:"ends_at"`
}

// Times returns the start and the end in a time zone. For whole days, they are the first and the
// last date, as midnight in UTC. It returns false if Basecamp gives either in another form.
func (s Span) Times(zone *time.Location) (starts, ends time.Time, ok bool) {
	starts, wrong := s.time(s.StartsAt, zone)
	ends, err := s.time(s.EndsAt, zone)
	return starts, ends, wrong == nil && err == nil
}

func (s Span) time(text string, zone *time.Location) (time.Time, error) {
	if s.AllDay {
		date, _, _ := strings.Cut(text, "T")
		return time.Parse(time.DateOnly, date)
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.In(zone), err
}

// Recurrence says when an entry of a schedule or a question recurs. Days are days of the week, from
// 0 for Sunday. They are days of the month if Frequency is every_day_of_month, or custom_month
// without a week.
type Recurrence struct {
	Frequency     string `json:"frequency"` // every_day, every_week, ...; Basecamp may add more
	Days          []int  `json:"days"`
	Hour          int    `json:"hour"`
	Minute        int    `json:"minute"`
	WeekInstance  int    `json:"week_instance"` // week of the month; -1: the last one; 0: not used
	WeekInterval  int    `json:"week_interval"`
	MonthInterval int    `json:"month_interval"`
	StartDate     string `json:"start_date"` // YYYY-MM-DD
	EndDate       string `json:"end_date"`   // YYYY-MM-DD; empty without an end
}

// EntryFields has the fields of an entry to write. An update clears the fields that are empty here.
// Nil participants stay as they are, as do the link and the highlight, which are not fields here.
type EntryFields struct {
	Span
	Summary        string         `json:"summary"`
	Description    string         `json:"description"` // HTML
	ParticipantIDs []int64        `json:"participant_ids,omitzero"`
	Notify         bool           `json:"notify,omitempty"`              // notifies the participants
	Recurrence     *NewRecurrence `json:"recurrence_schedule,omitempty"` // nil: it does not recur
	RecursUntil    string         `json:"recurs_until,omitempty"`        // YYYY-MM-DD; empty without an end
	Shown          *bool          `json:"visible_to_clients,omitempty"`
}

// NewRecurrence says when a new entry recurs. Basecamp derives the days that are not set from its
// beginning. It drops a recurrence that it does not understand, without an error.
type NewRecurrence struct {
	Frequency     string `json:"frequency"`
	Days          []int  `json:"days,omitempty"`
	WeekInstance  int    `json:"week_instance,omitempty"`
	WeekInterval  int    `json:"week_interval,omitempty"`
	MonthInterval int    `json:"month_interval,omitempty"`
}

// Upcoming has the entries of all schedules, and the tasks due, within a period.
type Upcoming struct {
	Entries     []Appointment `json:"schedule_entries"`                     // entries that do not recur
	Occurrences []Appointment `json:"recurring_schedule_entry_occurrences"` // occurrences of recurring entries
	// Assignables are open and completed tasks. Their people have only an ID and a name; the parent of
	// one, only an ID and a title: that of a group is "List: Group".
	Assignables []Assignment `json:"assignables"`
}

// Appointment is a short form of a schedule entry. Its people have only an ID and a name.
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

	VisibleToClients *bool `json:"visible_to_clients"` // nil if Basecamp does not say
}

func (u Upcoming) complete() bool { return u.Entries != nil && u.Occurrences != nil }
