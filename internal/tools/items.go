package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

// kind is a kind of item that tools take.
type kind struct {
	noun
	argument  string   // what the tool at hand calls it
	inProject string   // and the project it is in
	links     []string // the path segments its URLs use
	reader    string   // the tool that reads one
	upstream  string   // the type under which Basecamp lists those of a project, "" where it does not
	// titled lists what of this kind a project holds, to be found by title, the likeliest first; nil: what upstream lists.
	titled func(*workspace, basecamp.Project) []stage
}

// as is the kind under the names a tool gives its arguments.
func (k kind) as(argument, inProject string) kind {
	k.argument, k.inProject = argument, inProject
	return k
}

// stage reads a part of what is looked through for a title; the next is read only if nothing in this has that very title.
type stage func(context.Context) ([]basecamp.Recording, error)

var (
	messageKind  = kind{messageNoun, "message_id", "project_id", []string{"messages"}, "get_message", "Message", (*workspace).messageTitles}
	todoKind     = kind{todoNoun, "todo_id", "project_id", []string{"todos"}, "get_todo", "Todo", (*workspace).todoTitles}
	documentKind = kind{documentNoun, "document_id", "project_id", []string{"documents"}, "get_document", "Document", (*workspace).documentTitles}
	cardKind     = kind{cardNoun, "card", "project", []string{"cards"}, "get_card", "Kanban::Card", nil}
	commentKind  = kind{noun{"comment", "comments", "comment"}, "comment", "project", []string{"comments"}, "list_comments", "", nil}
	listKind     = kind{listNoun, "list", "project", []string{"todolists", "groups"}, "list_todos", "Todolist", nil}
	subtaskKind  = kind{noun{"subtask", "subtasks", "subtask"}, "item", "project", []string{"steps", "subtasks"}, "get_todo", "Kanban::Step", nil}
	folderKind   = kind{folderNoun, "folder", "project", []string{"vaults"}, "list_documents", "Vault", nil}
	uploadKind   = kind{noun{"file", "files", "upload"}, "item", "project", []string{"uploads"}, "get_file", "Upload", nil}
	lineKind     = kind{noun{"chat line", "chat lines", "chat_line"}, "item", "project", []string{"lines"}, "list_campfire_lines", "", nil}
	questionKind = kind{noun{"check-in question", "check-in questions", "question"}, "question", "project", []string{"questions"}, "list_checkins", "", (*workspace).questionTitles}
	answerKind   = kind{noun{"check-in answer", "check-in answers", "answer"}, "item", "project", []string{"question_answers", "answers"}, "list_checkin_answers", "", nil}
	entryKind    = kind{noun{"schedule entry", "schedule entries", "schedule_entry"}, "entry", "project", []string{"schedule_entries"}, "list_schedule_entries", "Schedule::Entry", nil}
	forwardKind  = kind{noun{"forwarded e-mail", "forwarded e-mails", "forward"}, "item", "project", []string{"inbox_forwards", "forwards"}, "list_forwards", "", nil}
	projectKind  = kind{projectNoun, "project", "project", []string{"projects"}, "get_project_tools", "", nil}
)

// itemKinds are the kinds an item of any kind can be of.
var itemKinds = []kind{
	projectKind, messageKind, commentKind, listKind, todoKind, subtaskKind, documentKind, folderKind, uploadKind, lineKind,
	questionKind, answerKind, entryKind, cardKind, forwardKind,
}

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
		if in.id, err = ws.projectID(ctx, k.inProject, inProject); err != nil {
			return 0, place{}, err
		}
	}
	if typed, ok := strings.CutPrefix(ref.Name, k.kind+":"); ok {
		ref = mcptool.ParseRef(strings.TrimSpace(typed))
	}
	switch {
	case ref.URL != "":
		return ws.itemByURL(ctx, k, ref.URL, in)
	case ref.Name != "" && in.id == 0:
		return 0, place{}, fault.Invalid(k.argument, "must be a positive integer or a Basecamp URL, got %q; a title works together with %s", shorten(ref.Name), k.inProject)
	case ref.Name != "" && k.upstream == "" && k.titled == nil:
		return 0, place{}, fault.Invalid(k.argument, "must be an id or a Basecamp URL: a %s has no title to be found by", k.one)
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
	for _, k := range itemKinds {
		if slices.Contains(k.links, linkType) {
			return "a " + k.one + "; " + k.reader + " reads it"
		}
	}
	switch linkType {
	case "chats":
		return "a chat; list_campfire_lines reads it"
	case "card_tables", "columns", "lists":
		return "a card table; get_board reads it"
	case "people":
		return "a person; list_people shows people"
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
	for _, read := range ws.stages(k, project) {
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

// stages are what is looked through for a title.
func (ws *workspace) stages(k kind, project basecamp.Project) []stage {
	if k.titled != nil {
		return k.titled(ws, project)
	}
	return []stage{func(ctx context.Context) ([]basecamp.Recording, error) {
		return everything(ctx, func(ctx context.Context, page int) (basecamp.Page[basecamp.Recording], error) {
			return ws.bc.Recordings(ctx, k.upstream, project.ID, page)
		})
	}}
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
