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
	timer *time.Timer // serves the queue when the next place is free; nil if nothing waits
}

// NewBucket returns a full bucket.
func NewBucket(rate Rate) *Bucket {
	return &Bucket{plan: plan{rate: rate, drawn: make([]place, rate.PerWindow)}}
}

// Wait waits until one more request of a user may be sent. If the caller's time does not allow that
// wait, it returns the wait, and the request must not be sent. A request whose context has ended
// takes no place: all users share the places.
func (b *Bucket) Wait(ctx context.Context, user string) (tooLong time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	w, wait := b.join(user)
	switch {
	case wait == 0:
		return 0, nil
	case !fits(ctx, wait):
		b.leave(w)
		return wait, nil
	}
	return b.await(ctx, w)
}

// await waits for the turn of w. Requests of users who sent less can delay it, so it gives up when
// the caller's time no longer allows an answer.
func (b *Bucket) await(ctx context.Context, w *waiter) (tooLong time.Duration, err error) {
	var late <-chan time.Time
	if deadline, ok := ctx.Deadline(); ok {
		timer := time.NewTimer(time.Until(deadline.Add(-answerTime)) + 1) // a place at the last moment counts
		defer timer.Stop()
		late = timer.C
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

// join takes a place for a request of a user, or puts the request into the queue and returns how
// long it must wait.
func (b *Bucket) join(user string) (w *waiter, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if len(b.plan.queue) == 0 && !b.plan.freeFor(b.plan.sentBy(user, now)).After(now) {
		b.plan.note(user, now)
		return nil, 0
	}
	w = &waiter{user: user, turn: make(chan struct{})}
	b.plan.queue = append(b.plan.queue, w)
	b.serve(now)
	return w, b.plan.wait(w, now)
}

// leave takes w out of the queue, and returns how long it would still have waited; 0 if it got a
// place meanwhile.
func (b *Bucket) leave(w *waiter) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	wait := b.plan.wait(w, now)
	b.plan.queue = slices.DeleteFunc(b.plan.queue, func(other *waiter) bool { return other == w })
	b.serve(now)
	return wait
}

// serve passes places to those whose turn it is, and comes back when the next place is free.
func (b *Bucket) serve(now time.Time) {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	for len(b.plan.queue) > 0 {
		w, at := b.plan.first(now)
		if at.After(now) {
			b.timer = time.AfterFunc(at.Sub(now), func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.serve(time.Now())
			})
			return
		}
		b.plan.give(w, now)
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
	drawn []place   // the latest PerWindow requests
	next  int       // index of the oldest in drawn
	queue []*waiter // in the order in which they came
}

// first returns who gets the next place, and when that is free for them.
func (p *plan) first(now time.Time) (next *waiter, at time.Time) {
	least := 0
	for _, w := range p.queue {
		sent := p.sentBy(w.user, now)
		free := latest(now, p.freeFor(sent))
		if next == nil || free.Before(at) || free.Equal(at) && sent < least {
			next, at, least = w, free, sent
		}
	}
	return next, at
}

// sentBy returns how many requests of a user the latest Window contains.
func (p *plan) sentBy(user string, now time.Time) (sent int) {
	for _, d := range p.drawn {
		if d.user == user && d.at.After(now.Add(-p.rate.Window)) {
			sent++
		}
	}
	return sent
}

// freeFor returns when a place is free for a user who has sent some requests in the latest Window.
func (p *plan) freeFor(sent int) time.Time {
	spare := 0
	if sent >= p.rate.Burst-p.rate.Spare {
		spare = p.rate.Spare
	}
	refilled := p.full.Add(-time.Duration(p.rate.Burst-1-spare) * p.rate.Refill)
	return latest(refilled, p.drawn[(p.next+spare)%len(p.drawn)].at.Add(p.rate.Window))
}

// give takes w from the queue and notes its place.
func (p *plan) give(w *waiter, now time.Time) {
	p.queue = slices.DeleteFunc(p.queue, func(other *waiter) bool { return other == w })
	p.note(w.user, now)
}

// note notes a request of a user that is sent now.
func (p *plan) note(user string, now time.Time) {
	p.full = latest(p.full, now).Add(p.rate.Refill)
	p.drawn[p.next] = place{now, user}
	p.next = (p.next + 1) % len(p.drawn)
}

// wait returns how long w waits if no other request comes; 0 if it is not in the queue.
func (p *plan) wait(w *waiter, now time.Time) time.Duration {
	ahead := *p
	ahead.drawn, ahead.queue = slices.Clone(p.drawn), slices.Clone(p.queue)
	for at := now; slices.Contains(ahead.queue, w); {
		var next *waiter
		if next, at = ahead.first(at); next == w {
			return at.Sub(now)
		}
		ahead.give(next, at)
	}
	return 0
}

func latest(t time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(t) {
			t = other
		}
	}
	return t
}
