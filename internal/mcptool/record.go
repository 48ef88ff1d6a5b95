package mcptool

import (
	"context"
	"errors"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
)

// record adds an audit entry, and stores how a call with an idempotency key ended.
func (s *Server) record(ctx context.Context, subject string, e audit.Entry, end *idempotency.End) {
	if end == nil || s.options.EndCall == nil {
		s.settle(ctx, end)
		s.options.Audit.Record(subject, e)
		return
	}
	requestID := identity.RequestID(ctx)
	recorded := s.options.Audit.RecordWith(subject, e, func(ctx context.Context, subject string, e audit.Entry) error {
		err := s.options.EndCall(ctx, *end, subject, e)
		if errors.Is(err, idempotency.ErrLost) {
			s.options.Log.ErrorContext(ctx, "settle an idempotency key", "tool", end.Tool, "err", err, "request_id", requestID)
			return nil
		}
		return err
	})
	if !recorded {
		s.settle(ctx, end)
	}
}

// settle stores how a call ended, if it has an idempotency key.
func (s *Server) settle(ctx context.Context, end *idempotency.End) {
	if end != nil {
		s.options.Idempotency.Settle(ctx, *end)
	}
}
