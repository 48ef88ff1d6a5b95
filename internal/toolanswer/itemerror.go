package toolanswer

import (
	"context"
	"errors"
	"reflect"

	"basecamp-mcp/internal/fault"
)

// ItemError is the failure of one entry of a batch, with the fields of a failed call. The server
// finds Cause in the result and logs it.
type ItemError struct {
	Code            fault.Code        `json:"error_code"`
	Message         string            `json:"message"`
	Retryable       bool              `json:"retryable"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty"`
	Nearest         []fault.Candidate `json:"nearest,omitempty"`
	Validation      []fault.Violation `json:"validation,omitempty"`
	Cause           error             `json:"-"`
}

// Failure returns err as the failure of an entry. For an unclassified error it shows no detail, and
// says that the entry may have been done.
func Failure(err error) ItemError {
	f, known := errors.AsType[*fault.Error](err)
	switch {
	case known:
	case errors.Is(err, context.DeadlineExceeded):
		f = Unfinished(err)
	default:
		f = fault.From(err)
		f.MayHaveHappened = true
	}
	f = f.Shown()
	return ItemError{
		Code: ErrorCode(f), Message: f.Message, Retryable: f.Retryable, MayHaveHappened: f.MayHaveHappened,
		Candidates: f.Candidates, Nearest: f.Nearest, Validation: f.Validation, Cause: f.Unwrap(),
	}
}

// Unfinished returns the fault of a write that ran out of time.
func Unfinished(err error) *fault.Error {
	f := fault.New(fault.UpstreamError, "this may have been done, although the time ran out; look before trying again").Because(err)
	f.Retryable, f.MayHaveHappened = false, true
	return f
}

var itemErrorType = reflect.TypeFor[ItemError]()

// IsDefect reports whether the entry failed through a defect of this server.
func (e ItemError) IsDefect() bool { return e.Code == fault.InternalError }
