package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

func scheduleTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{listScheduleEntries(rs), createScheduleEntry(rs), updateScheduleEntry(rs)}
}

type listScheduleEntriesInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	From    string       `json:"from,omitzero" jsonschema:"Default today"`
	To      string       `json:"to,omitzero" jsonschema:"Default 30 days later"`
	listing.ScrollInput
}

// entryItem is an entry in the list of a schedule. A recurring entry appears once per occurrence.
type entryItem struct {
	head
	Summary       string     `json:"summary"`
	AllDay        bool       `json:"all_day"`
	StartsAt      string     `json:"starts_at"`
	EndsAt        string     `json:"ends_at"`
	Recurring     bool       `json:"recurring"`
	Participants  []ref      `json:"participants"`
	CommentsCount int        `json:"comments_count"`
	Truncated     bool       `json:"truncated,omitempty"`
	URL           string     `json:"url"`
	Project       projectRef `json:"project"`
	Author        ref        `json:"author"`
	seen
}

func (e *entryItem) Trim(characters int) { listing.Excerpt(&e.Summary, characters, &e.Truncated) }

func listScheduleEntries(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_schedule_entries",
		Title: "Show the schedule",
		Description: "Lists the next meetings and other entries on a Basecamp project's schedule, by default for 30 days, each " +
			"occurrence of a recurring entry.",
	}, func(ctx context.Context, in listScheduleEntriesInput) (dayList[entryItem], error) {
		found := listing.Ahead(ctx, func(ctx context.Context) (basecamp.Project, error) { return rs.project(ctx, "project", in.Project) })
		wide, ok := rs.expectReport(ctx, in.From, in.To, usualDays)
		window, err := rs.days(ctx, in.From, in.To)
		if err == nil && !ok {
			wide = window
			ahead(ctx, func(ctx context.Context) (basecamp.Upcoming, error) { return rs.report(ctx, wide) })
		}
		project, wrong := found()
		if err := cmp.Or(wrong, err); err != nil {
			return dayList[entryItem]{}, err
		}
		if _, err := rs.docks(project, schedule); err != nil {
			return dayList[entryItem]{}, err
		}
		l := &listing.List[basecamp.Appointment]{
			Of:      listing.Digest("entries", project.ID, in.From, in.To),
			ID:      func(a basecamp.Appointment) int64 { return occurrence(a.ID, a.StartsAt) },
			Sources: []listing.Source[basecamp.Appointment]{rs.appointments(project.ID, window, wide)},
		}
		entries, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return dayList[entryItem]{}, err
		}
		return dated(window, listing.Scrolled(listing.Answer(l, entries, window.view))), nil
	})
}

// appointments reads a project's entries from the report on all schedules. Basecamp's list of one
// schedule cannot be filtered by date and does not show when an entry recurs.
func (rs *resolver) appointments(project int64, window, wide days) listing.Source[basecamp.Appointment] {
	return listing.Whole(func(ctx context.Context) ([]basecamp.Appointment, error) {
		report, err := rs.report(ctx, wide)
		if err != nil {
			return nil, err
		}
		held := matching(slices.Concat(report.Entries, report.Occurrences), func(a basecamp.Appointment) bool {
			return a.Bucket.ID == project && window.holds(a.Span)
		})
		slices.SortStableFunc(held, func(a, b basecamp.Appointment) int {
			return cmp.Or(window.starts(a.Span).Compare(window.starts(b.Span)), cmp.Compare(a.ID, b.ID))
		})
		return held, nil
	})
}

func (d days) view(a basecamp.Appointment) entryItem {
	v := entryItem{
		head: head{a.ID, entryKind.kind}, Summary: plaintext.Clean(a.Summary), AllDay: a.AllDay, Recurring: a.Recurring,
		Participants: viewNames(a.Participants), CommentsCount: a.CommentsCount, URL: a.AppURL,
		Project: viewBucket(a.Bucket), Author: viewName(a.Creator), seen: viewSeen(basecamp.Recording{VisibleToClients: a.VisibleToClients}),
	}
	v.StartsAt, v.EndsAt = viewSpan(a.Span, d.from.Location())
	return v
}

