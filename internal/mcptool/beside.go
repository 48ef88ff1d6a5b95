package mcptool

import (
	"context"
	"sync"
)

// beside is the work of an invocation that runs beside its own function.
type beside struct {
	readOnly bool // the endpoint serves only reads

	mu     sync.Mutex
	cancel []context.CancelFunc
	work   sync.WaitGroup
}

type besideKey struct{}

func besideOf(ctx context.Context) *beside {
	b, _ := ctx.Value(besideKey{}).(*beside)
	return b
}

// Beside runs f beside the function of the invocation that ctx belongs to. When that function
// returns, the context of f is cancelled, and the invocation waits for f before it answers: a
// function on Lambda is frozen with its answer, and f would be frozen with it, in the middle of a
// request. Without an invocation, f ends with ctx. f must not panic.
func Beside(ctx context.Context, f func(context.Context)) {
	b := besideOf(ctx)
	if b == nil {
		go f(ctx)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	b.mu.Lock()
	b.cancel = append(b.cancel, cancel)
	b.mu.Unlock()
	b.work.Go(func() { f(ctx) })
}

// end cancels the work that is still running, and waits for it.
func (b *beside) end() {
	b.mu.Lock()
	for _, cancel := range b.cancel {
		cancel()
	}
	b.cancel = nil
	b.mu.Unlock()
	b.work.Wait()
}

// ReadOnly reports whether the endpoint of the call serves only reads.
func ReadOnly(ctx context.Context) bool {
	b := besideOf(ctx)
	return b != nil && b.readOnly
}
