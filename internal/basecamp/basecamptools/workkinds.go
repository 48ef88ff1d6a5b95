package basecamptools

import (
	"context"
	"path"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
)

// workKind is a row of the table of what update_work changes: which arguments fit items of a kind,
// and how they are read and written.
type workKind struct {
	lookup.Kind
	fits     []string // arguments
	replaces bool     // an update clears what it does not send
	read     func(context.Context, *basecamp.Client, lookup.Thing) (workState, error)
	write    func(context.Context, *basecamp.Client, workState, workFields) (workState, error)
	move     func(context.Context, *basecamp.Client, workPlan) error
}

// workState is an item as it was read.
type workState struct {
	item      basecamp.Recording
	read      any // the item itself
	text      basecamp.HTML
	files     []basecamp.Attachment
	assignees []basecamp.Person
	fields    workFields
	done      basecamp.Completable
	steps     []basecamp.Subtask
}

// workFields are the fields of an item that an update writes.
type workFields struct {
	title, text     string
	assignees       []int64
	dueOn, startsOn string
}

// differ returns the names of the fields that have another value in other.
func (f workFields) differ(other workFields) (names []string) {
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
func changedIDs(now, was workFields) *[]int64 {
	if !slices.Contains(now.differ(was), "assignees") {
		return nil
	}
	return &now.assignees
}

// workRow returns a row of the table for items that Basecamp returns as T.
func workRow[T interface{ Common() basecamp.Recording }](
	k lookup.Kind, fits string, read func(*basecamp.Client, context.Context, int64) (T, error), view func(T) workState,
	write func(context.Context, *basecamp.Client, T, workFields) (T, error), move func(context.Context, *basecamp.Client, workPlan) error,
) workKind {
	see := func(item T, err error) (workState, error) {
		s := view(item)
		s.item, s.read = item.Common(), item
		return s, err
	}
	return workKind{
		Kind: k, fits: append(strings.Fields(fits), "visible_to_clients"), move: move,
		read: func(ctx context.Context, bc *basecamp.Client, t lookup.Thing) (workState, error) {
			return see(lookup.ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (T, error) { return read(bc, ctx, id) }))
		},
		write: func(ctx context.Context, bc *basecamp.Client, was workState, now workFields) (workState, error) {
			return see(write(ctx, bc, was.read.(T), now))
		},
	}
}

const (
	ofPeople = " assignees add_assignees remove_assignees due_on"
	ofTexts  = " notes edits"
)

// workKinds returns the table. The last kinds are those of which update_work only says whether
// clients see them. A variable would link all that it calls into functions that serve no tools.
func workKinds() []workKind {
	return []workKind{
		workRow(lookup.TodoKind, "title position starts_on list completed"+ofPeople+ofTexts, (*basecamp.Client).Todo, viewTodoWork, writeTodoWork, moveTodoWork).replacing(),
		workRow(lookup.CardKind, "title position column completed"+ofPeople+ofTexts, (*basecamp.Client).Card, viewCardWork, writeCardWork, moveCardWork),
		workRow(lookup.SubtaskKind, "title position completed"+ofPeople, (*basecamp.Client).Subtask, viewSubtaskWork, writeSubtaskWork, moveSubtaskWork),
		workRow(lookup.ListKind, "title position"+ofTexts, (*basecamp.Client).Todolist, viewListWork, writeListWork, moveListWork).replacing(),
		workRow(lookup.DocumentKind, "title position folder", (*basecamp.Client).Document, viewDocumentWork, writeDocumentWork, fileWork).replacing(),
		workRow(lookup.UploadKind, "title position folder"+ofTexts, (*basecamp.Client).Upload, viewUploadWork, writeUploadWork, fileWork),
		workRow(lookup.FolderKind, "title position folder", (*basecamp.Client).Vault, viewFolderWork, writeFolderWork, fileWork),
		workRow(lookup.MessageKind, "", (*basecamp.Client).Message, only[basecamp.Message], nil, nil),
		workRow(lookup.EntryKind, "", (*basecamp.Client).ScheduleEntry, only[basecamp.ScheduleEntry], nil, nil),
		workRow(lookup.QuestionKind, "", (*basecamp.Client).Question, only[basecamp.Question], nil, nil),
	}
}

func (k workKind) replacing() workKind {
	k.replaces = true
	return k
}

// kindsOfWork returns the kinds of the table that all the named arguments fit.
func kindsOfWork(arguments ...string) (kinds []lookup.Kind) {
	for _, row := range workKinds() {
		if !slices.ContainsFunc(arguments, func(name string) bool { return !slices.Contains(row.fits, name) }) {
			kinds = append(kinds, row.Kind)
		}
	}
	return kinds
}

