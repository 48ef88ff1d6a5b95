package basecamp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"basecamp-mcp/internal/fault"
)

const (
	maxAttempts = 3
	firstWait   = time.Second // doubled for each further attempt
	maxJitter   = 100 * time.Millisecond
	maxWait     = 30 * time.Second // where the caller set no deadline
	answerTime  = time.Second      // what a wait must leave of the caller's time, for the attempt it was for
)

// failure is an attempt that came to nothing.
type failure struct {
	err    error
	again  bool           // another attempt may be made without asking anyone
	expect *time.Duration // when Basecamp wants that attempt, if it said
}

// run makes the attempts. A wait that the caller's time does not allow is not begun: they learn of it instead (W-10). If any
// attempt of a write may have been carried out, the failure that ends them says so, whatever it is itself.
func (x *exchange) run(ctx context.Context) (answer, error) {
	landed := false
	for attempt := 1; ; attempt++ {
		a, failed := x.attempt(ctx)
		if failed == nil {
			return a, nil
		}
		if f, ok := errors.AsType[*fault.Error](failed.err); ok {
			if landed {
				x.doubt(f)
			}
			landed = f.MayHaveHappened
		}
		wait := failed.wait(attempt)
		if !failed.again || attempt == maxAttempts || !fits(ctx, wait) {
			return answer{}, failed.err
		}
		if err := sleep(ctx, wait); err != nil {
			return answer{}, failed.err
		}
	}
}

// wait is how long to wait after an attempt, counted from 1.
func (f *failure) wait(attempt int) time.Duration {
	if f.expect != nil {
		return *f.expect
	}
	return firstWait<<(attempt-1) + rand.N(maxJitter+1)
}

// repeatable reports whether doing the request twice is as doing it once.
func (r request) repeatable() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return r.twiceAsOnce
}

// retried reports whether a status is worth another attempt. A 429 has done nothing, so that even a POST may go again;
// of anything else it may have been carried out.
func (r request) retried(status int) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.repeatable()
	case http.StatusInternalServerError:
		return r.method == http.MethodGet || r.method == http.MethodHead
	}
	return false
}

// retryAfter reads a Retry-After header, seconds or a date; nil when there is none that makes sense (E-06).
func retryAfter(header http.Header, now time.Time) *time.Duration {
	value := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = max(0, date.Sub(now))
	} else {
		return nil
	}
	return &wait
}

// fits reports whether the caller's time allows a wait and then an attempt.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	if !ok {
		return wait <= maxWait
	}
	return wait+answerTime <= time.Until(deadline)
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
