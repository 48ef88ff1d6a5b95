package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// defaultLength is the length of an entry without an end in the call.
const defaultLength = time.Hour

// WrittenEntry is a schedule entry that a call made.
type WrittenEntry struct {
	Entry
	lookup.Reach
}

type createScheduleEntryInput struct {
	Project  toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	Schedule toolargs.Ref `json:"schedule,omitzero" jsonschema:"If there are several"`
	Summary  string       `json:"summary" jsonschema:"Title" limits:"minlen=1 maxlen=1500"`
	StartsAt string       `json:"starts_at" jsonschema:"tomorrow 3pm, 2026-01-31T09:00, or a day"`
	EndsAt   string       `json:"ends_at,omitzero" jsonschema:"Such as 17:00; default: an hour later"`
	AllDay   bool         `json:"all_day,omitzero" jsonschema:"Whole days"`
	TimeZone string       `json:"time_zone,omitzero" jsonschema:"IANA name; default: the caller's"`
	Notes    string       `json:"notes,omitzero" jsonschema:"Markdown" limits:"maxlen=500000"`
	lookup.MentionsInput
	Participants toolargs.Refs `json:"participants,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=100"`
	Notify       bool          `json:"notify,omitzero" jsonschema:"Notify the participants"`
	Repeats      string        `json:"repeats,omitzero" jsonschema:"every friday until may 1, every 2 weeks, every month on the last monday" limits:"maxlen=200"`
	parts.ClientsInput
}

// CreateScheduleEntry returns the tool create_schedule_entry.
func CreateScheduleEntry(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_schedule_entry",
		Title:       "Schedule a meeting",
		Description: "Puts an event on the calendar of a Basecamp project.",
		Words:       "schedule a meeting, new event, appointment",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createScheduleEntryInput) (WrittenEntry, error) {
		if err := in.check(); err != nil {
			return WrittenEntry{}, err
		}
		var project basecamp.Project
		var zone *time.Location
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) {
				project, err = rs.Project(ctx, "project", in.Project)
				return err
			},
			func(ctx context.Context) (err error) { zone, err = rs.ZoneNamed(ctx, in.TimeZone); return err },
		)
		if err != nil {
			return WrittenEntry{}, err
		}
		on, err := rs.Dock(ctx, project, lookup.Schedule, in.Schedule)
		if err != nil {
			return WrittenEntry{}, err
		}
		fields, notes, err := rs.newEntry(ctx, project.ID, in, zone)
		if err != nil {
			return WrittenEntry{}, err
		}
		beside := rs.BesideIn(ctx, project.ID)
		made, err := basecamp.EntriesIn.Post(ctx, rs.BC, fields, on.ID)
		if err == nil {
			err = recurringAs(fields.Recurrence, made)
		}
		if err != nil {
			return WrittenEntry{}, err
		}
		return rs.writtenEntry(made, zone, beside.Created(made.Recording, notes, notifiedOf(made, in.Notify)...)), nil
	})
}

func (in createScheduleEntryInput) check() error {
	if err := parts.NotBlank("summary", in.Summary); err != nil {
		return err
	}
	if in.Notify && len(in.Participants) == 0 {
		return noParticipants()
	}
	return nil
}

func noParticipants() error {
	return fault.Invalid("notify", "there are no participants to notify; add participants or leave out notify")
}

func (rs *Resolver) newEntry(ctx context.Context, project int64, in createScheduleEntryInput, zone *time.Location) (f basecamp.EntryFields, notes lookup.Composed, err error) {
	span, err := rs.newSpan(ctx, in)
	if err != nil {
		return f, notes, err
	}
	participants, err := rs.Persons(ctx, "participants", in.Participants, project)
	if err != nil {
		return f, notes, err
	}
	shown, err := rs.Visible(ctx, in.ClientsInput, project, basecamp.Recording{})
	if err != nil {
		return f, notes, err
	}
	notes, err = rs.Compose(ctx, lookup.Prose{Project: project, Argument: "notes", Markdown: in.Notes, Mentions: in.Mentions, Old: ""})
	if err != nil {
		return f, notes, err
	}
	f = basecamp.EntryFields{
		Span: span, Summary: strings.TrimSpace(in.Summary), Description: notes.HTML,
		ParticipantIDs: lookup.PersonIDs(participants), Notify: in.Notify, Shown: shown,
	}
	err = rs.repeated(ctx, &f, in.Repeats, zone)
	return f, notes, err
}

