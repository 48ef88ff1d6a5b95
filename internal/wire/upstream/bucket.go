package upstream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Rate limits how fast a client sends requests for all its users together. All fields but Spare are
// required.
type Rate struct {
	Burst     int           // requests that may be sent at once
	Refill    time.Duration // time after which one more request may be sent
	Window    time.Duration
	PerWindow int // requests that may be sent in any Window, even after a pause
	// Spare is how many of the places a user leaves to others who has sent as many requests as fit in
	// the rest of the burst: one user's batch must not make the calls of others wait.
	Spare int
}

// A Bucket decides when a request may be sent. The request of the user who sent least in the latest
// Window comes first. It is safe for concurrent use.
type Bucket struct {
	mu    sync.Mutex
	plan  plan
	timer *time.Timer // serves the queue when the next place is free; nil until something waits
}

// NewBucket returns a full bucket.
func NewBucket(rate Rate) *Bucket {
	return &Bucket{plan: plan{rate: rate, drawn: make([]place, rate.PerWindow)}}
}

// Wait waits until one more request of a user may be sent. If the caller's time does not allow that
// wait, it returns the wait, and the request must not be sent. A request whose context has ended
// takes no place: all users share the places. Requests of users who sent less can delay one that
// waits, so it gives up when the caller's time no longer allows an answer.
func (b *Bucket) Wait(ctx context.Context, user string) (tooLong time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	w := &waiter{user: user, turn: make(chan struct{})}
	switch wait := b.join(w); {
	case wait == 0:
		return 0, nil
	case !fits(ctx, wait):
		return b.leave(w), nil
	}
	var late <-chan time.Time
	if deadline, ok := ctx.Deadline(); ok {
		late = time.After(time.Until(deadline.Add(-answerTime)) + 1) // a place at the last moment counts
	}
	select {
	case <-w.turn:
		return 0, nil
	case <-late:
		return b.leave(w), nil
	case <-ctx.Done():
		b.leave(w)
		return 0, ctx.Err()
	}
}

// join puts w into the queue, and returns how long it must wait; 0 if it got a place at once.
func (b *Bucket) join(w *waiter) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plan.queue = append(b.plan.queue, w)
	b.serve()
	return b.plan.wait(w)
}

// leave takes w out of the queue, and returns how long it would still have waited; 0 if it got a
// place meanwhile.
func (b *Bucket) leave(w *waiter) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := b.plan.wait(w)
	b.plan.remove(w)
	b.serve()
	return wait
}

// serve passes places to those whose turn it is, and comes back when the next place is free.
func (b *Bucket) serve() {
	if b.timer != nil {
		b.timer.Stop()
	}
	for now := time.Now(); len(b.plan.queue) > 0; {
		w, at := b.plan.first(now)
		if at.After(now) {
			b.timer = time.AfterFunc(at.Sub(now), func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.serve()
			})
			return
		}
		b.plan.send(w, now)
		close(w.turn)
	}
}

// waiter is a request that waits for its place.
type waiter struct {
	user string
	turn chan struct{} // closed when the request may be sent
}

// place is a request that was sent.
type place struct {
	at   time.Time
	user string
}

// plan decides which request is sent next, and when.
type plan struct {
	rate  Rate
	full  time.Time // when the bucket will be full if no more requests are drawn
	drawn []place   // the latest PerWindow requests, the oldest first
	queue []*waiter // in the order in which they came
}

// first returns who gets the next place, and when that is free for them.
func (p *plan) first(now time.Time) (next *waiter, at time.Time) {
	least := 0
	for _, w := range p.queue {
		sent, spare := 0, 0
		for _, d := range p.drawn {
			if d.user == w.user && d.at.After(now.Add(-p.rate.Window)) {
				sent++
			}
		}
		if sent >= p.rate.Burst-p.rate.Spare {
			spare = p.rate.Spare
		}
		free := latest(now, p.full.Add(-time.Duration(p.rate.Burst-1-spare)*p.rate.Refill))
		free = latest(free, p.drawn[spare].at.Add(p.rate.Window))
		if next == nil || free.Before(at) || free.Equal(at) && sent < least {
			next, at, least = w, free, sent
		}
	}
	return next, at
}

// send notes that w is sent.
func (p *plan) send(w *waiter, now time.Time) {
	p.remove(w)
	p.full = latest(p.full, now).Add(p.rate.Refill)
	p.drawn = append(p.drawn[1:], place{now, w.user})
}

func (p *plan) remove(w *waiter) {
	p.queue = slices.DeleteFunc(p.queue, func(other *waiter) bool { return other == w })
}

// wait returns how long w waits if no other request comes; 0 if it is not in the queue.
func (p *plan) wait(w *waiter) time.Duration {
	if !slices.Contains(p.queue, w) {
		return 0
	}
	ahead := plan{p.rate, p.full, slices.Clone(p.drawn), slices.Clone(p.queue)}
	now := time.Now()
	for at := now; ; {
		var next *waiter
		if next, at = ahead.first(at); next == w {
			return at.Sub(now)
		}
		ahead.send(next, at)
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
