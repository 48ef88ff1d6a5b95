package mcptool

import (
	"context"
	"errors"
	"reflect"

	"basecamp-mcp/internal/fault"
)

// ItemError is what a batch says of one entry that failed, in the words in which a call that failed is told. Cause is for the
// log: the server finds it in the result and writes it with the call.
type ItemError struct {
	Code            fault.Code        `json:"error_code"`
	Message         string            `json:"message"`
	Retryable       bool              `json:"retryable"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty"`
	Validation      []fault.Violation `json:"validation,omitempty"`
	Cause           error             `json:"-"`
}

// Failure is err as a batch tells it. An error that nobody classified shows nothing of itself, and the entry may have been done.
func Failure(err error) ItemError {
	f, known := errors.AsType[*fault.Error](err)
	switch {
	case known:
	case errors.Is(err, context.DeadlineExceeded):
		f = outOfTime(err, true)
	default:
		f = fault.From(err)
		f.MayHaveHappened = true
	}
	return ItemError{
		Code: errorCode(f), Message: f.Message, Retryable: f.Retryable, MayHaveHappened: f.MayHaveHappened,
		Candidates: f.Candidates, Validation: f.Validation, Cause: f.Unwrap(),
	}
}

var itemErrorType = reflect.TypeFor[ItemError]()

// defect reports whether the entry failed by a fault of ours.
func (e ItemError) defect() bool { return e.Code == fault.InternalError }