func (rs *Resolver) newSpan(ctx context.Context, in createScheduleEntryInput) (basecamp.Span, error) {
	if in.AllDay || isDay(in.StartsAt) {
		return rs.wholeDays(ctx, in.StartsAt, in.EndsAt, 0)
	}
	return rs.timed(ctx, in.StartsAt, in.EndsAt, in.TimeZone, time.Time{}, defaultLength)
}

func (rs *Resolver) writtenEntry(e basecamp.ScheduleEntry, zone *time.Location, r lookup.Reach) WrittenEntry {
	v := rs.viewEntry(e, zone)
	listing.Excerpt(&v.Notes, parts.MaxWritten, &v.Truncated)
	v.Seen = r.ViewClients()
	v.unread(&r.Gaps)
	return WrittenEntry{v, r}
}

// notifiedOf returns the participants if Basecamp notifies them of the entry.
func notifiedOf(e basecamp.ScheduleEntry, notify bool) []basecamp.Person {
	if !notify {
		return nil
	}
	return e.Participants
}

type updateScheduleEntryInput struct {
	Entry    toolargs.Ref            `json:"entry" jsonschema:"Id, URL or summary"`
	Project  toolargs.Ref            `json:"project,omitzero" jsonschema:"Project of the title"`
	Summary  toolargs.Change[string] `json:"summary" jsonschema:"New title" limits:"minlen=1 maxlen=1500"`
	StartsAt toolargs.Change[string] `json:"starts_at" jsonschema:"Keeps the length unless ends_at is given" limits:"minlen=1"`
	EndsAt   toolargs.Change[string] `json:"ends_at" jsonschema:"Like starts_at" limits:"minlen=1"`
	AllDay   toolargs.Change[bool]   `json:"all_day" jsonschema:"false: with times"`
	TimeZone string                  `json:"time_zone,omitzero" jsonschema:"IANA name; default: the caller's"`
	Notes    toolargs.Change[string] `json:"notes" jsonschema:"New Markdown; empty clears" limits:"maxlen=500000"`
	lookup.MentionsInput
	Participants toolargs.Change[toolargs.Refs] `json:"participants" jsonschema:"Replaces all; [] clears" limits:"maxitems=100 none"`
	Notify       bool                           `json:"notify,omitzero" jsonschema:"Notify the participants"`
	Repeats      string                         `json:"repeats,omitzero" jsonschema:"As in create_schedule_entry" limits:"maxlen=200"`
}

// UpdatedEntry is an entry after a change. Previous has what the change replaced.
type UpdatedEntry struct {
	WrittenEntry
	Previous map[string]any `json:"previous"`
}

// UpdateScheduleEntry returns the tool update_schedule_entry.
func UpdateScheduleEntry(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_schedule_entry",
		Title:       "Change a meeting",
		Description: "Moves a Basecamp event to another time, or changes its participants or notes. Recurring ones can be changed only on the web.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateScheduleEntryInput) (UpdatedEntry, error) {
		if err := in.check(); err != nil {
			return UpdatedEntry{}, err
		}
		var old basecamp.ScheduleEntry
		var zone *time.Location
		var me basecamp.Person
		err := listing.Together(ctx,
			func(ctx context.Context) (err error) { old, err = rs.entryToChange(ctx, in); return err },
			func(ctx context.Context) (err error) {
				if zone, err = rs.ZoneNamed(ctx, in.TimeZone); err == nil {
					me, err = rs.Me(ctx)
				}
				return err
			},
		)
		if err != nil {
			return UpdatedEntry{}, err
		}
		beside := rs.AudienceBeside(ctx, old.Recording)
		fields, notes, err := rs.changedEntry(ctx, old, in, zone)
		if err != nil {
			return UpdatedEntry{}, err
		}
		changed, err := basecamp.EntryAt.Put(ctx, rs.BC, fields, old.ID)
		if err == nil {
			err = recurringAs(fields.Recurrence, changed)
		}
		if err != nil {
			return UpdatedEntry{}, err
		}
		v := rs.writtenEntry(changed, zone, beside.Reached(me.ID, changed.Recording, notes, notifiedOf(changed, in.Notify)...))
		return UpdatedEntry{v, v.previous(rs.viewEntry(old, zone), rs.Markdown(changed.Description, changed.Attachments...))}, nil
	})
}

