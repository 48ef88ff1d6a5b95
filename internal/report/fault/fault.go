// Package fault is the error type of all layers. Code that understands a failure classifies it
// once, as a fault; the edge of the server turns it into words once. Everything in a fault except
// its cause is safe to show to the caller.
package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/plaintext"
)

// Code names a kind of failure. The names are part of the public contract and never change their
// meaning.
type Code string

// The codes that a caller can receive.
const (
	InvalidInput     Code = "INVALID_INPUT"
	TokenExpired     Code = "TOKEN_EXPIRED"
	NotLinked        Code = "NOT_LINKED" // the user never linked a provider with which users do not sign in
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
	NotLinked:        -31012,
}

// Number returns the numeric code (-31001 to -31013), for clients that branch on numbers.
func (c Code) Number() int { return numbers[c] }

// Error is a failure that may be shown to the caller. Message says what to do next and contains no
// upstream text, token, path or Go type. The cause is only for the log; errors.Unwrap returns it.
type Error struct {
	Code Code
	// Own is the code that this server's own tools promise for the failure, such as unknown_list.
	Own        string
	Message    string
	Retryable  bool          // the same call may succeed when repeated, and repeating it is safe
	RetryAfter time.Duration // how long to wait before a retry; zero if unknown
	Resource   *Resource
	// Provider is the ID of the provider whose grant failed. It is empty if the failure is not about a
	// grant. Callers do not see it.
	Provider   string
	Upstream   *Upstream
	Link       *Link
	RateLimit  *RateLimit
	Validation []Violation
	Candidates []Candidate // what an ambiguous name may refer to, or what an unknown one could have named
	Nearest    []Candidate // what has a name similar to one that was not found; none of them may be meant
	// MayHaveHappened is set when a write got no response and so may have been carried out.
	MayHaveHappened bool
	// Told is what the caller is told in place of this fault. Nil: the fault itself.
	Told *Error

	cause error
}

// Resource is the thing that a failure is about.
type Resource struct {
	Type string `json:"type"`
	ID   string `json:"id,omitempty"`
}

// Upstream is the provider's response.
type Upstream struct {
	Provider string `json:"provider"`
	Status   int    `json:"status,omitempty"`
	// Message is in this server's words. Only for 400 and 422 it may be the provider's own
	// sentence, as plain text of at most 200 characters.
	Message   string `json:"message,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// DocumentationURL is a page of the provider's documentation about the refusal.
	DocumentationURL string `json:"documentation_url,omitempty"`
	Type             string `json:"type,omitempty"` // the provider's own code of the error
}

// LinkReason says why a user's link to a provider does not allow a call.
type LinkReason string

// The reasons. They are part of the public contract.
const (
	NeverLinked  LinkReason = "not_linked"
	Reauthorize  LinkReason = "reauthorize" // the link no longer works
	MissingScope LinkReason = "scope"
	SSO          LinkReason = "sso" // an organization requires single sign-on
)

// Link is what the user must do at a provider before the call can succeed.
type Link struct {
	Provider string     `json:"provider"`
	URL      string     `json:"url,omitempty"` // which the user opens in a browser
	Reason   LinkReason `json:"reason"`
	Scopes   []string   `json:"scopes,omitempty"` // which the call needs
	// ExpiresIn is how long URL can be used, in seconds.
	ExpiresIn int `json:"expires_in,omitempty"`
}

// RateLimit is what the provider said about an exhausted limit. Unknown figures are omitted.
type RateLimit struct {
	Limit      *int   `json:"limit,omitempty"`
	Remaining  *int   `json:"remaining,omitempty"`
	Reset      *int64 `json:"reset,omitempty"`       // Unix time in seconds
	RetryAfter *int   `json:"retry_after,omitempty"` // seconds
}

// Violation is one invalid part of the input: its path (todos[2].content), a message and a short
// stable code.
type Violation struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Candidate is one of the things that have an ambiguous name, or a name similar to an unknown one.
// A file inside a text has no ID; Where is its address. Ref is what the argument takes if that is
// not the ID. Schemas leave Ref out: the tools whose answers contain failures use IDs.
type Candidate struct {
	ID    int64  `json:"id,omitzero"`
	Ref   string `json:"ref,omitempty" jsonschema:"-"`
	Type  string `json:"type,omitempty"`
	Name  string `json:"name"`
	Where string `json:"where,omitempty"`
}

// String returns the name, with the reference or ID and the place in brackets, for a sentence.
func (c Candidate) String() string {
	var more []string
	switch {
	case c.ID != 0:
		more = append(more, strings.TrimPrefix(c.Type+":", ":")+strconv.FormatInt(c.ID, 10))
	case c.Ref != "" && plaintext.Quote(c.Ref) != plaintext.Quote(c.Name):
		more = append(more, plaintext.Word(c.Ref))
	}
	if c.Where != "" {
		more = append(more, plaintext.Quote(c.Where))
	}
	if len(more) == 0 {
		return plaintext.Quote(c.Name)
	}
	return plaintext.Quote(c.Name) + " (" + strings.Join(more, ", ") + ")"
}

// New returns a fault with a code and a message for the caller. RATE_LIMITED and UPSTREAM_ERROR
// start as retryable.
func New(code Code, format string, args ...any) *Error {
	return &Error{
		Code:      code,
		Message:   fmt.Sprintf(format, args...),
		Retryable: code == RateLimited || code == UpstreamError,
	}
}

// Invalid returns an INVALID_INPUT about one argument.
func Invalid(path, format string, args ...any) *Error {
	v := Violation{Path: path, Message: fmt.Sprintf(format, args...), Code: "invalid"}
	return InvalidInputs(v)
}

// InvalidInputs returns an INVALID_INPUT whose message has the first violation and the number of
// the others: "todo_id: must be ... (and 2 more problems: see data.validation)".
func InvalidInputs(violations ...Violation) *Error { return FirstOf(len(violations), violations...) }

// FirstOf does what InvalidInputs does for the first of all violations: the message has the number
// of all others, and how many of them it lists.
func FirstOf(all int, violations ...Violation) *Error {
	e := New(InvalidInput, "")
	e.Validation = violations
	if len(violations) > 0 {
		e.Message = violations[0].Path + ": " + violations[0].Message
	}
	switch more := all - 1; {
	case all > len(violations):
		e.Message += fmt.Sprintf(" (and %d more problems: data.validation has the first %d)", more, len(violations))
	case more == 1:
		e.Message += " (and 1 more problem: see data.validation)"
	case more > 1:
		e.Message += fmt.Sprintf(" (and %d more problems: see data.validation)", more)
	}
	return e
}

// Because attaches the cause, which only the log shows.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error returns the code, the message and the cause. It is for logs.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From returns the fault in err's chain. An error without a fault is a defect of this server: From
// returns INTERNAL_ERROR with err as its cause.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return New(InternalError, "something went wrong on our side").Because(err)
}

// Shown returns what the caller is told.
func (e *Error) Shown() *Error {
	if e.Told != nil {
		return e.Told
	}
	return e
}

// Panicked describes a recovered panic for the log: the runtime's own text, or only the type of the
// value, since a library may have put the input that it failed on into the value.
func Panicked(p any) string {
	if found, ok := p.(runtime.Error); ok {
		return "panic: " + found.Error()
	}
	return fmt.Sprintf("panic with a %T", p)
}

// Recover turns a panic of the function that defers it into its error.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s\n%s", Panicked(p), debug.Stack())
	}
}

// Is reports whether err's chain contains a fault with this code.
func Is(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}
