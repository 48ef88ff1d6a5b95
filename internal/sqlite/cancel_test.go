package sqlite

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/items"
)

// brief is a context that ends at one of the moments at which it is asked whether it has ended.
type brief struct {
	context.Context
	cancel context.CancelFunc
	asks   atomic.Int64
	last   int64
}

func (b *brief) Done() <-chan struct{} {
	if b.asks.Add(1) == b.last {
		b.cancel()
	}
	return b.Context.Done()
}

func TestStore_AWriteThatIsCanceledAtAnyMomentLeavesNoTransactionOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := openAt(t, pathIn(t), nil)
	nothing := func(ctx context.Context) error {
		return s.transact(ctx, "FULL", func(items.Tx) error { return errNothing })
	}
	for range 6000 {
		for moment := range int64(8) {
			ctx, cancel := context.WithCancel(t.Context())
			_ = nothing(&brief{Context: ctx, cancel: cancel, last: moment + 1}) // fails, or was faster
			cancel()
			if err := nothing(t.Context()); !errors.Is(err, errNothing) {
				t.Fatalf("after a write that was canceled at moment %d: %v", moment, err)
			}
		}
	}
}

var errNothing = errors.New("there is nothing to write")
