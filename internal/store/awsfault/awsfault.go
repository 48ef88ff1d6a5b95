// Package awsfault puts errors of the AWS SDK in this server's words. The SDK's own texts quote
// what a service answers, which may contain stored values.
package awsfault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// ReasonError is what this server knows about a failure. It can stand alone, or wrap the SDK's
// error together with it.
type ReasonError string

func (w ReasonError) Error() string { return string(w) }

// failure is an error whose text is safe.
type failure struct {
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the cause, so that callers can check its type.
func (f *failure) Unwrap() error { return f.cause }

// New returns an error that says what was being done, the ReasonError in the cause, the operation,
// and the service's error code and request ID. It returns nil if cause is nil.
func New(doing string, cause error) error {
	if cause == nil {
		return nil
	}
	why, known := errors.AsType[ReasonError](cause)
	operation, asked := errors.AsType[*smithy.OperationError](cause)
	text := doing
	if known {
		text += ": " + why.Error()
	}
	if asked {
		text += ": " + operation.OperationName
	}
	if asked || !known {
		text += ": " + reason(cause)
	}
	return &failure{text, cause}
}

// reason returns the kind of an error.
func reason(err error) string {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			return ended.Error()
		}
	}
	answer, answered := errors.AsType[*awshttp.ResponseError](err)
	if !answered || answer.HTTPStatusCode() == 0 {
		return "no answer"
	}
	text := "unreadable answer"
	if api, ok := errors.AsType[smithy.APIError](err); ok && IsCode(api.ErrorCode()) {
		text = api.ErrorCode()
	}
	return fmt.Sprintf("%s (status %d, request %q)", text, answer.HTTPStatusCode(), answer.ServiceRequestID())
}

// IsCode reports whether an error's code is one of a service, and not text from a proxy.
// UnknownError is the SDK's code for an answer without one.
func IsCode(code string) bool {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	return code != "" && code != "UnknownError" && len(code) <= 64 && strings.IndexFunc(code, func(c rune) bool { return !letter(c) }) < 0
}
