// Package calendar holds the tools of schedules: entries, how they repeat, and what comes up.
package calendar

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

type listScheduleEntriesInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	From    string       `json:"from,omitzero" jsonschema:"Default today"`
	To      string       `json:"to,omitzero" jsonschema:"Default 30 days later"`
	listing.ScrollInput
}

// EntryItem is an entry in the list of a schedule. A recurring entry appears once per occurrence.
type EntryItem struct {
	lookup.Head
	Summary       string            `json:"summary"`
	AllDay        bool              `json:"all_day"`
	StartsAt      string            `json:"starts_at"`
	EndsAt        string            `json:"ends_at"`
	Recurring     bool              `json:"recurring"`
	Participants  []lookup.Ref      `json:"participants"`
	CommentsCount int               `json:"comments_count"`
	Truncated     bool              `json:"truncated,omitempty"`
	URL           string            `json:"url"`
	Project       lookup.ProjectRef `json:"project"`
	Author        lookup.Ref        `json:"author"`
	lookup.Seen
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (e *EntryItem) Trim(characters int) { listing.Excerpt(&e.Summary, characters, &e.Truncated) }

// ListScheduleEntries returns the tool list_schedule_entries.
func ListScheduleEntries(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_schedule_entries",
		Title: "Show the schedule",
		Description: "Lists the next meetings and other entries on a Basecamp project's schedule, by default of 30 days, with each " +
			"occurrence.",
	}, func(ctx context.Context, in listScheduleEntriesInput) (WindowList[EntryItem], error) {
		found := listing.Ahead(ctx, func(ctx context.Context) (basecamp.Project, error) { return rs.Project(ctx, "project", in.Project) })
		window, wide, err := rs.window(ctx, in.From, in.To, UsualDays)
		project, wrong := found()
		if err := cmp.Or(wrong, err); err != nil {
			return WindowList[EntryItem]{}, err
		}
		if _, err := rs.Docks(project, lookup.Schedule); err != nil {
			return WindowList[EntryItem]{}, err
		}
		var left listing.Gaps
		l := &listing.List[basecamp.Appointment]{
			Of: listing.Digest("entries", project.ID, in.From, in.To),
			ID: func(a basecamp.Appointment) int64 { return Occurrence(a.ID, a.StartsAt) },
			// Basecamp's list of one schedule cannot be filtered by date and does not show when an entry
			// recurs. The report on all schedules does.
			Sources: []listing.Source[basecamp.Appointment]{listing.Whole(func(ctx context.Context) (entries []basecamp.Appointment, err error) {
				report, err := rs.report(ctx, wide)
				entries, left = appointments(report, window, func(a basecamp.Appointment) bool { return a.Bucket.ID == project.ID })
				return entries, err
			})},
		}
		entries, err := l.Collect(ctx, in.Paging())
		list := listing.Scrolled(listing.Answer(l, entries, func(a basecamp.Appointment) EntryItem { return viewAppointment(a, window.From.Location()) }))
		return inWindow(window, list, left), err
	})
}

// appointments returns the wanted entries of a report that are in a window, in their order. It
// leaves out those whose times cannot be read, and says so.
func appointments(report basecamp.Upcoming, window Window, wanted func(basecamp.Appointment) bool) (held []basecamp.Appointment, left listing.Gaps) {
	starts := map[basecamp.Span]time.Time{}
	for _, a := range slices.Concat(report.Entries, report.Occurrences) {
		begins, holds, known := window.holds(a.Span)
		switch {
		case !wanted(a):
		case !known:
			left.LeftOut = append(left.LeftOut, unreadTimes(a.ID, a.Summary))
		case holds:
			starts[a.Span] = begins
			held = append(held, a)
		}
	}
	slices.SortStableFunc(held, func(a, b basecamp.Appointment) int {
		return cmp.Or(starts[a.Span].Compare(starts[b.Span]), cmp.Compare(a.ID, b.ID))
	})
	left.LeftOut = slices.Compact(left.LeftOut)
	return held, left
}

// unreadTimes says that an answer lacks an entry, or the times of one.
func unreadTimes(id int64, summary string) string {
	return fmt.Sprintf("%s:%d %s: Basecamp gave its times in a form that cannot be read", lookup.EntryKind.Kind, id, plaintext.Quote(summary))
}

