package mcptool

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
		f = unfinished(err)
	default:
		f = fault.From(err)
		f.MayHaveHappened = true
	}
	return ItemError{
		Code: errorCode(f), Message: f.Message, Retryable: f.Retryable, MayHaveHappened: f.MayHaveHappened,
		Candidates: f.Candidates, Nearest: f.Nearest, Validation: f.Validation, Cause: f.Unwrap(),
	}
}

var itemErrorType = reflect.TypeFor[ItemError]()

// defect reports whether the entry failed through a defect of this server.
func (e ItemError) defect() bool { return e.Code == fault.InternalError }