// viewSpan formats the start and the end of a span: as dates for whole days, otherwise as times
// in a zone.
func viewSpan(s basecamp.Span, zone *time.Location) (starts, ends string) {
	from, to := s.Times(zone)
	if s.AllDay {
		return from.Format(time.DateOnly), to.Format(time.DateOnly)
	}
	return from.Format(time.RFC3339), to.Format(time.RFC3339)
}

// entry is a schedule entry with its notes. A recurring entry is shown as one of its occurrences.
type entry struct {
	head
	Summary       string `json:"summary"`
	Notes         string `json:"notes"`
	Truncated     bool   `json:"truncated,omitempty"`
	AllDay        bool   `json:"all_day"`
	StartsAt      string `json:"starts_at"`
	EndsAt        string `json:"ends_at"`
	Recurs        string `json:"recurs,omitempty"`
	Participants  []ref  `json:"participants"`
	JoinURL       string `json:"join_url,omitempty"`
	CommentsCount int    `json:"comments_count"`
	meta
}

func (rs *resolver) viewEntry(e basecamp.ScheduleEntry, zone *time.Location) entry {
	v := entry{
		head: head{e.ID, entryKind.kind}, Summary: plaintext.Clean(e.Summary), Notes: rs.markdown(e.Description, e.Attachments...), AllDay: e.AllDay,
		Participants: viewNames(e.Participants), JoinURL: e.JoinURL, CommentsCount: e.CommentsCount, meta: viewMeta(e.Recording),
	}
	v.StartsAt, v.EndsAt = viewSpan(e.Span, zone)
	if e.Recurrence != nil {
		v.Recurs = recurs(*e.Recurrence)
	}
	return v
}

// wholeEntry is one entry with its status, files and comments.
type wholeEntry struct {
	entry
	NextOffset  int    `json:"next_offset,omitempty"`
	Status      string `json:"status"`
	Attachments []file `json:"notes_attachments,omitempty"`
	discussion
	gaps
}

// showEntry reads an entry. For a recurring entry, it reads the occurrence on a day (YYYYMMDD),
// or the first one if day is empty.
func (rs *resolver) showEntry(ctx context.Context, id int64, day string, in commentsInput) (wholeEntry, error) {
	var e basecamp.ScheduleEntry
	var left gaps
	zone := time.UTC
	rs.expectComments(ctx, id, in)
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) { e, err = rs.occurrence(ctx, id, day); return err },
		func(ctx context.Context) (err error) { left, err = extras(ctx, rs.zoneInto(&zone)); return err },
	)
	if err != nil {
		return wholeEntry{}, err
	}
	v := wholeEntry{entry: rs.viewEntry(e, zone), Status: e.Status, Attachments: viewFiles(e.Description, e.Attachments)}
	if v.gaps, err = extras(ctx, rs.commentsInto(&v.discussion, e.Recording, in)); err != nil {
		return wholeEntry{}, err
	}
	v.LeftOut = append(left.LeftOut, v.LeftOut...)
	v.NextOffset, err = part(&v.Notes, in.Offset, &v.Truncated)
	return v, err
}

// zoneInto returns an extra that reads the caller's time zone, for times that are only shown. If
// it cannot be read, they stay in UTC.
func (rs *resolver) zoneInto(zone **time.Location) extra {
	return extra{"time zone (times are in UTC)", func(ctx context.Context) error {
		read, err := rs.zone(ctx)
		if err == nil {
			*zone = read
		}
		return err
	}}
}

func (rs *resolver) occurrence(ctx context.Context, id int64, day string) (basecamp.ScheduleEntry, error) {
	if day == "" {
		return rs.bc.ScheduleEntry(ctx, id)
	}
	return rs.bc.Occurrence(ctx, id, day)
}