func viewAppointment(a basecamp.Appointment, zone *time.Location) EntryItem {
	v := EntryItem{
		Head: lookup.Head{ID: a.ID, Type: lookup.EntryKind.Kind}, Summary: plaintext.Clean(a.Summary), AllDay: a.AllDay, Recurring: a.Recurring,
		Participants: lookup.ViewNames(a.Participants), CommentsCount: a.CommentsCount, URL: a.AppURL,
		Project: lookup.ViewBucket(a.Bucket), Author: lookup.ViewName(a.Creator), Seen: lookup.ViewSeen(basecamp.Recording{VisibleToClients: a.VisibleToClients}),
	}
	v.StartsAt, v.EndsAt = viewSpan(a.Span, zone)
	return v
}

// viewSpan formats the start and the end of a span: as dates for whole days, otherwise as times
// in a zone. They are empty if they cannot be read.
func viewSpan(s basecamp.Span, zone *time.Location) (starts, ends string) {
	from, to, ok := s.Times(zone)
	switch {
	case !ok:
		return "", ""
	case s.AllDay:
		return from.Format(time.DateOnly), to.Format(time.DateOnly)
	}
	return from.Format(time.RFC3339), to.Format(time.RFC3339)
}

// Entry is a schedule entry with its notes. A recurring entry is shown as one of its occurrences.
type Entry struct {
	lookup.Head
	Summary       string       `json:"summary"`
	Notes         string       `json:"notes"`
	Truncated     bool         `json:"truncated,omitempty"`
	AllDay        bool         `json:"all_day"`
	StartsAt      string       `json:"starts_at,omitempty"`
	EndsAt        string       `json:"ends_at,omitempty"`
	Recurs        string       `json:"recurs,omitempty"`
	Participants  []lookup.Ref `json:"participants"`
	JoinURL       string       `json:"join_url,omitempty"`
	CommentsCount int          `json:"comments_count"`
	lookup.Meta
}

func (rs *Resolver) viewEntry(e basecamp.ScheduleEntry, zone *time.Location) Entry {
	v := Entry{
		Head: lookup.Head{ID: e.ID, Type: lookup.EntryKind.Kind}, Summary: plaintext.Clean(e.Summary), Notes: rs.Markdown(e.Description, e.Attachments...), AllDay: e.AllDay,
		Participants: lookup.ViewNames(e.Participants), JoinURL: e.JoinURL, CommentsCount: e.CommentsCount, Meta: lookup.ViewMeta(e.Recording),
	}
	v.StartsAt, v.EndsAt = viewSpan(e.Span, zone)
	if e.Recurrence != nil {
		v.Recurs = Recurs(*e.Recurrence)
	}
	return v
}

// unread tells a gap if the times of the entry could not be read.
func (e Entry) unread(left *listing.Gaps) {
	if e.StartsAt == "" {
		left.LeftOut = append(left.LeftOut, unreadTimes(e.ID, e.Summary))
	}
}

// WholeEntry is a schedule entry with its first comments.
type WholeEntry struct {
	Entry
	NextOffset  int          `json:"next_offset,omitempty"`
	Status      string       `json:"status"`
	Attachments []parts.File `json:"notes_attachments,omitempty"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps
}

// ShowEntry reads an entry. For a recurring entry, it reads the occurrence on a day (YYYYMMDD),
// or the first one if day is empty.
func (rs *Resolver) ShowEntry(ctx context.Context, id int64, day string, in parts.CommentsInput) (WholeEntry, error) {
	zone := time.UTC
	rs.ExpectComments(ctx, id, in)
	e, left, err := listing.Beside(ctx,
		func(ctx context.Context) (basecamp.ScheduleEntry, error) {
			if day == "" {
				return basecamp.EntryAt.Get(ctx, rs.BC, id)
			}
			return basecamp.OccurrenceOn(day).Get(ctx, rs.BC, id)
		},
		rs.ZoneInto(&zone))
	if err != nil {
		return WholeEntry{}, err
	}
	v := WholeEntry{Entry: rs.viewEntry(e, zone), Status: e.Status, Attachments: parts.ViewFiles(e.Description, e.Attachments)}
	if v.Gaps, err = listing.Extras(ctx, rs.CommentsInto(&v.Discussion, e.Recording, in), rs.BoostsInto(&v.WithBoosts, e.Recording)); err != nil {
		return WholeEntry{}, err
	}
	v.LeftOut = append(left.LeftOut, v.LeftOut...)
	v.unread(&v.Gaps)
	v.NextOffset, err = listing.Part(&v.Notes, in.Offset, &v.Truncated)
	return v, err
}

// ZoneInto returns an extra that reads the caller's time zone, for times that are only shown. If
// it cannot be read, they stay in UTC.
func (rs *Resolver) ZoneInto(zone **time.Location) listing.Extra {
	return listing.Into("time zone (times are in UTC)", zone, func(ctx context.Context) (*time.Location, error) {
		read, err := rs.Zone(ctx)
		return cmp.Or(read, time.UTC), err
	})
}
