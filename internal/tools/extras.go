package tools

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// gaps is part of every answer that can do without some of its parts.
type gaps struct {
	LeftOut []string `json:"left_out,omitempty"`
}

// extra is a part of an answer that the answer can do without.
type extra struct {
	name string
	read func(context.Context) error
}

// extras reads parts at once. A part that cannot be read is left out and named, with the reason. An expired connection fails the
// call, because only the user can renew it, and so does a defect of ours, which must not go unnoticed.
func extras(ctx context.Context, parts ...extra) (gaps, error) {
	ctx, cancel := inGoodTime(ctx)
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

func (g *gaps) leaveOut(name string, why *fault.Error) {
	g.LeftOut = append(g.LeftOut, name+": "+why.Message)
}

// dispensable returns the fault of an extra if the answer is worth giving all the same.
func dispensable(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Code != fault.TokenExpired && f.Code != fault.InternalError
}

// toAnswer is what must be left of a call's time to answer without an extra that never came.
const toAnswer = time.Second

// inGoodTime ends before the call does.
func inGoodTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-toAnswer))
}
