package tools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

type listMessagesInput struct {
	Project mcptool.Ref `json:"project_id" jsonschema:"Project: id, name or URL"`
	Board   mcptool.Ref `json:"message_board_id,omitzero" jsonschema:"Only where a project has several message boards: which one, by id or title"`
	Sort    string      `json:"sort,omitzero" jsonschema:"Order" limits:"enum=newest|oldest|updated default=newest"`
	pageInput
}

type messageItem struct {
	head
	Subject      string `json:"subject"`
	Content      string `json:"content"`
	Truncated    bool   `json:"truncated,omitempty"`
	RepliesCount int    `json:"replies_count"`
	meta
}

func (m *messageItem) trim(characters int) {
	excerpt(&m.Content, characters, &m.Truncated)
	excerpt(&m.Subject, characters, &m.Truncated)
}

var orders = map[string]basecamp.Order{"newest": basecamp.Newest, "oldest": basecamp.Oldest, "updated": basecamp.Updated}

func listMessages(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_messages",
		Title:       "List messages",
		Description: "Lists the posts of a Basecamp project's message board: id, subject, Markdown content, author, replies_count. Read one with its comments by get_message.",
	}, func(ctx context.Context, in listMessagesInput) (page[messageItem], error) {
		project, err := ws.project(ctx, "project_id", in.Project)
		if err != nil {
			return page[messageItem]{}, err
		}
		board, err := ws.dock(ctx, project, messageBoard, in.Board)
		if err != nil {
			return page[messageItem]{}, err
		}
		l := &listing[basecamp.Message]{
			of:      digest("messages", board.ID, in.Sort),
			id:      func(m basecamp.Message) int64 { return m.ID },
			sources: []source[basecamp.Message]{ws.messages(board.ID, orders[in.Sort])},
		}
		found, err := l.collect(ctx, in.pageInput)
		if err != nil {
			return page[messageItem]{}, err
		}
		return answer(l, found, ws.viewMessage), nil
	})
}

func (ws *workspace) messages(board int64, order basecamp.Order) source[basecamp.Message] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Message], error) {
		return ws.bc.Messages(ctx, board, order, page)
	}
}

func (ws *workspace) viewMessage(m basecamp.Message) messageItem {
	return messageItem{
		head:         head{m.ID, "message"},
		Subject:      richtext.Clean(m.Subject),
		Content:      ws.markdown(m.Content),
		RepliesCount: m.CommentsCount,
		meta:         viewMeta(m.Recording),
	}
}

type getMessageInput struct {
	Message mcptool.Ref `json:"message_id" jsonschema:"Message: id (from list_messages), URL, or subject together with project_id"`
	Project mcptool.Ref `json:"project_id,omitzero" jsonschema:"Project it must be in: id, name or URL"`
	commentsInput
}

type message struct {
	messageItem
	NextOffset    int    `json:"next_offset,omitempty"`
	Status        string `json:"status"`
	Attachments   []file `json:"content_attachments"`
	CommentsCount int    `json:"comments_count"`
	discussion
}

func getMessage(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_message",
		Title: "Read a message",
		Description: "Reads one Basecamp message in full, as Markdown, with the files in it (content_attachments) and its first page of comments. " +
			"A very long text comes in parts (next_offset).",
	}, func(ctx context.Context, in getMessageInput) (message, error) {
		id, project, err := ws.item(ctx, messageKind, in.Message, in.Project)
		if err != nil {
			return message{}, err
		}
		m, err := ws.bc.Message(ctx, id)
		if err != nil {
			return message{}, err
		}
		if err := project.holds(m.Recording, messageKind); err != nil {
			return message{}, err
		}
		comments, err := ws.discussion(ctx, m.Recording, in.commentsInput)
		if err != nil {
			return message{}, err
		}
		v := message{
			messageItem:   ws.viewMessage(m),
			Status:        m.Status,
			Attachments:   viewFiles(m.Attachments),
			CommentsCount: m.CommentsCount,
			discussion:    comments,
		}
		v.NextOffset, err = part(&v.Content, in.Offset, &v.Truncated)
		return v, err
	})
}