// previous returns the fields in which an entry was different, given its notes after the change.
func (v WrittenEntry) previous(was Entry, notes string) map[string]any {
	all := map[string]any{}
	note := func(name string, changed bool, old any) {
		if changed {
			all[name] = old
		}
	}
	note("summary", was.Summary != v.Summary, was.Summary)
	note("notes", was.Notes != notes, parts.PreviousText(was.Notes, notes))
	note("all_day", was.AllDay != v.AllDay, was.AllDay)
	note("starts_at", was.StartsAt != v.StartsAt, was.StartsAt)
	note("ends_at", was.EndsAt != v.EndsAt, was.EndsAt)
	note("recurs", was.Recurs != v.Recurs, nil)
	note("participants", !slices.Equal(was.Participants, v.Participants), was.Participants)
	return all
}

func (in updateScheduleEntryInput) check() error {
	switch {
	case !in.Summary.Given && !in.retimed() && !in.Notes.Given && !in.Participants.Given && in.Repeats == "":
		return parts.NothingToChange("summary, starts_at, ends_at, all_day, notes, participants or repeats")
	case len(in.Mentions) > 0 && strings.TrimSpace(in.Notes.To) == "":
		return parts.NowhereToMention("notes")
	case in.Summary.Given:
		return parts.NotBlank("summary", in.Summary.To)
	}
	return nil
}

func (in updateScheduleEntryInput) retimed() bool {
	return in.StartsAt.Given || in.EndsAt.Given || in.AllDay.Given
}

// entryToChange reads the entry to change. It refuses a recurring entry, because Basecamp ignores
// such a change and answers with the first occurrence, unchanged.
func (rs *Resolver) entryToChange(ctx context.Context, in updateScheduleEntryInput) (basecamp.ScheduleEntry, error) {
	e, err := lookup.ReadToChange(ctx, rs.Resolver, lookup.EntryKind, in.Entry, in.Project, basecamp.EntryAt.Reader(rs.BC))
	if err != nil {
		return e, err
	}
	return e, NotRecurring("entry", e)
}

// NotRecurring refuses to change an entry that repeats.
func NotRecurring(argument string, e basecamp.ScheduleEntry) error {
	if e.Recurrence == nil {
		return nil
	}
	return fault.Invalid(argument, "a recurring entry (%s) can be changed only on its page in Basecamp: %s", Recurs(*e.Recurrence), e.AppURL)
}

// changedEntry returns all fields of the entry after the change, because Basecamp clears most
// fields that it does not receive.
func (rs *Resolver) changedEntry(ctx context.Context, old basecamp.ScheduleEntry, in updateScheduleEntryInput, zone *time.Location) (f basecamp.EntryFields, notes lookup.Composed, err error) {
	f = basecamp.EntryFields{Span: old.Span, Summary: old.Summary, Description: string(old.Description), Notify: in.Notify}
	if in.retimed() {
		if f.Span, err = rs.moved(ctx, old.Span, in, zone); err != nil {
			return f, notes, err
		}
	}
	if in.Summary.Given {
		f.Summary = strings.TrimSpace(in.Summary.To)
	}
	participantCount := len(old.Participants)
	if in.Participants.Given {
		participants, err := rs.Persons(ctx, "participants", in.Participants.To, old.Bucket.ID)
		if err != nil {
			return f, notes, err
		}
		f.ParticipantIDs, participantCount = lookup.PersonIDs(participants), len(participants)
	}
	if in.Notify && participantCount == 0 {
		return f, notes, noParticipants()
	}
	if in.Notes.Given {
		notes, err = rs.Compose(ctx, lookup.Prose{Project: old.Bucket.ID, Argument: "notes", Markdown: in.Notes.To, Mentions: in.Mentions, Old: old.Description})
		f.Description = notes.HTML
	}
	if err != nil {
		return f, notes, err
	}
	err = rs.repeated(ctx, &f, in.Repeats, zone)
	return f, notes, err
}

