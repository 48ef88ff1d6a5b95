package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
)

// textKind says how edit_text reads and writes the items of a kind.
type textKind struct {
	lookup.Kind
	takes []string // the arguments that fit, besides those of every text
	open  func(ctx context.Context, t lookup.Thing) (openText, error)
}

// openText is an item whose text is to be changed. Write writes the change and returns the item
// after it.
type openText struct {
	heldText
	write func(ctx context.Context, now textChange) (heldText, error)
}

// heldText is an item with its text, which may be empty.
type heldText struct {
	basecamp.Recording
	title    string
	text     basecamp.HTML
	files    []basecamp.Attachment
	category *basecamp.Category
	plain    bool // Basecamp stores plain text
}

// textChange has the fields of an item after a change. All are set, whether they change or not.
type textChange struct {
	title    string
	text     string               // HTML, or plain text
	status   string               // active publishes a draft; empty keeps the status
	category *basecamp.CategoryID // nil keeps it
}

// textItems are the kinds whose texts edit_text changes.
var textItems = []lookup.Kind{
	lookup.MessageKind, lookup.DocumentKind, lookup.CommentKind, lookup.AnswerKind, lookup.LineKind, lookup.TodoKind, lookup.CardKind, lookup.ListKind,
	lookup.EntryKind, lookup.ProjectKind,
}

// textKinds returns the rows for textItems.
func (rs *resolver) textKinds() []textKind {
	return []textKind{
		textKindOf(lookup.MessageKind, []string{"title", "publish", "category", "pin"}, rs.BC.Message, holdMessage, rs.writeMessage),
		textKindOf(lookup.DocumentKind, []string{"title", "publish"}, rs.BC.Document, holdDocument, rs.writeDocument),
		{lookup.CommentKind, nil, rs.openComment},
		textKindOf(lookup.AnswerKind, nil, rs.BC.CheckinAnswer, holdAnswer, rs.writeAnswer),
		{lookup.LineKind, nil, rs.openLine},
		textKindOf(lookup.TodoKind, []string{"title"}, rs.BC.Todo, holdTodo, rs.writeNotes),
		textKindOf(lookup.CardKind, []string{"title"}, rs.BC.Card, holdCard, rs.writeCard),
		textKindOf(lookup.ListKind, []string{"title"}, rs.BC.Todolist, holdList, rs.writeList),
		textKindOf(lookup.EntryKind, []string{"title"}, rs.entryThatHolds, holdEntry, rs.writeEntry),
		textKindOf(lookup.ProjectKind, []string{"title"}, rs.projectText, func(p projectText) heldText { return p.held }, rs.writeProject),
	}
}

// textKindOf returns the kind of items that one request reads.
func textKindOf[T interface{ Common() basecamp.Recording }](k lookup.Kind, takes []string, read func(context.Context, int64) (T, error),
	hold func(T) heldText, write func(context.Context, T, textChange) (T, error),
) textKind {
	return textKind{k, takes, func(ctx context.Context, t lookup.Thing) (openText, error) {
		item, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, read)
		return openText{hold(item), func(ctx context.Context, now textChange) (heldText, error) {
			changed, err := write(ctx, item, now)
			return hold(changed), err
		}}, err
	}}
}

// textKindNamed returns the row of a kind.
func (rs *resolver) textKindNamed(kind string) textKind {
	all := rs.textKinds()
	return all[slices.IndexFunc(all, func(k textKind) bool { return k.Kind.Kind == kind })]
}

func holdMessage(m basecamp.Message) heldText {
	return heldText{Recording: m.Recording, title: m.Subject, text: m.Content, files: m.Attachments, category: m.Category}
}

func (rs *resolver) writeMessage(ctx context.Context, old basecamp.Message, now textChange) (basecamp.Message, error) {
	change := basecamp.MessageChange{Status: now.status, Category: now.category}
	if now.title != old.Subject {
		change.Subject = now.title
	}
	if now.text != string(old.Content) {
		change.Content = &now.text
	}
	return rs.BC.UpdateMessage(ctx, old.ID, change)
}

func holdDocument(d basecamp.Document) heldText {
	return heldText{Recording: d.Recording, title: d.Title, text: d.Content, files: d.Attachments}
}

func (rs *resolver) writeDocument(ctx context.Context, old basecamp.Document, now textChange) (basecamp.Document, error) {
	return rs.BC.UpdateDocument(ctx, old.ID, basecamp.DocumentFields{Title: now.title, Content: now.text, Status: now.status})
}

// openComment reads a comment, or the check-in answer with the ID of which a client thinks that it
// is a comment's.
func (rs *resolver) openComment(ctx context.Context, t lookup.Thing) (openText, error) {
	comment := textKindOf(lookup.CommentKind, nil, rs.BC.Comment, holdComment, rs.writeComment)
	open, err := comment.open(ctx, t)
	if fault.Is(err, fault.NotFound) && t.In.ID == 0 {
		t.Kind = lookup.AnswerKind.WithArguments(t.Argument, t.InProject)
		if answer, err := rs.textKindNamed(lookup.AnswerKind.Kind).open(ctx, t); err == nil {
			return answer, nil
		}
	}
	return open, err
}

func holdComment(c basecamp.Comment) heldText {
	return heldText{Recording: c.Recording, text: c.Content, files: c.Attachments}
}

func (rs *resolver) writeComment(ctx context.Context, old basecamp.Comment, now textChange) (basecamp.Comment, error) {
	return rs.BC.UpdateComment(ctx, old.ID, now.text)
}

func holdAnswer(a basecamp.CheckinAnswer) heldText {
	return heldText{Recording: a.Recording, text: a.Content, files: a.Attachments}
}

