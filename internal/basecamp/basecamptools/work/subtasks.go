package work

import (
	"cmp"
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type newStep struct {
	Title     string        `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=20"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"Day"`
}

type addSubtasksInput struct {
	Item    string       `json:"item,omitzero" jsonschema:"This or items: URL, type:id or title" limits:"minlen=1 maxlen=2000"`
	Items   []string     `json:"items,omitzero" jsonschema:"All get the steps" limits:"maxitems=20"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	Steps   []newStep    `json:"steps" jsonschema:"In order" limits:"maxitems=20"`
}

// mostSubtasks is the largest number of subtasks that a call adds.
const mostSubtasks = 50

// SubtasksAdded has the new subtasks in order. On says which of several items one is on.
type SubtasksAdded struct {
	Item    *parts.ActedOn                  `json:"item,omitempty"`
	Results []listing.Outcome[addedSubtask] `json:"results"`
	Created int                             `json:"created"`
	Failed  int                             `json:"failed"`
	lookup.Seen
	listing.Gaps
}

type addedSubtask struct {
	parts.Subtask
	On *parts.ActedOn `json:"on,omitempty"`
}

// AddSubtasks returns the tool add_subtasks.
func AddSubtasks(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "add_subtasks",
		Title:       "Add steps",
		Description: "Breaks Basecamp to-dos or cards into subtasks (steps): adds them after the existing ones.",
		Effect:      mcptool.Appends,
	}, func(ctx context.Context, in addSubtasksInput) (SubtasksAdded, error) {
		if err := cmp.Or(in.check(), parts.ItemOrItems(in.Item, in.Items)); err != nil {
			return SubtasksAdded{}, err
		}
		planned, err := rs.planSubtasks(ctx, in)
		if err != nil {
			return SubtasksAdded{}, err
		}
		parents := lookup.Mapped(planned, func(p plannedStep) basecamp.Recording { return p.parent.is })
		beside := rs.Audience(ctx, parents...)
		beside.Start(parents...)
		results, failed, err := listing.Each(ctx, "steps", planned, listing.InOrder, func(ctx context.Context, p plannedStep) (addedSubtask, error) {
			created, err := basecamp.SubtasksOf.Post(ctx, rs.BC, p.step, p.parent.ID)
			added := addedSubtask{Subtask: parts.ViewSubtasks([]basecamp.Subtask{created})[0]}
			if in.Items != nil {
				added.On = &p.parent.ActedOn
			}
			return added, err
		})
		v := SubtasksAdded{Results: results, Created: len(results) - failed, Failed: failed}
		if in.Items == nil {
			v.Item = &planned[0].parent.ActedOn
		}
		clients, left := beside.SeenBy(parents...)
		v.Seen, v.Gaps = lookup.SeenBy(clients), left
		return v, err
	})
}

func (in addSubtasksInput) check() error {
	switch {
	case len(in.Steps) == 0:
		return fault.Invalid("steps", "must contain at least one subtask")
	case len(in.Steps)*len(in.Items) > mostSubtasks:
		return fault.Invalid("items", "%d steps on each of %d items are more than the %d subtasks that a call adds; name fewer items", len(in.Steps), len(in.Items), mostSubtasks)
	}
	return nil
}

// plannedStep is a subtask to add.
type plannedStep struct {
	parent parentOfSteps
	step   basecamp.NewSubtask
}

// parentOfSteps is an item that gets subtasks.
type parentOfSteps struct {
	parts.ActedOn
	is basecamp.Recording
}

// planSubtasks reads the items, and resolves the people and the dates of the subtasks.
func (rs *Resolver) planSubtasks(ctx context.Context, in addSubtasksInput) (planned []plannedStep, err error) {
	parents := make([]parentOfSteps, 1)
	if in.Items == nil {
		parents[0], err = rs.parentOfSteps(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project})
	} else {
		parents, err = parts.PlanItems(basecamp.WithSiblings(ctx, len(in.Items)), rs.Base, in.Items, in.Project, rs.parentOfSteps)
	}
	steps := map[int64][]basecamp.NewSubtask{} // by project
	for _, parent := range parents {
		project := parent.is.Bucket.ID
		if steps[project] == nil {
			if steps[project], err = rs.planSteps(ctx, err, in.Steps, project); err != nil {
				return nil, err
			}
		}
		for _, step := range steps[project] {
			planned = append(planned, plannedStep{parent, step})
		}
	}
	return planned, err
}

func (rs *Resolver) parentOfSteps(ctx context.Context, argument string, in lookup.ItemInput) (parent parentOfSteps, err error) {
	t, err := rs.Thing(ctx, argument, in, lookup.TodoKind, lookup.CardKind)
	if err != nil {
		return parent, err
	}
	item, err := RowOf(t.Kind).Read(ctx, rs.BC, t)
	if err == nil {
		err = cmp.Or(lookup.NotPutAway(argument, item.Recording), rs.BC.PermitWrite(ctx, item.Bucket.ID))
	}
	head := lookup.Head{ID: item.ID, Type: t.Kind.Kind}
	return parentOfSteps{parts.ActedOn{Head: head, Title: plaintext.Clean(item.Title), URL: item.AppURL}, item.Recording}, err
}

// planSteps resolves the people and the dates of subtasks. wrong is the error of their items.
func (rs *Resolver) planSteps(ctx context.Context, wrong error, steps []newStep, project int64) ([]basecamp.NewSubtask, error) {
	return listing.Plan(ctx, wrong, "steps", steps, func(ctx context.Context, _ string, step newStep) (basecamp.NewSubtask, error) {
		people, who := rs.Persons(ctx, "assignees", step.Assignees, project)
		dueOn, when := rs.DateOrNone(ctx, "due_on", step.DueOn)
		return basecamp.NewSubtask{Title: lookup.Plainly(step.Title), AssigneeIDs: lookup.PersonIDs(people), DueOn: dueOn},
			fault.All(parts.NotBlank("title", step.Title), who, when)
	})
}

// WholeSubtask is a subtask with the item that it is part of.
type WholeSubtask struct {
	lookup.Head
	Title       string          `json:"title"`
	Parent      *parts.ActedOn  `json:"parent"`
	Completed   bool            `json:"completed"`
	CompletedAt *time.Time      `json:"completed_at"`
	DueOn       *string         `json:"due_on"`
	Assignees   []lookup.Person `json:"assignees"`
	lookup.Meta
	listing.Gaps
}

// ShowSubtask reads one subtask. The answer names its parent.
func (rs *Resolver) ShowSubtask(ctx context.Context, id int64) (WholeSubtask, error) {
	s, err := basecamp.SubtaskAt.Get(ctx, rs.BC, id)
	if err != nil {
		return WholeSubtask{}, err
	}
	left, err := listing.Extras(ctx, rs.Audience(ctx).SeenInto(&s.Recording))
	v := WholeSubtask{
		Head: lookup.Head{ID: s.ID, Type: lookup.SubtaskKind.Kind}, Title: plaintext.Clean(s.Title), Parent: parts.ViewHolder(s.Parent), Completed: s.Completed, CompletedAt: lookup.CompletedAt(s.Completable),
		DueOn: lookup.DateOrNil(s.DueOn), Assignees: lookup.ViewPeople(s.Assignees), Meta: lookup.ViewMeta(s.Recording), Gaps: left,
	}
	return v, err
}
