package anyitem

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

type editTextInput struct {
	itemInput
	Title string `json:"title,omitzero" jsonschema:"New" limits:"minlen=1 maxlen=1500"`
	parts.EditInput
	Publish  bool                          `json:"publish,omitzero" jsonschema:"A draft" limits:"default=false"`
	Category toolargs.Change[toolargs.Ref] `json:"category,omitzero" jsonschema:"Or none" limits:"none"`
	Pin      toolargs.Change[bool]         `json:"pin,omitzero" jsonschema:"false unpins"`
}

// itemInput is lookup.ItemInput with a shorter description.
type itemInput struct {
	Item    string       `json:"item" jsonschema:"URL, type:id or title" limits:"minlen=1 maxlen=2000"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
}

// EditedText is an item after an edit, with the first paragraphs that changed. Changed counts the
// places that edits replaced, or else those paragraphs. Unchanged is true if the item already was
// as wanted. Basecamp does not return whether a message is pinned, so Pinned is set only by a call
// that changes the pin.
type EditedText struct {
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
	Item *parts.ActedOn `json:"item,omitempty"`
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

// EditText returns the tool edit_text.
func EditText(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "edit_text",
		Title: "Edit a text",
		Description: "Edits or appends to a Basecamp message, document, comment, answer, own chat line, to-do, card, list, event or " +
			"project; fixes a typo; pins an announcement.",
		Words:  "pin a message, publish my draft, fix a typo, rewrite",
		Effect: mcptool.Updates,
	}, func(ctx context.Context, in editTextInput) (EditedText, error) {
		if err := in.check(); err != nil {
			return EditedText{}, err
		}
		t, err := rs.textToEdit(ctx, in)
		if err != nil {
			return EditedText{}, err
		}
		old, err := rs.openText(ctx, t)
		if err == nil {
			err = lookup.NotPutAway("item", old.Recording)
		}
		if err != nil {
			return EditedText{}, err
		}
		beside := rs.Audience(ctx)
		if old.Type != lookup.ProjectKind.Upstream {
			beside = rs.AudienceBeside(ctx, old.Recording)
		}
		edit, err := rs.planText(ctx, old, in)
		if err != nil {
			return EditedText{}, err
		}
		return rs.changeText(ctx, edit, beside, in)
	})
}

// check returns an error if the arguments change nothing or do not go together. It needs no
// request.
func (in editTextInput) check() error {
	if in.Title == "" && !in.Asked() && !in.Category.Given && !in.Publish && !in.Pin.Given {
		return parts.NothingToChange("edits, body, append, title, publish, category or pin")
	}
	if err := parts.NotBlankIfGiven("title", in.Title); err != nil {
		return err
	}
	return in.Check()
}

// textToEdit finds the item and checks that the arguments fit its kind. A URL that scrolls to a
// comment names the comment.
func (rs *Resolver) textToEdit(ctx context.Context, in editTextInput) (lookup.Thing, error) {
	t, err := rs.Thing(ctx, "item", lookup.ItemInput(in.itemInput), work.TextItems...)
	if err != nil {
		return t, err
	}
	if t.Link.Comment != 0 {
		t = lookup.Thing{Kind: lookup.CommentKind.WithArguments("item", "project"), ID: t.Link.Comment, In: lookup.Place{ID: t.In.ID}}
	}
	return t, in.fits(work.RowOf(t.Kind))
}

// fits returns an error for an argument that items of a kind do not have.
func (in editTextInput) fits(kind work.ItemKind) error {
	given := map[string]bool{"title": in.Title != "", "publish": in.Publish, "category": in.Category.Given, "pin": in.Pin.Given}
	for _, argument := range []string{"title", "publish", "category", "pin"} {
		if given[argument] && !slices.Contains(kind.Texts, argument) {
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
	work.HeldItem
	write func(ctx context.Context, now work.ItemFields) (work.HeldItem, error)
}

// openText reads an item to change its text. A client may take the ID of a check-in answer for that
// of a comment. A recurring entry is refused: only its page changes it.
func (rs *Resolver) openText(ctx context.Context, t lookup.Thing) (openText, error) {
	if t.Kind.Kind == lookup.LineKind.Kind {
		return rs.openLine(ctx, t)
	}
	row := work.RowOf(t.Kind)
	old, err := row.Read(ctx, rs.BC, t)
	if fault.Is(err, fault.NotFound) && t.Kind.Kind == lookup.CommentKind.Kind && t.In.ID == 0 {
		t.Kind = lookup.AnswerKind.WithArguments(t.Argument, t.InProject)
		if answer, err := rs.openText(ctx, t); err == nil {
			return answer, nil
		}
	}
	if e, ok := old.Read.(basecamp.ScheduleEntry); ok && err == nil {
		err = calendar.NotRecurring("item", e)
	}
	return openText{old, func(ctx context.Context, now work.ItemFields) (work.HeldItem, error) {
		changed, err := row.Write(ctx, rs.BC, old, now)
		if err == nil && t.Kind.Kind == lookup.ProjectKind.Kind {
			rs.ForgetProjects(ctx)
		}
		return changed, err
	}}, err
}

// openLine reads a chat line that the caller wrote. Basecamp lets no other user change it.
func (rs *Resolver) openLine(ctx context.Context, t lookup.Thing) (openText, error) {
	t, err := rs.InItsChat(ctx, t)
	if err != nil {
		return openText{}, err
	}
	chat := t.Link.Within
	line, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (basecamp.ChatLine, error) {
		return basecamp.LineAt.Get(ctx, rs.BC, chat, id)
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
	return openText{holdLine(line), func(ctx context.Context, now work.ItemFields) (work.HeldItem, error) {
		if err := basecamp.LineAt.Set(ctx, rs.BC, map[string]any{"content": now.Text}, chat, line.ID); err != nil {
			return work.HeldItem{}, err
		}
		if changed, err := basecamp.LineAt.Get(ctx, rs.BC, chat, line.ID); err == nil { // Basecamp does not return it
			return holdLine(changed), nil
		}
		line.Type, line.Content = lookup.RichLine, now.Text
		return holdLine(line), nil
	}}, nil
}

func holdLine(l basecamp.ChatLine) work.HeldItem {
	text := l.Content
	if !l.IsHTML() {
		text = richtext.Writing{}.HTML(richtext.Markdown(richtext.FromPlain(l.Content))) // with links for its URLs
	}
	return work.HeldItem{Recording: l.Recording, Fields: work.ItemFields{Text: text}, Files: parts.FilesOfLine(l)}
}

// textEdit is a change of a text that is ready to be written.
type textEdit struct {
	old       openText
	now       work.ItemFields
	text      lookup.Composed
	by        int64             // the caller, if the edit may notify people
	followers []basecamp.Person // whom Basecamp notifies when it publishes the draft
	listing.Gaps
}

// planText returns the fields of the item after the change.
func (rs *Resolver) planText(ctx context.Context, old openText, in editTextInput) (e textEdit, err error) {
	e = textEdit{old: old, now: old.Fields}
	publishes := in.Publish && old.Status == lookup.Drafted
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if e.text, err = rs.editedIn(ctx, old.HeldItem, in.EditInput); err == nil && publishes {
				e.text, err = rs.Published(ctx, old.Bucket.ID, e.text)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			if in.Category.Given {
				var id int64
				id, err = rs.Texts.Category(ctx, old.Bucket.ID, in.Category.To)
				e.now.Category = changedCategory(old.Category, id)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			if publishes && old.Type == lookup.MessageKind.Upstream {
				e.Gaps, err = listing.Extras(ctx, rs.SubscribersInto(&e.followers, old.Bucket.ID, old.ID))
			}
			return err
		},
	)
	if err != nil {
		return e, err
	}
	if in.Title != "" {
		e.now.Title = lookup.Plainly(in.Title)
	}
	if e.now.Text = e.text.HTML; old.Plain {
		e.now.Text = richtext.ToPlain(e.text.HTML)
	}
	if publishes {
		e.now.Status, e.by = lookup.Active, old.Creator.ID // only its author can see a draft
		return e, nil
	}
	e.by, err = rs.CallerOf(ctx, e.text)
	return e, err
}

// editedIn returns the text of an item after the change. Without one, a comment would be empty.
func (rs *Resolver) editedIn(ctx context.Context, old work.HeldItem, e parts.EditInput) (text lookup.Composed, err error) {
	switch {
	case old.Plain:
		text, err = e.Plainly(old.Text())
	case e.Asked() && old.IsGroup():
		err = fault.Invalid("item", "a group has only a name; give title, or edit the list that it is in")
	default:
		e.Said = old.Fields.Title == "" || old.Type == lookup.MessageKind.Upstream
		text, err = rs.Edited(ctx, old.Bucket.ID, old.Text(), e)
	}
	if err == nil && len(e.Edits) > 0 && old.Fields.Title == "" && lookup.Plainly(rs.Markdown(basecamp.HTML(text.HTML))) == "" {
		err = fault.Invalid("edits", "this change would leave the text empty; to trash the item, use set_item_status")
	}
	return text, err
}

// changedCategory returns the category to write, or nil if the message has it.
func changedCategory(old *basecamp.Category, id int64) *int64 {
	if old == nil && id == 0 || old != nil && old.ID == id {
		return nil
	}
	return &id
}

func (e textEdit) changes() bool {
	return e.text.HTML != e.old.Fields.Text || e.now.Title != e.old.Fields.Title || e.now.Status != "" || e.now.Category != nil
}

// changeText writes the change, then sets the pin. If only the pin fails, the error says that the
// change was made.
func (rs *Resolver) changeText(ctx context.Context, e textEdit, beside *lookup.Audience, in editTextInput) (EditedText, error) {
	now := e.old.HeldItem
	if e.changes() {
		var err error
		if now, err = e.old.write(ctx, e.now); err != nil {
			return EditedText{}, in.Doubted(err)
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
	err := basecamp.Pinned.Turn(ctx, rs.BC, in.Pin.To, now.ID)
	if err != nil && e.changes() {
		f := parts.AfterOthers(err, "the message was changed, but setting its pin failed; repeat the call with only item and pin: ")
		f.Retryable = false
		return EditedText{}, f
	}
	return v, err
}

// viewEdited returns the answer for a changed item, without whom the change reached.
func (rs *Resolver) viewEdited(e textEdit, now work.HeldItem) EditedText {
	m := lookup.ViewMeta(now.Recording)
	v := EditedText{
		Head:  lookup.Head{ID: now.ID, Type: lookup.TypeOf(now.Type)},
		Title: plaintext.Clean(now.Fields.Title), Status: now.Status, Category: viewCategory(now.Category),
		Seen: m.Seen, URL: m.URL, Project: m.Project, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
	if v.Type == lookup.CommentKind.Kind || v.Type == lookup.AnswerKind.Kind {
		v.Item = parts.ViewHolder(now.Parent)
	}
	was := wasText{}
	if e.now.Title != e.old.Fields.Title {
		was.Title = plaintext.Clean(e.old.Fields.Title)
	}
	if e.now.Status != "" {
		was.Status = e.old.Status
	}
	if e.now.Category != nil {
		was.Category = viewCategory(e.old.Category)
	}
	if e.text.HTML != e.old.Fields.Text {
		before, after := rs.Markdown(e.old.Text(), e.old.Files...), rs.Markdown(now.Text(), now.Files...)
		if now.Plain {
			before, after = richtext.Plain(richtext.ToPlain(e.old.Fields.Text)), richtext.Plain(richtext.ToPlain(now.Fields.Text))
		}
		changed := plaintext.OnlyIn(after, before)
		v.Paragraphs, v.Count = changed[:min(len(changed), maxChangedShown)], len(changed)
		if v.Changed = max(v.Count, 1); e.text.Places > 0 {
			v.Changed = e.text.Places
		}
		was.Content = parts.PreviousText(before, after)
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
