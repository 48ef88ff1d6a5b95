package listing

import (
	"context"
	"fmt"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// itemOutcome is what became of one entry of a batch.
type Outcome[T any] struct {
	Index int                `json:"index"`
	OK    bool               `json:"ok"`
	Item  *T                 `json:"item,omitempty"`
	Error *mcptool.ItemError `json:"error,omitempty"`
}

// minRemaining is what must be left of a call's time for another entry to be begun.
const minRemaining = 2 * time.Second

// Each does one thing after the other, in order. A failure is its entry's alone; but when the connection, the limits or the
// time are at an end, what remains is not tried. All having failed is a failure of the call.
func Each[A, T any](ctx context.Context, argument string, entries []A, do func(ctx context.Context, entry A) (T, error)) ([]Outcome[T], int, error) {
	outcomes := make([]Outcome[T], len(entries))
	var failures []error
	var stop error
	for i, entry := range entries {
		outcomes[i].Index = i
		err := stop
		if err == nil {
			err = TimeLeft(ctx)
		}
		if err == nil {
			var item T
			if item, err = do(ctx, entry); err == nil {
				outcomes[i].OK, outcomes[i].Item = true, &item
				continue
			}
		}
		if stop == nil && Hopeless(err) {
			stop = NotTried(err)
		}
		failed := mcptool.Failure(err)
		outcomes[i].Error = &failed
		failures = append(failures, err)
	}
	if len(failures) == len(entries) {
		return nil, 0, allFailed(argument, failures)
	}
	return outcomes, len(failures), nil
}

func TimeLeft(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < minRemaining {
		return fault.New(fault.UpstreamError, "the time of this call is up; send this entry again in another call")
	}
	return nil
}

// Hopeless reports failures that the following entries would only meet again.
func Hopeless(err error) bool {
	return fault.Is(err, fault.TokenExpired) || fault.Is(err, fault.RateLimited) || fault.Is(err, fault.LimitReached)
}

// NotTried is what the entries behind a hopeless one are told.
func NotTried(err error) error {
	f := *fault.From(err)
	f.Message = "not tried, because an earlier entry failed: " + f.Message
	f.MayHaveHappened = false
	return &f
}

// allFailed is the failure of a whole batch: the first one's kind, and of each what it says.
func allFailed(argument string, failures []error) error {
	first := *fault.From(failures[0])
	if len(failures) == 1 {
		return &first
	}
	first.Message = fmt.Sprintf("none of the %d entries worked. The first: %s", len(failures), first.Message)
	first.Validation = nil
	for i, err := range failures {
		f := fault.From(err)
		first.MayHaveHappened = first.MayHaveHappened || f.MayHaveHappened
		first.Retryable = first.Retryable && f.Retryable
		first.Validation = append(first.Validation, fault.Violation{
			Path: fmt.Sprintf("%s[%d]", argument, i), Message: f.Message, Code: string(f.Code),
		})
	}
	return &first
}
