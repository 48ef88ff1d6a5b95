package parts

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
)

// The limits of texts beside an item.
const (
	MaxComment = 4000 // characters of a comment that is shown with its item
	MaxWritten = 500  // characters of a text in the answer of a tool that wrote it
)

// CommentItem is a comment in the view of its item. The item shows the project.
type CommentItem struct {
	lookup.Head
	lookup.Seen
	Content     string        `json:"content"`
	Truncated   bool          `json:"truncated,omitempty"`
	Attachments []File        `json:"content_attachments,omitempty"`
	URL         string        `json:"url"`
	Author      lookup.Person `json:"author"`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (c *CommentItem) Trim(characters int) { listing.Excerpt(&c.Content, characters, &c.Truncated) }

// Discussion is the first page of an item's comments, oldest first.
type Discussion struct {
	Comments     []CommentItem `json:"comments"`
	MoreComments bool          `json:"more_comments"`

	// CommentsCursor is where list_comments goes on.
	CommentsCursor *string `json:"comments_cursor,omitempty"`
}

// CommentsInput lets a client omit the comments: they cost a request and space.
type CommentsInput struct {
	IncludeComments bool `json:"include_comments,omitzero" jsonschema:"The first ones" limits:"default=true"`
	Offset          int  `json:"offset,omitzero" jsonschema:"next_offset" limits:"min=0"`

	Cursor string `json:"-"` // of get_item, for what has lines in place of comments
}

// Shows reports whether the answer shows comments. A later part of a long text has none.
func (in CommentsInput) Shows() bool { return in.IncludeComments && in.Offset == 0 }

func (rs *Base) firstComments(ctx context.Context, item int64) (basecamp.Page[basecamp.Comment], error) {
	return basecamp.CommentsOn.Page(ctx, rs.BC, 1, item)
}

// ExpectComments starts to read an item's first comments, if the answer shows them.
func (rs *Base) ExpectComments(ctx context.Context, item int64, in CommentsInput) {
	if in.Shows() {
		listing.Expect(ctx, item, rs.firstComments)
	}
}

// discussion shows the first comments of an item, if the call asks for them and the item has some.
func (rs *Base) discussion(ctx context.Context, item basecamp.Recording, in CommentsInput) (Discussion, error) {
	if item.CommentsCount == 0 || !in.Shows() {
		return Discussion{MoreComments: item.CommentsCount > 0}, nil
	}
	var d Discussion
	comments, err := rs.firstComments(ctx, item.ID)
	if err != nil {
		return Discussion{}, err
	}
	for _, c := range comments.Items {
		v := rs.ViewComment(c)
		v.Trim(MaxComment)
		d.Comments = append(d.Comments, v)
	}
	if d.MoreComments = comments.Next > 0; d.MoreComments {
		d.CommentsCursor, err = afterComments(ctx, item.ID, comments)
	}
	return d, err
}

// afterComments returns the cursor with which list_comments goes on after the first page.
func afterComments(ctx context.Context, item int64, first basecamp.Page[basecamp.Comment]) (*string, error) {
	l := ListIn("comments", item, func(context.Context, int) (basecamp.Page[basecamp.Comment], error) { return first, nil })
	shown, err := l.Collect(ctx, listing.PageInput{Limit: len(first.Items)})
	next := l.Cursor(shown)
	return &next, err
}

// ListIn returns the list of what an item holds, with the source of its pages.
func ListIn[T interface{ Common() basecamp.Recording }](what string, item int64, pages listing.Source[T]) *listing.List[T] {
	return &listing.List[T]{
		Of:      listing.Digest(what, item),
		ID:      func(v T) int64 { return v.Common().ID },
		Sources: []listing.Source[T]{pages},
	}
}

// CommentsInto reads the first comments of an item into what shows it.
func (rs *Base) CommentsInto(d *Discussion, item basecamp.Recording, in CommentsInput) listing.Extra {
	return listing.Extra{Name: "comments", Read: func(ctx context.Context) error {
		read, err := rs.discussion(ctx, item, in)
		if err != nil {
			read.MoreComments = true // the read was sent, so the item has comments
		}
		*d = read
		return err
	}}
}

// ViewComment returns a comment as lists show it.
func (rs *Base) ViewComment(c basecamp.Comment) CommentItem {
	m := lookup.ViewMeta(c.Recording)
	return CommentItem{
		Head: lookup.Head{ID: c.ID, Type: lookup.CommentKind.Kind}, Seen: m.Seen, Content: rs.Markdown(c.Content, c.Attachments...), Attachments: ViewFiles(c.Content, c.Attachments),
		URL: m.URL, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

// Comment is a comment with the item that it is on. Comments are flat: replies go to the item too.
type Comment struct {
	CommentItem
	NextOffset int      `json:"next_offset,omitempty"`
	Item       *ActedOn `json:"item,omitempty"`
	WithBoosts
	Project lookup.ProjectRef `json:"project"`
}

// WholeComment returns a comment with its whole text.
func (rs *Base) WholeComment(c basecamp.Comment) Comment {
	return Comment{CommentItem: rs.ViewComment(c), Item: ViewHolder(c.Parent), Project: lookup.ViewBucket(c.Bucket)}
}

// ShowComment reads one comment in full. It finds out who sees it if a is not nil: a comment that
// is shown with its item needs no more than the item says.
func (rs *Base) ShowComment(ctx context.Context, id int64, in CommentsInput, a *lookup.Audience) (v Comment, left listing.Gaps, err error) {
	c, err := basecamp.CommentAt.Get(ctx, rs.BC, id)
	var cheers WithBoosts
	if err == nil && a != nil {
		left, err = listing.Extras(ctx, rs.BoostsInto(&cheers, c.Recording), a.SeenInto(&c.Recording))
	}
	if err != nil {
		return v, left, err
	}
	v = rs.WholeComment(c)
	v.WithBoosts = cheers
	v.NextOffset, err = listing.Part(&v.Content, in.Offset, &v.Truncated)
	return v, left, err
}

// commentable are the kinds that accept comments, and comments themselves: a comment stands for the
// item that it is on.
var commentable = []lookup.Kind{
	lookup.MessageKind, lookup.TodoKind, lookup.CardKind, lookup.DocumentKind, lookup.UploadKind, lookup.ListKind, lookup.EntryKind, lookup.AnswerKind, lookup.CommentKind,
}

// Commented resolves an item with comments, which an argument names. A chat line has none:
// insteadOfLine says what to do.
func (rs *Base) Commented(ctx context.Context, argument string, in lookup.ItemInput, insteadOfLine string) (lookup.Thing, error) {
	if isLine(in.Item) {
		return lookup.Thing{}, fault.Invalid(argument, "chat lines have no comments; %s", insteadOfLine)
	}
	return rs.Discussed(ctx, argument, in, commentable)
}

// Discussed resolves the item that the call means. It reads only comments, to find the item that
// they are on; the caller reads the item if it needs more than the id.
func (rs *Base) Discussed(ctx context.Context, argument string, in lookup.ItemInput, kinds []lookup.Kind) (lookup.Thing, error) {
	t, err := rs.Thing(ctx, argument, in, kinds...)
	if err != nil || t.Kind.Kind != lookup.CommentKind.Kind {
		return t, err
	}
	c, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, basecamp.CommentAt.Reader(rs.BC))
	if err != nil {
		return lookup.Thing{}, err
	}
	if c.Parent == nil {
		return lookup.Thing{}, fault.Invalid(argument, "Basecamp does not say which item this comment is on; give the URL of that item")
	}
	t.ID, t.Kind.Kind, t.In, t.Said, t.Comment = c.Parent.ID, lookup.TypeOf(c.Parent.Type), lookup.Place{ID: c.Bucket.ID}, true, c.Recording
	return t, nil
}

type listCommentsInput struct {
	lookup.ItemInput
	listing.ScrollInput
}

// CommentList is a list of comments with the item that they are on, and whether clients see them
// all. Item is nil if there are no comments.
type CommentList struct {
	Item *ActedOn `json:"item,omitempty"`
	lookup.Seen
	listing.Scroll[CommentItem]
	listing.Gaps
}

// ListComments returns the tool list_comments.
func ListComments(rs *Base) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_comments",
		Title:       "Show comments",
		Description: "Lists the comments that people left on a Basecamp item, oldest first.",
	}, func(ctx context.Context, in listCommentsInput) (CommentList, error) {
		t, err := rs.Commented(ctx, "item", in.ItemInput, "list_campfire_lines returns the lines after it")
		if err != nil {
			return CommentList{}, err
		}
		a := rs.Audience(ctx)
		if t.In.ID != 0 {
			a.ExpectClients(t.In.ID)
		}
		l := ListIn("comments", t.ID, basecamp.CommentsOn.Source(rs.BC, t.ID))
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return CommentList{}, err
		}
		var v CommentList
		if len(found.Items) > 0 { // they are all on one item
			first := found.Items[0]
			if err := onThing(t, first); err != nil {
				return CommentList{}, err
			}
			v.Item = ViewHolder(first.Parent)
			v.Gaps, err = listing.Extras(ctx, a.SeenInto(&first.Recording))
			v.Seen = lookup.ViewSeen(first.Recording)
		} else if !t.Said {
			if _, err := rs.Verified(ctx, t); err != nil {
				return CommentList{}, err
			}
		}
		l.Beside = toolanswer.Size(v.Item)
		v.Scroll = listing.Scrolled(listing.Answer(l, found, rs.ViewComment))
		return v, err
	})
}

// isLine reports whether item is a chat line, by URL or by type:id.
func isLine(item string) bool {
	if given := lookup.URLs.ParseRef(strings.TrimSpace(item)); given.URL == "" {
		word, _, _ := strings.Cut(given.Name, ":")
		return strings.EqualFold(word, lookup.LineKind.Kind)
	}
	link, err := basecamp.ParseLink(strings.TrimSpace(item))
	return err == nil && slices.Contains(lookup.LineKind.Links, link.Type)
}

// ReplyRef is an item that create_comment accepts, by its URL or as type:id. Tool is set if another
// tool replies: post_chat_line accepts a chat.
type ReplyRef struct {
	lookup.Head
	URL  string `json:"url"`
	Tool string `json:"tool,omitempty"`
}

// ReplyKind is a reply to a forwarded e-mail. No tool lists or reads it by itself.
var ReplyKind = lookup.Kind{Noun: lookup.Noun{One: "reply to an e-mail", Many: "replies to e-mails", Kind: "reply"}, Reader: "get_item"}
