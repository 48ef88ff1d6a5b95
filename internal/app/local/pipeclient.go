package local

import (
	"context"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/identity"
)

// pipeClientKey is the key of the name that the client of a pipe sent in its handshake. The client
// has no registration, whose name a client over HTTP has.
type pipeClientKey struct{}

// WithPipeClient returns a context with the name of the client of a pipe.
func WithPipeClient(ctx context.Context, name, version string) context.Context {
	return context.WithValue(ctx, pipeClientKey{}, audit.ClientName(name, version))
}

// Named returns a caller with the name of the pipe's client, if ctx has one.
func Named(ctx context.Context, caller identity.Caller) identity.Caller {
	if name, ok := ctx.Value(pipeClientKey{}).(string); ok && name != "" {
		caller.Client = name
	}
	return caller
}
