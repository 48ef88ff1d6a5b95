package work

import (
	"cmp"
	"context"
	"fmt"
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
		parents := lookup.Mapped(planned, func(p plannedStep) basecamp.Recording { return p.parent })
		beside := rs.Audience(ctx, parents...)
		beside.Start(parents...)
		results, failed, err := listing.Each(ctx, "steps", planned, listing.InOrder, func(ctx context.Context, p plannedStep) (addedSubtask, error) {
			created, err := basecamp.SubtasksOf.Post(ctx, rs.BC, p.step, p.parent.ID)
			return addedSubtask{parts.ViewSubtasks([]basecamp.Subtask{created})[0], p.on}, err
		})
		v := SubtasksAdded{Results: results, Created: len(results) - failed, Failed: failed}
		if in.Items == nil {
			v.Item = viewStepped(planned[0].parent)
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

// plannedStep is a subtask to add. On is its item if the call names several.
type plannedStep struct {
	parent basecamp.Recording
	step   basecamp.NewSubtask
	on     *parts.ActedOn
}

// planSubtasks reads the items, and resolves the people and the dates of the subtasks.
func (rs *Resolver) planSubtasks(ctx context.Context, in addSubtasksInput) ([]plannedStep, error) {
	parents, err := rs.parentsOfSteps(ctx, in)
	steps := map[int64][]basecamp.NewSubtask{} // by project
	var planned []plannedStep
	for _, parent := range parents {
		project := parent.Bucket.ID
		if steps[project] == nil {
			if steps[project], err = rs.planSteps(ctx, err, in.Steps, project); err != nil {
				return nil, err
			}
		}
		for _, step := range steps[project] {
			p := plannedStep{parent: parent, step: step}
			if in.Items != nil {
				p.on = viewStepped(parent)
			}
			planned = append(planned, p)
		}
	}
	return planned, err
}

func viewStepped(parent basecamp.Recording) *parts.ActedOn {
	return &parts.ActedOn{Head: lookup.Head{ID: parent.ID, Type: lookup.TypeOf(parent.Type)}, Title: plaintext.Clean(parent.Title), URL: parent.AppURL}
}

// parentsOfSteps reads the items that get subtasks.
func (rs *Resolver) parentsOfSteps(ctx context.Context, in addSubtasksInput) ([]basecamp.Recording, error) {
	if in.Items == nil {
		parent, err := rs.parentOfSteps(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project})
		return []basecamp.Recording{parent}, err
	}
	within, wrong := rs.SharedProject(ctx, in.Project)
	parents, err := listing.Plan(basecamp.WithSiblings(ctx, len(in.Items)), wrong, "items", in.Items, func(ctx context.Context, path, item string) (basecamp.Recording, error) {
		return rs.parentOfSteps(ctx, path, lookup.ItemInput{Item: item, Project: within})
	})
	if err == nil {
		err = listing.Once("items", parents, func(r basecamp.Recording) string { return fmt.Sprintf("%s:%d", lookup.TypeOf(r.Type), r.ID) })
	}
	return parents, err
}

func (rs *Resolver) parentOfSteps(ctx context.Context, argument string, in lookup.ItemInput) (basecamp.Recording, error) {
	t, err := rs.Thing(ctx, argument, in, lookup.TodoKind, lookup.CardKind)
	if err != nil {
		return basecamp.Recording{}, err
	}
	parent, err := RowOf(t.Kind).Read(ctx, rs.BC, t)
	if err == nil {
		err = cmp.Or(lookup.NotPutAway(argument, parent.Recording), rs.BC.PermitWrite(ctx, parent.Bucket.ID))
	}
	return parent.Recording, err
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
