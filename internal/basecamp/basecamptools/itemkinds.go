package basecamptools

import (
	"context"
	"path"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
)

// itemKind is a row of the table of what edit_text and update_work change: which arguments fit
// items of a kind, and how they are read and written.
type itemKind struct {
	lookup.Kind
	texts    []string // arguments of edit_text, besides those of every text
	work     []string // arguments of update_work; nil if it does not change these items
	replaces bool     // an update clears what it does not send
	read     func(context.Context, *basecamp.Client, lookup.Thing) (heldItem, error)
	write    func(context.Context, *basecamp.Client, heldItem, itemFields) (heldItem, error)
	move     func(context.Context, *basecamp.Client, workPlan) error
}

// heldItem is an item as it was read.
type heldItem struct {
	basecamp.Recording
	read      any // the item itself
	fields    itemFields
	files     []basecamp.Attachment
	category  *basecamp.Category
	assignees []basecamp.Person
	told      []basecamp.Person // whom Basecamp notifies of a card's completion
	done      basecamp.Completable
	steps     []basecamp.Subtask
	plain     bool // Basecamp stores plain text
}

func (h heldItem) text() basecamp.HTML { return basecamp.HTML(h.fields.text) }

func (h heldItem) isGroup() bool {
	list, ok := h.read.(basecamp.Todolist)
	return ok && isGroup(list)
}

// itemFields are the fields of an item that an update writes. All are set, whether they change or
// not.
type itemFields struct {
	title, text     string // the text is HTML, or plain text for what Basecamp stores so
	assignees       []int64
	dueOn, startsOn string
	status          string               // active publishes a draft; empty keeps the status
	category        *basecamp.CategoryID // nil keeps it
}

// differ returns the names of the fields of update_work that have another value in other.
func (f itemFields) differ(other itemFields) (names []string) {
	for _, field := range []argument{
		{"title", f.title != other.title}, {"notes", f.text != other.text}, {"due_on", f.dueOn != other.dueOn}, {"starts_on", f.startsOn != other.startsOn},
		{"assignees", !slices.Equal(slices.Sorted(slices.Values(f.assignees)), slices.Sorted(slices.Values(other.assignees)))},
	} {
		if field.given {
			names = append(names, field.name)
		}
	}
	return names
}

// changedOr returns a new value to send, or nil if it is the old one: then it is not sent.
func changedOr(now, was string) *string {
	if now == was {
		return nil
	}
	return &now
}

// changedIDs does for people what changedOr does for a text.
func changedIDs(now, was itemFields) *[]int64 {
	if !slices.Contains(now.differ(was), "assignees") {
		return nil
	}
	return &now.assignees
}

func itemRow[T interface{ Common() basecamp.Recording }](
	k lookup.Kind, texts, work string, read func(*basecamp.Client, context.Context, int64) (T, error), hold func(T) heldItem,
	write func(context.Context, *basecamp.Client, T, itemFields) (T, error), move func(context.Context, *basecamp.Client, workPlan) error,
) itemKind {
	held := func(item T, err error) (heldItem, error) {
		h := hold(item)
		h.Recording, h.read = item.Common(), item
		return h, err
	}
	return itemKind{
		Kind: k, texts: strings.Fields(texts), work: strings.Fields(work), move: move,
		read: func(ctx context.Context, bc *basecamp.Client, t lookup.Thing) (heldItem, error) {
			return held(lookup.ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (T, error) { return read(bc, ctx, id) }))
		},
		write: func(ctx context.Context, bc *basecamp.Client, was heldItem, now itemFields) (heldItem, error) {
			return held(write(ctx, bc, was.read.(T), now))
		},
	}
}

const (
	ofAll    = " visible_to_clients"
	ofFiles  = "title position folder" + ofAll
	ofPeople = " assignees add_assignees remove_assignees due_on"
	ofNotes  = " notes edits"
)

// itemKinds returns the table. A variable would link all that it calls into functions that serve no
// tools. Chat lines are read through their chat.
func itemKinds() []itemKind {
	return []itemKind{
		itemRow(lookup.TodoKind, "title", "title position starts_on list completed"+ofPeople+ofNotes+ofAll, (*basecamp.Client).Todo, holdTodo, writeTodoFields, moveTodo).replacing(),
		itemRow(lookup.CardKind, "title", "title position column completed"+ofPeople+ofNotes+ofAll, (*basecamp.Client).Card, holdCard, writeCard, moveCard),
		itemRow(lookup.SubtaskKind, "", "title position completed"+ofPeople+ofAll, (*basecamp.Client).Subtask, holdSubtask, writeSubtask, moveSubtask),
		itemRow(lookup.ListKind, "title", "title position"+ofNotes+ofAll, (*basecamp.Client).Todolist, holdList, writeList, moveList).replacing(),
		itemRow(lookup.DocumentKind, "title publish", ofFiles, (*basecamp.Client).Document, holdDocument, writeDocument, moveFile).replacing(),
		itemRow(lookup.UploadKind, "", ofFiles+ofNotes, (*basecamp.Client).Upload, holdUpload, writeUpload, moveFile),
		itemRow(lookup.FolderKind, "", ofFiles, (*basecamp.Client).Vault, holdFolder, writeFolder, moveFile),
		itemRow(lookup.MessageKind, "title publish category pin", ofAll, (*basecamp.Client).Message, holdMessage, writeMessage, nil),
		itemRow(lookup.EntryKind, "title", ofAll, (*basecamp.Client).ScheduleEntry, holdEntry, writeEntry, nil),
		itemRow(lookup.QuestionKind, "", ofAll, (*basecamp.Client).Question, func(basecamp.Question) heldItem { return heldItem{} }, nil, nil),
		itemRow(lookup.CommentKind, "", "", (*basecamp.Client).Comment, holdComment, writeComment, nil),
		itemRow(lookup.AnswerKind, "", "", (*basecamp.Client).CheckinAnswer, holdAnswer, writeAnswer, nil),
		itemRow(lookup.ProjectKind, "title", "", projectToEdit, holdProject, writeProject, nil),
		{Kind: lookup.LineKind},
	}
}

