package github

import (
	"container/list"
	"context"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// maxPeople limits how many users a process remembers. It forgets the least recently active first.
const maxPeople = 4096

// writeRate is how fast a user may write: GitHub asks for a second between writes (GitHub Docs,
// "Best practices for using the REST API").
var writeRate = upstream.Rate{Burst: 5, Refill: time.Second, Window: 5 * time.Second, PerWindow: 10}

// resource is a part of GitHub with a rate limit of its own.
type resource string

const (
	core    resource = "core"
	graphql resource = "graphql"
	search  resource = "search" // 30 requests a minute
)

// people holds what this process knows about its users' requests. It is safe for concurrent use.
type people struct {
	now     func() time.Time
	limited bool // whether the rate of writes is limited

	mu      sync.Mutex
	persons map[string]*list.Element
	recent  *list.List // of *person, the latest in front
}

func newPeople(now func() time.Time, limited bool) *people {
	return &people{now: now, limited: limited, persons: make(map[string]*list.Element), recent: list.New()}
}

// person is one user. GitHub wants the requests of one user one after the other.
type person struct {
	key    string
	turn   chan struct{} // holds the running request
	writes *upstream.Bucket
	users  int // calls that use this entry; guarded by people.mu

	mu     sync.Mutex
	limits map[resource]limit
}

// enter waits for the user's turn, and for the rate of writes. If the user has reached the limit of
// a resource, it returns RATE_LIMITED at once: asking again before the reset can end in a ban. The
// caller calls leave after the answer.
func (p *people) enter(ctx context.Context, key string, of resource, writes bool) (leave func(), err error) {
	who := p.hold(key)
	err = who.check(p.now(), of)
	if err == nil && writes && p.limited {
		err = who.pace(ctx)
	}
	if err == nil {
		select {
		case who.turn <- struct{}{}:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		p.release(who)
		return nil, err
	}
	leave = func() {
		<-who.turn
		p.release(who)
	}
	if err := who.check(p.now(), of); err != nil { // the request before this one may have met the limit
		leave()
		return nil, err
	}
	return leave, nil
}

// block keeps a user from asking for a resource before a time.
func (p *people) block(key string, of resource, l limit) {
	who := p.hold(key)
	defer p.release(who)
	who.mu.Lock()
	defer who.mu.Unlock()
	if who.limits == nil {
		who.limits = make(map[resource]limit)
	}
	if l.until.After(who.limits[of].until) {
		who.limits[of] = l
	}
}

// hold returns the entry of a user, which stays until release.
func (p *people) hold(key string) *person {
	p.mu.Lock()
	defer p.mu.Unlock()
	element, ok := p.persons[key]
	if !ok {
		who := &person{key: key, turn: make(chan struct{}, 1), writes: upstream.NewBucket(writeRate)}
		element = p.recent.PushFront(who)
		p.persons[key] = element
		p.forget()
	}
	p.recent.MoveToFront(element)
	who := element.Value.(*person)
	who.users++
	return who
}

func (p *people) release(who *person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who.users--
}

// forget removes the least recently active users above the maximum, except those with a running
// call.
func (p *people) forget() {
	for element := p.recent.Back(); element != nil && len(p.persons) > maxPeople; {
		who, before := element.Value.(*person), element.Prev()
		if who.users == 0 && before != nil { // the entry in front is the new one
			p.recent.Remove(element)
			delete(p.persons, who.key)
		}
		element = before
	}
}

// check returns RATE_LIMITED while the user must not ask for a resource.
func (w *person) check(now time.Time, of resource) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	l, ok := w.limits[of]
	wait := l.until.Sub(now)
	if !ok || wait <= 0 {
		return nil
	}
	f := rateLimited(wait)
	f.RateLimit = l.figures(wait)
	f.Upstream = &fault.Upstream{Provider: ProviderID, Message: "not asked, because this user's rate limit is used up"}
	return f
}

// pace waits until the user may write again, if the caller's time allows it.
func (w *person) pace(ctx context.Context) error {
	tooLong, err := w.writes.Wait(ctx, w.key)
	if tooLong == 0 {
		return err
	}
	seconds := upstream.WholeSeconds(tooLong)
	f := fault.New(fault.RateLimited, "this user writes to GitHub too often; try again in %d s", seconds)
	f.RetryAfter = tooLong
	f.RateLimit = &fault.RateLimit{RetryAfter: &seconds}
	return f
}
