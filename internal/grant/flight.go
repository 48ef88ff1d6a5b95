package grant

import (
	"context"
	"sync"
)

// flights lets calls of the same user that begin together wait for the first of them to read the
// grant, instead of each reading it.
type flights struct {
	mu    sync.Mutex
	first map[string]chan struct{} // by subject; closed when the first call has read
}

// join returns at once for the first call. For the others it returns, with waited true, when the
// first has called landed or their context ends.
func (f *flights) join(ctx context.Context, subject string) (landed func(), waited bool) {
	f.mu.Lock()
	reading, ok := f.first[subject]
	if !ok {
		reading = make(chan struct{})
		if f.first == nil {
			f.first = map[string]chan struct{}{}
		}
		f.first[subject] = reading
	}
	f.mu.Unlock()
	if ok {
		select {
		case <-reading:
		case <-ctx.Done():
		}
		return func() {}, true
	}
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.first, subject)
		close(reading)
	}), false
}
