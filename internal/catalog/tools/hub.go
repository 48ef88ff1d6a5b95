package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
)

// taskSide is the personal tasks as a side of the hub.
type taskSide struct{ tasks *task.Tasks }

func (taskSide) Name() string { return hub.TaskSide }

// bareID returns the ID that a reference to a task holds.
func bareID(ref string) string { return strings.TrimPrefix(strings.TrimSpace(ref), "task:") }

func (taskSide) Names(text string) bool {
	return strings.HasPrefix(text, "task:") || task.IsID(text)
}

func taskRef(t task.Task) hub.Ref { return hub.Ref{Side: hub.TaskSide, ID: "task:" + t.ID} }

func (s taskSide) Find(ctx context.Context, argument, text string) (hub.Thing, error) {
	t, err := s.tasks.Get(ctx, bareID(text))
	if err != nil {
		return hub.Thing{}, aboutTask(argument, err)
	}
	return linkedTask(t), nil
}

// aboutTask returns the error of a task that another argument than task_id names.
func aboutTask(argument string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Validation) != 1 || f.Validation[0].Path != "task_id" {
		return err
	}
	told := *f
	told.Message = argument + ": " + told.Validation[0].Message
	told.Validation = []fault.Violation{{Path: argument, Message: f.Validation[0].Message, Code: f.Validation[0].Code}}
	return &told
}

func linkedTask(t task.Task) hub.Thing {
	v := hub.Thing{Ref: taskRef(t), Title: plaintext.Clean(t.Title), State: hub.Open}
	if t.Completed() {
		v.State = hub.Done
	}
	return v
}

// Look reads tasks from one list.
func (s taskSide) Look(ctx context.Context, refs []hub.Ref) ([]hub.Thing, error) {
	found, err := s.tasks.List(ctx, task.Query{Status: task.All, Limit: task.Most})
	all := make([]hub.Thing, len(refs))
	for i, ref := range refs {
		all[i].State = hub.Gone
		if at := slices.IndexFunc(found.Tasks, func(t task.Task) bool { return taskRef(t) == ref }); at >= 0 {
			all[i] = linkedTask(found.Tasks[at])
		}
	}
	return all, err
}

func (s taskSide) Complete(ctx context.Context, id string) (hub.Completed, error) {
	was, err := s.tasks.Get(ctx, bareID(id))
	if err != nil || was.Completed() {
		return hub.Completed{Thing: linkedTask(was)}, err
	}
	now, err := s.tasks.Complete(ctx, bareID(id))
	return hub.Completed{Thing: linkedTask(now), Changed: true}, err
}

func (taskSide) CallToComplete(id string) hub.Call {
	return hub.Call{Tool: "complete_task", Arguments: map[string]any{"task_id": bareID(id)}}
}

// followed returns the IDs of the caller's open tasks that are done because what they are linked to
// is, and the number of links whose state is not known.
func followed(ctx context.Context, links *hub.Hub, tasks *task.Tasks) (done map[string]bool, unknown int, err error) {
	all, err := links.LinksOf(ctx, hub.TaskSide)
	if err != nil || len(hub.Refs(all)) == 0 {
		return nil, 0, err
	}
	open, err := tasks.List(ctx, task.Query{Status: task.Pending, Limit: task.Most})
	if err != nil {
		return nil, 0, err
	}
	return doneElsewhere(ctx, links, open.Tasks, func(t task.Task) []hub.Link { return all[taskRef(t)] })
}

// doneElsewhere returns the IDs of those tasks that follow something that is done, and how many
// things have a state that is not known.
func doneElsewhere(ctx context.Context, links *hub.Hub, tasks []task.Task, of func(task.Task) []hub.Link) (done map[string]bool, unknown int, err error) {
	var refs []hub.Ref
	for _, t := range tasks {
		for _, link := range of(t) {
			if !link.Alone {
				refs = append(refs, link.To)
			}
		}
	}
	seen, err := links.Seen(ctx, refs, hub.MostRefreshed)
	for _, t := range seen {
		if t.State == hub.Unknown {
			unknown++
		}
	}
	return doneIn(seen, tasks, of), unknown, err
}

// doneIn returns the IDs of those tasks that follow something that was seen done.
func doneIn(seen map[hub.Ref]hub.Thing, tasks []task.Task, of func(task.Task) []hub.Link) map[string]bool {
	done := map[string]bool{}
	for _, t := range tasks {
		for _, link := range of(t) {
			if !link.Alone && seen[link.To].State == hub.Done {
				done[t.ID] = true
			}
		}
	}
	return done
}

// isDone reports whether a task is completed, or follows something that is done.
func isDone(ctx context.Context, links *hub.Hub, t task.Task) (bool, error) {
	if t.Completed() {
		return true, nil
	}
	linked, err := links.Linked(ctx, taskRef(t))
	if err != nil {
		return false, err
	}
	done, _, err := doneElsewhere(ctx, links, []task.Task{t}, func(task.Task) []hub.Link { return linked })
	return done[t.ID], err
}

// hubTools returns the toolset for what the systems have in common.
func hubTools(links *hub.Hub, p *promoter, day *dayReader) mcptool.Toolset {
	return mcptool.Toolset{
		Name:  Hub,
		Tools: []mcptool.Tool{link(links), promote(p), myDay(day), getWaiting(day.basecamp)},
	}
}
