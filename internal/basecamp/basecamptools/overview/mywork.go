package overview

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
)

type getMyWorkInput struct {
	Scopes []string `json:"scope,omitzero" jsonschema:"Default all. Weeks end on Sunday; this_week leaves out overdue" limits:"enum=overdue|today|tomorrow|this_week|next_week|later|all|completed"`
	listing.OverviewInput
	parts.AccountInput
}

// AssignedTask is a task assigned to the caller, the scope it is grouped under, and its week.
type AssignedTask struct {
	basecamp.Assignment
	scope  string
	week   string
	upNext bool
}

// AssignedItem is an assignment of a person.
type AssignedItem struct {
	lookup.Head
	Title         string            `json:"title"`
	Truncated     bool              `json:"truncated,omitempty"`
	DueOn         *string           `json:"due_on"`
	StartsOn      *string           `json:"starts_on,omitempty"`
	UpNext        bool              `json:"up_next,omitempty"`
	List          *lookup.Ref       `json:"list,omitempty"`
	Todoset       *lookup.Ref       `json:"todoset,omitempty"`
	Column        *lookup.Ref       `json:"column,omitempty"`
	PartOf        *lookup.Ref       `json:"part_of,omitempty"`
	CommentsCount int               `json:"comments_count,omitempty"`
	URL           string            `json:"url"`
	Project       lookup.ProjectRef `json:"project"`

	scope string
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (d *AssignedItem) Trim(characters int) { listing.Excerpt(&d.Title, characters, &d.Truncated) }

type assignedGroup struct {
	Scope string         `json:"scope"`
	Items []AssignedItem `json:"items"`
}

// MyWork is the work of a person, by when it is due.
type MyWork struct {
	Groups     []assignedGroup `json:"groups"`
	HasMore    bool            `json:"has_more"`
	NextCursor *string         `json:"next_cursor"`
	Total      *int            `json:"total,omitempty"`

	// OverdueNotListed is how many overdue tasks an answer about this week leaves out.
	OverdueNotListed int `json:"overdue_not_listed,omitempty"`
}

// GetMyWork returns the tool get_my_work.
func GetMyWork(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_my_work",
		Title:       "My work",
		Description: "Shows the to-dos, cards and subtasks assigned to the caller, overdue or due today, this week or later.",
		Words:       "my assignments, my tasks, my to-dos",
	}, func(ctx context.Context, in getMyWorkInput) (MyWork, error) {
		scopes := requested(in.Scopes)
		overdue := 0
		l := &listing.List[AssignedTask]{
			Of: listing.Digest("my work", scopes),
			ID: func(d AssignedTask) int64 { return d.ID },
			Sources: []listing.Source[AssignedTask]{listing.Whole(func(ctx context.Context) ([]AssignedTask, error) {
				all, err := rs.AssignedTasks(ctx, scopes)
				overdue = scopes.leaveOut(all)
				return slices.DeleteFunc(all, func(d AssignedTask) bool { return !scopes.hold(d) }), err
			})},
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return MyWork{}, err
		}
		p := listing.Answer(l, found, viewAssigned)
		for _, item := range p.Items {
			if item.List != nil {
				rs.Learn(ctx, lookup.HolderOf(item.ID), item.List.ID)
			}
		}
		return MyWork{grouped(p.Items), p.HasMore, p.NextCursor, p.Total, overdue}, nil
	})
}

// ScopeSet holds the requested scopes, sorted, each once.
type ScopeSet []string

func requested(scopes []string) ScopeSet {
	if len(scopes) == 0 {
		return ScopeSet{"all"}
	}
	return slices.Compact(slices.Sorted(slices.Values(scopes)))
}

// hold reports whether one of the scopes includes a task.
func (s ScopeSet) hold(d AssignedTask) bool {
	return slices.ContainsFunc(s, func(scope string) bool {
		return scope == d.scope || scope == d.week || scope == "all" && !d.Completed
	})
}

// leaveOut counts the overdue tasks that a request for this week leaves out.
func (s ScopeSet) leaveOut(all []AssignedTask) (overdue int) {
	for _, d := range all {
		if d.scope == "overdue" && slices.Contains(s, "this_week") && !s.hold(d) {
			overdue++
		}
	}
	return overdue
}