// moved returns the span of an entry after the requested change. The length stays the same unless
// the caller sets a new end.
func (rs *Resolver) moved(ctx context.Context, old basecamp.Span, in updateScheduleEntryInput, zone *time.Location) (basecamp.Span, error) {
	from, to, known := old.Times(zone)
	if !known && !(in.StartsAt.Given && in.EndsAt.Given) {
		return basecamp.Span{}, fault.Invalid("starts_at", "the present times of this entry cannot be read; give starts_at and ends_at")
	}
	starts := in.StartsAt.To
	if in.AllDay.ValueOr(old.AllDay) {
		if starts == "" {
			starts = from.Format(time.DateOnly)
		}
		return rs.wholeDays(ctx, starts, in.EndsAt.To, when.DaysBetween(from, to))
	}
	length := to.Sub(from)
	switch {
	case old.AllDay && starts == "":
		return basecamp.Span{}, fault.Invalid("starts_at", "give a time of day, such as 2026-01-31T09:00: the entry takes whole days, so it has no start time yet")
	case old.AllDay:
		from, length = when.Beginning(from, zone), defaultLength
	case starts == "":
		starts = old.StartsAt
	}
	return rs.timed(ctx, starts, in.EndsAt.To, in.TimeZone, from, length)
}

// wholeDays returns a span of whole days. If ends is empty, the last day is length days after the
// first.
func (rs *Resolver) wholeDays(ctx context.Context, starts, ends string, length int) (basecamp.Span, error) {
	first, err := rs.WholeDay(ctx, "starts_at", starts)
	if err != nil {
		return basecamp.Span{}, err
	}
	last := first.AddDate(0, 0, length)
	if ends != "" {
		if last, err = rs.WholeDay(ctx, "ends_at", ends); err != nil {
			return basecamp.Span{}, err
		}
	}
	if last.Before(first) {
		return basecamp.Span{}, fault.Invalid("ends_at", "must not be before starts_at, which is %s", first.Format(time.DateOnly))
	}
	return basecamp.Span{AllDay: true, StartsAt: first.Format(time.DateOnly), EndsAt: last.Format(time.DateOnly)}, nil
}

// WholeDay reads a day as people write it, and returns when it begins.
func (rs *Resolver) WholeDay(ctx context.Context, argument, text string) (time.Time, error) {
	if said, err := when.Parse(text); err == nil && said.HasTime() {
		return time.Time{}, rs.BadDay(ctx, argument, "must be a date or a weekday, because the entry takes whole days; "+
			"for times of day give starts_at and ends_at as times and set all_day to false; got %s", plaintext.Quote(text))
	}
	return rs.Day(ctx, argument, text, when.Ahead, lookup.DayForms)
}

// timed returns a span between two times. If ends is empty, the span has the given length. A start
// without a day is on the day of on, if that is not zero. An end without a day is on the day of the
// start.
func (rs *Resolver) timed(ctx context.Context, starts, ends, zone string, on time.Time, length time.Duration) (basecamp.Span, error) {
	from, err := rs.Clock(ctx, "starts_at", starts, zone, on)
	if err != nil {
		return basecamp.Span{}, err
	}
	to := from.Add(length)
	if ends != "" {
		if to, err = rs.Clock(ctx, "ends_at", ends, zone, from); err != nil {
			return basecamp.Span{}, err
		}
	}
	if to.Before(from) {
		return basecamp.Span{}, fault.Invalid("ends_at", "must not be before starts_at, which is %s", from.Format(time.RFC3339))
	}
	return basecamp.Span{StartsAt: from.Format(time.RFC3339Nano), EndsAt: to.Format(time.RFC3339Nano)}, nil
}

// isDay reports whether a text is a day without a time.
func isDay(text string) bool {
	said, err := when.Parse(text)
	return err == nil && !said.HasTime()
}
