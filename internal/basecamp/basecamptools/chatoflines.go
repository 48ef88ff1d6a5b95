package basecamptools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// chatOf returns the hint to the chat of a line.
func chatOf(line int64) hint { return hint{of: "chat", item: line} }

// learnChat keeps the chat of a line that an answer showed. It ignores other items.
func (rs *resolver) learnChat(ctx context.Context, r basecamp.Recording) {
	if typeOf(r.Type) == lineKind.kind && r.Parent != nil {
		rs.learn(ctx, chatOf(r.ID), r.Parent.ID)
	}
}

// maxChats is the number of chats in which one call looks for a line.
const maxChats = 30

// inItsChat adds the chat to a chat line that is known only by its ID. Basecamp reads a line only
// through its chat, so it asks the chat of which an answer told, or each chat of the user's
// projects.
func (rs *resolver) inItsChat(ctx context.Context, t thing) (thing, error) {
	if t.kind.kind != lineKind.kind || t.link.Within != 0 {
		return t, nil
	}
	chats := rs.hinted(ctx, chatOf(t.id))
	if len(chats) == 0 {
		projects, _, err := rs.projectList(ctx, active, remembered)
		if err != nil {
			return t, err
		}
		chats = enabledChats(projects)
	}
	looked := chats[:min(maxChats, len(chats))]
	holds, err := listing.InParallel(ctx, looked, func(ctx context.Context, id int64) (bool, error) {
		_, err := rs.bc.ChatLine(ctx, id, t.id)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return t, err
	}
	i := slices.Index(holds, true)
	if i < 0 {
		return t, fault.Invalid(t.argument, "there is no chat line %d in the %d chats that were looked through; give the url of the line, which search and list_campfire_lines {detail: full} return", t.id, len(looked))
	}
	t.link = basecamp.Link{Type: lineKind.links[0], ID: t.id, Within: looked[i]}
	return t, nil
}

// enabledChats returns the chats of projects.
func enabledChats(projects []basecamp.Project) (ids []int64) {
	for _, p := range projects {
		for _, d := range p.Dock {
			if d.Name == chat.kind && d.Enabled {
				ids = append(ids, d.ID)
			}
		}
	}
	return ids
}
