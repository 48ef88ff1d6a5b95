package work

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type listWorkInput struct {
	Kind     string       `json:"kind,omitzero" jsonschema:"Kind" limits:"enum=todo|card|all default=all"`
	State    string       `json:"state,omitzero" jsonschema:"Cards in Not now are left out" limits:"enum=open|completed|overdue|unassigned|no_due_date default=open"`
	Assignee toolargs.Ref `json:"assignee,omitzero" jsonschema:"Id, name, me, none or any"`
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Since    string       `json:"since,omitzero" jsonschema:"When completed; as in get_activity"`
	Until    string       `json:"until,omitzero" jsonschema:"Last day or time"`
	listing.ScrollInput
	parts.AccountInput
}

// List is the answer of list_work. The period of completed work ends before Until.
type List struct {
	listing.SinceList[TaskItem]
	Until string `json:"until,omitempty"`
}

// TaskItem is a to-do or a card in a list.
type TaskItem struct {
	lookup.Head
	Title         string       `json:"title"`
	Truncated     bool         `json:"truncated,omitempty"`
	List          *lookup.Ref  `json:"list,omitempty"`
	Todoset       *lookup.Ref  `json:"todoset,omitempty"`
	Column        *lookup.Ref  `json:"column,omitempty"`
	Completed     bool         `json:"completed"`
	CompletedAt   *time.Time   `json:"completed_at,omitempty"`
	DueOn         *string      `json:"due_on"`
	StartsOn      *string      `json:"starts_on,omitempty"`
	Assignees     []lookup.Ref `json:"assignees"`
	CommentsCount int          `json:"comments_count"`
	SubtasksDone  int          `json:"subtasks_done,omitempty"`
	SubtasksTotal int          `json:"subtasks_total,omitempty"`
	lookup.Meta
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (t *TaskItem) Trim(characters int) { listing.Excerpt(&t.Title, characters, &t.Truncated) }

// ListWork returns the tool list_work.
func ListWork(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_work",
		Title:       "List work everywhere",
		Description: "Lists Basecamp to-dos and cards, everywhere or in one project: open, overdue, unassigned or completed.",
		Words:       "overdue work everywhere, overdue to-dos",
	}, func(ctx context.Context, in listWorkInput) (List, error) {
		assignee := todos.AssigneeFilter{Word: lookup.AssigneeWord(in.Assignee)}
		if in.State == "unassigned" && !in.Assignee.IsZero() && assignee.Word != lookup.NoAssignee {
			return List{}, fault.Invalid("assignee", "assignee cannot be combined with state unassigned; omit one of them")
		}
		filter := listing.Ahead(ctx, func(context.Context) (parts.ProjectFilter, error) { return rs.FilterProject(ctx, in.Project) })
		when, zone, err := rs.completedWhen(ctx, in)
		project, wrong := filter()
		if err := cmp.Or(wrong, err); err != nil {
			return List{}, err
		}
		if assignee.Word == "" {
			if assignee.ID, err = rs.FilterPerson(ctx, "assignee", in.Assignee, project); err != nil {
				return List{}, err
			}
		}
		l := &listing.List[basecamp.Task]{
			Of:      listing.Digest("work", in.Kind, in.State, assignee.ID, assignee.Word, project.ID, in.Since, in.Until),
			ID:      func(t basecamp.Task) int64 { return t.ID },
			Sources: rs.taskSources(in, assignee.ID, project.ID, when),
		}
		if assignee.Word != "" {
			l.Keep = func(t basecamp.Task) bool { return assignee.Keeps(t.Assignees) }
		}
		found, err := l.Collect(ctx, in.Paging())
		if err := rs.VerifyProject(ctx, project, err); err != nil {
			return List{}, err
		}
		for _, t := range found.Items {
			rs.LearnHolder(ctx, t.Recording)
		}
		list := listing.Scrolled(listing.Answer(l, found, func(t basecamp.Task) TaskItem { return viewWork(t, zone) }))
		return List{listing.SinceList[TaskItem]{Scroll: list, Since: listing.Understood(when.From)}, listing.Understood(when.To)}, nil
	})
}

// completedWhen returns the period that the call asks for, and the caller's time zone. Without
// since and until, the period is open and the times stay in UTC.
func (rs *Resolver) completedWhen(ctx context.Context, in listWorkInput) (lookup.Period, *time.Location, error) {
	if in.Since == "" && in.Until == "" {
		return lookup.Period{}, time.UTC, nil
	}
	if in.State != string(basecamp.Completed) {
		return lookup.Period{}, nil, fault.Invalid("state", "since and until select completed work; set state to completed, or omit them")
	}
	when, err := rs.Period(ctx, "since", "until", in.Since, in.Until, "")
	if err != nil {
		return lookup.Period{}, nil, err
	}
	zone, err := rs.Zone(ctx)
	return when, zone, err
}

