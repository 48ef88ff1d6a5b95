package lookup

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

// withinFence returns an error if an address names a project that the client may not read, before any
// request about it.
func withinFence(ctx context.Context, link basecamp.Link) error {
	caller, _ := identity.From(ctx)
	if link.Project == 0 || caller.Fence.Read.HasProject(link.Project) {
		return nil
	}
	return fence.Hidden(identity.Origin(ctx))
}

// unfound returns the error of a search in all that the client may read. If its person may read more,
// the client is not told whether the thing exists.
func unfound(ctx context.Context, err error) error {
	caller, _ := identity.From(ctx)
	if caller.Fence.Read == nil || !fault.Is(err, fault.NotFound) {
		return err
	}
	f := *fault.From(err)
	f.Told = fence.Hidden(identity.Origin(ctx)).Told
	f.Told.Nearest = f.Nearest
	return &f
}
