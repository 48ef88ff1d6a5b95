package upstream

import (
	"context"
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

// A Bucket decides when a request may be sent. It is safe for concurrent use.
type Bucket struct {
	rate Rate

	mu    sync.Mutex
	full  time.Time   // when the bucket will be full if no more requests are drawn
	drawn []time.Time // when the latest PerWindow requests are sent
	next  int         // index of the oldest in drawn
}

// NewBucket returns a full bucket.
func NewBucket(rate Rate) *Bucket {
	return &Bucket{rate: rate, drawn: make([]time.Time, rate.PerWindow)}
}

// draw reserves the place of one request and returns how long that request must wait. If the wait
// is not acceptable, it reserves nothing and returns false. A place stays reserved even if the
// caller gives up before the wait ends.
func (b *Bucket) draw(now time.Time, acceptable func(wait time.Duration) bool) (wait time.Duration, ok bool) {
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

// Wait waits until one more request may be sent. If the caller's time does not allow that wait, it
// returns the wait at once, and the request must not be sent. A request whose context has ended
// takes no place: all users share the places.
func (b *Bucket) Wait(ctx context.Context) (tooLong time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	wait, ok := b.draw(time.Now(), func(wait time.Duration) bool { return fits(ctx, wait) })
	switch {
	case !ok:
		return wait, nil
	case wait == 0:
		return 0, nil
	}
	return 0, sleep(ctx, wait)
}

func latest(t time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(t) {
			t = other
		}
	}
	return t
}
