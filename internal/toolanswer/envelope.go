package toolanswer

import (
	"encoding/json"
	"math"
	"strings"

	"basecamp-mcp/internal/fault"
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
			Held:            e.Held,
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
	Held            *fault.HeldCall   `json:"held,omitempty"`
	RateLimit       *fault.RateLimit  `json:"rate_limit,omitempty"`
	Validation      []fault.Violation `json:"validation,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty"`
	Nearest         []fault.Candidate `json:"nearest,omitempty"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
}

// Seconds returns how long the caller should wait. It rounds up: a client that retries slightly too
// early has wasted a call.
func Seconds(e *fault.Error) int { return int(math.Ceil(e.RetryAfter.Seconds())) }
