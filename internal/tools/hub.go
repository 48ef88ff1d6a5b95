package tools

import (
	"context"
	"errors"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/task"
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
// is.
func followed(ctx context.Context, links *hub.Hub, tasks *task.Tasks) (map[string]bool, error) {
	all, err := links.LinksOf(ctx, hub.TaskSide)
	if err != nil || len(hub.Refs(all)) == 0 {
		return nil, err
	}
	open, err := tasks.List(ctx, task.Query{Status: task.Pending, Limit: task.Most})
	if err != nil {
		return nil, err
	}
	return doneElsewhere(ctx, links, open.Tasks, func(t task.Task) []hub.Link { return all[taskRef(t)] })
}

// doneElsewhere returns the IDs of those tasks that follow something that is done.
func doneElsewhere(ctx context.Context, links *hub.Hub, tasks []task.Task, of func(task.Task) []hub.Link) (map[string]bool, error) {
	var refs []hub.Ref
	for _, t := range tasks {
		for _, link := range of(t) {
			if !link.Alone {
				refs = append(refs, link.To)
			}
		}
	}
	seen, err := links.Seen(ctx, refs, hub.MostRefreshed)
	done := map[string]bool{}
	for _, t := range tasks {
		for _, link := range of(t) {
			if !link.Alone && seen[link.To].State == hub.Done {
				done[t.ID] = true
			}
		}
	}
	return done, err
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
	done, err := doneElsewhere(ctx, links, []task.Task{t}, func(task.Task) []hub.Link { return linked })
	return done[t.ID], err
}

// hubTools returns the toolset for what the systems have in common.
func hubTools(links *hub.Hub, p *promoter, day *dayReader) mcptool.Toolset {
	return mcptool.Toolset{
		Name:  Hub,
		Tools: []mcptool.Tool{linkThings(links), promote(p), myDay(day), getWaiting(day.basecamp)},
	}
}

type linkInput struct {
	A      string `json:"a" jsonschema:"task:id, todo:1, owner/repo#2, URL or title" limits:"minlen=1 maxlen=2000"`
	B      string `json:"b" jsonschema:"" limits:"minlen=1 maxlen=2000"`
	Follow bool   `json:"follow,omitzero" jsonschema:"A task is done when the other is" limits:"default=true"`
	Remove bool   `json:"remove,omitzero" jsonschema:""`
}

// linkedThing is one of two things that are linked. What the caller cannot read has only ref and
// state.
type linkedThing struct {
	Ref   string    `json:"ref"`
	Title string    `json:"title,omitempty"`
	URL   string    `json:"url,omitempty"`
	State hub.State `json:"state"`
}

func viewLinked(t hub.Thing) linkedThing { return linkedThing{t.Ref.ID, t.Title, t.URL, t.State} }

type linkAnswer struct {
	A       linkedThing `json:"a"`
	B       linkedThing `json:"b"`
	Linked  bool        `json:"linked"`
	Changed bool        `json:"changed"`
	Note    string      `json:"note,omitempty"`
}

func linkThings(links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "link",
		Title:       "Link two things",
		Description: "Remembers that two things are the same: personal task, Basecamp item, GitHub issue. Only the caller sees it.",
		Effect:      mcptool.Updates,
	}, func(ctx context.Context, in linkInput) (linkAnswer, error) {
		a, badA := links.Find(ctx, "a", in.A)
		b, badB := links.Find(ctx, "b", in.B)
		if in.Remove {
			return unlink(ctx, links, in, a, b, badA, badB)
		}
		if err := fault.All(badA, badB); err != nil {
			return linkAnswer{}, err
		}
		if a.Ref == b.Ref {
			return linkAnswer{}, fault.Invalid("b", "is the same thing as a (%s); name two", a.Ref.ID)
		}
		changed, err := links.Link(ctx, a.Ref, b.Ref, !in.Follow)
		return linkAnswer{A: viewLinked(a), B: viewLinked(b), Linked: true, Changed: changed}, err
	})
}

// unlink takes a link away, also one to something that is not there any more, if the caller names
// that by its reference.
func unlink(ctx context.Context, links *hub.Hub, in linkInput, a, b hub.Thing, badA, badB error) (linkAnswer, error) {
	if badA != nil && badB == nil {
		a, badA = gone(ctx, links, b, in.A, badA)
	}
	if badB != nil && badA == nil {
		b, badB = gone(ctx, links, a, in.B, badB)
	}
	if err := fault.All(badA, badB); err != nil {
		return linkAnswer{}, err
	}
	changed, err := links.Unlink(ctx, a.Ref, b.Ref)
	v := linkAnswer{A: viewLinked(a), B: viewLinked(b), Changed: changed}
	if !changed {
		v.Note = "they were not linked"
	}
	return v, err
}

// gone returns what a thing is linked to by a reference that cannot be read, or the reason.
func gone(ctx context.Context, links *hub.Hub, to hub.Thing, text string, reason error) (hub.Thing, error) {
	linked, err := links.Linked(ctx, to.Ref)
	if err != nil {
		return hub.Thing{}, err
	}
	for _, link := range linked {
		if strings.EqualFold(link.To.ID, strings.TrimSpace(text)) {
			return hub.Thing{Ref: link.To, State: hub.StateOf(reason)}, nil
		}
	}
	return hub.Thing{}, reason
}