func (rs *Resolver) taskSources(in listWorkInput, assignee, project int64, when lookup.Period) []listing.Source[basecamp.Task] {
	kinds := []basecamp.Tasks{basecamp.Todos, basecamp.Cards}
	switch in.Kind {
	case "todo":
		kinds = kinds[:1]
	case "card":
		kinds = kinds[1:]
	}
	switch {
	case in.State == "overdue":
		return []listing.Source[basecamp.Task]{rs.overdueTasks(kinds, assignee, project)}
	case in.Since != "" || in.Until != "":
		return []listing.Source[basecamp.Task]{listing.Whole(func(ctx context.Context) ([]basecamp.Task, error) {
			return rs.CompletedTasks(ctx, kinds, assignee, project, when)
		})}
	}
	var sources []listing.Source[basecamp.Task]
	for _, kind := range kinds {
		sources = append(sources, rs.Tasks(kind, basecamp.TaskState(in.State), assignee, project))
	}
	return sources
}

// Tasks returns the source of the tasks of all projects, or of one. Basecamp returns pages of
// projects, each project once, and has no filter by project. So the source ends at the page of the
// wanted project.
func (rs *Resolver) Tasks(kind basecamp.Tasks, state basecamp.TaskState, assignee, project int64) listing.Source[basecamp.Task] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Task], error) {
		upstream, err := basecamp.Everywhere(kind, state, assignee).Page(ctx, rs.BC, page)
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

// CompletedTasks returns the tasks of some kinds that were completed in a period, the last
// completed first. Basecamp sorts completed tasks by project, so it reads those of all projects.
func (rs *Resolver) CompletedTasks(ctx context.Context, kinds []basecamp.Tasks, assignee, project int64, when lookup.Period) ([]basecamp.Task, error) {
	done, err := listing.EverythingIn(ctx, kinds, func(kind basecamp.Tasks) listing.Source[basecamp.Task] {
		return rs.Tasks(kind, basecamp.Completed, assignee, project)
	})
	done = lookup.Matching(done, func(t basecamp.Task) bool { return !t.CompletedAt().IsZero() && when.Holds(t.CompletedAt()) })
	slices.SortStableFunc(done, func(a, b basecamp.Task) int { return b.CompletedAt().Compare(a.CompletedAt()) })
	return done, err
}

// overdueTasks returns the source of the overdue tasks of some kinds, the longest overdue first.
func (rs *Resolver) overdueTasks(kinds []basecamp.Tasks, assignee, project int64) listing.Source[basecamp.Task] {
	return listing.Whole(func(ctx context.Context) ([]basecamp.Task, error) {
		late, err := listing.InParallel(ctx, kinds, func(ctx context.Context, kind basecamp.Tasks) ([]basecamp.Task, error) {
			return basecamp.Overdue(kind, assignee).All(ctx, rs.BC)
		})
		all := lookup.Matching(slices.Concat(late...), func(t basecamp.Task) bool { return project == 0 || project == t.Bucket.ID })
		slices.SortStableFunc(all, func(a, b basecamp.Task) int { return cmp.Compare(a.DueOn, b.DueOn) })
		return all, err
	})
}

func viewWork(t basecamp.Task, zone *time.Location) TaskItem {
	v := TaskItem{
		Head:          lookup.Head{ID: t.ID, Type: lookup.TypeOf(t.Type)},
		Title:         plaintext.Clean(t.Title),
		Completed:     t.Completed,
		CompletedAt:   lookup.CompletedAt(t.Completable),
		DueOn:         lookup.DateOrNil(t.DueOn),
		StartsOn:      lookup.DateOrNil(t.StartsOn),
		Assignees:     lookup.ViewNames(t.Assignees),
		CommentsCount: t.CommentsCount,
		SubtasksDone:  lookup.CompletedOf(t.Steps),
		SubtasksTotal: len(t.Steps),
		Meta:          lookup.ViewMeta(t.Recording),
	}
	v.Author.Email = ""
	if v.CompletedAt != nil {
		*v.CompletedAt = v.CompletedAt.In(zone)
	}
	if v.Type == lookup.CardKind.Kind {
		v.Column = lookup.ViewParent(t.Recording)
	} else {
		v.List, v.Todoset = lookup.ViewTodoParent(t.Recording)
	}
	return v
}
