package basecamptools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// subtask is a subtask of a to-do or a step of a card, as shown with its parent.
type subtask struct {
	ID        int64           `json:"id"`
	Title     string          `json:"title"`
	Completed bool            `json:"completed"`
	DueOn     *string         `json:"due_on"`
	Assignees []lookup.Person `json:"assignees"`
}

func viewSubtasks(steps []basecamp.Subtask) []subtask {
	views := make([]subtask, len(steps))
	for i, s := range steps {
		views[i] = subtask{
			ID: s.ID, Title: plaintext.Clean(s.Title), Completed: s.Completed,
			DueOn: lookup.DateOrNil(s.DueOn), Assignees: lookup.ViewPeople(s.Assignees),
		}
	}
	return views
}

type newStep struct {
	Title     string        `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=20"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"Day"`
}

type addSubtasksInput struct {
	lookup.ItemInput
	Steps []newStep `json:"steps" jsonschema:"In order" limits:"maxitems=20"`
}

type subtasksAdded struct {
	Item    actedOn                    `json:"item"`
	Results []listing.Outcome[subtask] `json:"results"`
	Created int                        `json:"created"`
	Failed  int                        `json:"failed"`
	lookup.Seen
	lookup.Gaps
}

func addSubtasks(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "add_subtasks",
		Title:       "Add steps",
		Description: "Breaks a Basecamp to-do or card into subtasks (steps): adds them after the existing ones.",
		Effect:      mcptool.Appends,
	}, func(ctx context.Context, in addSubtasksInput) (subtasksAdded, error) {
		if len(in.Steps) == 0 {
			return subtasksAdded{}, fault.Invalid("steps", "must contain at least one subtask")
		}
		to, err := rs.Thing(ctx, "item", in.ItemInput, lookup.TodoKind, lookup.CardKind)
		var parent basecamp.Recording
		if err == nil {
			parent, err = rs.parentOfSteps(ctx, to)
		}
		if err == nil {
			err = lookup.NotPutAway("item", parent)
		}
		planned, err := rs.planSteps(ctx, err, in.Steps, parent.Bucket.ID)
		if err != nil {
			return subtasksAdded{}, err
		}
		beside := rs.AudienceBeside(ctx, parent)
		results, failed, err := listing.Each(ctx, "steps", planned, listing.InOrder, func(ctx context.Context, step basecamp.NewSubtask) (subtask, error) {
			created, err := rs.BC.CreateSubtask(ctx, parent.ID, step)
			return viewSubtasks([]basecamp.Subtask{created})[0], err
		})
		clients, left := beside.SeenBy(parent)
		return subtasksAdded{
			Item:    actedOn{lookup.Head{ID: parent.ID, Type: to.Kind.Kind}, plaintext.Clean(parent.Title), parent.AppURL},
			Results: results, Created: len(results) - failed, Failed: failed, Seen: lookup.SeenBy(clients), Gaps: left,
		}, err
	})
}

func (rs *resolver) parentOfSteps(ctx context.Context, t lookup.Thing) (basecamp.Recording, error) {
	if t.Kind.Kind == lookup.CardKind.Kind {
		card, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Card)
		return card.Recording, err
	}
	todo, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Todo)
	return todo.Recording, err
}

// planSteps resolves the people and the dates of subtasks. wrong is the error of their parent.
func (rs *resolver) planSteps(ctx context.Context, wrong error, steps []newStep, project int64) ([]basecamp.NewSubtask, error) {
	return listing.Plan(ctx, wrong, "steps", steps, func(ctx context.Context, _ string, step newStep) (basecamp.NewSubtask, error) {
		people, who := rs.Persons(ctx, "assignees", step.Assignees, project)
		dueOn, when := rs.DateOrNone(ctx, "due_on", step.DueOn)
		return basecamp.NewSubtask{Title: lookup.Plainly(step.Title), AssigneeIDs: lookup.PersonIDs(people), DueOn: dueOn},
			fault.All(notBlank("title", step.Title), who, when)
	})
}

type wholeSubtask struct {
	lookup.Head
	Title       string          `json:"title"`
	Parent      *actedOn        `json:"parent"`
	Completed   bool            `json:"completed"`
	CompletedAt *time.Time      `json:"completed_at"`
	DueOn       *string         `json:"due_on"`
	Assignees   []lookup.Person `json:"assignees"`
	lookup.Meta
	lookup.Gaps
}

// showSubtask reads one subtask. The answer names its parent.
func (rs *resolver) showSubtask(ctx context.Context, id int64) (wholeSubtask, error) {
	s, err := rs.BC.Subtask(ctx, id)
	if err != nil {
		return wholeSubtask{}, err
	}
	left, err := lookup.Extras(ctx, rs.Audience(ctx).Settled(&s.Recording))
	v := wholeSubtask{
		Head: lookup.Head{ID: s.ID, Type: lookup.SubtaskKind.Kind}, Title: plaintext.Clean(s.Title), Parent: viewOwner(s.Parent), Completed: s.Completed, CompletedAt: lookup.CompletedAt(s.Completable),
		DueOn: lookup.DateOrNil(s.DueOn), Assignees: lookup.ViewPeople(s.Assignees), Meta: lookup.ViewMeta(s.Recording), Gaps: left,
	}
	return v, err
}

// viewOwner returns the to-do or card that a subtask belongs to.
func viewOwner(p *basecamp.Parent) *actedOn {
	if p == nil {
		return nil
	}
	return &actedOn{lookup.Head{ID: p.ID, Type: lookup.TypeOf(p.Type)}, plaintext.Clean(p.Title), p.AppURL}
}
