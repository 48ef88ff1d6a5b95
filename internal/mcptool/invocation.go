package mcptool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
)

const (
	maxBudget    = 25 * time.Second // a gateway gives up on us after 30 s
	answerMargin = 2 * time.Second  // left of the function's time to write the answer
)

// use is one use of what the server offers, as the log and the trail tell it.
type invocation struct {
	kind, name string        // "tool", "prompt", "resource" or "completion", and which
	channel    audit.Channel // "" keeps it out of the trail
	arguments  func() []audit.Argument
}

// turn is a use while it goes on.
type running struct {
	start         time.Time
	upstreamCalls func() int
	cancel        context.CancelFunc
}

// begin gives a use its time budget, and counts the upstream requests made under the returned context.
func (s *Server) start(ctx context.Context, readOnly bool) (context.Context, running) {
	r := running{start: time.Now(), upstreamCalls: func() int { return 0 }}
	ctx, r.cancel = context.WithDeadline(context.WithValue(ctx, readOnlyKey{}, readOnly), deadline(ctx, r.start))
	if s.options.Meter != nil {
		ctx, r.upstreamCalls = s.options.Meter(ctx)
	}
	return ctx, r
}

func deadline(ctx context.Context, start time.Time) time.Time {
	end := start.Add(maxBudget)
	if outer, ok := ctx.Deadline(); ok && outer.Add(-answerMargin).Before(end) {
		end = outer.Add(-answerMargin)
	}
	return end
}

// end writes the log line of a use, and its entry in the trail.
func (s *Server) finish(ctx context.Context, r running, i invocation, outcome *Outcome) {
	s.logInvocation(ctx, r, i, outcome)
	caller, ok := identity.From(ctx)
	if s.options.Audit == nil || !ok || i.channel == "" {
		return
	}
	s.options.Audit.Record(caller.Subject, audit.Entry{
		Time:         r.start,
		Tool:         i.inTrail(),
		Arguments:    i.arguments(),
		Outcome:      outcome.code(),
		Milliseconds: time.Since(r.start).Milliseconds(),
		Client:       clientName(ctx, caller),
		Door:         i.channel,
		RequestID:    identity.RequestID(ctx),
		Connection:   caller.Connection,
	})
}

// inTrail is the name under which a person finds the use in the trail, where most are of tools.
func (i invocation) inTrail() string {
	if i.kind == "tool" {
		return i.name
	}
	return i.kind + " " + i.name
}

// guarded turns a panic into an error.
func guarded[T any](ctx context.Context, run func(context.Context) (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s\n%s", fault.Panicked(p), debug.Stack())
		}
	}()
	return run(ctx)
}

// fault classifies what went wrong. Whoever ran out of the time budget, wherever they noticed, says so. Of an error that nobody
// classified nobody knows what was done before it: with doubtful, it may have happened.
func (s *Server) fault(ctx context.Context, err error, doubtful bool) *fault.Error {
	_, known := errors.AsType[*fault.Error](err)
	if !known && errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return outOfTime(err, doubtful)
	}
	f := fault.From(err)
	if f.Code == fault.InternalError {
		shown := *f
		shown.Message = "something went wrong on our side; if it happens again, report request " + identity.RequestID(ctx)
		shown.MayHaveHappened = shown.MayHaveHappened || doubtful && !known
		return &shown
	}
	return f
}

func outOfTime(err error, doubtful bool) *fault.Error {
	f := fault.New(fault.UpstreamError, "Basecamp did not answer in time; try again, or ask for less at once").Because(err)
	if doubtful {
		f.Message, f.Retryable, f.MayHaveHappened = "this may have been done, although the time ran out; look before trying again", false, true
	}
	return f
}

type readOnlyKey struct{}

// ReadOnly reports whether the endpoint that ctx's call came through serves reads only.
func ReadOnly(ctx context.Context) bool {
	readOnly, _ := ctx.Value(readOnlyKey{}).(bool)
	return readOnly
}
