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
	}, func(ctx context.Context, in ListCampfireLinesInput) (ChatLines, error) {
		project, room, err := rs.room(ctx, "project_id", in.Project, in.Chat)
		if err != nil {
			return ChatLines{}, err
		}
		window, err := rs.ChatWindow(ctx, room.ID, in)
		if err != nil {
			return ChatLines{}, err
		}
		line := lineIn(project.ID, room.ID)
		beside := rs.AudienceBeside(ctx, line)
		v, err := window.Read(ctx, rs)
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

// Window selects lines of a chat: at most limit lines, from since on, and before the line at.
type Window struct {
	chat  int64
	since time.Time
	limit int
	at    chatPosition
	of    string
}

// chatPosition is where the next answer continues: after a line that was on a page. New lines move
// older ones to later pages, so the page is only a hint.
type chatPosition struct {
	ID    int64     `json:"i,omitempty"`
	Time  time.Time `json:"t,omitzero"`
	Since time.Time `json:"s,omitzero"` // the beginning of the window, which stays the same on every page
	Page  int       `json:"p"`
	Of    string    `json:"of"`

	// Total and Made are set if the answer showed the page before to its end (see listing.Unmoved).
	Total int   `json:"n,omitempty"`
	Made  int64 `json:"m,omitempty"`
}

// ChatWindow returns what a call shows of a chat.
func (rs *Resolver) ChatWindow(ctx context.Context, room int64, in ListCampfireLinesInput) (Window, error) {
	w := Window{
		chat:  room,
		limit: cmp.Or(in.Limit, DefaultLines),
		at:    chatPosition{Page: 1},
		of:    listing.Digest("lines", room, in.Since),
	}
	var err error
	switch {
	case in.Cursor != "":
		w.at, err = parseChatCursor(in.Cursor, w.of)
		w.since = w.at.Since
	case in.Since != "":
		w.since, err = rs.Since(ctx, "since", in.Since)
	case in.Limit == 0:
		w.since = rs.Now().Add(-ChatDay)
	}
	return w, err
}

func parseChatCursor(cursor, of string) (chatPosition, error) {
	var p chatPosition
	if !listing.DecodeCursor(cursor, &p) || p.Page < 1 || p.ID < 1 {
		return p, listing.BadCursor("this cursor is not from this server")
	}
	if p.Of != of {
		return p, listing.BadCursor("this cursor belongs to a call with other arguments, which must be repeated")
	}
	return p, nil
}

// Read goes back from the newest line, keeps the lines of the window, and returns them oldest
// first. Basecamp lists the newest lines first.
func (w Window) Read(ctx context.Context, rs *Resolver) (ChatLines, error) {
	pages := listing.NewReader(func(ctx context.Context, page int) (basecamp.Page[basecamp.ChatLine], error) {
		return basecamp.LinesIn.Page(ctx, rs.BC, page, w.chat)
	})
	var lines []ChatLine
	var ends []chatPosition
	more, began := false, time.Now()
	page := w.at.Page
	for scanned := 0; page > 0; scanned++ {
		if scanned == listing.MaxScanned {
			more = true
			break
		}
		number := page
		upstream, err := pages.Read(ctx, number)
		if err != nil {
			return ChatLines{}, err
		}
		if page > 1 && page == w.at.Page && w.moved(ctx, upstream) {
			w.at = w.at.back()
			page = w.at.Page
			continue
		}
		page = upstream.Next
		for _, line := range upstream.Items {
			if !w.follows(line) {
				continue
			}
			if line.CreatedAt.Before(w.since) || len(lines) == w.limit {
				more, page = !line.CreatedAt.Before(w.since), 0
				break
			}
			lines = append(lines, ViewLine(line))
			ends = append(ends, chatPosition{ID: line.ID, Time: line.CreatedAt, Since: w.since, Page: number, Of: w.of})
		}
		if len(lines) > 0 && w.endsWith(len(lines), number, page, upstream) {
			last := &ends[len(lines)-1]
			last.Page, last.Total, last.Made = page, max(0, upstream.Total), began.Unix()
			more = true
			break
		}
		if n := len(upstream.Items); page > 0 && n > 0 {
			upstream.Likely = listing.Likely(upstream.Total, len(lines), rs.Now(), upstream.Items[n-1].CreatedAt, w.since)
			pages.Foresee(ctx, number, upstream, w.fitting(len(lines), number, upstream)-len(lines))
		}
	}
	return w.answer(lines, ends, page, more), nil
}

// answer returns lines, which are the newest first, and the cursor for older ones. Ends are the
// positions after each line; page is the next one to read.
func (w Window) answer(lines []ChatLine, ends []chatPosition, page int, more bool) ChatLines {
	if room := listing.Fit[ChatLine, *ChatLine](lines, listing.MaxAnswer); room < len(lines) {
		lines, more = lines[:room], true
	}
	answer := ChatLines{Items: lines, HasMore: more, Since: lookup.Understood(w.since)}
	if more {
		end := chatPosition{ID: w.at.ID, Time: w.at.Time, Since: w.since, Page: max(page, 1), Of: w.of}
		if len(lines) > 0 {
			end = ends[len(lines)-1]
		}
		next := listing.EncodeCursor(end)
		answer.NextCursor = &next
	}
	slices.Reverse(answer.Items)
	return answer
}

// moved reports whether lines may have been deleted since the cursor was made, so that some of the
// window are on an earlier page now.
func (w Window) moved(ctx context.Context, first basecamp.Page[basecamp.ChatLine]) bool {
	return len(first.Items) == 0 || w.follows(first.Items[0]) && !listing.Unmoved(ctx, w.at.Made, w.at.Total, first.Total)
}

// back returns the position from which to look for the last line shown: the page before if the
// answer ended with that, then the newest lines.
func (p chatPosition) back() chatPosition {
	page := 1
	if p.Total > 0 {
		page = p.Page - 1
	}
	p.Page, p.Total = page, 0
	return p
}

// endsWith reports whether the answer ends with a page, as listing.EndsBefore says. A window that
// has a beginning may end with any line, so that it must be read on.
func (w Window) endsWith(have, number, next int, page basecamp.Page[basecamp.ChatLine]) bool {
	return w.since.IsZero() && next > 0 && listing.EndsBefore(have, listing.SizeOfNext(number, page), w.limit)
}

// fitting returns how many lines the answer has if it has some after a page.
func (w Window) fitting(have, number int, page basecamp.Page[basecamp.ChatLine]) int {
	if !w.since.IsZero() {
		return w.limit
	}
	return listing.Fitting(number, page, have, w.limit)
}

// follows reports whether a line is older than the last line of the previous answer.
func (w Window) follows(line basecamp.ChatLine) bool {
	if w.at.ID == 0 {
		return true
	}
	return line.CreatedAt.Before(w.at.Time) || line.CreatedAt.Equal(w.at.Time) && line.ID < w.at.ID
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
