package tools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
)

// maxComment is how much of a comment is shown below its item, in characters.
const maxComment = 4000

// commentItem is a comment as its item shows it; the project is the item's.
type commentItem struct {
	head
	Content   string    `json:"content"`
	Truncated bool      `json:"truncated,omitempty"`
	URL       string    `json:"url"`
	Author    person    `json:"author"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// discussion is the first page of an item's comments, oldest first.
type discussion struct {
	Comments     []commentItem `json:"comments"`
	MoreComments bool          `json:"more_comments"`
}

// commentsInput lets a reader do without the comments, which cost a request and their length.
type commentsInput struct {
	IncludeComments bool `json:"include_comments,omitzero" jsonschema:"Also give the first page of comments" limits:"default=true"`
	Offset          int  `json:"offset,omitzero" jsonschema:"Where to go on in a long text: next_offset of the previous answer" limits:"min=0"`
}

// discussion reads an item's comments if they are wanted, and there are any. A later part of a long text comes without.
func (ws *workspace) discussion(ctx context.Context, item basecamp.Recording, in commentsInput) (discussion, error) {
	if item.CommentsCount == 0 || !in.IncludeComments || in.Offset > 0 {
		return discussion{MoreComments: item.CommentsCount > 0}, nil
	}
	var d discussion
	comments, err := ws.bc.Comments(ctx, item.ID, 1)
	if err != nil {
		return discussion{}, err
	}
	for _, c := range comments.Items {
		d.Comments = append(d.Comments, ws.viewComment(c))
	}
	d.MoreComments = comments.Next > 0
	return d, nil
}

func (ws *workspace) viewComment(c basecamp.Comment) commentItem {
	m := viewMeta(c.Recording)
	v := commentItem{
		head: head{c.ID, "comment"}, Content: ws.markdown(c.Content),
		URL: m.URL, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
	excerpt(&v.Content, maxComment, &v.Truncated)
	return v
}
