package grant

import (
	"context"
	"time"
)

const (
	pollTime  = 8 * time.Second
	firstPoll = 100 * time.Millisecond // doubled each time
	maxPoll   = time.Second
)

// patience is how long a call waits for a refresh that another call makes.
type patience struct {
	until time.Time
	now   func() time.Time
	next  time.Duration
}

// wait waits until the next look. It returns false once the time is over.
func (p *patience) wait(ctx context.Context) bool {
	p.next = min(max(firstPoll, 2*p.next), maxPoll)
	left := p.until.Sub(p.now())
	return left > 0 && sleep(ctx, min(p.next, left)) == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
