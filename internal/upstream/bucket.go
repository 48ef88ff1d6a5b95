package upstream

import (
	"sync"
	"time"
)

// Rate limits how fast a client sends requests for all its users together. All fields are required.
type Rate struct {
	Burst     int           // requests that may be sent at once
	Refill    time.Duration // time after which one more request may be sent
	Window    time.Duration
	PerWindow int // requests that may be sent in any Window, even after a pause
}

// A bucket decides when a request may be sent. It is safe for concurrent use.
type bucket struct {
	rate Rate

	mu    sync.Mutex
	full  time.Time   // when the bucket will be full if no more requests are drawn
	drawn []time.Time // when the latest PerWindow requests are sent
	next  int         // index of the oldest in drawn
}

func newBucket(rate Rate) *bucket {
	return &bucket{rate: rate, drawn: make([]time.Time, rate.PerWindow)}
}

// draw reserves the place of one request and returns how long that request must wait. If the wait
// is not acceptable, it reserves nothing and returns false. A place stays reserved even if the
// caller gives up before the wait ends.
func (b *bucket) draw(now time.Time, acceptable func(wait time.Duration) bool) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refilled := b.full.Add(-time.Duration(b.rate.Burst-1) * b.rate.Refill)
	at := latest(now, refilled, b.drawn[b.next].Add(b.rate.Window))
	wait = at.Sub(now)
	if wait > 0 && !acceptable(wait) {
		return wait, false
	}
	b.full = latest(b.full, at).Add(b.rate.Refill)
	b.drawn[b.next] = at
	b.next = (b.next + 1) % len(b.drawn)
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
