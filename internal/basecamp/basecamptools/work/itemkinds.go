package work

import (
	"context"
	"path"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
)

// ItemKind is a row of the table of what edit_text and update_work change: which arguments fit
// items of a kind, and how they are read and written.
type ItemKind struct {
	lookup.Kind
	Texts    []string // arguments of edit_text, besides those of every text
	work     []string // arguments of update_work; nil if it does not change these items
	replaces bool     // an update clears what it does not send
	Read     func(context.Context, *basecamp.Client, lookup.Thing) (HeldItem, error)
	Write    func(context.Context, *basecamp.Client, HeldItem, ItemFields) (HeldItem, error)
	move     func(context.Context, *basecamp.Client, workPlan) error
}

// HeldItem is an item as it was read.
type HeldItem struct {
	basecamp.Recording
	Read      any // the item itself
	Fields    ItemFields
	Files     []basecamp.Attachment
	Category  *basecamp.Category
	assignees []basecamp.Person
	told      []basecamp.Person // whom Basecamp notifies of a card's completion
	done      basecamp.Completable
	steps     []basecamp.Subtask
	Plain     bool // Basecamp stores plain text
}

// Text returns the rich text of the item.
func (h HeldItem) Text() basecamp.HTML { return basecamp.HTML(h.Fields.Text) }

// IsGroup reports whether a list is a group of another list.
func (h HeldItem) IsGroup() bool {
	list, ok := h.Read.(basecamp.Todolist)
	return ok && todos.IsGroup(list)
}

// ItemFields are the fields of an item that an update writes. All are set, whether they change or
// not.
type ItemFields struct {
	Title, Text     string // the text is HTML, or plain text for what Basecamp stores so
	assignees       []int64
	dueOn, startsOn string
	Status          string               // active publishes a draft; empty keeps the status
	Category        *basecamp.CategoryID // nil keeps it
}

