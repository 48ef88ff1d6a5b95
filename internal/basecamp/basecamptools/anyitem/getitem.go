// Package anyitem holds the tools that work on items of every kind: open, edit, trash, archive,
// restore.
package anyitem

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Calendar *calendar.Resolver
	Files    *files.Resolver
	Projects *projects.Resolver
	Texts    *texts.Resolver
	Todos    *todos.Resolver
	Work     *work.Resolver
}

type getItemInput struct {
	Item    string       `json:"item" jsonschema:"URL, type:id, title or ping:Name" limits:"minlen=1 maxlen=2000"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	Cursor  string       `json:"cursor,omitzero" jsonschema:"Of a ping" limits:"maxlen=2000"`
	parts.CommentsInput
}

// PageShown is what a URL points at. Comment is the comment that it scrolls to. ReplyTo is the item
// that accepts a comment as a reply.
type PageShown struct {
	Type    string          `json:"type"`
	Item    any             `json:"item" limits:"types=object"`
	Comment *parts.Comment  `json:"comment,omitempty"`
	Note    string          `json:"note,omitempty"`
	ReplyTo *parts.ReplyRef `json:"reply_to"`
	listing.Gaps
}

// Images returns the images of the item.
func (p PageShown) Images() []toolanswer.Image {
	if file, ok := p.Item.(files.ShownFile); ok {
		return file.Images()
	}
	return nil
}

// GetItem returns the tool get_item.
func GetItem(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_item",
		Title:       "Open an item",
		Description: "Reads a Basecamp URL or item, such as a card with its steps and column.",
	}, func(ctx context.Context, in getItemInput) (PageShown, error) {
		in.CommentsInput.Cursor = in.Cursor
		link, err := rs.linkTo(ctx, lookup.ItemInput{Item: in.Item, Project: in.Project})
		if err != nil {
			return PageShown{}, err
		}
		if in.Cursor != "" && link.Type != texts.PingLink {
			return PageShown{}, fault.Invalid("cursor", "continues only a ping; leave it out, and use list_comments for more comments")
		}
		if link.Type == "replies" { // of a forwarded e-mail, in URLs of the API
			link.Type, link.ID, link.Comment = "inbox_forwards", link.Within, link.ID
		}
		if link.Comment == 0 {
			return rs.show(ctx, link, in.CommentsInput)
		}
		return rs.showAnchored(ctx, link, in.CommentsInput)
	})
}

// linkTo returns what a URL points at or, for any other reference, what the item's own URL would.
func (rs *Resolver) linkTo(ctx context.Context, in lookup.ItemInput) (basecamp.Link, error) {
	var project int64
	var err error
	if !in.Project.IsZero() {
		if project, err = rs.ProjectID(ctx, "project", in.Project); err != nil {
			return basecamp.Link{}, err
		}
	}
	given := lookup.URLs.ParseRef(strings.TrimSpace(in.Item))
	if given.URL != "" {
		link, err := rs.Link(ctx, "item", given.URL)
		if err == nil && project != 0 && link.Project != 0 && link.Project != project {
			err = notInProject(project, "item", link.ID)
		}
		link.Project = max(link.Project, project)
		return link, err
	}
	word, rest := lookup.CutType(given.Name)
	if word == lookup.PingKind {
		ping, err := rs.Texts.PingNamed(ctx, "item", rest)
		return basecamp.Link{Type: texts.PingLink, ID: ping.ID}, err
	}
	for _, v := range rs.viewers() {
		if id := lookup.URLs.ParseRef(rest).ID; id > 0 && v.kind != lookup.LineKind.Kind && (v.kind == word || lookup.AlsoCalled[v.kind] == word) {
			return basecamp.Link{Type: v.links[0], ID: id, Project: project}, nil
		}
	}
	t, err := rs.Thing(ctx, "item", in, notSubtasks...)
	if fault.Is(err, fault.NotFound) || word == lookup.SubtaskKind.Kind {
		if step, missing := rs.Thing(ctx, "item", in, lookup.SubtaskKind); missing == nil {
			t, err = step, nil
		}
	}
	if err == nil {
		t, err = rs.InItsChat(ctx, t)
	}
	if err != nil {
		return basecamp.Link{}, err
	}
	return basecamp.Link{Type: t.Links[0], ID: t.ID, Project: t.In.ID, Within: t.Link.Within}, nil
}

// notSubtasks are the kinds among which a title is looked for first: the title of a card is often a
// part of a subtask's.
var notSubtasks = lookup.Matching(lookup.ItemKinds, func(k lookup.Kind) bool { return k.Kind != lookup.SubtaskKind.Kind })

// notInProject returns NOT_FOUND for an item of a kind that is not in the project.
func notInProject(project int64, kind string, id int64) error {
	return lookup.Place{ID: project}.Lacks(lookup.Kind{Noun: lookup.Noun{One: kind, Kind: kind}, Argument: "item"}, id)
}

// showAnchored reads an item and the comment or reply that the URL scrolls to. If the URL scrolls
// to a subtask, the subtask is the item. An offset applies to the comment; to continue the item,
// the client uses the item's own URL.
func (rs *Resolver) showAnchored(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, error) {
	var p PageShown
	var anchored parts.Comment
	var missing error
	options := parts.CommentsInput{IncludeComments: in.IncludeComments && in.Offset == 0}
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) { p, err = rs.show(ctx, link, options); return err },
		func(ctx context.Context) error {
			anchored, missing = rs.anchored(ctx, link, in.Offset)
			if _, ok := listing.Dispensable(missing); ok && (in.Offset == 0 || fault.Is(missing, fault.NotFound)) {
				return nil
			}
			return missing
		},
	)
	switch {
	case err != nil:
		return PageShown{}, err
	case missing == nil:
		p.Comment = &anchored
		return p, nil
	case !fault.Is(missing, fault.NotFound):
		p.LeaveOut("comment", fault.From(missing))
		return p, nil
	case p.Type == lookup.TodoKind.Kind || p.Type == lookup.CardKind.Kind:
		step, err := rs.Work.ShowSubtask(ctx, link.Comment)
		if err == nil {
			p.Type, p.Item = lookup.SubtaskKind.Kind, step
			return p, nil
		}
		if f, ok := listing.Dispensable(err); ok && f.Code != fault.NotFound {
			p.LeaveOut("what this URL scrolls to", f)
			return p, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return PageShown{}, err
		}
	}
	if in.Offset > 0 { // the comment is gone: the offset applies to the item
		return rs.show(ctx, link, in)
	}
	p.Note = "what this URL scrolls to no longer exists; this is the item it was on"
	return p, nil
}

// anchored reads the comment, or the reply to a forwarded e-mail, that a URL scrolls to.
func (rs *Resolver) anchored(ctx context.Context, link basecamp.Link, offset int) (parts.Comment, error) {
	if !slices.Contains(lookup.ForwardKind.Links, link.Type) {
		v, _, err := rs.ShowComment(ctx, link.Comment, parts.CommentsInput{Offset: offset}, nil)
		return v, err
	}
	reply, err := basecamp.ReplyAt.Get(ctx, rs.BC, link.ID, link.Comment)
	if err != nil {
		return parts.Comment{}, err
	}
	v := rs.WholeComment(reply)
	v.Type = parts.ReplyKind.Kind
	v.NextOffset, err = listing.Part(&v.Content, offset, &v.Truncated)
	return v, err
}

// show reads what a URL points at, without what it scrolls to.
func (rs *Resolver) show(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, error) {
	for _, v := range rs.viewers() {
		if !slices.Contains(v.links, link.Type) {
			continue
		}
		p, project, err := v.show(ctx, link, in)
		if err != nil {
			return PageShown{}, err
		}
		p.Type = v.kind
		if project != 0 && link.Project != 0 && project != link.Project {
			return PageShown{}, notInProject(link.Project, v.kind, link.ID)
		}
		return p, nil
	}
	return PageShown{}, unreadable(link)
}

// viewer reads what the URLs with certain words in their path point at. show also returns the
// project, or 0 if unknown.
type viewer struct {
	kind  string
	links []string
	show  func(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, int64, error)
}

func (rs *Resolver) viewers() []viewer {
	return []viewer{
		{lookup.TodoKind.Kind, lookup.TodoKind.Links, shown(rs.Todos.ShowTodo, func(v todos.Todo) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.CardKind.Kind, lookup.CardKind.Links, shown(rs.Work.ShowCard, func(v work.Card) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.MessageKind.Kind, lookup.MessageKind.Links, shown(rs.Texts.ShowMessage, func(v texts.Message) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.DocumentKind.Kind, lookup.DocumentKind.Links, shown(rs.Files.ShowDocument, func(v files.Document) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.UploadKind.Kind, lookup.UploadKind.Links, shown(rs.Files.ShowUpload, func(v files.ShownFile) (*parts.ReplyRef, int64) {
			return onItself(lookup.Head{ID: v.ID, Type: v.Type}, v.URL, v.Project.ID)
		})},
		{lookup.AnswerKind.Kind, lookup.AnswerKind.Links, shown(rs.Texts.ShowAnswer, func(v texts.WholeAnswer) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.ListKind.Kind, lookup.ListKind.Links, shown(without(rs.Todos.ShowTodolist), func(v todos.WholeTodolist) (*parts.ReplyRef, int64) { return onItself(v.Head, v.URL, v.Project.ID) })},
		{lookup.EntryKind.Kind, lookup.EntryKind.Links, rs.showEntryAt},
		{lookup.CommentKind.Kind, lookup.CommentKind.Links, rs.showCommentAt},
		{lookup.SubtaskKind.Kind, lookup.SubtaskKind.Links, rs.showSubtaskAt},
		{lookup.LineKind.Kind, lookup.LineKind.Links, rs.showLineAt},
		{lookup.QuestionKind.Kind, lookup.QuestionKind.Links, shown(without(rs.Texts.ShowQuestion), func(v texts.Question) (*parts.ReplyRef, int64) { return nil, v.Project.ID })},
		{lookup.ForwardKind.Kind, lookup.ForwardKind.Links, shown(rs.Texts.ShowForward, func(v texts.Forward) (*parts.ReplyRef, int64) { return nil, v.Project.ID })},
		{lookup.FolderKind.Kind, lookup.FolderKind.Links, shown(without(rs.Files.ShowFolder), func(v files.FolderView) (*parts.ReplyRef, int64) { return nil, v.Project.ID })},
		{lookup.ProjectKind.Kind, lookup.ProjectKind.Links, shown(without(rs.Projects.ShowProject), func(v projects.ProjectTools) (*parts.ReplyRef, int64) { return nil, v.Project })},
		{"board", []string{"card_tables"}, shown(without(rs.Work.ShowBoard), func(v work.Board) (*parts.ReplyRef, int64) { return nil, v.Project.ID })},
		{"column", []string{"columns", "lists"}, shown(without(rs.Work.ShowColumn), func(v work.Board) (*parts.ReplyRef, int64) { return nil, v.Project.ID })},
		{"chat", []string{"chats"}, shown(without(rs.showChat), func(texts.ChatLines) (*parts.ReplyRef, int64) { return nil, 0 })},
		{lookup.PingKind, []string{texts.PingLink}, rs.showPingAt},
		{"person", []string{"people"}, shown(without(rs.Projects.ShowPerson), func(projects.PersonItem) (*parts.ReplyRef, int64) { return nil, 0 })},
	}
}

// showEntryAt reads a schedule entry. For a recurring entry, the URL names the day.
func (rs *Resolver) showEntryAt(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, int64, error) {
	v, err := rs.Calendar.ShowEntry(ctx, link.ID, link.Day, in)
	return PageShown{Item: v, ReplyTo: &parts.ReplyRef{Head: v.Head, URL: v.URL}}, v.Project.ID, err
}

// showCommentAt reads a comment. Replies go to the item that it is on.
func (rs *Resolver) showCommentAt(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, int64, error) {
	v, left, err := rs.ShowComment(ctx, link.ID, in, rs.Audience(ctx))
	p := PageShown{Item: v, Gaps: left}
	if v.Item != nil {
		p.ReplyTo = &parts.ReplyRef{Head: v.Item.Head, URL: v.Item.URL}
	}
	return p, v.Project.ID, err
}

// showSubtaskAt reads a subtask. Comments go to the item that it belongs to.
func (rs *Resolver) showSubtaskAt(ctx context.Context, link basecamp.Link, _ parts.CommentsInput) (PageShown, int64, error) {
	v, err := rs.Work.ShowSubtask(ctx, link.ID)
	p := PageShown{Item: v}
	if v.Parent != nil {
		p.ReplyTo = &parts.ReplyRef{Head: lookup.Head{ID: v.Parent.ID, Type: v.Parent.Type}, URL: v.Parent.URL}
	}
	return p, v.Project.ID, err
}

// showLineAt reads a chat line. The URL must name the chat too.
func (rs *Resolver) showLineAt(ctx context.Context, link basecamp.Link, _ parts.CommentsInput) (PageShown, int64, error) {
	if link.Within == 0 {
		return PageShown{}, 0, fault.Invalid("item", "this URL does not say which chat the line is in; list_campfire_lines returns the URLs of lines")
	}
	line, err := basecamp.LineAt.Get(ctx, rs.BC, link.Within, link.ID)
	v := texts.ViewLine(line)
	inChat, _, _ := strings.Cut(v.URL, "@")
	return PageShown{Item: v, ReplyTo: &parts.ReplyRef{Head: lookup.Head{ID: link.Within, Type: lookup.Chat.Kind}, URL: inChat, Tool: "post_chat_line"}}, v.Project.ID, err
}

// showChat reads the last 24 hours of a chat. list_campfire_lines continues from there.
func (rs *Resolver) showChat(ctx context.Context, id int64) (texts.ChatLines, error) {
	return rs.Texts.Lines(ctx, id, texts.ListCampfireLinesInput{})
}

// onItself returns what an item that accepts comments says of replies: it, and its project.
func onItself(item lookup.Head, url string, project int64) (*parts.ReplyRef, int64) {
	return &parts.ReplyRef{Head: item, URL: url}, project
}

// shown returns the show function of a kind. Where returns what accepts a reply, nil for nothing,
// and the project.
func shown[T any](show func(context.Context, int64, parts.CommentsInput) (T, error), where func(T) (*parts.ReplyRef, int64)) func(context.Context, basecamp.Link, parts.CommentsInput) (PageShown, int64, error) {
	return func(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, int64, error) {
		v, err := show(ctx, link.ID, in)
		reply, project := where(v)
		return PageShown{Item: v, ReplyTo: reply}, project, err
	}
}

// without adapts a function that reads no comments.
func without[T any](show func(context.Context, int64) (T, error)) func(context.Context, int64, parts.CommentsInput) (T, error) {
	return func(ctx context.Context, id int64, _ parts.CommentsInput) (T, error) { return show(ctx, id) }
}

// unreadable returns an error for a URL that get_item cannot read. It names the tool that reads
// it, if there is one.
func unreadable(link basecamp.Link) error {
	readers := map[string]string{
		"message_boards": "a message board; list_messages lists its messages",
		"todosets":       "the to-dos of a project; list_todolists and list_todos list them",
		"schedules":      "a schedule; list_schedule_entries lists its entries",
		"questionnaires": "automatic check-ins; list_checkins lists the questions",
		"inboxes":        "forwarded e-mails; list_forwards lists them",
	}
	reader, ok := readers[link.Type]
	switch {
	case ok && link.Project != 0:
		return fault.Invalid("item", "this is the URL of %s (project %d)", reader, link.Project)
	case ok:
		return fault.Invalid("item", "this is the URL of %s", reader)
	}
	return fault.Invalid("item", "these tools cannot read what this URL points to (%s); the user can open it in Basecamp", plaintext.Quote(link.Type))
}

// showPingAt reads a ping, from its newest line back.
func (rs *Resolver) showPingAt(ctx context.Context, link basecamp.Link, in parts.CommentsInput) (PageShown, int64, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return PageShown{}, 0, err
	}
	ping, err := basecamp.PingAt.Get(ctx, rs.BC, link.ID)
	if err != nil {
		return PageShown{}, 0, err
	}
	v := texts.PingShown{PingHead: *texts.ViewPing(ping, me.ID), Title: plaintext.Clean(texts.PingTitle(ping))}
	v.ChatLines, err = rs.Texts.Lines(ctx, ping.Chat(), texts.ListCampfireLinesInput{Limit: texts.DefaultLines, Cursor: in.Cursor})
	slices.Reverse(v.Items)
	return PageShown{Item: v, ReplyTo: &parts.ReplyRef{Head: v.Head, URL: v.URL, Tool: "post_chat_line"}}, 0, err
}
