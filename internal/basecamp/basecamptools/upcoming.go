package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// defaultDaysAhead is the length of the window if the caller gives no end.
const defaultDaysAhead = 14

type getUpcomingInput struct {
	From     string       `json:"from,omitzero" jsonschema:"Default today"`
	To       string       `json:"to,omitzero" jsonschema:"Default 14 days later"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	MineOnly bool         `json:"mine_only,omitzero" jsonschema:"Only the caller's"`
	listing.OverviewInput
	accountInput
}

// upcomingItem is a schedule entry with its times, or a task that is due on a day.
type upcomingItem struct {
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

	is     basecamp.Recording // as far as Basecamp's report says
	starts time.Time          // zero without a time of day
}

func (u *upcomingItem) Trim(characters int) { listing.Excerpt(&u.Title, characters, &u.Truncated) }

// begins returns the start, which distinguishes the occurrences of a recurring entry.
func (u upcomingItem) begins() string {
	if u.StartsAt == "" || u.AllDay {
		return u.Day
	}
	return u.StartsAt
}

// compare orders by day and time. Items without a time come first on their day. It compares
// instants, because clocks that go back show the same hour twice.
func (u upcomingItem) compare(other upcomingItem) int {
	return cmp.Or(cmp.Compare(u.Day, other.Day), u.starts.Compare(other.starts))
}

func getUpcoming(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_upcoming",
		Title:       "What is coming up",
		Description: "Agenda of the next 14 days, or other ones: events on Basecamp schedules and tasks that fall due.",
	}, func(ctx context.Context, in getUpcomingInput) (windowList[upcomingItem], error) {
		filter := listing.Ahead(ctx, func(context.Context) (projectFilter, error) { return rs.filterProject(ctx, in.Project) })
		window, wide, err := rs.window(ctx, in.From, in.To, defaultDaysAhead)
		project, wrong := filter()
		if err := cmp.Or(wrong, err); err != nil {
			return windowList[upcomingItem]{}, err
		}
		var left lookup.Gaps
		l := &listing.List[upcomingItem]{
			Of: listing.Digest("upcoming", in.From, in.To, project.id, in.MineOnly),
			ID: func(u upcomingItem) int64 { return occurrence(u.ID, u.begins()) },
			Sources: []listing.Source[upcomingItem]{listing.Whole(func(ctx context.Context) (items []upcomingItem, err error) {
				items, left, err = rs.upcoming(ctx, window, wide, project.id, in.MineOnly)
				return items, err
			})},
		}
		found, err := l.Collect(ctx, in.Paging())
		if err := rs.verifyProject(ctx, project, err); err != nil {
			return windowList[upcomingItem]{}, err
		}
		return inWindow(window, listing.Scrolled(listing.Answer(l, found, func(u upcomingItem) upcomingItem { return u })), left), nil
	})
}

// upcoming returns the events and tasks in a window, ordered by time, of one project or, for 0,
// of all projects. It reads the report of a window that contains it.
func (rs *resolver) upcoming(ctx context.Context, window, wide window, project int64, mineOnly bool) ([]upcomingItem, lookup.Gaps, error) {
	report, err := rs.report(ctx, wide)
	if err != nil {
		return nil, lookup.Gaps{}, err
	}
	me, err := rs.Me(ctx)
	if err != nil {
		return nil, lookup.Gaps{}, err
	}
	wanted := func(in basecamp.Bucket, people []basecamp.Person) bool {
		return (project == 0 || in.ID == project) && (!mineOnly || lookup.IsAmong(people, me.ID))
	}
	held, left := appointments(report, window, func(a basecamp.Appointment) bool { return wanted(a.Bucket, a.Participants) })
	items := lookup.Mapped(held, func(a basecamp.Appointment) upcomingItem { return upcomingAppointment(a, window.from.Location()) })
	from, to := window.from.Format(time.DateOnly), window.to.Format(time.DateOnly)
	for _, a := range report.Assignables {
		if !a.Completed && from <= a.DueOn && a.DueOn < to && wanted(a.Bucket, a.Assignees) {
			items = append(items, viewAssignable(a))
		}
	}
	slices.SortStableFunc(items, upcomingItem.compare)
	return items, left, nil
}

func upcomingAppointment(a basecamp.Appointment, zone *time.Location) upcomingItem {
	v := upcomingItem{
		Head:      lookup.Head{ID: a.ID, Type: lookup.EntryKind.Kind},
		Title:     plaintext.Clean(a.Summary),
		AllDay:    a.AllDay,
		Recurring: a.Recurring,
		People:    lookup.ViewNames(a.Participants),
		URL:       a.AppURL,
		Project:   lookup.ViewBucket(a.Bucket),
		is:        basecamp.Recording{ID: a.ID, Type: lookup.EntryKind.Upstream, Bucket: a.Bucket, VisibleToClients: a.VisibleToClients},
	}
	v.StartsAt, v.EndsAt = viewSpan(a.Span, zone)
	v.Day, _, _ = strings.Cut(v.StartsAt, "T")
	if !a.AllDay {
		v.starts, _, _ = a.Times(zone)
	}
	return v
}

// viewAssignable shows a task. Basecamp's report does not say of which type its parent is; what
// holds a subtask is unknown.
func viewAssignable(a basecamp.Assignable) upcomingItem {
	within := map[string]string{lookup.TodoKind.Kind: lookup.ListKind.Upstream, lookup.CardKind.Kind: basecamp.OwnColumn}[lookup.TypeOf(a.Type)]
	return upcomingItem{
		Day:     a.DueOn,
		Head:    lookup.Head{ID: a.ID, Type: lookup.TypeOf(a.Type)},
		Title:   plaintext.Clean(a.Content),
		People:  lookup.ViewNames(a.Assignees),
		In:      plaintext.Clean(a.Parent.Title),
		URL:     a.AppURL,
		Project: lookup.ViewBucket(a.Bucket),
		is: basecamp.Recording{
			ID: a.ID, Type: cmp.Or(lookup.KindOf(a.Type).Upstream, lookup.SubtaskKind.Upstream), Bucket: a.Bucket, Parent: &basecamp.Parent{ID: a.Parent.ID, Type: within},
		},
	}
}
