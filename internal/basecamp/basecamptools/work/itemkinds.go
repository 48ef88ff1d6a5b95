package work

import (
	"context"
	"maps"
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
	Texts []string // arguments of edit_text, besides those of every text
	work  []string // arguments of update_work; nil if it does not change these items
	sends sent
	Read  func(context.Context, *basecamp.Client, lookup.Thing) (HeldItem, error)
	Write func(context.Context, *basecamp.Client, HeldItem, ItemFields) (HeldItem, error)
	move  func(context.Context, *basecamp.Client, workPlan) error
}

// sent says what a request that changes an item has.
type sent struct {
	title, text string // the names of these fields; empty if the item has none
	all         bool   // an update clears what it does not send
	in          string // the object that holds the fields; empty if the body does
}

// HeldItem is an item as it was read.
type HeldItem struct {
	basecamp.Recording
	Read      any // the item itself
	Fields    ItemFields
	Files     []basecamp.Attachment
	Category  *basecamp.Category
	assignees []basecamp.Person
	notified  []basecamp.Person // whom Basecamp notifies of its completion
	done      basecamp.Completable
	steps     []basecamp.Subtask
	kept      map[string]any // further fields of a request that has to send all
	Plain     bool           // Basecamp stores plain text
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
	Status          string // active publishes a draft; empty keeps the status
	Category        *int64 // 0 is none; nil keeps it
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

// body returns the body of a request that changes an item: the fields that differ, or all.
func (s sent) body(was HeldItem, now ItemFields) map[string]any {
	body := map[string]any{}
	maps.Copy(body, was.kept)
	if s.title != "" && (s.all || now.Title != was.Fields.Title) {
		body[s.title] = now.Title
	}
	if s.text != "" && (s.all || now.Text != was.Fields.Text) {
		body[s.text] = now.Text
	}
	for _, name := range now.differ(was.Fields) {
		switch name {
		case "due_on":
			body[name] = now.dueOn
		case "starts_on":
			body[name] = now.startsOn
		case "assignees":
			body["assignee_ids"] = now.assignees
		}
	}
	if now.Status != "" {
		body["status"] = now.Status
	}
	if now.Category != nil {
		if body["category_id"] = nil; *now.Category != 0 {
			body["category_id"] = *now.Category
		}
	}
	if s.in != "" {
		return map[string]any{s.in: body}
	}
	return body
}

func itemRow[T interface{ Common() basecamp.Recording }](
	k lookup.Kind, texts, work string, at basecamp.Endpoint[T], hold func(T) HeldItem, sends sent, move func(context.Context, *basecamp.Client, workPlan) error,
) ItemKind {
	held := func(item T, err error) (HeldItem, error) {
		h := hold(item)
		h.Recording, h.Read = item.Common(), item
		return h, err
	}
	return ItemKind{
		Kind: k, Texts: strings.Fields(texts), work: strings.Fields(work), sends: sends, move: move,
		Read: func(ctx context.Context, bc *basecamp.Client, t lookup.Thing) (HeldItem, error) {
			return held(lookup.ReadIn(ctx, t.In, t.Kind, t.ID, at.Reader(bc)))
		},
		Write: func(ctx context.Context, bc *basecamp.Client, was HeldItem, now ItemFields) (HeldItem, error) {
			changed, err := held(at.Put(ctx, bc, sends.body(was, now), was.ID))
			if err != nil || changed.ID != 0 {
				return changed, err
			}
			// Basecamp does not return it. The change succeeded even if this read fails.
			if changed, err = held(at.Get(ctx, bc, was.ID)); err != nil {
				changed, changed.Fields = was, now
			}
			return changed, nil
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
		itemRow(lookup.TodoKind, "title", "title position starts_on list completed"+ofPeople+ofNotes+ofAll, basecamp.TodoAt, holdTodo, sent{title: "content", text: "description", all: true}, moveTodo),
		itemRow(lookup.CardKind, "title", "title position column completed"+ofPeople+ofNotes+ofAll, basecamp.CardAt, holdCard, sent{title: "title", text: "content"}, moveCard),
		itemRow(lookup.SubtaskKind, "", "title position completed"+ofPeople+ofAll, basecamp.SubtaskAt, holdSubtask, sent{title: "title"}, moveSubtask),
		itemRow(lookup.ListKind, "title", "title position"+ofNotes+ofAll, basecamp.TodolistAt, holdList, sent{title: "name", text: "description", all: true}, moveList),
		itemRow(lookup.DocumentKind, "title publish", ofFiles, basecamp.DocumentAt, holdDocument, sent{title: "title", text: "content", all: true}, moveFile),
		itemRow(lookup.UploadKind, "", ofFiles+ofNotes, basecamp.UploadAt, holdUpload, sent{title: "base_name", text: "description"}, moveFile),
		itemRow(lookup.FolderKind, "", ofFiles, basecamp.FolderAt, holdFolder, sent{title: "title"}, moveFile),
		itemRow(lookup.MessageKind, "title publish category pin", ofAll, basecamp.MessageAt, holdMessage, sent{title: "subject", text: "content"}, nil),
		itemRow(lookup.EntryKind, "title", ofAll, basecamp.EntryAt, holdEntry, sent{title: "summary", text: "description", all: true}, nil),
		itemRow(lookup.QuestionKind, "", ofAll, basecamp.QuestionAt, func(basecamp.Question) HeldItem { return HeldItem{} }, sent{}, nil),
		itemRow(lookup.CommentKind, "", "", basecamp.CommentAt, holdComment, sent{text: "content"}, nil),
		itemRow(lookup.AnswerKind, "", "", basecamp.AnswerAt, holdAnswer, sent{text: "content", all: true, in: "question_answer"}, nil),
		itemRow(lookup.ProjectKind, "title", "", basecamp.ItemAt[editedProject](lookup.ProjectKind.Kind), holdProject, sent{title: "name", text: "description", all: true}, nil),
		{Kind: lookup.LineKind},
	}
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
	f := ItemFields{Title: t.Content, Text: string(t.Description), assignees: lookup.PersonIDs(t.Assignees), dueOn: t.DueOn, startsOn: t.StartsOn}
	return HeldItem{
		Files: t.Attachments, assignees: t.Assignees, notified: t.Subscribers, done: t.Completable, steps: t.Steps, Fields: f,
		kept: map[string]any{"due_on": f.dueOn, "starts_on": f.startsOn, "assignee_ids": f.assignees, "completion_subscriber_ids": lookup.PersonIDs(t.Subscribers)},
	}
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
		Files: c.Attachments, assignees: c.Assignees, notified: c.Subscribers, done: c.Completable, steps: c.Steps,
		Fields: ItemFields{Title: c.Title, Text: string(c.Content), assignees: lookup.PersonIDs(c.Assignees), dueOn: c.DueOn},
	}
}

func moveCard(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	_, err := basecamp.CardMoves.Post(ctx, bc, map[string]any{"column_id": p.to.ID, "position": p.position}, p.now.ID)
	return err
}

func holdSubtask(s basecamp.Subtask) HeldItem {
	return HeldItem{assignees: s.Assignees, done: s.Completable, Fields: ItemFields{Title: s.Title, assignees: lookup.PersonIDs(s.Assignees), dueOn: s.DueOn}}
}

func moveSubtask(ctx context.Context, bc *basecamp.Client, p workPlan) error {
	return basecamp.SubtaskPlace.Set(ctx, bc, map[string]any{"position": p.position}, p.now.ID)
}

func holdList(l basecamp.Todolist) HeldItem {
	return HeldItem{Files: l.Attachments, done: l.State(), Fields: ItemFields{Title: l.Name, Text: string(l.Description)}}
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

// holdUpload has the name of a file without its extension, which an update cannot change.
func holdUpload(u basecamp.Upload) HeldItem {
	return HeldItem{Fields: ItemFields{Title: strings.TrimSuffix(u.Filename, path.Ext(u.Filename)), Text: string(u.Description)}}
}

func holdFolder(v basecamp.Vault) HeldItem { return HeldItem{Fields: ItemFields{Title: v.Title}} }

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

func holdEntry(e basecamp.ScheduleEntry) HeldItem {
	return HeldItem{
		Files: e.Attachments, Fields: ItemFields{Title: e.Summary, Text: string(e.Description)},
		kept: map[string]any{"all_day": e.AllDay, "starts_at": e.StartsAt, "ends_at": e.EndsAt},
	}
}

func holdComment(c basecamp.Comment) HeldItem {
	return HeldItem{Files: c.Attachments, Fields: ItemFields{Text: string(c.Content)}}
}

func holdAnswer(a basecamp.CheckinAnswer) HeldItem {
	return HeldItem{Files: a.Attachments, Fields: ItemFields{Text: string(a.Content)}, kept: map[string]any{"group_on": a.GroupOn}}
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
	held := HeldItem{Plain: true, Fields: ItemFields{Title: p.Name, Text: richtext.FromPlain(p.Description)}}
	if dates := p.Fields().Dates; dates != nil {
		held.kept = map[string]any{"schedule_attributes": dates}
	}
	return held
}
