// Package texts holds the tools of messages, forwarded e-mails, chats and check-ins.
package texts

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

type listMessagesInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Board   toolargs.Ref `json:"message_board_id,omitzero" jsonschema:"If there are several"`
	Sort    string       `json:"sort,omitzero" jsonschema:"Order" limits:"enum=newest|oldest|updated default=newest"`
	listing.PageInput
}

// MessageItem is a message as lists show it.
type MessageItem struct {
	lookup.Head
	Subject      string      `json:"subject"`
	Content      string      `json:"content" compact:"keep"`
	Truncated    bool        `json:"truncated,omitempty"`
	Category     *lookup.Ref `json:"category,omitempty"`
	RepliesCount int         `json:"replies_count" compact:"keep"`
	lookup.Meta  `compact:"url author:name+email created_at"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (m *MessageItem) Trim(characters int) {
	listing.Trim(characters, &m.Truncated, &m.Content, &m.Subject)
}

var orders = map[string]url.Values{
	"newest": basecamp.Sorted("created_at", "desc"), "oldest": basecamp.Sorted("created_at", "asc"), "updated": basecamp.Sorted("updated_at", "desc"),
}

// ListMessages returns the tool list_messages.
func ListMessages(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_messages",
		Title:       "List messages",
		Description: "Lists what was posted on a Basecamp project's message board: id, subject, Markdown content, author, replies_count.",
	}, func(ctx context.Context, in listMessagesInput) (listing.Page[MessageItem], error) {
		project, err := rs.Project(ctx, "project_id", in.Project)
		if err != nil {
			return listing.Page[MessageItem]{}, err
		}
		board, err := rs.Dock(ctx, project, lookup.MessageBoard, in.Board)
		if err != nil {
			return listing.Page[MessageItem]{}, err
		}
		l := &listing.List[basecamp.Message]{
			Of:      listing.Digest("messages", board.ID, in.Sort),
			ID:      func(m basecamp.Message) int64 { return m.ID },
			Sources: []listing.Source[basecamp.Message]{basecamp.MessagesIn.Where(orders[in.Sort]).Source(rs.BC, board.ID)},
		}
		found, err := l.Collect(ctx, in.PageInput)
		return listing.Answer(l, found, rs.viewMessage), err
	})
}

func (rs *Resolver) viewMessage(m basecamp.Message) MessageItem {
	v := MessageItem{
		Head:         lookup.Head{ID: m.ID, Type: lookup.MessageKind.Kind},
		Subject:      plaintext.Clean(m.Subject),
		Content:      rs.Markdown(m.Content, m.Attachments...),
		RepliesCount: m.CommentsCount,
		Meta:         lookup.ViewMeta(m.Recording),
	}
	if m.Category != nil {
		v.Category = &lookup.Ref{ID: m.Category.ID, Name: plaintext.Clean(m.Category.Name)}
	}
	return v
}

type getMessageInput struct {
	Message toolargs.Ref `json:"message_id" jsonschema:"Id from list_messages, URL or subject"`
	Project toolargs.Ref `json:"project_id,omitzero" jsonschema:"Project of the title"`
	parts.PartInput
	IncludeComments bool `json:"include_comments,omitzero" jsonschema:"The first ones" limits:"default=true"`
}

// Message is a message with its text and first comments.
type Message struct {
	MessageItem
	parts.FoundText
	NextOffset    int          `json:"next_offset,omitempty"`
	Status        string       `json:"status"`
	Attachments   []parts.File `json:"content_attachments,omitempty"`
	CommentsCount int          `json:"comments_count"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps
}

// GetMessage returns the tool get_message.
func GetMessage(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_message",
		Title:       "Read a message",
		Description: "Opens a Basecamp message in full as Markdown, with its files (content_attachments) and discussion.",
	}, func(ctx context.Context, in getMessageInput) (Message, error) {
		if err := in.Check(); err != nil {
			return Message{}, err
		}
		comments := parts.CommentsInput{IncludeComments: in.IncludeComments && in.Find == "", Offset: in.Offset}
		id, where, err := rs.Item(ctx, lookup.MessageKind, in.Message, in.Project)
		if err != nil {
			return Message{}, err
		}
		return rs.messageIn(ctx, where, id, comments, in.PartInput)
	})
}

// ShowMessage reads a message with its first comments.
func (rs *Resolver) ShowMessage(ctx context.Context, id int64, in parts.CommentsInput) (Message, error) {
	return rs.messageIn(ctx, lookup.Place{}, id, in, parts.PartInput{Offset: in.Offset})
}

func (rs *Resolver) messageIn(ctx context.Context, where lookup.Place, id int64, in parts.CommentsInput, part parts.PartInput) (Message, error) {
	rs.ExpectComments(ctx, id, in)
	m, err := lookup.ReadIn(ctx, where, lookup.MessageKind, id, basecamp.MessageAt.Reader(rs.BC))
	if err != nil {
		return Message{}, err
	}
	v := Message{
		MessageItem:   rs.viewMessage(m),
		Status:        m.Status,
		Attachments:   parts.ViewFiles(m.Content, m.Attachments),
		CommentsCount: m.CommentsCount,
	}
	if v.Gaps, err = listing.Extras(ctx, rs.CommentsInto(&v.Discussion, m.Recording, in), rs.BoostsInto(&v.WithBoosts, m.Recording)); err != nil {
		return Message{}, err
	}
	v.NextOffset, err = part.Show(ctx, &v.Content, &v.Truncated, &v.FoundText)
	return v, err
}