// AssignedTasks returns the caller's tasks in the order of the scopes, and the open ones by due
// date. It reads open tasks, and completed ones, only if a scope includes them.
func (rs *Resolver) AssignedTasks(ctx context.Context, scopes ScopeSet) ([]AssignedTask, error) {
	var open basecamp.Assignments
	var completed []basecamp.Assignment
	var me basecamp.Person
	reads := []func(context.Context) error{func(ctx context.Context) (err error) { me, err = rs.Me(ctx); return err }}
	if !slices.Equal(scopes, ScopeSet{"completed"}) {
		reads = append(reads, func(ctx context.Context) (err error) { open, err = basecamp.MyAssignments.Get(ctx, rs.BC); return err })
	}
	if slices.Contains(scopes, "completed") {
		reads = append(reads, func(ctx context.Context) (err error) {
			completed, err = basecamp.MyCompleted.All(ctx, rs.BC)
			return err
		})
	}
	if err := listing.Together(ctx, reads...); err != nil {
		return nil, err
	}
	today, err := rs.Today(ctx)
	if err != nil {
		return nil, err
	}
	calendar := WeekOf(today)
	var tasks []AssignedTask
	for i, a := range slices.Concat(open.Priorities, open.Others, completed) {
		for _, own := range OwnTasks(a, me.ID) {
			tasks = append(tasks, AssignedTask{own, calendar.Scope(own), calendar.Week(own), i < len(open.Priorities)})
		}
	}
	slices.SortStableFunc(tasks, func(a, b AssignedTask) int {
		byScope := slices.Index(accounts.WorkScopes, a.scope) - slices.Index(accounts.WorkScopes, b.scope)
		if a.Completed { // Basecamp's order
			return byScope
		}
		return cmp.Or(byScope, cmp.Compare(a.DueOn, b.DueOn))
	})
	return tasks, nil
}

// OwnTasks returns the parts of an assignment that are assigned to a person: the task, some of
// its subtasks, or both.
func OwnTasks(a basecamp.Assignment, person int64) []basecamp.Assignment {
	var own []basecamp.Assignment
	for _, child := range a.Children {
		if lookup.IsAmong(child.Assignees, person) && child.Completed == a.Completed {
			child.Bucket, child.Parent = a.Bucket, basecamp.Parent{ID: a.ID, Title: a.Content}
			own = append(own, child)
		}
	}
	if lookup.IsAmong(a.Assignees, person) || len(own) == 0 {
		own = append([]basecamp.Assignment{a}, own...)
	}
	return own
}

// Week holds the days, YYYY-MM-DD, that separate the scopes. Weeks begin on Monday.
type Week struct{ Today, tomorrow, weekEnds, nextEnds string }

// WeekOf returns the days that the groups of assignments begin on.
func WeekOf(today time.Time) Week {
	day := func(ahead int) string { return when.After(today, ahead).Format(time.DateOnly) }
	sunday := int(7-today.Weekday()) % 7
	return Week{Today: day(0), tomorrow: day(1), weekEnds: day(sunday), nextEnds: day(sunday + 7)}
}

// Week returns the week in which an open task is due, this_week or next_week, or "". Unlike the
// groups of the answer, this_week also covers today, and both may cover tomorrow.
func (c Week) Week(a basecamp.Assignment) string {
	switch due := a.DueOn; {
	case a.Completed, due < c.Today, due > c.nextEnds:
		return ""
	case due <= c.weekEnds:
		return "this_week"
	}
	return "next_week"
}

// Scope returns the group of an assignment.
func (c Week) Scope(a basecamp.Assignment) string {
	switch due := a.DueOn; {
	case a.Completed:
		return "completed"
	case due == "":
		return "no_date"
	case due < c.Today:
		return "overdue"
	case due == c.Today:
		return "today"
	case due == c.tomorrow:
		return "tomorrow"
	case due <= c.weekEnds:
		return "this_week"
	case due <= c.nextEnds:
		return "next_week"
	}
	return "later"
}

func viewAssigned(d AssignedTask) AssignedItem {
	v := AssignedItem{
		Head:          lookup.Head{ID: d.ID, Type: lookup.TypeOf(d.Type)},
		Title:         plaintext.Clean(d.Content),
		DueOn:         lookup.DateOrNil(d.DueOn),
		StartsOn:      lookup.DateOrNil(d.StartsOn),
		UpNext:        d.upNext,
		CommentsCount: d.CommentsCount,
		URL:           d.AppURL,
		Project:       lookup.ViewBucket(d.Bucket),
		scope:         d.scope,
	}
	parent := &lookup.Ref{ID: d.Parent.ID, Name: plaintext.Clean(d.Parent.Title)}
	switch holder, _ := basecamp.ParseLink(d.Parent.AppURL); v.Type {
	case lookup.TodoKind.Kind:
		if v.List = parent; holder.Type == "todosets" { // the parent has no type field
			v.List, v.Todoset = nil, parent
		}
	case lookup.CardKind.Kind:
		v.Column = parent
	default:
		v.PartOf = parent
	}
	return v
}

// grouped collects consecutive items of the same scope into groups.
func grouped(items []AssignedItem) []assignedGroup {
	groups := []assignedGroup{}
	for _, item := range items {
		if n := len(groups); n == 0 || groups[n-1].Scope != item.scope {
			groups = append(groups, assignedGroup{Scope: item.scope})
		}
		last := &groups[len(groups)-1]
		last.Items = append(last.Items, item)
	}
	return groups
}
