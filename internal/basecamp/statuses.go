package basecamp

import (
	"context"
	"fmt"
	"net/http"
)

// itemPlaces is where items are read, by what this server calls their kinds. A chat line is read through its chat.
var itemPlaces = map[string]string{
	"message":        "messages/%d.json",
	"comment":        "comments/%d.json",
	"todolist":       "todolists/%d.json",
	"todo":           "todos/%d.json",
	"subtask":        "subtasks/%d.json",
	"document":       "documents/%d.json",
	"folder":         "vaults/%d.json",
	"upload":         "uploads/%d.json",
	"question":       "questions/%d.json",
	"answer":         "question_answers/%d.json",
	"schedule_entry": "schedule_entries/%d.json",
	"card":           "card_tables/cards/%d.json",
	"forward":        "inbox_forwards/%d.json",
}

// Item reads what an item of a kind, such as todo or schedule_entry, has in common with all others. NOT_FOUND when what has
// that id is of another kind.
func (c *Client) Item(ctx context.Context, kind string, id int64) (Recording, error) {
	place, ok := itemPlaces[kind]
	if !ok {
		return Recording{}, fmt.Errorf("read %s %d: there is no place for its kind", kind, id)
	}
	return get[Recording](ctx, c, at(kind, id, place))
}

// ChatLineItem reads what a line of a chat has in common with other items.
func (c *Client) ChatLineItem(ctx context.Context, chat, line int64) (Recording, error) {
	return get[Recording](ctx, c, request{path: fmt.Sprintf("chats/%d/lines/%d.json", chat, line), about: about("chat_line", line)})
}

// SetStatus archives, trashes or restores an item of any kind: archived, trashed or active.
func (c *Client) SetStatus(ctx context.Context, id int64, status string) error {
	r := at("item", id, "recordings/%d/status/"+status+".json")
	_, err := send[struct{}](ctx, c, http.MethodPut, r, nil)
	return err
}
