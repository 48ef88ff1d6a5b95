package basecamptools

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolanswer"
)

const (
	maxComment = 4000 // characters of a comment that is shown with its item
	maxWritten = 500  // characters of a text in the answer of a tool that wrote it
)

// commentItem is a comment in the view of its item. The item shows the project.
type commentItem struct {
	lookup.Head
	lookup.Seen
	Content     string        `json:"content"`
	Truncated   bool          `json:"truncated,omitempty"`
	Attachments []file        `json:"content_attachments,omitempty"`
	URL         string        `json:"url"`
	Author      lookup.Person `json:"author"`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
}

func (c *commentItem) Trim(characters int) { listing.Excerpt(&c.Content, characters, &c.Truncated) }

// discussion is the first page of an item's comments, oldest first.
type discussion struct {
	Comments     []commentItem `json:"comments"`
	MoreComments bool          `json:"more_comments"`

	// CommentsCursor is where list_comments goes on.
	CommentsCursor *string `json:"comments_cursor,omitempty"`
}

// commentsInput lets a client omit the comments: they cost a request and space.
type commentsInput struct {
	IncludeComments bool `json:"include_comments,omitzero" jsonschema:"The first ones" limits:"default=true"`
	Offset          int  `json:"offset,omitzero" jsonschema:"next_offset" limits:"min=0"`

	cursor string // of get_item, for what has lines in place of comments
}

// shows reports whether the answer shows comments. A later part of a long text has none.
func (in commentsInput) shows() bool { return in.IncludeComments && in.Offset == 0 }

func (rs *resolver) firstComments(ctx context.Context, item int64) (basecamp.Page[basecamp.Comment], error) {
	return rs.BC.Comments(ctx, item, 1)
}

// expectComments starts to read an item's first comments, if the answer shows them.
func (rs *resolver) expectComments(ctx context.Context, item int64, in commentsInput) {
	if in.shows() {
		lookup.Expect(ctx, item, rs.firstComments)
	}
}

// discussion shows the first comments of an item, if the call asks for them and the item has some.
func (rs *resolver) discussion(ctx context.Context, item basecamp.Recording, in commentsInput) (discussion, error) {
	if item.CommentsCount == 0 || !in.shows() {
		return discussion{MoreComments: item.CommentsCount > 0}, nil
	}
	var d discussion
	comments, err := rs.firstComments(ctx, item.ID)
	if err != nil {
		return discussion{}, err
	}
	for _, c := range comments.Items {
		v := rs.viewComment(c)
		v.Trim(maxComment)
		d.Comments = append(d.Comments, v)
	}
	if d.MoreComments = comments.Next > 0; d.MoreComments {
		d.CommentsCursor, err = afterComments(ctx, item.ID, comments)
	}
	return d, err
}

// afterComments returns the cursor with which list_comments goes on after the first page.
func afterComments(ctx context.Context, item int64, first basecamp.Page[basecamp.Comment]) (*string, error) {
	l := listIn("comments", item, func(context.Context, int64, int) (basecamp.Page[basecamp.Comment], error) { return first, nil })
	shown, err := l.Collect(ctx, listing.PageInput{Limit: len(first.Items)})
	next := l.Cursor(shown)
	return &next, err
}

// listIn returns the list of what an item holds, with a function that reads its pages.
func listIn[T interface{ Common() basecamp.Recording }](what string, item int64, read func(context.Context, int64, int) (basecamp.Page[T], error)) *listing.List[T] {
	return &listing.List[T]{
		Of:      listing.Digest(what, item),
		ID:      func(v T) int64 { return v.Common().ID },
		Sources: []listing.Source[T]{listing.SourceOf(read, item)},
	}
}

func (rs *resolver) commentsInto(d *discussion, item basecamp.Recording, in commentsInput) lookup.Extra {
	return lookup.Extra{Name: "comments", Read: func(ctx context.Context) error {
		read, err := rs.discussion(ctx, item, in)
		if err != nil {
			read.MoreComments = true // the read was sent, so the item has comments
		}
		*d = read
		return err
	}}
}

