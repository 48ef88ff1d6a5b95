package basecamp

import (
	"context"
	"net/http"
	"sync/atomic"

	"basecamp-mcp/internal/writeplan"
)

type writesKey struct{}

// WatchWrites returns a context whose requests note when one of them writes.
func WatchWrites(ctx context.Context) (context.Context, *atomic.Bool) {
	wrote := new(atomic.Bool)
	return context.WithValue(ctx, writesKey{}, wrote), wrote
}

// noteWrite notes that a request which writes is about to be sent.
func noteWrite(ctx context.Context, r request) {
	wrote, ok := ctx.Value(writesKey{}).(*atomic.Bool)
	if ok && r.method != http.MethodGet && writeplan.From(ctx) == nil {
		wrote.Store(true)
	}
}
