package basecamptools

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type setUpNextInput struct {
	Items    toolargs.Refs `json:"items" jsonschema:"URL, type:id or title" limits:"maxitems=20"`
	Position int           `json:"position,omitzero" jsonschema:"Of the first, from 1" limits:"min=1"`
	Remove   bool          `json:"remove,omitzero" jsonschema:"Take them off"`
}

// ownTask is an open task of the caller, and its position in Up Next, 0 if it is not in it.
type ownTask struct {
	actedOn
	at int
	in int64 // its project
}

func (t ownTask) reference() string { return fmt.Sprintf("%s:%d", t.Type, t.ID) }

// upNextItem is a task after the call. Position is nil if Basecamp chose it. Previous has the
// position before the call.
type upNextItem struct {
	actedOn
	UpNext   bool           `json:"up_next"`
	Position *int           `json:"position,omitempty"`
	Previous upNextPosition `json:"previous"`
}

type upNextPosition struct {
	Position *int `json:"position"`
}

func setUpNext(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "set_up_next",
		Title:       "Put work on Up Next",
		Description: "Puts the caller's own to-dos, cards and subtasks on Up Next, or takes them off.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in setUpNextInput) (listing.Applied[upNextItem], error) {
		switch {
		case len(in.Items) == 0:
			return listing.Applied[upNextItem]{}, fault.Invalid("items", "must contain at least one item")
		case in.Remove && in.Position != 0:
			return listing.Applied[upNextItem]{}, fault.Invalid("position", "give either position or remove, not both")
		}
		work, err := rs.BC.Assignments(ctx)
		if err != nil {
			return listing.Applied[upNextItem]{}, err
		}
		own := ownTasksOf(work)
		planned, err := listing.Plan(ctx, nil, "items", in.Items, func(ctx context.Context, path string, ref toolargs.Ref) (ownTask, error) {
			task, err := rs.ownTask(ctx, path, ref, own)
			if err == nil {
				err = rs.BC.PermitWrite(ctx, task.in)
			}
			return task, err
		})
		if err == nil {
			err = listing.Once("items", planned, ownTask.reference)
		}
		if err == nil {
			err = fitsUpNext(in.Position, len(work.Priorities), planned)
		}
		if err != nil {
			return listing.Applied[upNextItem]{}, err
		}
		done, err := listing.Apply(ctx, "items", planned, listing.InOrder, ownTask.reference, func(ctx context.Context, t ownTask) (upNextItem, error) {
			return rs.putUpNext(ctx, t, !in.Remove)
		})
		if err != nil || in.Position == 0 || done.Failed > 0 || len(done.NotAttempted) > 0 {
			return done, err
		}
		return done, rs.moveUpNext(ctx, done.Results, in.Position)
	})
}

// ownTasksOf returns the items of the caller's open work, with their subtasks.
func ownTasksOf(work basecamp.Assignments) (own []ownTask) {
	for i, a := range slices.Concat(work.Priorities, work.Others) {
		for _, part := range append([]basecamp.Assignment{a}, a.Children...) {
			t := ownTask{actedOn: actedOn{lookup.Head{ID: part.ID, Type: lookup.TypeOf(part.Type)}, plaintext.Clean(part.Content), part.AppURL}, in: part.Bucket.ID}
			if i < len(work.Priorities) && part.ID == a.Priority() {
				t.at = i + 1
			}
			own = append(own, t)
		}
	}
	return own
}

// ownTask finds one of the caller's open tasks by its id, URL or title.
func (rs *resolver) ownTask(ctx context.Context, argument string, ref toolargs.Ref, own []ownTask) (ownTask, error) {
	if ref.URL != "" {
		link, err := rs.Link(ctx, argument, ref.URL)
		if err != nil {
			return ownTask{}, err
		}
		ref = toolargs.Ref{ID: link.ID}
		if link.Comment != 0 { // the URL of a subtask scrolls to it
			ref.ID = link.Comment
		}
	}
	if word, rest := lookup.CutType(ref.Name); word != "" {
		ref = lookup.URLs.ParseRef(rest)
	}
	return lookup.Choice[ownTask]{
		Argument: argument, Noun: lookup.Noun{One: "open to-do, card or subtask that is assigned to the user", Many: "open to-dos, cards and subtasks that are assigned to the user", Kind: "task"}, Items: own,
		Name: func(t ownTask) string { return t.Title }, ID: func(t ownTask) int64 { return t.ID }, Where: func(t ownTask) string { return t.Type },
	}.ByRef(ref)
}

// fitsUpNext returns an error if the first of the tasks cannot have a position.
func fitsUpNext(position, listed int, planned []ownTask) error {
	for _, t := range planned {
		if t.at == 0 {
			listed++
		}
	}
	if most := listed - len(planned) + 1; position > most {
		return fault.Invalid("position", "must be between 1 and %d, the end of the list", most)
	}
	return nil
}

func (rs *resolver) putUpNext(ctx context.Context, t ownTask, on bool) (upNextItem, error) {
	v := upNextItem{actedOn: t.actedOn, UpNext: on}
	if t.at > 0 {
		v.Previous.Position = &t.at
	}
	if on == (t.at > 0) {
		return v, nil
	}
	return v, rs.BC.Prioritize(ctx, t.ID, on)
}

// moveUpNext moves tasks to successive positions. Where they are now does not matter: they go to
// the beginning, the last one first, and from there to their places, again the last one first.
func (rs *resolver) moveUpNext(ctx context.Context, tasks []listing.Outcome[upNextItem], position int) error {
	steps := []int{1, position}
	if position == 1 || len(tasks) == 1 {
		steps = steps[1:]
	}
	for _, first := range steps {
		for i, t := range slices.Backward(tasks) {
			to := first
			if first > 1 {
				to += i
			}
			if err := rs.BC.MovePriority(ctx, t.Item.ID, to); err != nil {
				return afterOthers(err, "the items are up next, but not all are at their positions: ")
			}
			at := position + i
			t.Item.Position = &at
		}
	}
	return nil
}
