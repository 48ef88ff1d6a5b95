package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/pause"
	"basecamp-mcp/internal/wire/writeplan"
)

const (
	maxAttempts = 3
	maxTimeouts = 2 // attempts of one request that may exceed the time of a read
	readTime    = 8 * time.Second
	firstWait   = time.Second // doubled for each further attempt
	maxJitter   = 100 * time.Millisecond
	maxWait     = 30 * time.Second // if the caller has no deadline
	answerTime  = time.Second      // what a wait must leave of the caller's time for the next attempt
)

// failure is an attempt without a usable answer.
type failure struct {
	err   error
	retry bool           // another attempt is safe and may succeed
	after *time.Duration // when the provider wants that attempt; nil if it did not say
}

// run makes the attempts, unless the provider's host did not answer other requests. A write ends
// what its call knows from reads. If writes are planned, it is not sent.
func (x *exchange) run(ctx context.Context) (Answer, error) {
	if !x.request.reads() {
		if plan := writeplan.From(ctx); plan != nil {
			return x.planned(ctx, plan)
		}
		return x.write(ctx)
	}
	return x.deliver(ctx)
}

// write sends a write.
func (x *exchange) write(ctx context.Context) (Answer, error) {
	m := meterOf(ctx)
	m.forget()
	defer m.forget() // what was read meanwhile
	if journal := writeplan.JournalFrom(ctx); journal != nil {
		return x.journaled(ctx, journal)
	}
	return x.deliver(ctx)
}

// deliver makes the attempts.
func (x *exchange) deliver(ctx context.Context) (Answer, error) {
	probe, wait := x.client.breaker.enter(x.request)
	if wait > 0 {
		return Answer{}, x.resting(wait)
	}
	x.probe = probe
	a, err := x.repeat(ctx)
	wait = x.client.breaker.leave(x.request, probe, x.outcome)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.UpstreamError && f.Retryable && f.RetryAfter == 0 {
		f.RetryAfter = wait
	}
	return a, err
}

// repeat makes the attempts. It starts a wait only if the caller's time allows it; otherwise the
// fault tells the caller when to try again. If any attempt of a write may have been carried out,
// the returned fault says so, even if a later attempt was refused.
func (x *exchange) repeat(ctx context.Context) (Answer, error) {
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
		if !failed.retry || attempt == x.attempts() || !fits(ctx, wait) {
			return Answer{}, failed.err
		}
		if err := pause.For(ctx, wait); err != nil {
			return Answer{}, failed.err
		}
	}
}

// attempts returns how often the request may be sent. One that tests the host is sent once.
func (x *exchange) attempts() int {
	if x.probe {
		return 1
	}
	return x.request.attempts()
}

// wait returns how long to wait after an attempt. Attempts count from 1.
func (f *failure) wait(attempt int) time.Duration {
	if f.after != nil {
		return *f.after
	}
	return firstWait<<(attempt-1) + rand.N(maxJitter+1)
}

// retries reports whether a refused request is sent again. A rate-limited request changed nothing,
// so even a POST is sent again. After other statuses it may have been carried out. A refusal inside
// a success has no status that says more, so its fault decides.
func (x *exchange) retries(status int, f *fault.Error) bool {
	if f.Code == fault.RateLimited {
		return true
	}
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return x.request.repeatable()
	case http.StatusInternalServerError:
		return x.request.reads() && !x.client.config.ServerErrorIsFinal
	}
	return status/100 == 2 && f.Code == fault.UpstreamError && f.Retryable && x.request.repeatable()
}

// fits reports whether the caller's time allows a wait and an attempt after it.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	if !ok {
		return wait <= maxWait
	}
	return wait+answerTime <= time.Until(deadline)
}
