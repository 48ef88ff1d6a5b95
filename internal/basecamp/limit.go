package basecamp

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/fault"
)

const maxInFlight = 5 // of one metered call

// meter counts the requests of one call, and lets so many of them be under way.
type meter struct {
	requests atomic.Int64
	limited  atomic.Int64
	slots    chan struct{}
	start    time.Time
	// waited is how long requests were under way, in nanoseconds, less the time at which those began that still are.
	waited atomic.Int64
}

type meterKey struct{}

// Meter starts counting the requests to Basecamp made under the returned context, attempts and redirects included, and
// keeps them to five at a time. The function tells the count so far.
func Meter(ctx context.Context) (context.Context, func() int) {
	m := &meter{slots: make(chan struct{}, maxInFlight), start: time.Now()}
	return context.WithValue(ctx, meterKey{}, m), func() int { return int(m.requests.Load()) }
}

// Waited tells of the metered call that ctx belongs to how long its requests were under way, those at one time added up, and how
// often they were answered 429.
func Waited(ctx context.Context) (waited time.Duration, limited int) {
	m := meterOf(ctx)
	if m == nil {
		return 0, 0
	}
	underWay := time.Duration(len(m.slots)) * time.Since(m.start)
	return time.Duration(m.waited.Load()) + underWay, int(m.limited.Load())
}

// meterOf gives the meter in ctx; nil, which lets everything pass, when there is none.
func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(meterKey{}).(*meter)
	return m
}

func (m *meter) count() {
	if m != nil {
		m.requests.Add(1)
	}
}

func (m *meter) answered(status int) {
	if m != nil && status == http.StatusTooManyRequests {
		m.limited.Add(1)
	}
}

func (m *meter) enter(ctx context.Context) error {
	if m == nil {
		return nil
	}
	select {
	case m.slots <- struct{}{}:
		m.waited.Add(-int64(time.Since(m.start)))
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *meter) leave() {
	if m != nil {
		m.waited.Add(int64(time.Since(m.start)))
		<-m.slots
	}
}

// queued takes out time in which a request was under way to our own queue only.
func (m *meter) queued(d time.Duration) {
	if m != nil {
		m.waited.Add(-int64(d))
	}
}

// admit waits until a request may be made; the caller leaves when it has been answered.
func (c *Client) admit(ctx context.Context) (leave func(), err error) {
	m := meterOf(ctx)
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	err = c.draw(ctx)
	m.queued(time.Since(start))
	if err != nil {
		m.leave()
		return nil, err
	}
	m.count()
	return m.leave, nil
}

// draw takes a token from the bucket, waiting for it as long as the caller's time allows.
func (c *Client) draw(ctx context.Context) error {
	if c.unlimited {
		return nil
	}
	wait, ok := c.bucket.draw(time.Now(), func(wait time.Duration) bool { return fits(ctx, wait) })
	if !ok {
		return crowded(wait)
	}
	if wait == 0 {
		return nil
	}
	return sleep(ctx, wait)
}

// crowded is a limit of our own: Basecamp was not asked.
func crowded(wait time.Duration) *fault.Error {
	seconds := wholeSeconds(wait)
	f := fault.New(fault.RateLimited, "too many requests to Basecamp are waiting; try again in %d s", seconds)
	f.RetryAfter = wait
	f.RateLimit = &fault.RateLimit{RetryAfter: &seconds}
	return f
}

// wholeSeconds rounds up: coming back too early is a request wasted.
func wholeSeconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}