// differ returns the names of the fields of update_work that have another value in other.
func (f ItemFields) differ(other ItemFields) (names []string) {
	for _, field := range []argument{
		{"title", f.Title != other.Title}, {"notes", f.Text != other.Text}, {"due_on", f.dueOn != other.dueOn}, {"starts_on", f.startsOn != other.startsOn},
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
func changedIDs(now, was ItemFields) *[]int64 {
	if !slices.Contains(now.differ(was), "assignees") {
		return nil
	}
	return &now.assignees
}

func itemRow[T interface{ Common() basecamp.Recording }](
	k lookup.Kind, texts, work string, at basecamp.Endpoint[T], hold func(T) HeldItem,
	write func(context.Context, *basecamp.Client, T, ItemFields) (T, error), move func(context.Context, *basecamp.Client, workPlan) error,
) ItemKind {
	held := func(item T, err error) (HeldItem, error) {
		h := hold(item)
		h.Recording, h.Read = item.Common(), item
		return h, err
	}
	return ItemKind{
		Kind: k, Texts: strings.Fields(texts), work: strings.Fields(work), move: move,
		Read: func(ctx context.Context, bc *basecamp.Client, t lookup.Thing) (HeldItem, error) {
			return held(lookup.ReadIn(ctx, t.In, t.Kind, t.ID, at.Reader(bc)))
		},
		Write: func(ctx context.Context, bc *basecamp.Client, was HeldItem, now ItemFields) (HeldItem, error) {
			return held(write(ctx, bc, was.Read.(T), now))
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
func itemKinds() []ItemKind {
	return []ItemKind{
		itemRow(lookup.TodoKind, "title", "title position starts_on list completed"+ofPeople+ofNotes+ofAll, basecamp.TodoAt, holdTodo, writeTodoFields, moveTodo).replacing(),
		itemRow(lookup.CardKind, "title", "title position column completed"+ofPeople+ofNotes+ofAll, basecamp.CardAt, holdCard, writeCard, moveCard),
		itemRow(lookup.SubtaskKind, "", "title position completed"+ofPeople+ofAll, basecamp.SubtaskAt, holdSubtask, writeSubtask, moveSubtask),
		itemRow(lookup.ListKind, "title", "title position"+ofNotes+ofAll, basecamp.TodolistAt, holdList, writeList, moveList).replacing(),
		itemRow(lookup.DocumentKind, "title publish", ofFiles, basecamp.DocumentAt, holdDocument, writeDocument, moveFile).replacing(),
		itemRow(lookup.UploadKind, "", ofFiles+ofNotes, basecamp.UploadAt, holdUpload, writeUpload, moveFile),
		itemRow(lookup.FolderKind, "", ofFiles, basecamp.FolderAt, holdFolder, writeFolder, moveFile),
		itemRow(lookup.MessageKind, "title publish category pin", ofAll, basecamp.MessageAt, holdMessage, writeMessage, nil),
		itemRow(lookup.EntryKind, "title", ofAll, basecamp.EntryAt, holdEntry, writeEntry, nil),
		itemRow(lookup.QuestionKind, "", ofAll, basecamp.QuestionAt, func(basecamp.Question) HeldItem { return HeldItem{} }, nil, nil),
		itemRow(lookup.CommentKind, "", "", basecamp.CommentAt, holdComment, writeComment, nil),
		itemRow(lookup.AnswerKind, "", "", basecamp.AnswerAt, holdAnswer, writeAnswer, nil),
		itemRow(lookup.ProjectKind, "title", "", basecamp.ItemAt[editedProject](lookup.ProjectKind.Kind), holdProject, writeProject, nil),
		{Kind: lookup.LineKind},
	}
}

func (k ItemKind) replacing() ItemKind {
	k.replaces = true
	return k
}

// TextItems are the kinds of items whose texts can be edited.
var TextItems = []lookup.Kind{
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

// RowOf returns how items of a kind are changed.
func RowOf(k lookup.Kind) ItemKind {
	all := itemKinds()
	return all[slices.IndexFunc(all, func(row ItemKind) bool { return row.Kind.Kind == k.Kind })]
}

func holdTodo(t basecamp.Todo) HeldItem {
	f := t.Fields()
	return HeldItem{
		Files: t.Attachments, assignees: t.Assignees, done: t.Completable, steps: t.Steps,
		Fields: ItemFields{Title: f.Content, Text: f.Description, assignees: f.AssigneeIDs, dueOn: f.DueOn, startsOn: f.StartsOn},
	}
}

func writeTodoFields(ctx context.Context, bc *basecamp.Client, t basecamp.Todo, now ItemFields) (basecamp.Todo, error) {
	f := t.Fields()
	f.Content, f.Description, f.AssigneeIDs, f.DueOn, f.StartsOn = now.Title, now.Text, now.assignees, now.dueOn, now.startsOn
	return basecamp.TodoAt.Put(ctx, bc, f, t.ID)
}

func moveTodo(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	place := map[string]any{"position": p.position}
	if p.leaves() {
		place["parent_id"] = p.to.ID
	}
	return basecamp.TodoPlace.Set(ctx, bc, place, p.now.ID)
}

func holdCard(c basecamp.Card) HeldItem {
	return HeldItem{
		Files: c.Attachments, assignees: c.Assignees, told: c.Subscribers, done: c.Completable, steps: c.Steps,
		Fields: ItemFields{Title: c.Title, Text: string(c.Content), assignees: lookup.PersonIDs(c.Assignees), dueOn: c.DueOn},
	}
}

func writeCard(ctx context.Context, bc *basecamp.Client, c basecamp.Card, now ItemFields) (basecamp.Card, error) {
	was := holdCard(c).Fields
	return basecamp.CardAt.Put(ctx, bc, basecamp.CardChange{
		Title: changedOr(now.Title, was.Title), Content: changedOr(now.Text, was.Text), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	}, c.ID)
}

func moveCard(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	_, err := basecamp.CardMoves.Post(ctx, bc, map[string]any{"column_id": p.to.ID, "position": p.position}, p.now.ID)
	return err
}

func holdSubtask(s basecamp.Subtask) HeldItem {
	return HeldItem{assignees: s.Assignees, done: s.Completable, Fields: ItemFields{Title: s.Title, assignees: lookup.PersonIDs(s.Assignees), dueOn: s.DueOn}}
}

func writeSubtask(ctx context.Context, bc *basecamp.Client, s basecamp.Subtask, now ItemFields) (basecamp.Subtask, error) {
	was := holdSubtask(s).Fields
	return basecamp.SubtaskAt.Put(ctx, bc, basecamp.SubtaskChange{
		Title: changedOr(now.Title, was.Title), DueOn: changedOr(now.dueOn, was.dueOn), AssigneeIDs: changedIDs(now, was),
	}, s.ID)
}

func moveSubtask(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return basecamp.SubtaskPlace.Set(ctx, bc, map[string]any{"position": p.position}, p.now.ID)
}

func holdList(l basecamp.Todolist) HeldItem {
	return HeldItem{Files: l.Attachments, done: l.State(), Fields: ItemFields{Title: l.Name, Text: string(l.Description)}}
}

func writeList(ctx context.Context, bc *basecamp.Client, l basecamp.Todolist, now ItemFields) (basecamp.Todolist, error) {
	return basecamp.TodolistAt.Put(ctx, bc, basecamp.TodolistFields{Name: now.Title, Description: now.Text}, l.ID)
}

func moveList(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	if p.now.IsGroup() {
		return basecamp.GroupPlace.Set(ctx, bc, map[string]any{"position": p.position}, p.now.ID)
	}
	return basecamp.TodolistPlace.Set(ctx, bc, map[string]any{"position": p.position}, p.now.ID)
}

func holdDocument(d basecamp.Document) HeldItem {
	return HeldItem{Files: d.Attachments, Fields: ItemFields{Title: d.Title, Text: string(d.Content)}}
}

func writeDocument(ctx context.Context, bc *basecamp.Client, d basecamp.Document, now ItemFields) (basecamp.Document, error) {
	return basecamp.DocumentAt.Put(ctx, bc, basecamp.DocumentFields{Title: now.Title, Content: now.Text, Status: now.Status}, d.ID)
}

// holdUpload has the name of a file without its extension, which an update cannot change.
func holdUpload(u basecamp.Upload) HeldItem {
	return HeldItem{Fields: ItemFields{Title: strings.TrimSuffix(u.Filename, path.Ext(u.Filename)), Text: string(u.Description)}}
}

func writeUpload(ctx context.Context, bc *basecamp.Client, u basecamp.Upload, now ItemFields) (basecamp.Upload, error) {
	was := holdUpload(u).Fields
	return basecamp.UploadAt.Put(ctx, bc, basecamp.UploadChange{BaseName: changedOr(now.Title, was.Title), Description: changedOr(now.Text, was.Text)}, u.ID)
}

func holdFolder(v basecamp.Vault) HeldItem { return HeldItem{Fields: ItemFields{Title: v.Title}} }

func writeFolder(ctx context.Context, bc *basecamp.Client, v basecamp.Vault, now ItemFields) (basecamp.Vault, error) {
	return basecamp.FolderAt.Put(ctx, bc, map[string]any{"title": now.Title}, v.ID)
}

func moveFile(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	place := map[string]any{"parent_id": p.to.ID}
	if p.position != 0 {
		place["position"] = p.position
	}
	_, err := basecamp.Filing.Post(ctx, bc, place, p.now.ID)
	return err
}

func holdMessage(m basecamp.Message) HeldItem {
	return HeldItem{Files: m.Attachments, Category: m.Category, Fields: ItemFields{Title: m.Subject, Text: string(m.Content)}}
}

func writeMessage(ctx context.Context, bc *basecamp.Client, m basecamp.Message, now ItemFields) (basecamp.Message, error) {
	change := basecamp.MessageChange{Status: now.Status, Category: now.Category, Content: changedOr(now.Text, string(m.Content))}
	if now.Title != m.Subject {
		change.Subject = now.Title
	}
	return basecamp.MessageAt.Put(ctx, bc, change, m.ID)
}

func holdEntry(e basecamp.ScheduleEntry) HeldItem {
	return HeldItem{Files: e.Attachments, Fields: ItemFields{Title: e.Summary, Text: string(e.Description)}}
}

func writeEntry(ctx context.Context, bc *basecamp.Client, e basecamp.ScheduleEntry, now ItemFields) (basecamp.ScheduleEntry, error) {
	return basecamp.EntryAt.Put(ctx, bc, basecamp.EntryFields{Span: e.Span, Summary: now.Title, Description: now.Text}, e.ID)
}

func holdComment(c basecamp.Comment) HeldItem {
	return HeldItem{Files: c.Attachments, Fields: ItemFields{Text: string(c.Content)}}
}

func writeComment(ctx context.Context, bc *basecamp.Client, c basecamp.Comment, now ItemFields) (basecamp.Comment, error) {
	return basecamp.CommentAt.Put(ctx, bc, map[string]any{"content": now.Text}, c.ID)
}

func holdAnswer(a basecamp.CheckinAnswer) HeldItem {
	return HeldItem{Files: a.Attachments, Fields: ItemFields{Text: string(a.Content)}}
}

// writeAnswer reads the answer after it has changed it, because Basecamp does not return it. The
// change succeeded even if that read fails.
func writeAnswer(ctx context.Context, bc *basecamp.Client, a basecamp.CheckinAnswer, now ItemFields) (basecamp.CheckinAnswer, error) {
	if err := basecamp.AnswerAt.Set(ctx, bc, map[string]any{"question_answer": basecamp.NewCheckinAnswer{Content: now.Text, GroupOn: a.GroupOn}}, a.ID); err != nil {
		return a, err
	}
	if changed, err := basecamp.AnswerAt.Get(ctx, bc, a.ID); err == nil {
		return changed, nil
	}
	a.Content = basecamp.HTML(now.Text)
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

func holdProject(p editedProject) HeldItem {
	return HeldItem{Plain: true, Fields: ItemFields{Title: p.Name, Text: richtext.FromPlain(p.Description)}}
}

func writeProject(ctx context.Context, bc *basecamp.Client, p editedProject, now ItemFields) (editedProject, error) {
	fields := p.Fields()
	fields.Name, fields.Description = now.Title, now.Text
	changed, err := basecamp.ProjectAt.Put(ctx, bc, fields, p.ID)
	return editedProject{changed}, err
}