func (rs *resolver) viewComment(c basecamp.Comment) commentItem {
	m := lookup.ViewMeta(c.Recording)
	return commentItem{
		Head: lookup.Head{ID: c.ID, Type: lookup.CommentKind.Kind}, Seen: m.Seen, Content: rs.Markdown(c.Content, c.Attachments...), Attachments: viewFiles(c.Content, c.Attachments),
		URL: m.URL, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

// comment is a comment with the item that it is on. Comments are flat: replies go to the item too.
type comment struct {
	commentItem
	NextOffset int          `json:"next_offset,omitempty"`
	Item       *commentedOn `json:"item,omitempty"`
	boosts
	Project lookup.ProjectRef `json:"project"`
}

type commentedOn struct {
	lookup.Head
	Title string `json:"title"`
	URL   string `json:"url"`
}

func viewCommentedOn(c basecamp.Comment) *commentedOn {
	if c.Parent == nil {
		return nil
	}
	return &commentedOn{lookup.Head{ID: c.Parent.ID, Type: lookup.TypeOf(c.Parent.Type)}, plaintext.Clean(c.Parent.Title), c.Parent.AppURL}
}

func (rs *resolver) wholeComment(c basecamp.Comment) comment {
	return comment{commentItem: rs.viewComment(c), Item: viewCommentedOn(c), Project: lookup.ViewBucket(c.Bucket)}
}

// showComment reads one comment in full. It finds out who sees it if a is not nil: a comment that
// is shown with its item needs no more than the item says.
func (rs *resolver) showComment(ctx context.Context, id int64, in commentsInput, a *lookup.Audience) (v comment, left lookup.Gaps, err error) {
	c, err := rs.BC.Comment(ctx, id)
	var cheers boosts
	if err == nil && a != nil {
		left, err = lookup.Extras(ctx, rs.boostsInto(&cheers, c.Recording), a.SeenInto(&c.Recording))
	}
	if err != nil {
		return v, left, err
	}
	v = rs.wholeComment(c)
	v.boosts = cheers
	v.NextOffset, err = lookup.Part(&v.Content, in.Offset, &v.Truncated)
	return v, left, err
}

// commentable are the kinds that accept comments, and comments themselves: a comment stands for the
// item that it is on.
var commentable = []lookup.Kind{
	lookup.MessageKind, lookup.TodoKind, lookup.CardKind, lookup.DocumentKind, lookup.UploadKind, lookup.ListKind, lookup.EntryKind, lookup.AnswerKind, lookup.CommentKind,
}

// commented resolves an item with comments, which an argument names. A chat line has none:
// insteadOfLine says what to do.
func (rs *resolver) commented(ctx context.Context, argument string, in lookup.ItemInput, insteadOfLine string) (lookup.Thing, error) {
	if isLine(in.Item) {
		return lookup.Thing{}, fault.Invalid(argument, "chat lines have no comments; %s", insteadOfLine)
	}
	return rs.discussed(ctx, argument, in, commentable)
}

// discussed resolves the item that the call means. It reads only comments, to find the item that
// they are on; the caller reads the item if it needs more than the id.
func (rs *resolver) discussed(ctx context.Context, argument string, in lookup.ItemInput, kinds []lookup.Kind) (lookup.Thing, error) {
	t, err := rs.Thing(ctx, argument, in, kinds...)
	if err != nil || t.Kind.Kind != lookup.CommentKind.Kind {
		return t, err
	}
	c, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, rs.BC.Comment)
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

// commentList is a list of comments with the item that they are on, and whether clients see them
// all. Item is nil if there are no comments.
type commentList struct {
	Item *commentedOn `json:"item,omitempty"`
	lookup.Seen
	listing.Scroll[commentItem]
	lookup.Gaps
}

func listComments(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_comments",
		Title:       "Show comments",
		Description: "Lists the comments that people left on a Basecamp item, oldest first.",
	}, func(ctx context.Context, in listCommentsInput) (commentList, error) {
		t, err := rs.commented(ctx, "item", in.ItemInput, "list_campfire_lines returns the lines after it")
		if err != nil {
			return commentList{}, err
		}
		a := rs.Audience(ctx)
		if t.In.ID != 0 {
			a.ExpectClients(t.In.ID)
		}
		l := listIn("comments", t.ID, rs.BC.Comments)
		found, err := l.Collect(ctx, in.Paging())
		if err != nil {
			return commentList{}, err
		}
		var v commentList
		if len(found.Items) > 0 { // they are all on one item
			first := found.Items[0]
			if err := onThing(t, first); err != nil {
				return commentList{}, err
			}
			v.Item = viewCommentedOn(first)
			v.Gaps, err = lookup.Extras(ctx, a.SeenInto(&first.Recording))
			v.Seen = lookup.ViewSeen(first.Recording)
		} else if !t.Said {
			if _, err := rs.verified(ctx, t); err != nil {
				return commentList{}, err
			}
		}
		l.Beside = toolanswer.Size(v.Item)
		v.Scroll = listing.Scrolled(listing.Answer(l, found, rs.viewComment))
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
