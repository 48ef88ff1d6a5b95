package basecamptools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// subtask is a subtask of a to-do or a step of a card, as shown with its parent.
type subtask struct {
	ID        int64    `json:"id"`
	Title     string   `json:"title"`
	Completed bool     `json:"completed"`
	DueOn     *string  `json:"due_on"`
	Assignees []person `json:"assignees"`
}

func viewSubtasks(steps []basecamp.Subtask) []subtask {
	views := make([]subtask, len(steps))
	for i, s := range steps {
		views[i] = subtask{
			ID: s.ID, Title: plaintext.Clean(s.Title), Completed: s.Completed,
			DueOn: dateOrNil(s.DueOn), Assignees: viewPeople(s.Assignees),
		}
	}
	return views
}

// newStep is a subtask to add to a to-do or a card.
type newStep struct {
	Title     string        `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=20"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"Day"`
}

type addSubtasksInput struct {
	itemInput
	Steps []newStep `json:"steps" jsonschema:"In order" limits:"maxitems=20"`
}

// owner is the to-do or card that a subtask belongs to.
type owner struct {
	head
	Title string `json:"title"`
	URL   string `json:"url"`
}

type subtasksAdded struct {
	Item    owner                      `json:"item"`
	Results []listing.Outcome[subtask] `json:"results"`
	Created int                        `json:"created"`
	Failed  int                        `json:"failed"`
	seen
	gaps
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
		to, err := rs.thing(ctx, "item", in.itemInput, todoKind, cardKind)
		var parent basecamp.Recording
		if err == nil {
			parent, err = rs.parentOfSteps(ctx, to)
		}
		if err == nil {
			err = notPutAway("item", parent)
		}
		planned, err := rs.planSteps(ctx, err, in.Steps, parent.Bucket.ID)
		if err != nil {
			return subtasksAdded{}, err
		}
		beside := rs.audienceBeside(ctx, parent)
		results, failed, err := listing.Each(ctx, "steps", planned, func(ctx context.Context, step basecamp.NewSubtask) (subtask, error) {
			created, err := rs.bc.CreateSubtask(ctx, parent.ID, step)
			return viewSubtasks([]basecamp.Subtask{created})[0], err
		})
		clients, left := beside.seenBy(parent)
		return subtasksAdded{
			Item:    owner{head{parent.ID, to.kind.kind}, plaintext.Clean(parent.Title), parent.AppURL},
			Results: results, Created: len(results) - failed, Failed: failed, seen: seenBy(clients), gaps: left,
		}, err
	})
}

// parentOfSteps reads the to-do or card that gets the subtasks.
func (rs *resolver) parentOfSteps(ctx context.Context, t thing) (basecamp.Recording, error) {
	if t.kind.kind == cardKind.kind {
		card, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.Card)
		return card.Recording, err
	}
	todo, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.Todo)
	return todo.Recording, err
}

// planSteps resolves the people and the dates of subtasks. wrong is the error of their parent.
func (rs *resolver) planSteps(ctx context.Context, wrong error, steps []newStep, project int64) ([]basecamp.NewSubtask, error) {
	return listing.Plan(ctx, wrong, "steps", steps, func(ctx context.Context, _ string, step newStep) (basecamp.NewSubtask, error) {
		people, who := rs.persons(ctx, "assignees", step.Assignees, project)
		dueOn, when := rs.dateOrNone(ctx, "due_on", step.DueOn)
		return basecamp.NewSubtask{Title: plainly(step.Title), AssigneeIDs: personIDs(people), DueOn: dueOn},
			fault.All(notBlank("title", step.Title), who, when)
	})
}

// wholeSubtask is a subtask that is read by itself.
type wholeSubtask struct {
	head
	Title       string     `json:"title"`
	Parent      *owner     `json:"parent"`
	Completed   bool       `json:"completed"`
	CompletedAt *time.Time `json:"completed_at"`
	DueOn       *string    `json:"due_on"`
	Assignees   []person   `json:"assignees"`
	meta
	gaps
}

// showSubtask reads one subtask. The answer names its parent.
func (rs *resolver) showSubtask(ctx context.Context, id int64) (wholeSubtask, error) {
	s, err := rs.bc.Subtask(ctx, id)
	if err != nil {
		return wholeSubtask{}, err
	}
	left, err := extras(ctx, rs.audience(ctx).settled(&s.Recording))
	v := wholeSubtask{
		head: head{s.ID, subtaskKind.kind}, Title: plaintext.Clean(s.Title), Parent: viewOwner(s.Parent), Completed: s.Completed, CompletedAt: completedAt(s.Completable),
		DueOn: dateOrNil(s.DueOn), Assignees: viewPeople(s.Assignees), meta: viewMeta(s.Recording), gaps: left,
	}
	return v, err
}

func viewOwner(p *basecamp.Parent) *owner {
	if p == nil {
		return nil
	}
	kind := todoKind.kind
	if p.Type == cardKind.upstream {
		kind = cardKind.kind
	}
	return &owner{head{p.ID, kind}, plaintext.Clean(p.Title), p.AppURL}
}
