package lookup

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

// withinFence returns an error if an address names a project that the client may not read, before
// any request about it.
func withinFence(ctx context.Context, link basecamp.Link) error {
	caller, _ := identity.From(ctx)
	if link.Project == 0 || caller.Fence.In(caller.Account).Read.HasProject(link.Project) {
		return nil
	}
	return fence.Hidden(identity.Origin(ctx))
}

// unfound returns the error of a search in all that the client may read.
func unfound(ctx context.Context, err error) error {
	caller, _ := identity.From(ctx)
	return caller.Fence.Unfound(err, identity.Origin(ctx))
}
