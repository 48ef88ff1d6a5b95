package basecamptools

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

type listWorkInput struct {
	Kind     string      `json:"kind,omitzero" jsonschema:"Type of task" limits:"enum=todo|card|all default=all"`
	State    string      `json:"state,omitzero" jsonschema:"All but completed mean open items; cards in Not now are excluded" limits:"enum=open|completed|overdue|unassigned|no_due_date default=open"`
	Assignee mcptool.Ref `json:"assignee,omitzero" jsonschema:"Person: id, name or me"`
	Project  mcptool.Ref `json:"project,omitzero" jsonschema:"Only in this project"`
	listing.ScrollInput
}

// taskItem is a to-do or a card in a list.
type taskItem struct {
	head
	Title         string     `json:"title"`
	Truncated     bool       `json:"truncated,omitempty"`
	List          *ref       `json:"list,omitempty"`
	Todoset       *ref       `json:"todoset,omitempty"`
	Column        *ref       `json:"column,omitempty"`
	Completed     bool       `json:"completed"`
	CompletedAt   *time.Time `json:"completed_at,omitempty"`
	DueOn         *string    `json:"due_on"`
	StartsOn      *string    `json:"starts_on,omitempty"`
	Assignees     []ref      `json:"assignees"`
	CommentsCount int        `json:"comments_count"`
	SubtasksDone  int        `json:"subtasks_done,omitempty"`
	SubtasksTotal int        `json:"subtasks_total,omitempty"`
	meta
}

func (t *taskItem) Trim(characters int) { listing.Excerpt(&t.Title, characters, &t.Truncated) }

func listWork(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_work",
		Title:       "List work in all projects",
		Description: "Lists Basecamp to-dos and cards in all projects or one, by state and assignee. To-dos come before cards; overdue items are sorted by date.",
	}, func(ctx context.Context, in listWorkInput) (listing.Scroll[taskItem], error) {
		if in.State == "unassigned" && !in.Assignee.IsZero() {
			return listing.Scroll[taskItem]{}, fault.Invalid("assignee", "assignee cannot be combined with state unassigned; omit one of them")
		}
		project, err := rs.filterProject(ctx, in.Project)
		if err != nil {
			return listing.Scroll[taskItem]{}, err
		}
		assignee, err := rs.filterPerson(ctx, "assignee", in.Assignee, project)
		if err != nil {
			return listing.Scroll[taskItem]{}, err
		}
		l := &listing.List[basecamp.Task]{
			Of:      listing.Digest("work", in.Kind, in.State, assignee, project),
			ID:      func(t basecamp.Task) int64 { return t.ID },
			Sources: rs.taskSources(in, assignee, project),
		}
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return listing.Scroll[taskItem]{}, err
		}
		return listing.Scrolled(listing.Answer(l, found, viewWork)), nil
	})
}

func (rs *resolver) taskSources(in listWorkInput, assignee, project int64) []listing.Source[basecamp.Task] {
	kinds := []basecamp.Tasks{basecamp.Todos, basecamp.Cards}
	switch in.Kind {
	case "todo":
		kinds = kinds[:1]
	case "card":
		kinds = kinds[1:]
	}
	if in.State == "overdue" {
		return []listing.Source[basecamp.Task]{rs.overdueTasks(kinds, assignee, project)}
	}
	var sources []listing.Source[basecamp.Task]
	for _, kind := range kinds {
		sources = append(sources, rs.tasks(kind, basecamp.TaskState(in.State), assignee, project))
	}
	return sources
}

// tasks returns the source of the tasks of all projects, or of one. Basecamp returns pages of
// projects, each project once, and has no filter by project. So the source ends at the page of the
// wanted project.
func (rs *resolver) tasks(kind basecamp.Tasks, state basecamp.TaskState, assignee, project int64) listing.Source[basecamp.Task] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Task], error) {
		upstream, err := rs.bc.Everywhere(ctx, kind, state, assignee, page)
		p := basecamp.Page[basecamp.Task]{Next: upstream.Next, Total: -1}
		for _, in := range upstream.Items {
			if project != 0 && project != in.Bucket.ID {
				continue
			}
			p.Items = append(p.Items, slices.Concat(in.Todos, in.Cards)...)
			if project != 0 {
				p.Next = 0
			}
		}
		return p, err
	}
}

// overdueTasks returns the source of the overdue tasks of some kinds, the longest overdue first.
func (rs *resolver) overdueTasks(kinds []basecamp.Tasks, assignee, project int64) listing.Source[basecamp.Task] {
	return listing.Whole(func(ctx context.Context) ([]basecamp.Task, error) {
		late, err := listing.InParallel(ctx, kinds, func(ctx context.Context, kind basecamp.Tasks) ([]basecamp.Task, error) {
			return rs.bc.Overdue(ctx, kind, assignee)
		})
		all := matching(slices.Concat(late...), func(t basecamp.Task) bool { return project == 0 || project == t.Bucket.ID })
		slices.SortStableFunc(all, func(a, b basecamp.Task) int { return cmp.Compare(a.DueOn, b.DueOn) })
		return all, err
	})
}

func viewWork(t basecamp.Task) taskItem {
	v := taskItem{
		head:          head{t.ID, typeOf(t.Type)},
		Title:         plaintext.Clean(t.Title),
		Completed:     t.Completed,
		CompletedAt:   completedAt(t.Completable),
		DueOn:         dateOrNil(t.DueOn),
		StartsOn:      dateOrNil(t.StartsOn),
		Assignees:     viewNames(t.Assignees),
		CommentsCount: t.CommentsCount,
		SubtasksDone:  completedOf(t.Steps),
		SubtasksTotal: len(t.Steps),
		meta:          viewMeta(t.Recording),
	}
	v.Author.Email = ""
	if v.Type == cardKind.kind {
		v.Column = viewParent(t.Recording)
	} else {
		v.List, v.Todoset = viewTodoParent(t.Recording)
	}
	return v
}
