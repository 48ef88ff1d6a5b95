package basecamptools

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	requests "basecamp-mcp/internal/upstream"
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

// expect starts to read what the call will probably need. The code that needs it reads it as if
// nothing had been started: a call sends a read once.
func expect[T any](ctx context.Context, id int64, read func(context.Context, int64) (T, error)) {
	ahead(ctx, func(ctx context.Context) (T, error) { return read(ctx, id) })
}

// ahead starts to read an extra before it is known whether the answer has it, and returns a
// function that waits for it. When ahead returns, the first request has its place: code that reads
// the same waits for it, and a write comes after it.
func ahead[T any](ctx context.Context, read func(context.Context) (T, error)) func() (T, error) {
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	await := listing.Ahead(ctx, func(ctx context.Context) (T, error) {
		defer begin()
		ctx, cancel := withTimeToAnswer(requests.Announce(ctx, begin))
		defer cancel()
		return read(ctx)
	})
	<-begun
	return await
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