func (k itemKind) replacing() itemKind {
	k.replaces = true
	return k
}

var textItems = []lookup.Kind{
	lookup.MessageKind, lookup.DocumentKind, lookup.CommentKind, lookup.AnswerKind, lookup.LineKind, lookup.TodoKind, lookup.CardKind, lookup.ListKind,
	lookup.EntryKind, lookup.ProjectKind,
}

// kindsOfWork returns the kinds of update_work that all the named arguments fit.
func kindsOfWork(arguments ...string) (kinds []lookup.Kind) {
	for _, row := range itemKinds() {
		if len(row.work) > 0 && !slices.ContainsFunc(arguments, func(name string) bool { return !slices.Contains(row.work, name) }) {
			kinds = append(kinds, row.Kind)
		}
	}
	return kinds
}

func rowOf(k lookup.Kind) itemKind {
	all := itemKinds()
	return all[slices.IndexFunc(all, func(row itemKind) bool { return row.Kind.Kind == k.Kind })]
}

func holdTodo(t basecamp.Todo) heldItem {
	f := t.Fields()
	return heldItem{
		files: t.Attachments, assignees: t.Assignees, done: t.Completable, steps: t.Steps,
		fields: itemFields{title: f.Content, text: f.Description, assignees: f.AssigneeIDs, dueOn: f.DueOn, startsOn: f.StartsOn},
	}
}

func writeTodoFields(ctx context.Context, bc *basecamp.Client, t basecamp.Todo, now itemFields) (basecamp.Todo, error) {
	f := t.Fields()
	f.Content, f.Description, f.AssigneeIDs, f.DueOn, f.StartsOn = now.title, now.text, now.assignees, now.dueOn, now.startsOn
	return bc.UpdateTodo(ctx, t.ID, f)
}

func moveTodo(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	list := int64(0)
	if p.leaves() {
		list = p.to.ID
	}
	return bc.MoveTodo(ctx, p.now.ID, list, p.position)
}

func holdCard(c basecamp.Card) heldItem {
	return heldItem{
		files: c.Attachments, assignees: c.Assignees, told: c.Subscribers, done: c.Completable, steps: c.Steps,
		fields: itemFields{title: c.Title, text: string(c.Content), assignees: lookup.PersonIDs(c.Assignees), dueOn: c.DueOn},
	}
}

func writeCard(ctx context.Context, bc *basecamp.Client, c basecamp.Card, now itemFields) (basecamp.Card, error) {
	was := holdCard(c).fields
	return bc.UpdateCard(ctx, c.ID, basecamp.CardChange{
		Title: changedOr(now.title, was.title), Content: changedOr(now.text, was.text), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	})
}

func moveCard(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.MoveCard(ctx, p.now.ID, p.to.ID, p.position)
}

func holdSubtask(s basecamp.Subtask) heldItem {
	return heldItem{assignees: s.Assignees, done: s.Completable, fields: itemFields{title: s.Title, assignees: lookup.PersonIDs(s.Assignees), dueOn: s.DueOn}}
}

func writeSubtask(ctx context.Context, bc *basecamp.Client, s basecamp.Subtask, now itemFields) (basecamp.Subtask, error) {
	was := holdSubtask(s).fields
	return bc.UpdateSubtask(ctx, s.ID, basecamp.SubtaskChange{
		Title: changedOr(now.title, was.title), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	})
}

func moveSubtask(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.MoveSubtask(ctx, p.now.ID, p.position)
}

func holdList(l basecamp.Todolist) heldItem {
	return heldItem{files: l.Attachments, done: l.State(), fields: itemFields{title: l.Name, text: string(l.Description)}}
}

func writeList(ctx context.Context, bc *basecamp.Client, l basecamp.Todolist, now itemFields) (basecamp.Todolist, error) {
	return bc.UpdateTodolist(ctx, l.ID, basecamp.TodolistFields{Name: now.title, Description: now.text})
}

