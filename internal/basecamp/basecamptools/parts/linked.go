package parts

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
)

// Side is the name of Basecamp in references.
const Side = "basecamp"

// LinkableKinds returns the kinds of items that can be linked.
func LinkableKinds() []lookup.Kind {
	return []lookup.Kind{
		lookup.TodoKind, lookup.CardKind, lookup.SubtaskKind, lookup.ListKind, lookup.MessageKind, lookup.DocumentKind,
		lookup.UploadKind, lookup.QuestionKind, lookup.EntryKind,
	}
}

// RefOfLink returns the item that can be linked at an address.
func RefOfLink(link basecamp.Link) (hub.Ref, bool) {
	for _, k := range LinkableKinds() {
		if slices.Contains(k.Links, link.Type) {
			return RefOf(k.Kind, link.ID), true
		}
	}
	return hub.Ref{}, false
}

// RefOf returns the reference of an item in links.
func RefOf(kind string, id int64) hub.Ref {
	return hub.Ref{Side: Side, ID: fmt.Sprintf("%s:%d", kind, id)}
}

// LinkedThing returns an item as the hub shows it.
func LinkedThing(kind string, item basecamp.Recording, done bool) hub.Thing {
	v := hub.Thing{Ref: RefOf(kind, item.ID), Title: plaintext.Clean(item.Title), URL: item.AppURL, State: hub.Open}
	switch {
	case item.Status == lookup.Trashed || item.Status == lookup.Archived:
		v.State = hub.Trashed
	case done:
		v.State = hub.Done
	}
	return v
}

// Finish completes what is linked to items that the call has completed. It drops what the hub has
// read of all of them.
func (rs *Base) Finish(ctx context.Context, everywhere bool, done ...hub.Ref) (hub.Everywhere, error) {
	if rs.Links != nil {
		rs.Links.Forget(ctx)
	}
	if caller, _ := identity.From(ctx); !everywhere || !caller.IsHome() {
		return hub.Everywhere{}, nil
	}
	return rs.Links.Finish(ctx, done...)
}
