package basecamptools

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// gaps is part of every answer with optional parts. LeftOut names the parts that could not be read.
type gaps struct {
	LeftOut []string `json:"left_out,omitempty"`
}

// extra is an optional part of an answer.
type extra struct {
	name string
	read func(context.Context) error
}

// extras reads parts in parallel. It leaves out a part that cannot be read, and names it with the
// reason. Two failures fail the call: an expired connection, which only the user can renew, and an
// internal error, which must be noticed.
func extras(ctx context.Context, parts ...extra) (gaps, error) {
	ctx, cancel := withTimeToAnswer(ctx)
	defer cancel()
	failures, err := listing.InParallel(ctx, parts, func(ctx context.Context, p extra) (*fault.Error, error) {
		err := p.read(ctx)
		if f, ok := dispensable(err); ok {
			return f, nil
		}
		return nil, err
	})
	var g gaps
	for i, f := range failures {
		if f != nil {
			g.leaveOut(parts[i].name, f)
		}
	}
	return g, err
}

// ahead starts to read an extra before it is known whether the answer has it, and returns a
// function that waits for it.
func ahead[T any](ctx context.Context, read func(context.Context) (T, error)) func() (T, error) {
	return listing.Ahead(ctx, func(ctx context.Context) (T, error) {
		ctx, cancel := withTimeToAnswer(ctx)
		defer cancel()
		return read(ctx)
	})
}

// shared is a read that several parts of a call need, and that is sent once.
type shared[T any] struct {
	read  func(context.Context) (T, error)
	mu    sync.Mutex
	await func() (T, error) // nil before the first start
}

// start starts the read, unless it was started before, and returns a function that waits for it.
func (s *shared[T]) start(ctx context.Context) func() (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.await == nil {
		s.await = listing.Ahead(ctx, s.read)
	}
	return s.await
}

// leaveOut records that a part is missing, and why.
func (g *gaps) leaveOut(name string, why *fault.Error) {
	g.LeftOut = append(g.LeftOut, name+": "+why.Message)
}

// dispensable returns the fault of an extra, and whether the call can answer without the extra.
func dispensable(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Code != fault.TokenExpired && f.Code != fault.InternalError
}

// timeToAnswer is the time that a call keeps to answer without an extra that is too slow.
const timeToAnswer = time.Second

// withTimeToAnswer returns a context that expires before the call does.
func withTimeToAnswer(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-timeToAnswer))
}
