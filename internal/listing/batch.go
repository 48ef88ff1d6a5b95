package listing

import (
	"context"
	"fmt"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

// Outcome is the result of one entry of a batch: an item or an error.
type Outcome[T any] struct {
	Index int                `json:"index"`
	OK    bool               `json:"ok"`
	Item  *T                 `json:"item,omitempty"`
	Error *mcptool.ItemError `json:"error,omitempty"`
}

// minRemaining is the time that a call must have left to start another entry.
const minRemaining = 2 * time.Second

// Each runs do for one entry after the other, and returns the outcomes in that order with the
// number of failures. After a failed entry it goes on with the next. It stops when the user must
// sign in again, when a limit is reached, or when the call's time is up: the entries that remain
// fail untried. If all entries fail, Each returns an error.
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

// TimeLeft returns an error if the call has too little time left to start another entry.
func TimeLeft(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < minRemaining {
		return fault.New(fault.UpstreamError, "the call ran out of time before it tried this entry; send the entry in another call")
	}
	return nil
}

// Hopeless reports whether the entries that follow would fail in the same way.
func Hopeless(err error) bool {
	return fault.Is(err, fault.TokenExpired) || fault.Is(err, fault.RateLimited) || fault.Is(err, fault.LimitReached)
}

// NotTried returns the error of the entries that follow a hopeless one.
func NotTried(err error) error {
	f := *fault.From(err)
	f.Message = "not tried, because an earlier entry failed: " + f.Message
	f.MayHaveHappened = false
	return &f
}

// allFailed returns the error of a batch in which every entry failed. It has the code of the first
// failure and the messages of all.
func allFailed(argument string, failures []error) error {
	first := *fault.From(failures[0])
	if len(failures) == 1 {
		return &first
	}
	first.Message = fmt.Sprintf("none of the %d entries succeeded; the first: %s", len(failures), first.Message)
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
