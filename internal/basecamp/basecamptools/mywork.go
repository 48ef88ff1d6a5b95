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
)

type getMyWorkInput struct {
	Scope string `json:"scope,omitzero" jsonschema:"When it is due; this_week starts today" limits:"enum=overdue|today|tomorrow|this_week|next_week|later|all|completed default=all"`
	listing.OverviewInput
}

// workScopes are the groups of a person's work, in the order of the answer.
var workScopes = []string{"overdue", "today", "tomorrow", "this_week", "next_week", "later", "no_date", "completed"}

// assignedTask is a task assigned to the caller, and the scope it belongs to.
type assignedTask struct {
	basecamp.Assignment
	scope  string
	upNext bool
}

type assignedItem struct {
	head
	Title         string     `json:"title"`
	Truncated     bool       `json:"truncated,omitempty"`
	DueOn         *string    `json:"due_on"`
	StartsOn      *string    `json:"starts_on,omitempty"`
	UpNext        bool       `json:"up_next,omitempty"`
	List          *ref       `json:"list,omitempty"`
	Todoset       *ref       `json:"todoset,omitempty"`
	Column        *ref       `json:"column,omitempty"`
	PartOf        *ref       `json:"part_of,omitempty"`
	CommentsCount int        `json:"comments_count,omitempty"`
	URL           string     `json:"url"`
	Project       projectRef `json:"project"`

	scope string
}

func (d *assignedItem) Trim(characters int) { listing.Excerpt(&d.Title, characters, &d.Truncated) }

type assignedGroup struct {
	Scope string         `json:"scope"`
	Items []assignedItem `json:"items"`
}

type myWork struct {
	Groups     []assignedGroup `json:"groups"`
	HasMore    bool            `json:"has_more"`
	NextCursor *string         `json:"next_cursor"`
	Total      *int            `json:"total,omitempty"`
}

func getMyWork(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_my_work",
		Title:       "My work",
		Description: "Lists the to-dos, cards and subtasks assigned to the caller in all of Basecamp, grouped by due date, overdue first. up_next marks what the caller put first.",
	}, func(ctx context.Context, in getMyWorkInput) (myWork, error) {
		l := &listing.List[assignedTask]{
			Of: listing.Digest("my work", in.Scope),
			ID: func(d assignedTask) int64 { return d.ID },
			Sources: []listing.Source[assignedTask]{listing.Whole(func(ctx context.Context) ([]assignedTask, error) {
				return rs.assignedTasks(ctx, in.Scope)
			})},
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return myWork{}, err
		}
		p := listing.Answer(l, found, viewAssigned)
		return myWork{grouped(p.Items), p.HasMore, p.NextCursor, p.Total}, nil
	})
}

// assignedTasks returns the caller's tasks of a scope, sorted by due date.
func (rs *resolver) assignedTasks(ctx context.Context, scope string) ([]assignedTask, error) {
	completed := scope == "completed"
	var all basecamp.Assignments
	var me basecamp.Person
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if completed {
				all.Others, err = rs.bc.CompletedAssignments(ctx)
				return err
			}
			all, err = rs.bc.Assignments(ctx)
			return err
		},
		func(ctx context.Context) (err error) { me, err = rs.me(ctx); return err },
	)
	if err != nil {
		return nil, err
	}
	today, err := rs.today(ctx)
	if err != nil {
		return nil, err
	}
	calendar := calendarOf(today)
	var tasks []assignedTask
	for i, a := range slices.Concat(all.Priorities, all.Others) {
		for _, own := range ownTasks(a, me.ID) {
			if calendar.holds(scope, own) {
				tasks = append(tasks, assignedTask{own, calendar.scope(own), i < len(all.Priorities)})
			}
		}
	}
	if !completed {
		slices.SortStableFunc(tasks, func(a, b assignedTask) int {
			return cmp.Or(slices.Index(workScopes, a.scope)-slices.Index(workScopes, b.scope), cmp.Compare(a.DueOn, b.DueOn))
		})
	}
	return tasks, nil
}

// ownTasks returns the parts of an assignment that are assigned to a person: the task, some of
// its subtasks, or both.
func ownTasks(a basecamp.Assignment, person int64) []basecamp.Assignment {
	var own []basecamp.Assignment
	for _, child := range a.Children {
		if isAmong(child.Assignees, person) && child.Completed == a.Completed {
			child.Bucket, child.Parent = a.Bucket, basecamp.Parent{ID: a.ID, Title: a.Content}
			own = append(own, child)
		}
	}
	if isAmong(a.Assignees, person) || len(own) == 0 {
		own = append([]basecamp.Assignment{a}, own...)
	}
	return own
}

// calendar holds the days, YYYY-MM-DD, that separate the scopes. Weeks begin on Monday.
type calendar struct{ today, tomorrow, weekEnds, nextEnds string }

func calendarOf(today time.Time) calendar {
	day := func(ahead int) string { return today.AddDate(0, 0, ahead).Format(time.DateOnly) }
	sunday := int(7-today.Weekday()) % 7
	return calendar{today: day(0), tomorrow: day(1), weekEnds: day(sunday), nextEnds: day(sunday + 7)}
}

// holds reports whether a task belongs to a requested scope. The scope this_week also covers
// today, and tomorrow unless that is a Monday.
func (c calendar) holds(scope string, a basecamp.Assignment) bool {
	switch scope {
	case "all":
		return true
	case "this_week":
		return !a.Completed && c.today <= a.DueOn && a.DueOn <= c.weekEnds
	}
	return scope == c.scope(a)
}

func (c calendar) scope(a basecamp.Assignment) string {
	switch due := a.DueOn; {
	case a.Completed:
		return "completed"
	case due == "":
		return "no_date"
	case due < c.today:
		return "overdue"
	case due == c.today:
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

func viewAssigned(d assignedTask) assignedItem {
	v := assignedItem{
		head:          head{d.ID, typeOf(d.Type)},
		Title:         plaintext.Clean(d.Content),
		DueOn:         dateOrNil(d.DueOn),
		StartsOn:      dateOrNil(d.StartsOn),
		UpNext:        d.upNext,
		CommentsCount: d.CommentsCount,
		URL:           d.AppURL,
		Project:       viewBucket(d.Bucket),
		scope:         d.scope,
	}
	parent := &ref{d.Parent.ID, plaintext.Clean(d.Parent.Title)}
	switch holder, _ := basecamp.ParseLink(d.Parent.AppURL); v.Type {
	case todoKind.kind:
		if v.List = parent; holder.Type == "todosets" { // the parent has no type field
			v.List, v.Todoset = nil, parent
		}
	case cardKind.kind:
		v.Column = parent
	default:
		v.PartOf = parent
	}
	return v
}

// grouped collects consecutive items of the same scope into groups.
func grouped(items []assignedItem) []assignedGroup {
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
