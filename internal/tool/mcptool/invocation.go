package mcptool

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolanswer"
)

const (
	maxBudget    = 25 * time.Second // API Gateway ends a request after 30 s
	answerMargin = 2 * time.Second  // reserved at the end of the function's time to write the answer
)

// invocation is one use of a tool, prompt, resource or completion, as the log and the audit trail
// show it.
type invocation struct {
	kind, name string        // "tool", "prompt", "resource" or "completion", and which
	provider   string        // the ID of the provider that it works on; "" for the server's own
	channel    calls.Channel // "" keeps it out of the trail
	arguments  func() []calls.Argument
}

// running is an invocation between start and finish.
type running struct {
	start         time.Time
	upstreamCalls func() int
	cancel        context.CancelFunc
	foreign       string // the ID of a provider with which users do not sign in, or ""
	background    *background
}

// start returns a context with the time budget of an invocation. It counts the upstream requests
// made under that context.
func (s *Server) start(ctx context.Context, i invocation, readOnly bool) (context.Context, running) {
	now := time.Now()
	r := running{start: now, upstreamCalls: func() int { return 0 }, background: &background{readOnly: readOnly, start: now, ended: make(chan struct{})}}
	end := now.Add(maxBudget)
	if outer, ok := ctx.Deadline(); ok && outer.Add(-answerMargin).Before(end) {
		end = outer.Add(-answerMargin)
	}
	ctx, r.cancel = context.WithDeadline(context.WithValue(ctx, backgroundKey{}, r.background), end)
	if all := s.options.Providers; i.provider != "" && (len(all) == 0 || i.provider != all[0].ID) {
		r.foreign = i.provider
		telemetry.Provider(ctx, i.provider)
	}
	if s.options.Meter != nil {
		ctx, r.upstreamCalls = s.options.Meter(ctx)
	}
	if caller, _ := identity.From(ctx); caller.Fence.Bounds() {
		ctx, _ = fence.Begin(ctx)
	}
	return ctx, r
}

// line returns what is kept of an invocation, so far.
func (s *Server) line(ctx context.Context, r running, i invocation) calls.Entry {
	caller, _ := identity.From(ctx)
	return calls.Entry{
		Time: r.start, Tool: i.trailName(), Arguments: i.arguments(), Client: clientName(ctx, caller), Door: i.channel,
		RequestID: identity.RequestID(ctx), Connection: caller.Connection, Provider: r.foreign,
	}
}

// finish writes the log line of an invocation, and what the person who made it sees of it.
// record is that of a call that may have written, or nil.
func (s *Server) finish(ctx context.Context, r running, i invocation, outcome *Outcome, record *calls.Call) {
	s.logInvocation(ctx, r, i, outcome)
	caller, ok := identity.From(ctx)
	if s.options.Calls == nil || !ok || i.channel == "" {
		return
	}
	took := time.Since(r.start).Milliseconds()
	if record == nil || !record.Claimed() {
		line := s.line(ctx, r, i)
		line.Outcome, line.Milliseconds = outcome.code(), took
		s.options.Calls.Line(caller.Subject, line)
		return
	}
	record.Outcome, record.Milliseconds = outcome.code(), took
	if err := s.options.Calls.End(ctx, record); err != nil {
		s.options.Log.ErrorContext(ctx, "store the end of a call", "tool", i.name, "err", err, "request_id", identity.RequestID(ctx))
		outcome.forget(record.ID)
	}
}

// trailName returns the name of the invocation in the trail. A tool's name has no kind before it,
// because most entries are of tools.
func (i invocation) trailName() string {
	if i.kind == "tool" {
		return i.name
	}
	return i.kind + " " + i.name
}

// fault classifies an error. If the time budget is over, the fault says so, wherever the code
// noticed. After an unclassified error the server does not know what was done: if doubtful is true,
// the fault says that it may have happened.
func (s *Server) fault(ctx context.Context, i invocation, err error, doubtful bool) *fault.Error {
	_, known := errors.AsType[*fault.Error](err)
	if late := !known && errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil; late && doubtful {
		return toolanswer.Unfinished(err)
	} else if late && s.spentComputing(ctx) {
		return fault.New(fault.LimitReached, "this server needed the time of the call for its own work; ask for less at once").Because(err)
	} else if late {
		return fault.New(fault.UpstreamError, "%s did not answer in time; try again, or ask for less at once", s.awaitedName(i)).Because(err)
	}
	f := fault.From(err).Shown()
	if f.Code == fault.InternalError {
		shown := *f
		shown.Message = "something went wrong on our side; if it happens again, report request " + identity.RequestID(ctx)
		shown.MayHaveHappened = shown.MayHaveHappened || doubtful && !known
		return &shown
	}
	return f
}

// spentComputing reports whether requests ran for less than half of the invocation's time.
func (s *Server) spentComputing(ctx context.Context) bool {
	b := backgroundOf(ctx)
	if s.options.Waited == nil || b == nil {
		return false
	}
	waited, _ := s.options.Waited(ctx)
	return waited < time.Since(b.start)/2
}

// background is the work of an invocation that runs in parallel to its own function.
type background struct {
	readOnly bool // the endpoint serves only reads
	start    time.Time

	ended chan struct{} // closed when the function of the invocation has returned
	work  sync.WaitGroup
}

type backgroundKey struct{}

func backgroundOf(ctx context.Context) *background {
	b, _ := ctx.Value(backgroundKey{}).(*background)
	return b
}

// InBackground runs f in parallel to the function of the invocation that ctx belongs to. When
// that function returns, the context of f is cancelled, and the invocation waits for f before it
// answers: Lambda freezes a process that has answered, and would freeze f in the middle of a
// request. Without an invocation, f ends with ctx. f must not panic.
func InBackground(ctx context.Context, f func(context.Context)) {
	b := backgroundOf(ctx)
	if b == nil {
		go f(ctx)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-b.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	b.work.Go(func() {
		defer cancel()
		f(ctx)
	})
}

// end cancels the work that is still running, and waits for it.
func (b *background) end() {
	close(b.ended)
	b.work.Wait()
}

// ReadOnly reports whether the endpoint of the call serves only reads.
func ReadOnly(ctx context.Context) bool {
	b := backgroundOf(ctx)
	return b != nil && b.readOnly
}
