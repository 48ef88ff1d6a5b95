package basecamp

import (
	"context"
	"fmt"
	"net/http"
)

// Comment is what somebody said under an item. Comments are flat: a reply is another comment of the same parent.
type Comment struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Comments lists the active comments of any item, oldest first.
func (c *Client) Comments(ctx context.Context, recording int64, page int) (Page[Comment], error) {
	return list[Comment](ctx, c, at("item", recording, "recordings/%d/comments.json"), page)
}

// Comment is one comment in full.
func (c *Client) Comment(ctx context.Context, id int64) (Comment, error) {
	return get[Comment](ctx, c, at("comment", id, "comments/%d.json"))
}

// CreateComment comments on an item. When the project is known, 0 is not, an item outside of it is not found: flat routes
// find it all the same (W-17).
func (c *Client) CreateComment(ctx context.Context, project, item int64, content string) (Comment, error) {
	r := at("item", item, "recordings/%d/comments.json")
	if project != 0 {
		r.path = fmt.Sprintf("buckets/%d/", project) + r.path
	}
	return send[Comment](ctx, c, http.MethodPost, r, commentContent{content})
}

// UpdateComment replaces the text of a comment and gives it as it then is.
func (c *Client) UpdateComment(ctx context.Context, id int64, content string) (Comment, error) {
	return send[Comment](ctx, c, http.MethodPut, at("comment", id, "comments/%d.json"), commentContent{content})
}

type commentContent struct {
	Content string `json:"content"`
}

// commentable are the places of what can be commented on.
var commentable = map[string]string{
	"message":        "messages/%d.json",
	"todolist":       "todolists/%d.json",
	"todo":           "todos/%d.json",
	"card":           "card_tables/cards/%d.json",
	"document":       "documents/%d.json",
	"upload":         "uploads/%d.json",
	"schedule_entry": "schedule_entries/%d.json",
	"answer":         "question_answers/%d.json",
}

// Commentable is what an item of a kind, such as todo or schedule_entry, has in common with all that can be commented on.
func (c *Client) Commentable(ctx context.Context, kind string, id int64) (Recording, error) {
	place, ok := commentable[kind]
	if !ok {
		return Recording{}, fmt.Errorf("read %s %d: its kind takes no comments", kind, id)
	}
	return get[Recording](ctx, c, at(kind, id, place))
}
