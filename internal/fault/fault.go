// Package fault is the error every layer speaks. A fault is classified once, where its cause is understood, and turned
// into words once, at the edge; what it carries besides its cause is safe to show to the caller.
package fault

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Code names a kind of failure. The names are part of the outside contract and never change meaning.
type Code string

// The codes a caller can meet.
const (
	InvalidInput     Code = "INVALID_INPUT"
	TokenExpired     Code = "TOKEN_EXPIRED"
	PermissionDenied Code = "PERMISSION_DENIED"
	NotFound         Code = "NOT_FOUND"
	ToolNotEnabled   Code = "TOOL_NOT_ENABLED"
	Ambiguous        Code = "AMBIGUOUS"
	Conflict         Code = "CONFLICT"
	RateLimited      Code = "RATE_LIMITED"
	LimitReached     Code = "LIMIT_REACHED"
	UpstreamError    Code = "UPSTREAM_ERROR"
	InternalError    Code = "INTERNAL_ERROR"
)

var numbers = map[Code]int{
	RateLimited:      -31001,
	NotFound:         -31002,
	TokenExpired:     -31003,
	PermissionDenied: -31004,
	InvalidInput:     -31005,
	UpstreamError:    -31006,
	Ambiguous:        -31007,
	ToolNotEnabled:   -31008,
	Conflict:         -31009,
	LimitReached:     -31010,
	InternalError:    -31011,
}

// Number is the code as the integer that clients written for numeric codes branch on (-31001 to -31011).
func (c Code) Number() int { return numbers[c] }

// Error is a failure that may be shown to the caller. Message says what to do next and holds no upstream text, token,
// path or Go type; the cause, for the log alone, is reached with errors.Unwrap.
type Error struct {
	Code       Code
	Own        string // the tool's own name for it, in lower case: multiple_in_progress; "" for most
	Message    string
	Retryable  bool          // repeating the same call may succeed, and cannot do harm
	RetryAfter time.Duration // how long to wait first; zero when nobody said
	Resource   *Resource
	Upstream   *Upstream
	RateLimit  *RateLimit
	Validation []Violation
	Candidates []Candidate
	// MayHaveHappened is set when a write got no answer: it may have been carried out.
	MayHaveHappened bool

	cause error
}

// Resource is the thing a failure is about.
type Resource struct {
	Type string `json:"type"`
	ID   string `json:"id,omitempty"`
}

// Upstream is what the provider answered. Message is in our own words, but for 400 and 422, where it may be the provider's
// own sentence, plain and at most 200 characters.
type Upstream struct {
	Provider  string `json:"provider"`
	Status    int    `json:"status,omitempty"`
	Message   string `json:"message,omitempty"`
	RequestID string `json:"request_id,omitempty"`
}

// RateLimit is what is known of an exhausted limit; unknown figures are left out. Reset is in Unix seconds, RetryAfter in
// seconds.
type RateLimit struct {
	Limit      *int   `json:"limit,omitempty"`
	Remaining  *int   `json:"remaining,omitempty"`
	Reset      *int64 `json:"reset,omitempty"`
	RetryAfter *int   `json:"retry_after,omitempty"`
}

// Violation is one thing wrong with the input: where (todos[2].content), what, and a short stable code.
type Violation struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Candidate is one of several things an ambiguous name may mean.
type Candidate struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Where string `json:"where,omitempty"`
}

// New makes a fault of a code; the message is shown to the caller. Rate limits and upstream failures start retryable.
func New(code Code, format string, args ...any) *Error {
	return &Error{
		Code:      code,
		Message:   fmt.Sprintf(format, args...),
		Retryable: code == RateLimited || code == UpstreamError,
	}
}

// Invalid is an INVALID_INPUT about one argument.
func Invalid(path, format string, args ...any) *Error {
	v := Violation{Path: path, Message: fmt.Sprintf(format, args...), Code: "invalid"}
	return InvalidInputs(v)
}

// InvalidInputs is an INVALID_INPUT whose message joins the violations: "todo_id: must be ...; page: must be ...".
func InvalidInputs(violations ...Violation) *Error {
	e := New(InvalidInput, "")
	e.Validation = violations
	for i, v := range violations {
		if i > 0 {
			e.Message += "; "
		}
		e.Message += v.Path + ": " + v.Message
	}
	return e
}

// Because attaches the cause, which reaches the log and nobody else.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error is for logs: the code, the message and the cause.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// From finds the fault in err's chain. An error that is none is a defect of ours: INTERNAL_ERROR with err as its cause.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return New(InternalError, "something went wrong on our side").Because(err)
}

// Panicked describes for the log what a panic was recovered with: in the runtime's words, or else by its type alone. A library
// may have put the text into it that it stumbled over.
func Panicked(p any) string {
	if found, ok := p.(runtime.Error); ok {
		return "panic: " + found.Error()
	}
	return fmt.Sprintf("panic with a %T", p)
}

// Is reports whether err's chain holds a fault of this code.
func Is(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}
