package basecamptools

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

type editTextInput struct {
	itemInput
	Title string `json:"title,omitzero" jsonschema:"New" limits:"minlen=1 maxlen=1500"`
	editInput
	Publish  bool                          `json:"publish,omitzero" jsonschema:"A draft" limits:"default=false"`
	Category toolargs.Change[toolargs.Ref] `json:"category,omitzero" jsonschema:"Or none" limits:"none"`
	Pin      toolargs.Change[bool]         `json:"pin,omitzero" jsonschema:"false unpins"`
}

// itemInput is lookup.ItemInput with a shorter description.
type itemInput struct {
	Item    string       `json:"item" jsonschema:"URL, type:id or title" limits:"minlen=1 maxlen=2000"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
}

// editedText is an item after an edit, with the first paragraphs that changed. Changed counts the
// places that edits replaced, or else those paragraphs. Unchanged is true if the item already was
// as wanted. Basecamp does not return whether a message is pinned, so Pinned is set only by a call
// that changes the pin.
type editedText struct {
	lookup.Head
	Title      string      `json:"title,omitempty"`
	Status     string      `json:"status"`
	Category   *lookup.Ref `json:"category,omitempty"`
	Pinned     *bool       `json:"pinned,omitempty"`
	Changed    int         `json:"changed"`
	Paragraphs []string    `json:"changed_paragraphs,omitempty"`
	Count      int         `json:"changed_paragraphs_count,omitempty"`
	Unchanged  bool        `json:"unchanged,omitempty"`
	Previous   *wasText    `json:"previous,omitempty"`
	// Item is what a comment or an answer is on.
	Item *commentedOn `json:"item,omitempty"`
	lookup.Seen
	URL       string            `json:"url"`
	Project   lookup.ProjectRef `json:"project"`
	Author    lookup.Person     `json:"author,omitzero"` // a project has none
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	lookup.Reach
}

const maxChangedShown = 3 // paragraphs that an edit shows

// wasText has what an edit changed, as it was before.
type wasText struct {
	Title    string `json:"title,omitempty"`
	Status   string `json:"status,omitempty"`
	Category any    `json:"category,omitempty" limits:"types=object|null"`
	Content  string `json:"content,omitempty"`
}

func editText(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "edit_text",
		Title: "Edit a text",
		Description: "Edits or appends to a Basecamp message, document, comment, answer, own chat line, to-do, card, list, event or " +
			"project; fixes a typo; pins an announcement.",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in editTextInput) (editedText, error) {
		if err := in.check(); err != nil {
			return editedText{}, err
		}
		t, err := rs.textToEdit(ctx, in)
		if err != nil {
			return editedText{}, err
		}
		old, err := rs.openText(ctx, t)
		if err == nil {
			err = lookup.NotPutAway("item", old.Recording)
		}
		if err != nil {
			return editedText{}, err
		}
		beside := rs.Audience(ctx)
		if old.Type != lookup.ProjectKind.Upstream {
			beside = rs.AudienceBeside(ctx, old.Recording)
		}
		edit, err := rs.planText(ctx, old, in)
		if err != nil {
			return editedText{}, err
		}
		return rs.changeText(ctx, edit, beside, in)
	})
}

// check returns an error if the arguments change nothing or do not go together. It needs no
// request.
func (in editTextInput) check() error {
	if in.Title == "" && !in.asked() && !in.Category.Given && !in.Publish && !in.Pin.Given {
		return nothingToChange("edits, body, append, title, publish, category or pin")
	}
	if err := notBlankIfGiven("title", in.Title); err != nil {
		return err
	}
	return in.editInput.check()
}

// textToEdit finds the item and checks that the arguments fit its kind. A URL that scrolls to a
// comment names the comment.
func (rs *resolver) textToEdit(ctx context.Context, in editTextInput) (lookup.Thing, error) {
	t, err := rs.Thing(ctx, "item", lookup.ItemInput(in.itemInput), textItems...)
	if err != nil {
		return t, err
	}
	if t.Link.Comment != 0 {
		t = lookup.Thing{Kind: lookup.CommentKind.WithArguments("item", "project"), ID: t.Link.Comment, In: lookup.Place{ID: t.In.ID}}
	}
	return t, in.fits(rowOf(t.Kind))
}

// fits returns an error for an argument that items of a kind do not have.
func (in editTextInput) fits(kind itemKind) error {
	given := map[string]bool{"title": in.Title != "", "publish": in.Publish, "category": in.Category.Given, "pin": in.Pin.Given}
	for _, argument := range []string{"title", "publish", "category", "pin"} {
		if given[argument] && !slices.Contains(kind.texts, argument) {
			return fault.Invalid(argument, "does not fit a %s; leave it out", kind.One)
		}
	}
	if kind.Kind.Kind == lookup.ProjectKind.Kind && len(in.Mentions) > 0 {
		return fault.Invalid("mentions", "a project's description is plain text and mentions no one; leave it out")
	}
	return nil
}

// openText is an item whose text is to be changed. Write writes the change and returns the item
// after it.
type openText struct {
	heldItem
	write func(ctx context.Context, now itemFields) (heldItem, error)
}

// openText reads an item to change its text. A client may take the ID of a check-in answer for that
// of a comment. A recurring entry is refused: only its page changes it.
func (rs *resolver) openText(ctx context.Context, t lookup.Thing) (openText, error) {
	if t.Kind.Kind == lookup.LineKind.Kind {
		return rs.openLine(ctx, t)
	}
	row := rowOf(t.Kind)
	old, err := row.read(ctx, rs.BC, t)
	if fault.Is(err, fault.NotFound) && t.Kind.Kind == lookup.CommentKind.Kind && t.In.ID == 0 {
		t.Kind = lookup.AnswerKind.WithArguments(t.Argument, t.InProject)
		if answer, err := rs.openText(ctx, t); err == nil {
			return answer, nil
		}
	}
	if e, ok := old.read.(basecamp.ScheduleEntry); ok && err == nil {
		err = notRecurring("item", e)
	}
	return openText{old, func(ctx context.Context, now itemFields) (heldItem, error) {
		changed, err := row.write(ctx, rs.BC, old, now)
		if err == nil && t.Kind.Kind == lookup.ProjectKind.Kind {
			rs.ForgetProjects(ctx)
		}
		return changed, err
	}}, err
}

// openLine reads a chat line that the caller wrote. Basecamp lets no other user change it.
func (rs *resolver) openLine(ctx context.Context, t lookup.Thing) (openText, error) {
	t, err := rs.inItsChat(ctx, t)
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
	return openText{holdLine(line), func(ctx context.Context, now itemFields) (heldItem, error) {
		if err := rs.BC.UpdateChatLine(ctx, chat, line.ID, now.text); err != nil {
			return heldItem{}, err
		}
		if changed, err := rs.BC.ChatLine(ctx, chat, line.ID); err == nil { // Basecamp does not return it
			return holdLine(changed), nil
		}
		line.Type, line.Content = lookup.RichLine, now.text
		return holdLine(line), nil
	}}, nil
}

func holdLine(l basecamp.ChatLine) heldItem {
	text := l.Content
	if !l.IsHTML() {
		text = richtext.Writing{}.HTML(richtext.Markdown(richtext.FromPlain(l.Content))) // with links for its URLs
	}
	return heldItem{Recording: l.Recording, fields: itemFields{text: text}, files: filesOfLine(l)}
}

// textEdit is a change of a text that is ready to be written.
type textEdit struct {
	old       openText
	now       itemFields
	text      lookup.Composed
	by        int64             // the caller, if the edit may notify people
	followers []basecamp.Person // whom Basecamp notifies when it publishes the draft
	lookup.Gaps
}

// planText returns the fields of the item after the change.
func (rs *resolver) planText(ctx context.Context, old openText, in editTextInput) (e textEdit, err error) {
	e = textEdit{old: old, now: old.fields}
	publishes := in.Publish && old.Status == lookup.Drafted
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if e.text, err = rs.editedIn(ctx, old.heldItem, in.editInput); err == nil && publishes {
				e.text, err = rs.Published(ctx, old.Bucket.ID, e.text)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			if in.Category.Given {
				var id int64
				id, err = rs.category(ctx, old.Bucket.ID, in.Category.To)
				e.now.category = changedCategory(old.category, id)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			if publishes && old.Type == lookup.MessageKind.Upstream {
				e.Gaps, err = lookup.Extras(ctx, rs.SubscribersInto(&e.followers, old.Bucket.ID, old.ID))
			}
			return err
		},
	)
	if err != nil {
		return e, err
	}
	if in.Title != "" {
		e.now.title = lookup.Plainly(in.Title)
	}
	if e.now.text = e.text.HTML; old.plain {
		e.now.text = richtext.ToPlain(e.text.HTML)
	}
	if publishes {
		e.now.status, e.by = lookup.Active, old.Creator.ID // only its author can see a draft
		return e, nil
	}
	e.by, err = rs.CallerOf(ctx, e.text)
	return e, err
}

// editedIn returns the text of an item after the change. Without one, a comment would be empty.
func (rs *resolver) editedIn(ctx context.Context, old heldItem, e editInput) (text lookup.Composed, err error) {
	switch {
	case old.plain:
		text, err = e.plainly(old.text())
	case e.asked() && old.isGroup():
		err = fault.Invalid("item", "a group has only a name; give title, or edit the list that it is in")
	default:
		e.said = old.fields.title == "" || old.Type == lookup.MessageKind.Upstream
		text, err = rs.edited(ctx, old.Bucket.ID, old.text(), e)
	}
	if err == nil && len(e.Edits) > 0 && old.fields.title == "" && lookup.Plainly(rs.Markdown(basecamp.HTML(text.HTML))) == "" {
		err = fault.Invalid("edits", "this change would leave the text empty; to trash the item, use set_item_status")
	}
	return text, err
}

// plainly returns a plain text after the change, as FromPlain writes it.
func (e editInput) plainly(old basecamp.HTML) (lookup.Composed, error) {
	if e.Body != "" {
		return lookup.Composed{HTML: richtext.FromPlain(lookup.Plainly(e.Body))}, nil
	}
	text := lookup.Composed{HTML: string(old)}
	if len(e.Edits) > 0 {
		var err error
		if text, err = e.replaced(basecamp.HTML(richtext.Verbatim(richtext.ToPlain(text.HTML))), nil); err != nil {
			return text, err
		}
		text.HTML = richtext.FromPlain(richtext.ToPlain(text.HTML))
	}
	if e.Append != "" {
		text.HTML = richtext.FromPlain(strings.TrimSpace(richtext.ToPlain(text.HTML) + "\n\n" + lookup.Plainly(e.Append)))
	}
	return text, nil
}

// changedCategory returns the category to write, or nil if the message has it.
func changedCategory(old *basecamp.Category, id int64) *basecamp.CategoryID {
	if old == nil && id == 0 || old != nil && old.ID == id {
		return nil
	}
	now := basecamp.CategoryID(id)
	return &now
}

func (e textEdit) changes() bool {
	return e.text.HTML != e.old.fields.text || e.now.title != e.old.fields.title || e.now.status != "" || e.now.category != nil
}

// changeText writes the change, then sets the pin. If only the pin fails, the error says that the
// change was made.
func (rs *resolver) changeText(ctx context.Context, e textEdit, beside *lookup.Audience, in editTextInput) (editedText, error) {
	now := e.old.heldItem
	if e.changes() {
		var err error
		if now, err = e.old.write(ctx, e.now); err != nil {
			return editedText{}, in.doubted(err)
		}
	}
	v := rs.viewEdited(e, now)
	if e.old.Type != lookup.ProjectKind.Upstream {
		v.Reach = beside.Reached(e.by, now.Recording, e.text, e.followers...).Without(e.Gaps)
		v.Seen = v.ViewClients()
	} else {
		v.Reach = lookup.Reach{Mentioned: []string{}, Notified: []string{}}
	}
	v.Unchanged = !e.changes() && !in.Pin.Given
	if !in.Pin.Given {
		return v, nil
	}
	v.Pinned = &in.Pin.To
	err := rs.BC.PinMessage(ctx, now.ID, in.Pin.To)
	if err != nil && e.changes() {
		f := afterOthers(err, "the message was changed, but setting its pin failed; repeat the call with only item and pin: ")
		f.Retryable = false
		return editedText{}, f
	}
	return v, err
}

// viewEdited returns the answer for a changed item, without whom the change reached.
func (rs *resolver) viewEdited(e textEdit, now heldItem) editedText {
	m := lookup.ViewMeta(now.Recording)
	v := editedText{
		Head:  lookup.Head{ID: now.ID, Type: lookup.TypeOf(now.Type)},
		Title: plaintext.Clean(now.fields.title), Status: now.Status, Category: viewCategory(now.category),
		Seen: m.Seen, URL: m.URL, Project: m.Project, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
	if v.Type == lookup.CommentKind.Kind || v.Type == lookup.AnswerKind.Kind {
		v.Item = viewCommentedOn(basecamp.Comment{Recording: now.Recording})
	}
	was := wasText{}
	if e.now.title != e.old.fields.title {
		was.Title = plaintext.Clean(e.old.fields.title)
	}
	if e.now.status != "" {
		was.Status = e.old.Status
	}
	if e.now.category != nil {
		was.Category = viewCategory(e.old.category)
	}
	if e.text.HTML != e.old.fields.text {
		before, after := rs.Markdown(e.old.text(), e.old.files...), rs.Markdown(now.text(), now.files...)
		if now.plain {
			before, after = richtext.Plain(richtext.ToPlain(e.old.fields.text)), richtext.Plain(richtext.ToPlain(now.fields.text))
		}
		changed := plaintext.OnlyIn(after, before)
		v.Paragraphs, v.Count = changed[:min(len(changed), maxChangedShown)], len(changed)
		if v.Changed = max(v.Count, 1); e.text.Places > 0 {
			v.Changed = e.text.Places
		}
		was.Content = previousText(before, after)
	}
	if e.changes() {
		v.Changed, v.Previous = max(v.Changed, 1), &was
	}
	return v
}

func viewCategory(c *basecamp.Category) *lookup.Ref {
	if c == nil {
		return nil
	}
	return &lookup.Ref{ID: c.ID, Name: plaintext.Clean(c.Name)}
}
