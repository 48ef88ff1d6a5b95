package upstream

import (
	"context"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/report/fault"
)

const maxInFlight = 5 // requests of one metered call

// meter counts the requests of one tool call and limits how many run at the same time.
type meter struct {
	requests atomic.Int64
	limited  atomic.Int64
	slots    chan struct{}
	start    time.Time
	// waited is how long requests ran, in nanoseconds. A running request has only subtracted its
	// start, counted from the meter's start; it adds its end when it finishes.
	waited atomic.Int64
	looked atomic.Int64 // bytes that the call looked at, and comparisons that it made
	known  known
}

type meterKey struct{}

// Meter starts counting the requests to providers under the returned context, including retries and
// redirects, and limits them to five at a time. The function returns the count so far.
func Meter(ctx context.Context) (context.Context, func() int) {
	m := newMeter()
	return context.WithValue(ctx, meterKey{}, m), func() int { return int(m.requests.Load()) }
}

func newMeter() *meter { return &meter{slots: make(chan struct{}, maxInFlight), start: time.Now()} }

// mostLooked is the work after which a call leaves out what it can do without: less than half a
// second of a processor.
const mostLooked = 10_000_000

// Look counts the work of ctx's metered call: n bytes that it looks at, or ten times as many
// comparisons. It reports whether the call may look for what it can do without, such as names that
// are similar to one that was not found: it has time left, and has not worked too much.
func Look(ctx context.Context, n int) (goOn bool) {
	return meterOf(ctx).looked.Add(int64(n)) < mostLooked && ctx.Err() == nil
}

// Spent returns what ctx's metered call has taken so far: requests and work.
func Spent(ctx context.Context) (requests, work int) {
	m := meterOf(ctx)
	return int(m.requests.Load()), int(m.looked.Load())
}

// Waited returns how long the requests of ctx's metered call ran, as the sum of all requests, and
// how often a provider limited their rate.
func Waited(ctx context.Context) (waited time.Duration, limited int) {
	m := meterOf(ctx)
	running := time.Duration(len(m.slots)) * time.Since(m.start)
	return time.Duration(m.waited.Load()) + running, int(m.limited.Load())
}

// computed reports whether requests ran for less than half of the time of ctx's metered call so
// far.
func computed(ctx context.Context) bool {
	m, metered := ctx.Value(meterKey{}).(*meter)
	waited, _ := Waited(ctx)
	return metered && waited < time.Since(m.start)/2
}

// Enter waits for one of the slots of ctx's metered call and counts a request. It is for requests
// that do not go to the provider's API, such as the download of a stored file. The caller calls
// leave after the response.
func Enter(ctx context.Context) (leave func(), err error) {
	m := meterOf(ctx)
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	m.requests.Add(1)
	return m.leave, nil
}

// meterOf returns the meter in ctx, or a new one: outside a metered call, each request is a call of
// its own.
func meterOf(ctx context.Context) *meter {
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		return m
	}
	return newMeter()
}

func (m *meter) enter(ctx context.Context) error {
	select {
	case m.slots <- struct{}{}:
		m.waited.Add(-int64(time.Since(m.start)))
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *meter) leave() {
	m.waited.Add(int64(time.Since(m.start)))
	<-m.slots
}

// admit waits until a request of a user may be sent. The caller calls leave after the response.
func (c *Client) admit(ctx context.Context, user string) (leave func(), err error) {
	m := meterOf(ctx)
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	err = c.draw(ctx, user)
	m.waited.Add(-int64(time.Since(start))) // without the time in this server's own queue
	if err != nil {
		m.leave()
		return nil, err
	}
	m.requests.Add(1)
	return m.leave, nil
}

// draw waits for a place in the bucket, if the caller's time allows it. It returns an error if the
// context has ended: a free slot may be taken even then.
func (c *Client) draw(ctx context.Context, user string) error {
	if c.bucket == nil {
		return ctx.Err()
	}
	tooLong, err := c.bucket.Wait(ctx, user)
	if tooLong > 0 {
		return c.crowded(tooLong)
	}
	return err
}

// crowded returns the fault for this server's own limit. The request was not sent.
func (c *Client) crowded(wait time.Duration) *fault.Error {
	seconds := WholeSeconds(wait)
	f := fault.New(fault.RateLimited, "too many requests to %s are waiting; try again in %d s", c.config.Name, seconds)
	f.RetryAfter = wait
	f.RateLimit = &fault.RateLimit{RetryAfter: &seconds}
	return f
}
