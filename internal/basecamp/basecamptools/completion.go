package basecamptools

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

func completionTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{setCompleted(rs), addSubtasks(rs)}
}

type setCompletedInput struct {
	itemInput
	Completed bool `json:"completed" jsonschema:"true to complete, false to reopen"`
}

// completion is an item in the answer of set_completed.
type completion struct {
	head
	Title       string     `json:"title"`
	Completed   bool       `json:"completed"`
	CompletedAt *time.Time `json:"completed_at"`
	Changed     bool       `json:"changed"`
	List        *ref       `json:"list,omitempty"`    // list of a to-do
	Todoset     *ref       `json:"todoset,omitempty"` // set of a to-do without a list
	Column      *ref       `json:"column,omitempty"`  // column of a card
	Parent      *owner     `json:"parent,omitempty"`  // item of a subtask
	Assignees   []person   `json:"assignees"`
	meta
}

func setCompleted(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "set_completed",
		Title: "Complete or reopen",
		Description: "Completes or reopens a Basecamp to-do, subtask or card. A completed card moves to Done; reopening moves it back to its previous column. " +
			"changed is false if nothing changed.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in setCompletedInput) (completion, error) {
		t, err := rs.thing(ctx, "item", in.itemInput, todoKind, subtaskKind, cardKind)
		if err != nil {
			return completion{}, err
		}
		switch t.kind.kind {
		case todoKind.kind:
			return rs.setTodoCompleted(ctx, t, in.Completed)
		case cardKind.kind:
			return rs.setCardCompleted(ctx, t, in.Completed)
		}
		return rs.setSubtaskCompleted(ctx, t, in.Completed)
	})
}

func viewCompletion(k kind, r basecamp.Recording, c basecamp.Completable, assignees []basecamp.Person) completion {
	v := completion{
		head: head{r.ID, k.kind}, Title: plaintext.Clean(r.Title), Completed: c.Completed, CompletedAt: completedAt(c), Assignees: viewPeople(assignees), meta: viewMeta(r),
	}
	return v
}

func (rs *resolver) setTodoCompleted(ctx context.Context, t thing, completed bool) (completion, error) {
	todo, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.Todo)
	if err != nil {
		return completion{}, err
	}
	if step, ok := scrolledTo(t, todo.Steps); ok {
		return rs.setSubtaskCompleted(ctx, step, completed)
	}
	changed := todo.Completed != completed
	if changed {
		if err := rs.bc.SetTodoCompleted(ctx, t.id, completed); err != nil {
			return completion{}, err
		}
		if fresh, err := rs.bc.Todo(ctx, t.id); err == nil {
			todo = fresh
		}
		todo.Completed = completed // the write succeeded, even if the to-do cannot be read again
	}
	v := viewCompletion(t.kind, todo.Recording, todo.Completable, todo.Assignees)
	v.Changed = changed
	v.List, v.Todoset = viewTodoParent(todo.Recording)
	return v, nil
}

// scrolledTo returns the subtask that the URL of a to-do or card scrolls to. Subtasks have no pages
// of their own.
func scrolledTo(t thing, steps []basecamp.Subtask) (thing, bool) {
	isIt := func(s basecamp.Subtask) bool { return s.ID == t.link.Comment }
	if t.link.Comment == 0 || !slices.ContainsFunc(steps, isIt) {
		return thing{}, false
	}
	return thing{kind: subtaskKind.as(t.argument, t.inProject), id: t.link.Comment, in: t.in}, true
}

func (rs *resolver) setSubtaskCompleted(ctx context.Context, t thing, completed bool) (completion, error) {
	step, err := readIn(ctx, t.in, t.kind, t.id, rs.bc.Subtask)
	if err != nil {
		return completion{}, err
	}
	changed := step.Completed != completed
	if changed {
		if err := rs.bc.SetSubtaskCompleted(ctx, t.id, completed); err != nil {
			return completion{}, err
		}
		if fresh, err := rs.bc.Subtask(ctx, t.id); err == nil {
			step = fresh
		}
		step.Completed = completed
	}
	v := viewCompletion(t.kind, step.Recording, step.Completable, step.Assignees)
	v.Changed, v.Parent = changed, viewOwner(step.Parent)
	return v, nil
}

// setCardCompleted completes or reopens a card by moving it. Basecamp has no other way.
func (rs *resolver) setCardCompleted(ctx context.Context, t thing, completed bool) (completion, error) {
	c, table, err := rs.cardOnBoard(ctx, t.kind, t.id, t.in)
	if err != nil {
		return completion{}, err
	}
	if step, ok := scrolledTo(t, c.Steps); ok {
		return rs.setSubtaskCompleted(ctx, step, completed)
	}
	changed := c.Completed != completed
	if changed {
		to, err := rs.columnWhen(ctx, c, table, completed)
		if err != nil {
			return completion{}, err
		}
		if c, err = rs.move(ctx, c, to, 1); err != nil {
			return completion{}, err
		}
	}
	v := viewCompletion(t.kind, c.Recording, c.Completable, c.Assignees)
	v.Changed, v.Column = changed, viewParent(c.Recording)
	return v, nil
}

// columnWhen returns the column for a card: Done if it is completed, or its column before Done. If
// that column is unknown or deleted, the card goes to Triage.
func (rs *resolver) columnWhen(ctx context.Context, c basecamp.Card, table basecamp.CardTable, completed bool) (basecamp.Column, error) {
	if completed {
		return columnOfType(table, basecamp.DoneColumn)
	}
	done, found, err := rs.findMove(ctx, c.ID)
	if err != nil {
		return basecamp.Column{}, err
	}
	if found {
		from := slices.IndexFunc(table.Columns, func(column basecamp.Column) bool { return holdsCardsOf(column, done.Details.From) })
		if from >= 0 {
			return table.Columns[from], nil
		}
	}
	return columnOfType(table, basecamp.TriageColumn)
}
