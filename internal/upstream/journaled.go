package upstream

import (
	"context"
	"errors"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/writeplan"
)

// journaled sends a write after the journal has begun, and adds what undoes it. A write that may
// have been carried out is added as unsure.
func (x *exchange) journaled(ctx context.Context, journal *writeplan.Journal) (Answer, error) {
	after, err := x.request.Call.Opposite(ctx, journal)
	if err != nil {
		return Answer{}, err
	}
	if err := journal.Begin(ctx); err != nil {
		return Answer{}, err
	}
	a, err := x.deliver(ctx)
	if err == nil {
		for _, step := range after(a.Body) {
			journal.Add(step)
		}
	} else if f, ok := errors.AsType[*fault.Error](err); !ok || f.MayHaveHappened {
		for _, step := range after(nil) {
			step.Unsure = true
			journal.Add(step)
		}
	}
	return a, err
}
