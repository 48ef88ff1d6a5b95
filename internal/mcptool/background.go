package mcptool

import (
	"context"
	"sync"
	"time"
)

// background is the work of an invocation that runs in parallel to its own function.
type background struct {
	readOnly bool // the endpoint serves only reads
	start    time.Time

	mu     sync.Mutex
	cancel []context.CancelFunc
	work   sync.WaitGroup
}

type backgroundKey struct{}

func backgroundOf(ctx context.Context) *background {
	b, _ := ctx.Value(backgroundKey{}).(*background)
	return b
}

// InBackground runs f in parallel to the function of the invocation that ctx belongs to. When
// that function returns, the context of f is cancelled, and the invocation waits for f before it
// answers: Lambda freezes a process that has answered, and would freeze f in the middle of a
// request. Without an invocation, f ends with ctx. f must not panic.
func InBackground(ctx context.Context, f func(context.Context)) {
	b := backgroundOf(ctx)
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
func (b *background) end() {
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
	b := backgroundOf(ctx)
	return b != nil && b.readOnly
}