// writeAnswer reads the answer after it has changed it, because Basecamp does not return it. The
// change succeeded even if that read fails.
func (rs *resolver) writeAnswer(ctx context.Context, old basecamp.CheckinAnswer, now textChange) (basecamp.CheckinAnswer, error) {
	if err := rs.BC.UpdateCheckinAnswer(ctx, old.ID, basecamp.NewCheckinAnswer{Content: now.text, GroupOn: old.GroupOn}); err != nil {
		return old, err
	}
	if a, err := rs.BC.CheckinAnswer(ctx, old.ID); err == nil {
		return a, nil
	}
	old.Content = basecamp.HTML(now.text)
	return old, nil
}

// openLine reads a chat line that the caller wrote. Basecamp lets no other user change it.
func (rs *resolver) openLine(ctx context.Context, t lookup.Thing) (openText, error) {
	t, err := rs.InItsChat(ctx, t)
	if err != nil {
		return openText{}, err
	}
	chat := t.Link.Within
	line, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (basecamp.ChatLine, error) {
		return rs.BC.ChatLine(ctx, chat, id)
	})
	if err != nil {
		return openText{}, err
	}
	me, err := rs.Me(ctx)
	switch {
	case err != nil:
		return openText{}, err
	case me.ID != line.Creator.ID:
		return openText{}, fault.New(fault.PermissionDenied, "item: only its author can change a chat line, and this one is of %s", lookup.ViewName(line.Creator).Name)
	case len(line.Attachments) > 0:
		return openText{}, fault.Invalid("item", "this chat line is a file and has no text")
	}
	return openText{holdLine(line), func(ctx context.Context, now textChange) (heldText, error) {
		if err := rs.BC.UpdateChatLine(ctx, chat, line.ID, now.text); err != nil {
			return heldText{}, err
		}
		if changed, err := rs.BC.ChatLine(ctx, chat, line.ID); err == nil { // Basecamp does not return it
			return holdLine(changed), nil
		}
		line.Type, line.Content = lookup.RichLine, now.text
		return holdLine(line), nil
	}}, nil
}

func holdLine(l basecamp.ChatLine) heldText {
	text := l.Content
	if !l.IsHTML() {
		text = richtext.Writing{}.HTML(richtext.Markdown(richtext.FromPlain(l.Content))) // with links for its URLs
	}
	return heldText{Recording: l.Recording, text: basecamp.HTML(text), files: filesOfLine(l)}
}

func holdTodo(t basecamp.Todo) heldText {
	return heldText{Recording: t.Recording, title: t.Content, text: t.Description, files: t.Attachments}
}

func (rs *resolver) writeNotes(ctx context.Context, old basecamp.Todo, now textChange) (basecamp.Todo, error) {
	fields := old.Fields()
	fields.Content, fields.Description = now.title, now.text
	return rs.BC.UpdateTodo(ctx, old.ID, fields)
}

func holdCard(c basecamp.Card) heldText {
	return heldText{Recording: c.Recording, title: c.Title, text: c.Content, files: c.Attachments}
}

func (rs *resolver) writeCard(ctx context.Context, old basecamp.Card, now textChange) (basecamp.Card, error) {
	var change basecamp.CardChange
	if now.title != old.Title {
		change.Title = &now.title
	}
	if now.text != string(old.Content) {
		change.Content = &now.text
	}
	return rs.BC.UpdateCard(ctx, old.ID, change)
}

func holdList(l basecamp.Todolist) heldText {
	return heldText{Recording: l.Recording, title: l.Name, text: l.Description, files: l.Attachments}
}

// writeList writes no description for a group: it has only a name.
func (rs *resolver) writeList(ctx context.Context, old basecamp.Todolist, now textChange) (basecamp.Todolist, error) {
	return rs.BC.UpdateTodolist(ctx, old.ID, basecamp.TodolistFields{Name: now.title, Description: now.text})
}

// entryThatHolds reads a schedule entry. It refuses a recurring one, which only its page changes.
func (rs *resolver) entryThatHolds(ctx context.Context, id int64) (basecamp.ScheduleEntry, error) {
	e, err := rs.BC.ScheduleEntry(ctx, id)
	if err == nil {
		err = notRecurring("item", e)
	}
	return e, err
}

func holdEntry(e basecamp.ScheduleEntry) heldText {
	return heldText{Recording: e.Recording, title: e.Summary, text: e.Description, files: e.Attachments}
}

func (rs *resolver) writeEntry(ctx context.Context, old basecamp.ScheduleEntry, now textChange) (basecamp.ScheduleEntry, error) {
	return rs.BC.UpdateScheduleEntry(ctx, old.ID, basecamp.EntryFields{Span: old.Span, Summary: now.title, Description: now.text})
}

// projectText is a project as an item with a text.
type projectText struct {
	basecamp.Recording
	held    heldText
	project basecamp.Project
}

func (rs *resolver) projectText(ctx context.Context, id int64) (projectText, error) {
	p, err := rs.BC.Project(ctx, id)
	return asProjectText(p), err
}

func asProjectText(p basecamp.Project) projectText {
	r := basecamp.Recording{
		ID: p.ID, Type: lookup.ProjectKind.Upstream, Title: p.Name, Status: p.Status, AppURL: p.AppURL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Bucket: basecamp.Bucket{ID: p.ID, Name: p.Name},
	}
	return projectText{r, heldText{Recording: r, title: p.Name, text: basecamp.HTML(richtext.FromPlain(p.Description)), plain: true}, p}
}

func (rs *resolver) writeProject(ctx context.Context, old projectText, now textChange) (projectText, error) {
	fields := old.project.Fields()
	fields.Name, fields.Description = now.title, now.text
	p, err := rs.BC.UpdateProject(ctx, old.ID, fields)
	if err == nil {
		rs.ForgetProjects(ctx)
	}
	return asProjectText(p), err
}