func moveList(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	if p.now.isGroup() {
		return bc.MoveTodolistGroup(ctx, p.now.ID, p.position)
	}
	return bc.MoveTodolist(ctx, p.now.ID, p.position)
}

func holdDocument(d basecamp.Document) heldItem {
	return heldItem{files: d.Attachments, fields: itemFields{title: d.Title, text: string(d.Content)}}
}

func writeDocument(ctx context.Context, bc *basecamp.Client, d basecamp.Document, now itemFields) (basecamp.Document, error) {
	return bc.UpdateDocument(ctx, d.ID, basecamp.DocumentFields{Title: now.title, Content: now.text, Status: now.status})
}

// holdUpload has the name of a file without its extension, which an update cannot change.
func holdUpload(u basecamp.Upload) heldItem {
	return heldItem{fields: itemFields{title: strings.TrimSuffix(u.Filename, path.Ext(u.Filename)), text: string(u.Description)}}
}

func writeUpload(ctx context.Context, bc *basecamp.Client, u basecamp.Upload, now itemFields) (basecamp.Upload, error) {
	was := holdUpload(u).fields
	return bc.UpdateUpload(ctx, u.ID, basecamp.UploadChange{BaseName: changedOr(now.title, was.title), Description: changedOr(now.text, was.text)})
}

func holdFolder(v basecamp.Vault) heldItem { return heldItem{fields: itemFields{title: v.Title}} }

func writeFolder(ctx context.Context, bc *basecamp.Client, v basecamp.Vault, now itemFields) (basecamp.Vault, error) {
	return bc.RenameVault(ctx, v.ID, now.title)
}

func moveFile(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.File(ctx, p.now.ID, p.to.ID, p.position)
}

func holdMessage(m basecamp.Message) heldItem {
	return heldItem{files: m.Attachments, category: m.Category, fields: itemFields{title: m.Subject, text: string(m.Content)}}
}

func writeMessage(ctx context.Context, bc *basecamp.Client, m basecamp.Message, now itemFields) (basecamp.Message, error) {
	change := basecamp.MessageChange{Status: now.status, Category: now.category, Content: changedOr(now.text, string(m.Content))}
	if now.title != m.Subject {
		change.Subject = now.title
	}
	return bc.UpdateMessage(ctx, m.ID, change)
}

func holdEntry(e basecamp.ScheduleEntry) heldItem {
	return heldItem{files: e.Attachments, fields: itemFields{title: e.Summary, text: string(e.Description)}}
}

func writeEntry(ctx context.Context, bc *basecamp.Client, e basecamp.ScheduleEntry, now itemFields) (basecamp.ScheduleEntry, error) {
	return bc.UpdateScheduleEntry(ctx, e.ID, basecamp.EntryFields{Span: e.Span, Summary: now.title, Description: now.text})
}

func holdComment(c basecamp.Comment) heldItem {
	return heldItem{files: c.Attachments, fields: itemFields{text: string(c.Content)}}
}

func writeComment(ctx context.Context, bc *basecamp.Client, c basecamp.Comment, now itemFields) (basecamp.Comment, error) {
	return bc.UpdateComment(ctx, c.ID, now.text)
}

func holdAnswer(a basecamp.CheckinAnswer) heldItem {
	return heldItem{files: a.Attachments, fields: itemFields{text: string(a.Content)}}
}

// writeAnswer reads the answer after it has changed it, because Basecamp does not return it. The
// change succeeded even if that read fails.
func writeAnswer(ctx context.Context, bc *basecamp.Client, a basecamp.CheckinAnswer, now itemFields) (basecamp.CheckinAnswer, error) {
	if err := bc.UpdateCheckinAnswer(ctx, a.ID, basecamp.NewCheckinAnswer{Content: now.text, GroupOn: a.GroupOn}); err != nil {
		return a, err
	}
	if changed, err := bc.CheckinAnswer(ctx, a.ID); err == nil {
		return changed, nil
	}
	a.Content = basecamp.HTML(now.text)
	return a, nil
}

// editedProject is a project as an item with a text.
type editedProject struct{ basecamp.Project }

// Common returns the fields that a project shares with items.
func (p editedProject) Common() basecamp.Recording {
	return basecamp.Recording{
		ID: p.ID, Type: lookup.ProjectKind.Upstream, Title: p.Name, Status: p.Status, AppURL: p.AppURL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Bucket: basecamp.Bucket{ID: p.ID, Name: p.Name},
	}
}

func projectToEdit(bc *basecamp.Client, ctx context.Context, id int64) (editedProject, error) { //nolint:revive // as the methods of the client
	p, err := bc.Project(ctx, id)
	return editedProject{p}, err
}

func holdProject(p editedProject) heldItem {
	return heldItem{plain: true, fields: itemFields{title: p.Name, text: richtext.FromPlain(p.Description)}}
}

func writeProject(ctx context.Context, bc *basecamp.Client, p editedProject, now itemFields) (editedProject, error) {
	fields := p.Fields()
	fields.Name, fields.Description = now.title, now.text
	changed, err := bc.UpdateProject(ctx, p.ID, fields)
	return editedProject{changed}, err
}
