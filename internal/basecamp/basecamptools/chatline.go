package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

// postedLine is a new line in a chat or in a ping.
type postedLine struct {
	chatLine
	Ping *pingHead `json:"ping,omitempty"`
	lookup.Reach
}

type postChatLineInput struct {
	To   toolargs.Refs `json:"to" jsonschema:"People to ping, or one project or chat" limits:"maxitems=20"`
	Chat toolargs.Ref  `json:"chat,omitzero" jsonschema:"If a project has several"`
	Text string        `json:"text" jsonschema:"Markdown" limits:"minlen=1 maxlen=50000"`
	lookup.MentionsInput
}

func postChatLine(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "post_chat_line",
		Title:       "Ping people or say something in a chat",
		Description: "Sends a line: privately to people (a ping, which it finds or starts), or to the team's chat (Campfire) in a Basecamp project.",
		Effect:      mcptool.Appends,
	}, func(ctx context.Context, in postChatLineInput) (postedLine, error) {
		if err := notBlank("text", in.Text); err != nil {
			return postedLine{}, err
		}
		to, err := rs.addressee(ctx, in.To, in.Chat)
		if err != nil {
			return postedLine{}, err
		}
		if to.project != 0 {
			return rs.sayInChat(ctx, to, in)
		}
		return rs.sayInPing(ctx, to, in)
	})
}

func (rs *resolver) sayInChat(ctx context.Context, to addressee, in postChatLineInput) (postedLine, error) {
	fields, text, err := rs.lineFields(ctx, lookup.Prose{Project: to.project, Markdown: in.Text, Mentions: in.Mentions})
	if err != nil {
		return postedLine{}, err
	}
	beside := rs.AudienceBeside(ctx, lineIn(to.project, to.chat))
	said, err := rs.BC.CreateChatLine(ctx, to.chat, fields)
	if err != nil {
		return postedLine{}, err
	}
	return viewPosted(said, nil, beside.Created(said.Recording, text)), nil
}

// sayInPing finds or starts the ping, and sends the line only if it is with exactly the people whom
// the caller named: Basecamp leaves out people without saying so.
func (rs *resolver) sayInPing(ctx context.Context, to addressee, in postChatLineInput) (postedLine, error) {
	fields, text, err := rs.lineFields(ctx, lookup.Prose{InPing: append(to.people, to.me), Markdown: in.Text, Mentions: in.Mentions})
	if err != nil {
		return postedLine{}, err
	}
	ping := to.ping
	if ping.ID == 0 {
		if ping, err = rs.BC.StartPing(ctx, lookup.PersonIDs(to.people)); err != nil {
			return postedLine{}, notPinged(err)
		}
		if err := checkPeople(to, ping); err != nil {
			return postedLine{}, err
		}
	}
	said, err := rs.BC.CreateChatLine(ctx, ping.Chat(), fields)
	if err != nil {
		return postedLine{}, err
	}
	return viewPosted(said, viewPing(ping, to.me.ID), lookup.InPing(to.me.ID, ping.People, text)), nil
}

func viewPosted(said basecamp.ChatLine, in *pingHead, reached lookup.Reach) postedLine {
	v := viewLine(said)
	v.Trim(maxWritten)
	v.Seen = reached.ViewClients()
	return postedLine{v, in, reached}
}

// lineFields returns the line as Basecamp expects it: plain text, or rich text if the text needs
// it.
func (rs *resolver) lineFields(ctx context.Context, p lookup.Prose) (basecamp.NewChatLine, lookup.Composed, error) {
	p.Argument = "text"
	if lines := richtext.FileLines(p.Markdown, ""); len(lines) > 0 {
		return basecamp.NewChatLine{}, lookup.Composed{}, fault.Invalid("text", "a chat line cannot hold the file in the line %s; attach it to an item with upload_file, or put the line into backticks", lookup.ShownLine(lines[0]))
	}
	text, err := rs.Compose(ctx, p)
	if len(text.Mentioned) == 0 && richtext.IsPlain(p.Markdown) {
		return basecamp.NewChatLine{Content: lookup.Plainly(p.Markdown)}, text, err
	}
	return basecamp.NewChatLine{Content: text.HTML, Type: basecamp.HTMLLine}, text, err
}
