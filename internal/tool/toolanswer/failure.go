package toolanswer

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"

	"basecamp-mcp/internal/report/fault"
)

// CallFailure returns the JSON of a call that failed.
func CallFailure(tool string, e *fault.Error) json.RawMessage {
	f := failureJSON{
		ErrorCode:         ErrorCode(e),
		Message:           e.Message,
		Retryable:         e.Retryable,
		RetryAfterSeconds: Seconds(e),
		Data: failureData{
			Tool:            tool,
			Code:            e.Code.Number(),
			Resource:        e.Resource,
			Upstream:        e.Upstream,
			Link:            e.Link,
			RateLimit:       e.RateLimit,
			Validation:      e.Validation,
			Candidates:      e.Candidates,
			Nearest:         e.Nearest,
			MayHaveHappened: e.MayHaveHappened,
		},
	}
	if e.Own != "" {
		f.Error = &ownError{Code: e.Own, Message: e.Message}
	}
	return MustEncode(f)
}

// ErrorCode returns the code for the caller: the tool's own if it has one.
func ErrorCode(e *fault.Error) fault.Code {
	if e.Own != "" {
		return fault.Code(strings.ToUpper(e.Own))
	}
	return e.Code
}

// ownError is the failure in the form of tools with codes of their own. The answer has the common
// form too.
type ownError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type failureJSON struct {
	Error             *ownError   `json:"error,omitempty"`
	ErrorCode         fault.Code  `json:"error_code"`
	Message           string      `json:"message"`
	Retryable         bool        `json:"retryable"`
	RetryAfterSeconds int         `json:"retry_after_seconds,omitempty"`
	Data              failureData `json:"data"`
}

type failureData struct {
	Tool            string            `json:"tool"`
	Code            int               `json:"code"`
	Resource        *fault.Resource   `json:"resource,omitempty"`
	Upstream        *fault.Upstream   `json:"upstream,omitempty"`
	Link            *fault.Link       `json:"link,omitempty"`
	RateLimit       *fault.RateLimit  `json:"rate_limit,omitempty"`
	Validation      []fault.Violation `json:"validation,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty"`
	Nearest         []fault.Candidate `json:"nearest,omitempty"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
}

// Seconds returns how long the caller should wait. It rounds up: a client that retries slightly too
// early has wasted a call.
func Seconds(e *fault.Error) int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// ItemError is the failure of one entry of a batch, with the fields of a failed call. The server
// finds Cause in the result and logs it.
type ItemError struct {
	Code            fault.Code        `json:"error_code"`
	Message         string            `json:"message"`
	Retryable       bool              `json:"retryable"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty" limits:"short"`
	Nearest         []fault.Candidate `json:"nearest,omitempty" limits:"short"`
	Validation      []fault.Violation `json:"validation,omitempty" limits:"short"`
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
