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
	noun
	argument string
	links    []string // the path segments its URLs use
	// titled lists what of this kind a project holds, to be found by title, the likeliest first.
	titled func(*workspace, basecamp.Project) []stage
}

// stage reads a part of what is looked through for a title; the next is read only if nothing in this has that very title.
type stage func(context.Context) ([]basecamp.Recording, error)

var (
	messageKind  = kind{messageNoun, "message_id", []string{"messages"}, (*workspace).messageTitles}
	todoKind     = kind{todoNoun, "todo_id", []string{"todos"}, (*workspace).todoTitles}
	documentKind = kind{documentNoun, "document_id", []string{"documents"}, (*workspace).documentTitles}
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
	return p.lacks(k, item.ID)
}

func (p place) lacks(k kind, id int64) *fault.Error {
	e := fault.New(fault.NotFound, "%s: there is no %s %d in project %d", k.argument, k.one, id, p.id)
	e.Resource = &fault.Resource{Type: k.kind, ID: fmt.Sprint(id)}
	return e
}

// item resolves a reference to an item, and the project it was said to be in, by itself or by its URL. A title is looked
// up in that project.
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
		return ws.itemByURL(ctx, k, ref.URL, in)
	case ref.Name != "" && in.id == 0:
		return 0, place{}, fault.Invalid(k.argument, "must be a positive integer or a Basecamp URL, got %q; a title works together with project_id", shorten(ref.Name))
	case ref.Name != "":
		id, err := ws.byTitle(ctx, k, ref.Name, in.id)
		return id, in, err
	}
	return ref.ID, in, nil
}

func (ws *workspace) itemByURL(ctx context.Context, k kind, url string, in place) (int64, place, error) {
	link, err := ws.link(ctx, k.argument, url)
	if err != nil {
		return 0, place{}, err
	}
	if !slices.Contains(k.links, link.Type) {
		return 0, place{}, fault.Invalid(k.argument, "is not the URL of a %s but of %s", k.one, whatIs(link.Type))
	}
	if in.id != 0 && link.Project != 0 && in.id != link.Project {
		return 0, place{}, in.lacks(k, link.ID)
	}
	return link.ID, place{max(in.id, link.Project)}, nil
}

// whatIs says what URLs of a type are of, and which tool reads that.
func whatIs(linkType string) string {
	switch linkType {
	case "projects":
		return "a project; get_project_tools shows it"
	case "messages":
		return "a message; get_message reads it"
	case "todos":
		return "a to-do; get_todo reads it"
	case "todolists", "groups":
		return "a to-do list; list_todos reads it"
	case "documents":
		return "a document; get_document reads it"
	case "vaults":
		return "a folder; list_documents and list_attachments read it"
	case "chats":
		return "a chat; list_campfire_lines reads it"
	}
	return "something else (" + shorten(linkType) + ")"
}

func (ws *workspace) byTitle(ctx context.Context, k kind, title string, projectID int64) (int64, error) {
	project, err := ws.projectByID(ctx, projectID)
	if err != nil {
		return 0, err
	}
	options := choice[basecamp.Recording]{
		argument: k.argument, noun: k.noun,
		name: func(r basecamp.Recording) string { return r.Title },
		id:   func(r basecamp.Recording) int64 { return r.ID },
		where: func(r basecamp.Recording) string {
			if r.Parent == nil {
				return project.Name
			}
			return r.Parent.Title
		},
	}
	for _, read := range k.titled(ws, project) {
		items, err := read(ctx)
		if err != nil {
			return 0, err
		}
		options.items = append(options.items, items...)
		if exact := exactly(items, title, options.label); len(exact) == 1 {
			return exact[0].ID, nil
		}
	}
	found, err := pick(options, title)
	return found.ID, err
}

func (ws *workspace) messageTitles(project basecamp.Project) []stage {
	return []stage{func(ctx context.Context) ([]basecamp.Recording, error) {
		boards, err := ws.docks(project, messageBoard)
		if err != nil {
			return nil, err
		}
		messages, err := inParallel(ctx, boards, func(ctx context.Context, board basecamp.DockItem) ([]basecamp.Message, error) {
			return everything(ctx, ws.messages(board.ID, basecamp.Newest))
		})
		return recordings(messages, func(m basecamp.Message) (basecamp.Recording, string) { return m.Recording, m.Subject }), err
	}}
}

// todoTitles looks among open to-dos first.
func (ws *workspace) todoTitles(project basecamp.Project) []stage {
	var lists []basecamp.Todolist
	read := func(completed bool) stage {
		return func(ctx context.Context) ([]basecamp.Recording, error) {
			todos, err := inParallel(ctx, ws.todoSources(lists, completed), func(ctx context.Context, s *todoSource) ([]basecamp.Todo, error) {
				return everything(ctx, s.read)
			})
			return recordings(todos, func(t basecamp.Todo) (basecamp.Recording, string) { return t.Recording, t.Content }), err
		}
	}
	readLists := func(ctx context.Context) ([]basecamp.Recording, error) {
		sets, err := ws.docks(project, todoset)
		if err != nil {
			return nil, err
		}
		all, err := inParallel(ctx, sets, func(ctx context.Context, set basecamp.DockItem) ([]basecamp.Todolist, error) {
			return everything(ctx, ws.todolists(set.ID, "active"))
		})
		lists = slices.Concat(all...)
		return nil, err
	}
	return []stage{readLists, read(false), read(true)}
}

func (ws *workspace) documentTitles(project basecamp.Project) []stage {
	return []stage{func(ctx context.Context) ([]basecamp.Recording, error) {
		folders, err := ws.folders(ctx, project)
		if err != nil {
			return nil, err
		}
		documents, err := inParallel(ctx, folders, func(ctx context.Context, folder basecamp.Vault) ([]basecamp.Document, error) {
			return everything(ctx, ws.documents(folder.ID))
		})
		return recordings(documents, func(d basecamp.Document) (basecamp.Recording, string) { return d.Recording, d.Title }), err
	}}
}

// recordings keeps of items what they have in common, under the title their reader knows.
func recordings[T any](lists [][]T, of func(T) (basecamp.Recording, string)) []basecamp.Recording {
	var all []basecamp.Recording
	for _, item := range slices.Concat(lists...) {
		recording, title := of(item)
		recording.Title = title
		all = append(all, recording)
	}
	return all
}

func shorten(text string) string {
	short, _ := richtext.Excerpt(text, 60)
	return short
}
