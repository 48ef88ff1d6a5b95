package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// clientsInput is part of every tool that makes what can be visible to clients by itself.
type clientsInput struct {
	Clients toolargs.Change[bool] `json:"visible_to_clients" jsonschema:""`
}

// visibility returns whether a new item is visible to clients, if the call says so. holder is what
// the item inherits it from, and zero for an item that is visible by itself: an item that inherits
// is refused. So is one to show in a project without clients.
func (rs *resolver) visibility(ctx context.Context, in clientsInput, project int64, holder basecamp.Recording) (basecamp.Visibility, error) {
	switch {
	case !in.Clients.Given:
		return basecamp.Visibility{}, nil
	case holder.ID != 0:
		return basecamp.Visibility{}, fault.Invalid("visible_to_clients", "clients see what is in the %s %s exactly if they see that %[1]s; leave visible_to_clients out, and let the user change that %[1]s in Basecamp",
			lookup.KindOf(holder.Type).One, plaintext.Quote(holder.Title))
	case in.Clients.To:
		p, err := rs.ProjectByID(ctx, project)
		if err != nil {
			return basecamp.Visibility{}, err
		}
		if p.ClientsEnabled != nil && !*p.ClientsEnabled {
			return basecamp.Visibility{}, fault.Invalid("visible_to_clients", "the project %s has no clients; leave visible_to_clients out", plaintext.Quote(p.Name))
		}
	}
	return basecamp.Visibility{Shown: &in.Clients.To}, nil
}

// holderIn returns the folder from which a new item in it inherits whether clients see it. It is
// zero for the top folder.
func holderIn(folder basecamp.Recording) basecamp.Recording {
	if folder.Parent == nil {
		return basecamp.Recording{}
	}
	return folder
}
