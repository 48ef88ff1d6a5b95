package calendar

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// defaultDaysAhead is the length of the window if the caller gives no end.
const defaultDaysAhead = 14

type getUpcomingInput struct {
	From     string       `json:"from,omitzero" jsonschema:"Default today"`
	To       string       `json:"to,omitzero" jsonschema:"Default 14 days later"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	MineOnly bool         `json:"mine_only,omitzero" jsonschema:"Only the caller's"`
	listing.OverviewInput
	parts.AccountInput
}

// UpcomingItem is a schedule entry with its times, or a task that is due on a day.
type UpcomingItem struct {
	Day string `json:"day"`
	lookup.Head
	Title     string            `json:"title"`
	Truncated bool              `json:"truncated,omitempty"`
	AllDay    bool              `json:"all_day,omitempty"`
	StartsAt  string            `json:"starts_at,omitempty"`
	EndsAt    string            `json:"ends_at,omitempty"`
	Recurring bool              `json:"recurring,omitempty"`
	In        string            `json:"in,omitempty"`
	People    []lookup.Ref      `json:"people"`
	URL       string            `json:"url"`
	Project   lookup.ProjectRef `json:"project"`

	Is     basecamp.Recording `json:"-"` // as far as Basecamp's report says
	Starts time.Time          `json:"-"` // zero without a time of day
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (u *UpcomingItem) Trim(characters int) { listing.Excerpt(&u.Title, characters, &u.Truncated) }

// Begins returns the start, which distinguishes the occurrences of a recurring entry.
func (u UpcomingItem) Begins() string {
	if u.StartsAt == "" || u.AllDay {
		return u.Day
	}
	return u.StartsAt
}

// compare orders by day and time. Items without a time come first on their day. It compares
// instants, because clocks that go back show the same hour twice.
func (u UpcomingItem) compare(other UpcomingItem) int {
	return cmp.Or(cmp.Compare(u.Day, other.Day), u.Starts.Compare(other.Starts))
}

// GetUpcoming returns the tool get_upcoming.
func GetUpcoming(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_upcoming",
		Title:       "What is coming up",
		Description: "Agenda of the next 14 days, or other ones: events on Basecamp schedules and tasks that fall due.",
		Words:       "coming up, agenda",
	}, func(ctx context.Context, in getUpcomingInput) (WindowList[UpcomingItem], error) {
		filter := listing.Ahead(ctx, func(context.Context) (parts.ProjectFilter, error) { return rs.FilterProject(ctx, in.Project) })
		window, wide, err := rs.window(ctx, in.From, in.To, defaultDaysAhead)
		project, wrong := filter()
		if err := cmp.Or(wrong, err); err != nil {
			return WindowList[UpcomingItem]{}, err
		}
		var left listing.Gaps
		l := &listing.List[UpcomingItem]{
			Of: listing.Digest("upcoming", in.From, in.To, project.ID, in.MineOnly),
			ID: func(u UpcomingItem) int64 { return Occurrence(u.ID, u.Begins()) },
			Sources: []listing.Source[UpcomingItem]{listing.Whole(func(ctx context.Context) (items []UpcomingItem, err error) {
				items, left, err = rs.Upcoming(ctx, window, wide, project.ID, in.MineOnly)
				return items, err
			})},
		}
		found, err := l.Collect(ctx, in.Paging())
		if err := rs.VerifyProject(ctx, project, err); err != nil {
			return WindowList[UpcomingItem]{}, err
		}
		return inWindow(window, listing.Scrolled(listing.Answer(l, found, func(u UpcomingItem) UpcomingItem { return u })), left), nil
	})
}

// Upcoming returns the events and tasks in a window, ordered by time, of one project or, for 0,
// of all projects. It reads the report of a window that contains it.
func (rs *Resolver) Upcoming(ctx context.Context, window, wide Window, project int64, mineOnly bool) ([]UpcomingItem, listing.Gaps, error) {
	report, err := rs.report(ctx, wide)
	if err != nil {
		return nil, listing.Gaps{}, err
	}
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, listing.Gaps{}, err
	}
	wanted := func(in basecamp.Bucket, people []basecamp.Person) bool {
		return (project == 0 || in.ID == project) && (!mineOnly || lookup.IsAmong(people, me.ID))
	}
	held, left := appointments(report, window, func(a basecamp.Appointment) bool { return wanted(a.Bucket, a.Participants) })
	items := lookup.Mapped(held, func(a basecamp.Appointment) UpcomingItem { return upcomingAppointment(a, window.From.Location()) })
	from, to := window.From.Format(time.DateOnly), window.To.Format(time.DateOnly)
	for _, a := range report.Assignables {
		if !a.Completed && from <= a.DueOn && a.DueOn < to && wanted(a.Bucket, a.Assignees) {
			items = append(items, viewAssignable(a))
		}
	}
	slices.SortStableFunc(items, UpcomingItem.compare)
	return items, left, nil
}

func upcomingAppointment(a basecamp.Appointment, zone *time.Location) UpcomingItem {
	v := UpcomingItem{
		Head:      lookup.Head{ID: a.ID, Type: lookup.EntryKind.Kind},
		Title:     plaintext.Clean(a.Summary),
		AllDay:    a.AllDay,
		Recurring: a.Recurring,
		People:    lookup.ViewNames(a.Participants),
		URL:       a.AppURL,
		Project:   lookup.ViewBucket(a.Bucket),
		Is:        basecamp.Recording{ID: a.ID, Type: lookup.EntryKind.Upstream, Bucket: a.Bucket, VisibleToClients: a.VisibleToClients},
	}
	v.StartsAt, v.EndsAt = viewSpan(a.Span, zone)
	v.Day, _, _ = strings.Cut(v.StartsAt, "T")
	if !a.AllDay {
		v.Starts, _, _ = a.Times(zone)
	}
	return v
}

// viewAssignable shows a task. Basecamp's report does not say of which type its parent is; what
// holds a subtask is unknown.
func viewAssignable(a basecamp.Assignment) UpcomingItem {
	within := map[string]string{lookup.TodoKind.Kind: lookup.ListKind.Upstream, lookup.CardKind.Kind: basecamp.OwnColumn}[lookup.TypeOf(a.Type)]
	return UpcomingItem{
		Day:     a.DueOn,
		Head:    lookup.Head{ID: a.ID, Type: lookup.TypeOf(a.Type)},
		Title:   plaintext.Clean(a.Content),
		People:  lookup.ViewNames(a.Assignees),
		In:      plaintext.Clean(a.Parent.Title),
		URL:     a.AppURL,
		Project: lookup.ViewBucket(a.Bucket),
		Is: basecamp.Recording{
			ID: a.ID, Type: cmp.Or(lookup.KindOf(a.Type).Upstream, lookup.SubtaskKind.Upstream), Bucket: a.Bucket, Parent: &basecamp.Parent{ID: a.Parent.ID, Type: within},
		},
	}
}
