package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

type updateTodoInput struct {
	Todo    toolargs.Ref            `json:"todo" jsonschema:"Id, URL or title"`
	Project toolargs.Ref            `json:"project,omitzero" jsonschema:"Its project"`
	Content toolargs.Change[string] `json:"content,omitzero" jsonschema:"New title" limits:"minlen=1 maxlen=1500"`
	Notes   toolargs.Change[string] `json:"notes,omitzero" jsonschema:"New Markdown; files stay; empty clears" limits:"maxlen=500000"`
	assigneesInput
	DueOn    toolargs.Change[string] `json:"due_on,omitzero" jsonschema:"Day; none clears" limits:"none"`
	StartsOn toolargs.Change[string] `json:"starts_on,omitzero" jsonschema:"Like due_on" limits:"none"`
	List     toolargs.Ref            `json:"list,omitzero" jsonschema:"New list"`
	Position int                     `json:"position,omitzero" jsonschema:"1 is the top" limits:"min=1"`
	lookup.MentionsInput
}

func updateTodo(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_todo",
		Title:       "Change a to-do",
		Description: "Renames or reassigns a Basecamp to-do, changes its notes or due date, or moves it to another list.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in updateTodoInput) (changedTodo, error) {
		if err := in.check(); err != nil {
			return changedTodo{}, err
		}
		t, err := lookup.ReadToChange(ctx, rs.Resolver, lookup.TodoKind.WithArguments("todo", "project"), in.Todo, in.Project, rs.BC.Todo)
		if err != nil {
			return changedTodo{}, err
		}
		change := todoChange{fields: t.Fields(), position: in.Position}
		beside := rs.Audience(ctx)
		stays := lookup.Ahead(ctx, func(ctx context.Context) (basecamp.Todolist, error) { // the answer only shows it
			if !in.List.IsZero() {
				return basecamp.Todolist{}, nil
			}
			return rs.parentList(ctx, t)
		})
		err = listing.Together(ctx,
			func(ctx context.Context) error { return rs.changeFields(ctx, &change, t, in) },
			func(ctx context.Context) (err error) {
				if !in.List.IsZero() {
					change.list, err = rs.listToWrite(ctx, in.List, toolargs.Ref{ID: t.Bucket.ID})
				}
				return err
			},
		)
		if err != nil {
			return changedTodo{}, err
		}
		by, err := rs.CallerOf(ctx, change.notes)
		if err != nil {
			return changedTodo{}, err
		}
		beside.Know(change.list.Recording)
		beside.Start(change.moved(t))
		now, err := rs.changeTodo(ctx, t, in.writes(), change)
		if err != nil {
			return changedTodo{}, err
		}
		list := change.list
		var left lookup.Gaps
		if in.List.IsZero() {
			left, err = lookup.Extras(ctx, lookup.Extra{Name: "group", Read: func(context.Context) (err error) { list, err = stays(); return err }})
		}
		v := changedTodo{rs.writtenTodo(now, list), beside.Reached(by, change.moved(now), change.notes).Without(left)}
		v.Seen = v.ViewClients()
		return v, err
	})
}

// changedTodo is a to-do after it was changed.
type changedTodo struct {
	todoItem
	lookup.Reach
}

// writes reports whether the call changes any field besides the to-do's place.
func (in updateTodoInput) writes() bool {
	return in.Content.Given || in.Notes.Given || in.DueOn.Given || in.StartsOn.Given || in.asked()
}

// check returns an error if the arguments cannot be combined.
func (in updateTodoInput) check() error {
	switch {
	case !in.Notes.Given && len(in.Mentions) > 0:
		return nowhereToMention("notes")
	case !in.writes() && in.List.IsZero() && in.Position == 0:
		return nothingToChange("content, notes, assignees, add_assignees, remove_assignees, due_on, starts_on, list or position")
	}
	if in.Content.Given {
		if err := notBlank("content", in.Content.To); err != nil {
			return err
		}
	}
	return in.assigneesInput.check()
}

// todoChange is the new state of a to-do, and its new place.
type todoChange struct {
	fields   basecamp.TodoFields
	notes    lookup.Composed   // the new notes
	list     basecamp.Todolist // its new list; zero if it stays where it is
	position int               // 0 if the caller chooses none
}

// changeFields sets the fields that the caller named. The others keep the values that were read.
func (rs *resolver) changeFields(ctx context.Context, change *todoChange, t basecamp.Todo, in updateTodoInput) (err error) {
	fields := &change.fields
	fields.Content = t.Content
	if in.Content.Given {
		fields.Content = lookup.Plainly(in.Content.To)
	}
	if in.DueOn.Given {
		if fields.DueOn, err = rs.DateOrNone(ctx, "due_on", in.DueOn.To); err != nil {
			return err
		}
	}
	if in.StartsOn.Given {
		if fields.StartsOn, err = rs.DateOrNone(ctx, "starts_on", in.StartsOn.To); err != nil {
			return err
		}
	}
	if err := lookup.RightOrder(fields.StartsOn, fields.DueOn); err != nil {
		return err
	}
	if fields.AssigneeIDs, err = rs.reassigned(ctx, t.Bucket.ID, t.Assignees, in.assigneesInput); err != nil {
		return err
	}
	if in.Notes.Given {
		change.notes, err = rs.Compose(ctx, lookup.Prose{Project: t.Bucket.ID, Argument: "notes", Markdown: in.Notes.To, Mentions: in.Mentions, Old: t.Description})
		fields.Description = change.notes.HTML
	}
	return err
}

// changeTodo writes the fields first, because Basecamp may refuse them, and then moves the to-do.
func (rs *resolver) changeTodo(ctx context.Context, t basecamp.Todo, writes bool, change todoChange) (basecamp.Todo, error) {
	now := t
	if writes {
		var err error
		if now, err = rs.BC.UpdateTodo(ctx, t.ID, change.fields); err != nil {
			return now, err
		}
	}
	if moves, to := change.move(t); moves {
		if err := rs.BC.MoveTodo(ctx, t.ID, to, max(1, change.position)); err != nil {
			return now, notMoved(err, writes)
		}
		if moved, err := rs.BC.Todo(ctx, t.ID); err == nil { // the move succeeded even if this read fails
			now = moved
		}
	}
	return now, nil
}

// move reports whether the to-do changes its place, and returns the new list, 0 for the current
// one.
func (c todoChange) move(t basecamp.Todo) (moves bool, to int64) {
	if c.list.ID != 0 && (t.Parent == nil || t.Parent.ID != c.list.ID) {
		return true, c.list.ID
	}
	return c.position > 0, 0
}

// moved returns the to-do in its new list, or in its own if it stays there.
func (c todoChange) moved(t basecamp.Todo) basecamp.Recording {
	if c.list.ID != 0 {
		t.Parent = &basecamp.Parent{ID: c.list.ID, Type: c.list.Type}
	}
	return t.Recording
}

// notMoved adds to the error of a failed move that the other changes were made.
func notMoved(err error, written bool) error {
	if !written {
		return err
	}
	f := *fault.From(err)
	f.Message = "the other changes were made, but moving the to-do failed: " + f.Message
	return &f
}