// rowOf returns the row of a kind.
func rowOf(k lookup.Kind) workKind {
	all := workKinds()
	return all[slices.IndexFunc(all, func(row workKind) bool { return row.Kind.Kind == k.Kind })]
}

func only[T any](T) workState { return workState{} }

func viewTodoWork(t basecamp.Todo) workState {
	f := t.Fields()
	return workState{
		text: t.Description, files: t.Attachments, assignees: t.Assignees, done: t.Completable, steps: t.Steps,
		fields: workFields{f.Content, f.Description, f.AssigneeIDs, f.DueOn, f.StartsOn},
	}
}

func writeTodoWork(ctx context.Context, bc *basecamp.Client, t basecamp.Todo, now workFields) (basecamp.Todo, error) {
	f := t.Fields()
	f.Content, f.Description, f.AssigneeIDs, f.DueOn, f.StartsOn = now.title, now.text, now.assignees, now.dueOn, now.startsOn
	return bc.UpdateTodo(ctx, t.ID, f)
}

func moveTodoWork(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	list := int64(0)
	if p.leaves() {
		list = p.to.ID
	}
	return bc.MoveTodo(ctx, p.now.item.ID, list, p.position)
}

func viewCardWork(c basecamp.Card) workState {
	return workState{
		text: c.Content, files: c.Attachments, assignees: c.Assignees, done: c.Completable, steps: c.Steps,
		fields: workFields{c.Title, string(c.Content), lookup.PersonIDs(c.Assignees), c.DueOn, ""},
	}
}

func writeCardWork(ctx context.Context, bc *basecamp.Client, c basecamp.Card, now workFields) (basecamp.Card, error) {
	was := viewCardWork(c).fields
	return bc.UpdateCard(ctx, c.ID, basecamp.CardChange{
		Title: changedOr(now.title, was.title), Content: changedOr(now.text, was.text), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	})
}

func moveCardWork(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.MoveCard(ctx, p.now.item.ID, p.to.ID, p.position)
}

func viewSubtaskWork(s basecamp.Subtask) workState {
	return workState{assignees: s.Assignees, done: s.Completable, fields: workFields{s.Title, "", lookup.PersonIDs(s.Assignees), s.DueOn, ""}}
}

func writeSubtaskWork(ctx context.Context, bc *basecamp.Client, s basecamp.Subtask, now workFields) (basecamp.Subtask, error) {
	was := viewSubtaskWork(s).fields
	return bc.UpdateSubtask(ctx, s.ID, basecamp.SubtaskChange{
		Title: changedOr(now.title, was.title), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	})
}

func moveSubtaskWork(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.MoveSubtask(ctx, p.now.item.ID, p.position)
}

func viewListWork(l basecamp.Todolist) workState {
	return workState{text: l.Description, files: l.Attachments, done: l.State(), fields: workFields{title: l.Name, text: string(l.Description)}}
}

func writeListWork(ctx context.Context, bc *basecamp.Client, l basecamp.Todolist, now workFields) (basecamp.Todolist, error) {
	return bc.UpdateTodolist(ctx, l.ID, basecamp.TodolistFields{Name: now.title, Description: now.text})
}

func moveListWork(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	if isGroup(p.now.read.(basecamp.Todolist)) {
		return bc.MoveTodolistGroup(ctx, p.now.item.ID, p.position)
	}
	return bc.MoveTodolist(ctx, p.now.item.ID, p.position)
}

func viewDocumentWork(d basecamp.Document) workState {
	return workState{text: d.Content, fields: workFields{title: d.Title, text: string(d.Content)}}
}

func writeDocumentWork(ctx context.Context, bc *basecamp.Client, d basecamp.Document, now workFields) (basecamp.Document, error) {
	return bc.UpdateDocument(ctx, d.ID, basecamp.DocumentFields{Title: now.title, Content: now.text})
}

// viewUploadWork has the name of a file without its extension, which an update cannot change.
func viewUploadWork(u basecamp.Upload) workState {
	return workState{text: u.Description, fields: workFields{title: strings.TrimSuffix(u.Filename, path.Ext(u.Filename)), text: string(u.Description)}}
}

func writeUploadWork(ctx context.Context, bc *basecamp.Client, u basecamp.Upload, now workFields) (basecamp.Upload, error) {
	was := viewUploadWork(u).fields
	return bc.UpdateUpload(ctx, u.ID, basecamp.UploadChange{BaseName: changedOr(now.title, was.title), Description: changedOr(now.text, was.text)})
}

func viewFolderWork(v basecamp.Vault) workState { return workState{fields: workFields{title: v.Title}} }

func writeFolderWork(ctx context.Context, bc *basecamp.Client, v basecamp.Vault, now workFields) (basecamp.Vault, error) {
	return bc.RenameVault(ctx, v.ID, now.title)
}

func fileWork(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return bc.File(ctx, p.now.item.ID, p.to.ID, p.position)
}
