package github

import (
	"cmp"
	"container/list"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
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

// limit is a rate limit that a user has reached.
type limit struct {
	until time.Time
	said  fault.RateLimit // GitHub's figures, without a wait
	waits bool            // GitHub named a wait
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
		err = who.take(ctx)
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

// figures returns what GitHub said about the limit, with the wait that is left; nil if it said
// nothing.
func (l limit) figures(wait time.Duration) *fault.RateLimit {
	said := l.said
	if l.waits {
		seconds := upstream.WholeSeconds(wait)
		said.RetryAfter = &seconds
	}
	if said == (fault.RateLimit{}) {
		return nil
	}
	return &said
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

func (w *person) take(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func rateLimited(wait time.Duration) *fault.Error {
	f := fault.New(fault.RateLimited, "GitHub limited this user's requests; try again in %d s", cmp.Or(upstream.WholeSeconds(wait), 1))
	f.RetryAfter = wait
	return f
}

const (
	usualWait  = time.Minute // where GitHub names no valid one (GitHub Docs, "Rate limits for the REST API")
	longestBan = time.Hour   // after which this server asks again, whatever the header said
	// farthest is the longest wait that a header can name. GitHub's limits are hourly.
	farthest = 24 * time.Hour
)

// limitOf returns the limit that the headers of an answer describe, and whether they say that it is
// reached. A figure that is missing, garbage, negative, in the past or more than a day ahead counts
// as not said: a zero would make the caller retry at once.
func limitOf(h http.Header, now time.Time) (l limit, reached bool) {
	l.said.Limit = count(h.Get("X-RateLimit-Limit"))
	l.said.Remaining = count(h.Get("X-RateLimit-Remaining"))
	if reset, err := strconv.ParseInt(digits(h.Get("X-RateLimit-Reset")), 10, 64); err == nil && reset > now.Unix() && reset <= now.Add(farthest).Unix() {
		l.said.Reset = &reset
	}
	spent := l.said.Remaining != nil && *l.said.Remaining == 0
	wait := usualWait
	switch asked := retryAfter(h, now); {
	case asked > 0:
		wait, l.waits = asked, true
	case spent && l.said.Reset != nil:
		wait = time.Unix(*l.said.Reset, 0).Sub(now)
	}
	l.until = now.Add(wait)
	return l, spent || h.Get("Retry-After") != ""
}

// retryAfter returns the wait of a Retry-After header; 0 if it names no valid one.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if asked := upstream.RetryAfter(h, now); asked != nil && *asked <= farthest {
		return *asked
	}
	return 0
}

// fault returns RATE_LIMITED with the figures that GitHub said.
func (l limit) fault(now time.Time) *fault.Error {
	wait := l.until.Sub(now)
	f := rateLimited(wait)
	if f.RateLimit = l.figures(wait); f.RateLimit == nil {
		f.RateLimit = &fault.RateLimit{} // upstream must not read the headers again
	}
	return f
}

// capped returns the limit with an end within the longest ban.
func (l limit) capped(now time.Time) limit {
	if end := now.Add(longestBan); l.until.After(end) {
		l.until = end
	}
	return l
}

// count parses a figure; nil if it is not one.
func count(value string) *int {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return nil
	}
	figure := int(n)
	return &figure
}

// digits returns value if it consists of digits, otherwise an empty string.
func digits(value string) string {
	if strings.Trim(value, "0123456789") != "" {
		return ""
	}
	return value
}

// speaksOfALimit reports whether GitHub's words or the page that it names are about a rate limit.
// Secondary limits have no header of their own.
func speaksOfALimit(message, documentationURL string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "rate limit") || strings.Contains(message, "abuse detection") ||
		strings.Contains(documentationURL, "rate-limit") || strings.Contains(documentationURL, "#abuse")
}
