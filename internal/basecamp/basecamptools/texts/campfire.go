package texts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// What lists of lines show unless a call says otherwise.
const (
	DefaultLines = 50
	ChatDay      = 24 * time.Hour
)

// ListCampfireLinesInput says which lines of a chat to list.
type ListCampfireLinesInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Chat    toolargs.Ref `json:"chat,omitzero" jsonschema:"If there are several"`
	Since   string       `json:"since,omitzero" jsonschema:"Day, time or span" limits:"maxlen=40"`
	Limit   int          `json:"limit,omitzero" jsonschema:"Newest lines (default 50); without since, of any age" limits:"min=1 max=200"`
	Cursor  string       `json:"cursor,omitzero" jsonschema:"For older lines; repeat since" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// ChatLine is a line of a chat.
type ChatLine struct {
	lookup.Head
	Content     string       `json:"content" compact:"keep"`
	Truncated   bool         `json:"truncated,omitempty"`
	Attachments []parts.File `json:"content_attachments,omitempty"`
	lookup.Meta `compact:"created_at author:name"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (l *ChatLine) Trim(characters int) { listing.Excerpt(&l.Content, characters, &l.Truncated) }

// ChatLines is a list without a total: Basecamp does not count the lines of a chat.
type ChatLines struct {
	Items      []ChatLine `json:"items"`
	HasMore    bool       `json:"has_more"`
	NextCursor *string    `json:"next_cursor"`
	Since      string     `json:"since,omitempty"`
	listing.Gaps
}

// ListCampfireLines returns the tool list_campfire_lines.
func ListCampfireLines(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_campfire_lines",
		Title: "Read the chat",
		Description: "Shows what was said in the chat (Campfire) of a Basecamp project, oldest first: by default the newest 50 " +
			"lines of the last 24 hours.",
		Words: "read the chat",
	}, func(ctx context.Context, in ListCampfireLinesInput) (ChatLines, error) {
		project, room, err := rs.room(ctx, "project_id", in.Project, in.Chat)
		if err != nil {
			return ChatLines{}, err
		}
		line := lineIn(project.ID, room.ID)
		beside := rs.AudienceBeside(ctx, line)
		v, err := rs.Lines(ctx, room.ID, in)
		clients, left := beside.SeenBy(line)
		for i := range v.Items {
			v.Items[i].ClientsSee = lookup.ViewSeen(basecamp.Recording{ClientsSee: len(clients) > 0}).ClientsSee
		}
		v.Gaps = left
		return v, err
	})
}

// room finds a project and the chat that the call names, or the only chat. The URL of a chat, given
// as the project, names both.
func (rs *Resolver) room(ctx context.Context, argument string, inProject, named toolargs.Ref) (basecamp.Project, basecamp.DockItem, error) {
	project, err := rs.Project(ctx, argument, inProject)
	if err != nil {
		return basecamp.Project{}, basecamp.DockItem{}, err
	}
	if link, err := basecamp.ParseLink(inProject.URL); err == nil && named.IsZero() && link.Type == "chats" {
		named = toolargs.Ref{ID: link.ID}
	}
	room, err := rs.Dock(ctx, project, lookup.Chat, named)
	return project, room, err
}

// Lines returns the lines of a chat that a call asks for, oldest first. The beginning of the window
// stays the same on every page.
func (rs *Resolver) Lines(ctx context.Context, room int64, in ListCampfireLinesInput) (v ChatLines, err error) {
	var since time.Time
	switch {
	case in.Cursor != "":
		since = listing.SinceOf(in.Cursor)
	case in.Since != "":
		if since, err = rs.Since(ctx, "since", in.Since); err != nil {
			return v, err
		}
	case in.Limit == 0:
		since = rs.Now().Add(-ChatDay)
	}
	l := &listing.List[basecamp.ChatLine]{
		Of: listing.Digest("lines", room, in.Since), ID: func(line basecamp.ChatLine) int64 { return line.ID },
		Time: func(line basecamp.ChatLine) time.Time { return line.CreatedAt }, Since: since,
		Sources: []listing.Source[basecamp.ChatLine]{basecamp.LinesIn.Source(rs.BC, room)},
	}
	if !since.IsZero() { // it may end with any line
		l.Keep = func(line basecamp.ChatLine) bool { return !line.CreatedAt.Before(since) }
		l.Sources[0] = listing.BackTo(since, rs.Now(), l.Time, l.Sources[0])
	}
	found, err := l.Collect(ctx, listing.PageInput{Limit: cmp.Or(in.Limit, DefaultLines), Cursor: in.Cursor, DetailInput: toolanswer.DetailInput{Detail: "full"}})
	p := listing.Answer(l, found, ViewLine)
	slices.Reverse(p.Items)
	return ChatLines{Items: p.Items, HasMore: p.HasMore, NextCursor: p.NextCursor, Since: listing.Understood(since)}, err
}

// ViewLine returns a line of a chat as answers show it.
func ViewLine(l basecamp.ChatLine) ChatLine {
	v := ChatLine{Head: lookup.Head{ID: l.ID, Type: lookup.LineKind.Kind}, Content: richtext.Plain(l.Content), Meta: lookup.ViewMeta(l.Recording)}
	v.Author.Email = ""
	if l.IsHTML() {
		v.Content = richtext.Markdown(l.Content)
	}
	v.Attachments = parts.ViewFiles("", parts.FilesOfLine(l))
	for _, f := range parts.ViewFiles("", l.Attachments) {
		v.Content = strings.TrimLeft(v.Content+"\n[Attachment: "+f.Filename+" ("+f.ContentType+")]", "\n")
	}
	return v
}

// lineIn returns a line of a chat, as what inherits from the chat.
func lineIn(project, chat int64) basecamp.Recording {
	return basecamp.Recording{Type: lookup.RichLine, Parent: &basecamp.Parent{ID: chat, Type: "Chat::Transcript"}, Bucket: basecamp.Bucket{ID: project}}
}