type createMessageInput struct {
	Project  toolargs.Ref  `json:"project" jsonschema:"Id, name or URL"`
	Board    toolargs.Ref  `json:"board,omitzero" jsonschema:"If there are several"`
	Subject  string        `json:"subject" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Body     string        `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	Category toolargs.Ref  `json:"category,omitzero" jsonschema:"A message type of the project"`
	Draft    bool          `json:"draft,omitzero" jsonschema:"Only you see it" limits:"default=false"`
	Notify   toolargs.Refs `json:"notify,omitzero" jsonschema:"everyone, none (default), or people" limits:"maxitems=100"`
	parts.ClientsInput
	lookup.MentionsInput
}

// WrittenMessage is a message that a call made.
type WrittenMessage struct {
	MessageItem
	Status string `json:"status"`
	lookup.Reach
}

// CreateMessage returns the tool create_message.
func CreateMessage(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "create_message",
		Title: "Post a message",
		Description: "Posts a status update, announcement or other message on a Basecamp project's message board. Notifies only whom it " +
			"mentions, unless notify is set.",
		Words:  "post a message, announce something, announcement",
		Effect: mcptool.Creates,
	}, func(ctx context.Context, in createMessageInput) (WrittenMessage, error) {
		draft, board, err := rs.newMessage(ctx, in)
		if err != nil {
			return WrittenMessage{}, err
		}
		posted, reach, err := parts.Make(ctx, rs.Base, draft, basecamp.MessagesIn, board)
		if err != nil {
			return WrittenMessage{}, err
		}
		v := WrittenMessage{rs.viewMessage(posted), posted.Status, reach}
		v.Seen = v.ViewClients()
		v.Trim(parts.MaxWritten)
		return v, nil
	})
}

// newMessage returns a message that is ready to be posted, and its board.
func (rs *Resolver) newMessage(ctx context.Context, in createMessageInput) (d parts.Draft, board int64, err error) {
	if err := cmp.Or(parts.NotBlank("subject", in.Subject), parts.NotBlank("body", in.Body)); err != nil {
		return d, 0, err
	}
	project, err := rs.Project(ctx, "project", in.Project)
	if err != nil {
		return d, 0, err
	}
	named := lookup.MessageBoard
	named.Argument = "board"
	on, err := rs.Dock(ctx, project, named, in.Board)
	if err != nil {
		return d, 0, err
	}
	d = parts.Draft{
		Project: project.ID, Clients: in.ClientsInput, Body: map[string]any{"subject": lookup.Plainly(in.Subject), "status": parts.StatusOf(in.Draft)},
	}
	var category int64
	err = listing.Together(ctx,
		func(ctx context.Context) error {
			notified, ids, err := rs.ToNotify(ctx, in.Notify, project.ID)
			if err == nil {
				err = rs.Draft(ctx, &d, "content", lookup.Prose{Argument: "body", Markdown: in.Body, Mentions: in.Mentions, Said: true})
			}
			if d.Notified = notified; err != nil || ids != nil {
				d.Body["subscriptions"] = ids
				return err
			}
			d.Gaps, err = listing.Extras(ctx, listing.Into("notified", &d.Notified, func(ctx context.Context) ([]basecamp.Person, error) {
				return rs.People(ctx, project.ID, memo.Life)
			}))
			return err
		},
		func(ctx context.Context) (err error) {
			category, err = rs.Category(ctx, project.ID, in.Category)
			return err
		},
	)
	if category != 0 {
		d.Body["category_id"] = category
	}
	return d, on.ID, err
}

// ToNotify returns the people that the caller chose to notify of a message, and their ids. Nil ids
// mean everyone on the project; an empty list means no one.
func (rs *Resolver) ToNotify(ctx context.Context, who toolargs.Refs, project int64) ([]basecamp.Person, []int64, error) {
	isWord := func(r toolargs.Ref) bool {
		return strings.EqualFold(r.Name, "everyone") || strings.EqualFold(r.Name, "none")
	}
	switch {
	case len(who) > 1 && slices.ContainsFunc(who, isWord):
		return nil, nil, fault.Invalid("notify", "must be everyone, none or a list of people")
	case len(who) == 0 || strings.EqualFold(who[0].Name, "none"):
		return nil, []int64{}, nil
	case isWord(who[0]):
		return nil, nil, nil
	}
	people, err := rs.Persons(ctx, "notify", who, project)
	return people, lookup.PersonIDs(people), err
}

var categoryNoun = lookup.Noun{One: "message type", Many: "message types", Kind: "category"}

// Category resolves a message type to its id in a project. It returns 0 if no type is named.
func (rs *Resolver) Category(ctx context.Context, project int64, named toolargs.Ref) (int64, error) {
	if named.IsZero() {
		return 0, nil
	}
	categories, err := basecamp.CategoriesIn.All(ctx, rs.BC, project)
	if err != nil {
		return 0, err
	}
	found, err := lookup.Choice[basecamp.Category]{
		Argument: "category", Noun: categoryNoun, Items: categories,
		Name: func(c basecamp.Category) string { return c.Name },
		ID:   func(c basecamp.Category) int64 { return c.ID },
		Few:  true,
	}.ByRef(named)
	return found.ID, err
}
