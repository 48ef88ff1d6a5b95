package basecamp

import (
	"sync"
	"time"
)

// Basecamp begins to refuse an address at 50 requests in 10 s.
const (
	bucketSize   = 20                     // requests the whole client may make at once
	bucketRefill = 250 * time.Millisecond // for one more
	window       = 10 * time.Second
	mostInWindow = 45 // requests that may go out in any window, however full the bucket is
)

// A bucket says when a request may go out. It is safe for concurrent use.
type bucket struct {
	mu    sync.Mutex
	full  time.Time               // when it will be full, if nothing more is drawn
	drawn [mostInWindow]time.Time // when the latest requests go out
	next  int                     // the oldest of drawn
}

// draw takes the place of one request and returns how long that has to wait. It reports false, and takes nothing, if such a
// wait is not acceptable. The place of a caller who goes before the wait is over stays taken.
func (b *bucket) draw(now time.Time, acceptable func(wait time.Duration) bool) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := latest(now, b.full.Add(-(bucketSize-1)*bucketRefill), b.drawn[b.next].Add(window))
	wait = at.Sub(now)
	if wait > 0 && !acceptable(wait) {
		return wait, false
	}
	b.full = latest(b.full, at).Add(bucketRefill)
	b.drawn[b.next] = at
	b.next = (b.next + 1) % mostInWindow
	return wait, true
}

func latest(t time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(t) {
			t = other
		}
	}
	return t
}
