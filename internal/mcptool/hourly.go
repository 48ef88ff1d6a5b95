package mcptool

import (
	"context"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/writeplan"
)

// fenced calls the tool's own function within what the caller's fence asks about writes.
func (s *Server) fenced(ctx context.Context, c *toolCall) (toolanswer.Answer, error) {
	caller, _ := identity.From(ctx)
	if c.tool.Effect == Reads {
		return c.tool.run(ctx, c.accepted)
	}
	if most, connection := caller.Fence.WritesAnHour, caller.Connection; most > 0 && !c.tool.ownStore {
		ctx = writeplan.WithGuard(ctx, func(ctx context.Context, _ writeplan.Request) error {
			return s.countWrite(ctx, connection, most)
		})
	}
	return s.journaled(ctx, c)
}

func (s *Server) countWrite(ctx context.Context, connection string, most int) error {
	now := time.Now()
	full, err := s.options.CountWrite(ctx, connection, now, most)
	if err != nil {
		return fault.New(fault.UpstreamError, "this was not sent, because it could not be counted; try again").Because(err)
	}
	if full.IsZero() {
		return nil
	}
	f := fault.New(fault.RateLimited, "this was not sent: the user allows this app %d writes an hour; repeat the call when retry_after_seconds are over", most)
	f.RetryAfter = max(full.Sub(now), time.Second)
	return f
}
