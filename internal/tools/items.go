package tools

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

// kind is a kind of item that a tool reads one of.
type kind struct {
	noun     string
	argument string
	links    []string // the path segments its URLs use
	// titled lists what of this kind a project holds, to be found by title.
	titled func(*workspace, context.Context, basecamp.Project) ([]basecamp.Recording, error)
}

var (
	messageKind  = kind{"message", "message_id", []string{"messages"}, (*workspace).messageTitles}
	todoKind     = kind{"to-do", "todo_id", []string{"todos"}, (*workspace).todoTitles}
	documentKind = kind{"document", "document_id", []string{"documents"}, (*workspace).documentTitles}
)

// place is the project an item was said to be in; zero when nothing was said.
type place struct {
	id int64
}

// holds reports, as an error, an item that is in another project: flat routes find it all the same (W-17).
func (p place) holds(item basecamp.Recording, k kind) error {
	if p.id == 0 || p.id == item.Bucket.ID {
		return nil
	}
	e := fault.New(fault.NotFound, "%s: there is no %s %d in project %d", k.argument, k.noun, item.ID, p.id)
	e.Resource = &fault.Resource{Type: k.noun, ID: fmt.Sprint(item.ID)}
	return e
}

// item resolves a reference to an item, and the project it was said to be in. A title is looked up in that project.
func (ws *workspace) item(ctx context.Context, k kind, ref, inProject mcptool.Ref) (int64, place, error) {
	var in place
	var err error
	if !inProject.IsZero() {
		if in.id, err = ws.projectID(ctx, "project_id", inProject); err != nil {
			return 0, place{}, err
		}
	}
	switch {
	case ref.URL != "":
		link, err := ws.link(ctx, k.argument, ref.URL)
		if err == nil && !slices.Contains(k.links, link.Type) {
			err = fault.Invalid(k.argument, "is the URL of something else than a %s", k.noun)
		}
		return link.ID, in, err
	case ref.Name != "" && in.id == 0:
		return 0, place{}, fault.Invalid(k.argument, "must be a positive integer or a Basecamp URL, got %q; a title works together with project_id", shorten(ref.Name))
	case ref.Name != "":
		id, err := ws.byTitle(ctx, k, ref.Name, in.id)
		return id, in, err
	}
	return ref.ID, in, nil
}

func (ws *workspace) byTitle(ctx context.Context, k kind, title string, projectID int64) (int64, error) {
	project, err := ws.projectByID(ctx, projectID)
	if err != nil {
		return 0, err
	}
	items, err := k.titled(ws, ctx, project)
	if err != nil {
		return 0, err
	}
	item, err := pick(choice[basecamp.Recording]{
		argument: k.argument, noun: k.noun, items: items,
		name: func(r basecamp.Recording) string { return r.Title },
		id:   func(r basecamp.Recording) int64 { return r.ID },
		where: func(r basecamp.Recording) string {
			if r.Parent == nil {
				return project.Name
			}
			return r.Parent.Title
		},
	}, title)
	return item.ID, err
}

func (ws *workspace) messageTitles(ctx context.Context, project basecamp.Project) ([]basecamp.Recording, error) {
	board, err := ws.dock(project, messageBoard, mcptool.Ref{})
	if err != nil {
		return nil, err
	}
	messages, err := everything(ctx, ws.messages(board.ID, basecamp.Newest))
	return recordings(messages, func(m basecamp.Message) (basecamp.Recording, string) { return m.Recording, m.Subject }), err
}

// todoTitles looks among open and completed to-dos alike.
func (ws *workspace) todoTitles(ctx context.Context, project basecamp.Project) ([]basecamp.Recording, error) {
	var all []basecamp.Recording
	for _, completed := range []bool{false, true} {
		scope, err := ws.wholeProject(ctx, project, mcptool.Ref{})
		if err != nil {
			return nil, err
		}
		lists, err := inParallel(ctx, ws.todos(scope, completed), everything[basecamp.Todo])
		if err != nil {
			return nil, err
		}
		todos := slices.Concat(lists...)
		all = append(all, recordings(todos, func(t basecamp.Todo) (basecamp.Recording, string) { return t.Recording, t.Content })...)
	}
	return all, nil
}

func (ws *workspace) documentTitles(ctx context.Context, project basecamp.Project) ([]basecamp.Recording, error) {
	root, err := ws.dock(project, vault, mcptool.Ref{})
	if err != nil {
		return nil, err
	}
	folders, err := ws.foldersBelow(ctx, root.ID)
	if err != nil {
		return nil, err
	}
	ids := []int64{root.ID}
	for _, folder := range folders {
		ids = append(ids, folder.ID)
	}
	lists, err := inParallel(ctx, ids, func(ctx context.Context, folder int64) ([]basecamp.Document, error) {
		return everything(ctx, ws.documents(folder))
	})
	documents := slices.Concat(lists...)
	return recordings(documents, func(d basecamp.Document) (basecamp.Recording, string) { return d.Recording, d.Title }), err
}

// recordings keeps of items what they have in common, under the title their reader knows.
func recordings[T any](items []T, of func(T) (basecamp.Recording, string)) []basecamp.Recording {
	all := make([]basecamp.Recording, len(items))
	for i, item := range items {
		all[i], all[i].Title = of(item)
		all[i].Title = richtext.Clean(all[i].Title)
	}
	return all
}

func shorten(text string) string {
	short, _ := richtext.Excerpt(text, 60)
	return short
}
