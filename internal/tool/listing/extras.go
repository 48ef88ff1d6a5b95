package listing

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// Gaps is part of every answer with optional parts. LeftOut names the parts that could not be read.
type Gaps struct {
	LeftOut []string `json:"left_out,omitempty"`
}

// Extra is an optional part of an answer.
type Extra struct {
	Name string
	Read func(context.Context) error
}

// Into returns an extra that is read into a variable.
func Into[T any](name string, v *T, read func(context.Context) (T, error)) Extra {
	return Extra{name, func(ctx context.Context) (err error) { *v, err = read(ctx); return err }}
}

// Beside reads what an answer needs and, at the same time, its optional parts.
func Beside[T any](ctx context.Context, need func(context.Context) (T, error), parts ...Extra) (needed T, left Gaps, err error) {
	err = Together(ctx,
		func(ctx context.Context) (err error) { needed, err = need(ctx); return err },
		func(ctx context.Context) (err error) { left, err = Extras(ctx, parts...); return err },
	)
	return needed, left, err
}

// Extras reads parts in parallel. It leaves out a part that cannot be read, and names it with the
// reason. Two failures fail the call: an expired connection, which only the user can renew, and an
// internal error, which must be noticed.
func Extras(ctx context.Context, parts ...Extra) (Gaps, error) {
	ctx, cancel := WithTimeToAnswer(ctx)
	defer cancel()
	failures, err := InParallel(ctx, parts, func(ctx context.Context, p Extra) (*fault.Error, error) {
		err := p.Read(ctx)
		if f, ok := Dispensable(err); ok {
			return f, nil
		}
		return nil, err
	})
	var g Gaps
	for i, f := range failures {
		if f != nil {
			g.LeaveOut(parts[i].Name, f)
		}
	}
	return g, err
}

// Expect starts to read what the call will probably need. The code that needs it reads it as if
// nothing had been started: a call sends a read once.
func Expect[T any](ctx context.Context, id int64, read func(context.Context, int64) (T, error)) {
	ReadAhead(ctx, func(ctx context.Context) (T, error) { return read(ctx, id) })
}

// ReadAhead does what [Ahead] does, in the time that an extra has. When it returns, the first
// request has its place: code that reads the same waits for it, and a write comes after it.
func ReadAhead[T any](ctx context.Context, read func(context.Context) (T, error)) func() (T, error) {
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	await := Ahead(ctx, func(ctx context.Context) (T, error) {
		defer begin()
		ctx, cancel := WithTimeToAnswer(upstream.Announce(ctx, begin))
		defer cancel()
		return read(ctx)
	})
	<-begun
	return await
}

// LeaveOut records that a part is missing, and why.
func (g *Gaps) LeaveOut(name string, why *fault.Error) {
	g.LeftOut = append(g.LeftOut, name+": "+why.Message)
}

// Dispensable returns the fault of an extra, and whether the call can answer without the extra.
func Dispensable(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Code != fault.TokenExpired && f.Code != fault.InternalError
}

// timeToAnswer is the time that a call keeps to answer without an extra that is too slow.
const timeToAnswer = time.Second

// WithTimeToAnswer returns a context that expires before the call does.
func WithTimeToAnswer(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-timeToAnswer))
}
