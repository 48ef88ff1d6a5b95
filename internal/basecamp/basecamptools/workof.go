package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/toolargs"
)

// workOf selects the open to-dos and cards of a person.
type workOf struct {
	Assignee toolargs.Ref `json:"assignee"`
	Project  toolargs.Ref `json:"project,omitzero"`
}

// IsZero reports whether the argument is absent.
func (o workOf) IsZero() bool { return o == workOf{} }

const (
	maxWork   = 50 // items of a call
	maxSample = 10 // items that are shown before the call is confirmed
)

// foundWork is what a call with of would change. It has changed nothing.
type foundWork struct {
	Count   int          `json:"count"`
	First   []sampleWork `json:"first"`
	Confirm string       `json:"confirm"`
}

type sampleWork struct {
	lookup.Head
	Title   string  `json:"title"`
	DueOn   *string `json:"due_on,omitempty"`
	Project string  `json:"project"`
}

// openWork finds the work that a call selects. It returns what to confirm, or puts the work into
// the batch if the call confirms it.
func (rs *resolver) openWork(ctx context.Context, w *workBatch) (*foundWork, error) {
	if len(w.in.given()) == 0 {
		return nil, nothingToChange("what of selects: add_assignees, remove_assignees, due_on or another change")
	}
	tasks, err := rs.openTasks(ctx, w.in.Of, w.in.Project)
	if err != nil {
		return nil, err
	}
	switch {
	case w.in.ConfirmCount == 0 || len(tasks) == 0:
		return viewFoundWork(tasks), nil
	case w.in.ConfirmCount != len(tasks):
		return nil, fault.Invalid("confirm_count", "is %d, but of selects %d items now; nothing was changed; look at them without confirm_count first",
			w.in.ConfirmCount, len(tasks))
	}
	for i, t := range tasks {
		ref := fmt.Sprintf("%s:%d", lookup.TypeOf(t.Type), t.ID)
		if i >= maxWork {
			w.rest = append(w.rest, ref)
			continue
		}
		w.entries = append(w.entries, workEntry{Item: toolargs.Ref{Name: ref}})
	}
	return nil, nil
}

// given returns the names of the changes that stand beside the items.
func (in updateWorkInput) given() []string {
	return workPlan{texts: in.workTexts, change: in.workChange}.given()
}

// openTasks reads the open to-dos and cards of a person, in all projects or in one.
func (rs *resolver) openTasks(ctx context.Context, of workOf, beside toolargs.Ref) ([]basecamp.Task, error) {
	if !of.Project.IsZero() && !beside.IsZero() && of.Project != beside {
		return nil, fault.Invalid("project", "give the project once, inside of")
	}
	project, err := rs.filterProject(ctx, cmp.Or(of.Project, beside))
	if err != nil {
		return nil, err
	}
	who, err := rs.filterPerson(ctx, "of.assignee", of.Assignee, project)
	if err != nil {
		return nil, err
	}
	tasks, err := listing.EverythingIn(ctx, []basecamp.Tasks{basecamp.Todos, basecamp.Cards}, func(kind basecamp.Tasks) listing.Source[basecamp.Task] {
		return rs.tasks(kind, basecamp.Open, who, project.id)
	})
	return tasks, rs.verifyProject(ctx, project, err)
}

func viewFoundWork(tasks []basecamp.Task) *foundWork {
	v := &foundWork{Count: len(tasks), First: []sampleWork{}, Confirm: "nothing was changed; there is no such open work"}
	if len(tasks) > 0 {
		v.Confirm = fmt.Sprintf("nothing was changed; if the user wants this, call again with confirm_count %d", len(tasks))
	}
	for _, t := range slices.Clip(tasks)[:min(maxSample, len(tasks))] {
		v.First = append(v.First, sampleWork{
			Head: lookup.Head{ID: t.ID, Type: lookup.TypeOf(t.Type)}, Title: lookup.Shorten(t.Title), DueOn: lookup.DateOrNil(t.DueOn), Project: t.Bucket.Name,
		})
	}
	return v
}
