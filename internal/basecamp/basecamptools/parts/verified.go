package parts

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/memo"
)

// Verified reads the item and checks its kind. The routes of comments, subscriptions and histories
// accept the id of any recording.
func (rs *Base) Verified(ctx context.Context, t lookup.Thing) (basecamp.Recording, error) {
	if t.Kind.Kind != lookup.LineKind.Kind {
		item, _, err := rs.Whole(ctx, t)
		if err != nil {
			return basecamp.Recording{}, err
		}
		return item.Common(), nil
	}
	t, err := rs.InItsChat(ctx, t)
	if err != nil {
		return basecamp.Recording{}, err
	}
	line, err := basecamp.LineAt.Get(ctx, rs.BC, t.Link.Within, t.ID)
	if err == nil {
		err = t.In.Holds(line.Recording, t.Kind)
	}
	return line.Recording, err
}

// InItsChat adds the chat to a chat line that is known only by its ID. Basecamp reads a line only
// through its chat, so it asks the chat of which an answer told, or each chat of the user's
// projects.
func (rs *Base) InItsChat(ctx context.Context, t lookup.Thing) (lookup.Thing, error) {
	if t.Kind.Kind != lookup.LineKind.Kind || t.Link.Within != 0 {
		return t, nil
	}
	chats := rs.Hinted(ctx, lookup.HolderOf(t.ID))
	if len(chats) == 0 {
		projects, _, err := rs.ProjectList(ctx, lookup.Active, memo.Life)
		if err != nil {
			return t, err
		}
		chats = enabledChats(projects)
	}
	looked := chats[:min(maxChats, len(chats))]
	holds, err := listing.InParallel(ctx, looked, func(ctx context.Context, id int64) (bool, error) {
		_, err := basecamp.LineAt.Get(ctx, rs.BC, id, t.ID)
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
		return t, fault.Invalid(t.Argument, "there is no chat line %d in the %d chats that were looked through; give the url of the line, which search and list_campfire_lines {detail: full} return", t.ID, len(looked))
	}
	t.Link = basecamp.Link{Type: lookup.LineKind.Links[0], ID: t.ID, Within: looked[i]}
	return t, nil
}

// maxChats is the number of chats in which one call looks for a line.
const maxChats = 30

func enabledChats(projects []basecamp.Project) (ids []int64) {
	for _, p := range projects {
		for _, d := range p.Dock {
			if d.Name == lookup.Chat.Kind && d.Enabled {
				ids = append(ids, d.ID)
			}
		}
	}
	return ids
}

// onThing returns an error if a comment is not on the thing: its id belongs to an item of another
// kind, or in another project.
func onThing(t lookup.Thing, c basecamp.Comment) error {
	if c.Parent != nil && !t.Said {
		if err := (lookup.Place{}).Holds(basecamp.Recording{ID: t.ID, Type: c.Parent.Type}, t.Kind); err != nil {
			return err
		}
	}
	if t.In.ID != 0 && c.Bucket.ID != t.In.ID {
		return t.In.Lacks(t.Kind, t.ID)
	}
	return nil
}

// notThere adds the project that was searched to the error of an item that was not found.
func notThere(t lookup.Thing, err error) error {
	if t.In.ID == 0 || !fault.Is(err, fault.NotFound) {
		return err
	}
	f := *fault.From(err)
	f.Message += fmt.Sprintf("; project %d was searched", t.In.ID)
	return &f
}
