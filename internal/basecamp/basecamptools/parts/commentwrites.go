package parts

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// NewComment is a comment that a call made.
type NewComment struct {
	Comment
	lookup.Reach
}

// commentAnswer holds the answer for a comment, or the one for comments.
type commentAnswer struct {
	*NewComment
	*NewComments
}

// NewComments are the comments that a call made, item by item.
type NewComments struct {
	listing.Applied[madeComment]
}

// madeComment is one of several comments that were just written.
type madeComment struct {
	lookup.Head
	lookup.Seen
	URL  string   `json:"url"`
	Item *ActedOn `json:"item,omitempty"`
	lookup.Reach
}

type createCommentInput struct {
	Item    string       `json:"item,omitzero" jsonschema:"This or items: URL, type:id (todo:123), or title" limits:"minlen=1 maxlen=2000"`
	Items   []string     `json:"items,omitzero" jsonschema:"Several" limits:"maxitems=20"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	Body    string       `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	lookup.MentionsInput
}

// CreateComment returns the tool create_comment.
func CreateComment(rs *Base) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "create_comment",
		Title: "Comment or reply",
		Description: "Leaves a comment on a Basecamp message, to-do, card, file or other item. To reply to a comment, give its URL. " +
			"Notifies the item's followers.",
		Words:  "reply to a comment",
		Effect: mcptool.Appends,
	}, func(ctx context.Context, in createCommentInput) (commentAnswer, error) {
		if err := cmp.Or(NotBlank("body", in.Body), ItemOrItems(in.Item, in.Items)); err != nil {
			return commentAnswer{}, err
		}
		if in.Items != nil {
			return rs.commentOnAll(ctx, in)
		}
		on, err := rs.planComment(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project}, in)
		if err != nil {
			return commentAnswer{}, err
		}
		beside := rs.AudienceBeside(ctx, on.Item)
		c, err := on.Post(ctx, rs.BC, on.Text.HTML)
		if err != nil {
			return commentAnswer{}, err
		}
		v := NewComment{rs.WholeComment(c), on.Reached(beside, c)}
		v.Trim(MaxWritten)
		v.Seen = v.ViewClients()
		return commentAnswer{&v, nil}, nil
	})
}

// planComment resolves an item and composes the comment on it.
func (rs *Base) planComment(ctx context.Context, argument string, item lookup.ItemInput, in createCommentInput) (CommentedThing, error) {
	t, err := rs.Commented(ctx, argument, item, "reply with post_chat_line")
	if err != nil {
		return CommentedThing{}, err
	}
	return rs.CommentOn(ctx, t, lookup.Prose{Argument: "body", Markdown: in.Body, Mentions: in.Mentions, Said: true})
}

// commentOnAll leaves the same comment on several items. It reads all of them before it writes the
// first comment.
func (rs *Base) commentOnAll(ctx context.Context, in createCommentInput) (commentAnswer, error) {
	planned, err := PlanItems(basecamp.WithSiblings(ctx, len(in.Items)), rs, in.Items, in.Project, func(ctx context.Context, path string, item lookup.ItemInput) (CommentedThing, error) {
		return rs.planComment(ctx, path, item, in)
	})
	if err != nil {
		return commentAnswer{}, err
	}
	beside := rs.Audience(ctx) // with the call's context: that of the plans has ended
	for _, on := range planned {
		beside.Know(on.Item)
	}
	beside.Start(lookup.Mapped(planned, func(on CommentedThing) basecamp.Recording { return on.Item })...)
	all, err := listing.Apply(ctx, "items", planned, listing.AnyOrder, CommentedThing.Reference, func(ctx context.Context, on CommentedThing) (madeComment, error) {
		c, err := on.Post(ctx, rs.BC, on.Text.HTML)
		if err != nil {
			return madeComment{}, err
		}
		reach := on.Reached(beside, c)
		return madeComment{lookup.Head{ID: c.ID, Type: lookup.CommentKind.Kind}, reach.ViewClients(), c.AppURL, ViewHolder(c.Parent), reach}, nil
	})
	if all.HowToGoOn != "" {
		all.HowToGoOn += ", but with another idempotency_key if you send one"
	}
	return commentAnswer{nil, &NewComments{all}}, err
}

// CommentedThing is what is known about an item that gets a comment.
type CommentedThing struct {
	thing     lookup.Thing
	Item      basecamp.Recording
	Text      lookup.Composed
	followers []basecamp.Person // Basecamp notifies them
	left      listing.Gaps
}

// Reference returns a reference that means the same item in a later call.
func (on CommentedThing) Reference() string {
	return lookup.Head{ID: on.thing.ID, Type: on.thing.Kind.Kind}.Reference()
}

// Post leaves a comment with a text on the item.
func (on CommentedThing) Post(ctx context.Context, bc *basecamp.Client, html string) (basecamp.Comment, error) {
	c, err := basecamp.CommentsOn.In(on.thing.In.ID).Post(ctx, bc, map[string]any{"content": html}, on.thing.ID)
	return c, notThere(on.thing, err)
}

// Reached says who sees a comment, and whom it notified.
func (on CommentedThing) Reached(a *lookup.Audience, c basecamp.Comment) lookup.Reach {
	return a.Created(c.Recording, on.Text, on.followers...).Without(on.left)
}

// CommentOn verifies the item and composes the comment. At the same time it reads the people who
// follow the item.
func (rs *Base) CommentOn(ctx context.Context, t lookup.Thing, p lookup.Prose) (on CommentedThing, err error) {
	on.thing, on.Item = t, t.Comment
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if !t.Said { // else Basecamp has already named the item
				if on.Item, err = rs.itemToChange(ctx, t); err != nil {
					return err
				}
			}
			p.Project = on.Item.Bucket.ID
			if err = rs.BC.PermitWrite(ctx, p.Project); err == nil {
				on.Text, err = rs.Compose(ctx, p)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			on.left, err = listing.Extras(ctx, rs.SubscribersInto(&on.followers, t.In.ID, t.ID))
			return err
		},
	)
	return on, err
}

// itemToChange reads the item to verify its kind, because Basecamp accepts a comment on any
// recording with the id.
func (rs *Base) itemToChange(ctx context.Context, t lookup.Thing) (basecamp.Recording, error) {
	item, err := rs.Verified(ctx, t)
	if err == nil {
		err = lookup.NotPutAway("item", item)
	}
	return item, err
}

// ActedOn is an item in brief, in the answer of a tool that does something to it or in it.
type ActedOn struct {
	lookup.Head
	Title string `json:"title"`
	URL   string `json:"url"`
}

// ViewHolder returns what holds a comment or a subtask, or nil.
func ViewHolder(p *basecamp.Parent) *ActedOn {
	if p == nil {
		return nil
	}
	return &ActedOn{lookup.Head{ID: p.ID, Type: lookup.TypeOf(p.Type)}, plaintext.Clean(p.Title), p.AppURL}
}

// itemToActOn finds and reads the item of such a tool. It may be of any kind but a project.
func (rs *Base) itemToActOn(ctx context.Context, in lookup.ItemInput) (basecamp.Recording, ActedOn, error) {
	t, err := rs.Thing(ctx, "item", in, lookup.ItemKinds[1:]...)
	if err != nil {
		return basecamp.Recording{}, ActedOn{}, err
	}
	item, err := rs.itemToChange(ctx, t)
	return item, ActedOn{lookup.Head{ID: item.ID, Type: t.Kind.Kind}, plaintext.Clean(item.Title), item.AppURL}, err
}
