package secrets

import (
	"context"
	"errors"
	"fmt"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// failure is an error of the SDK in this server's words: the operation, the service's error code,
// and its request ID. The SDK's own text quotes the service's answer.
type failure struct {
	doing string
	cause error
}

// Unwrap returns the SDK's error, so that callers can check its type.
func (f *failure) Unwrap() error { return f.cause }

func (f *failure) Error() string {
	text := f.doing
	switch {
	case errors.Is(f.cause, errFull):
		text += ": " + errFull.Error()
	case errors.Is(f.cause, errTaken):
		text += ": " + errTaken.Error()
	}
	if operation, ok := errors.AsType[*smithy.OperationError](f.cause); ok {
		text += ": " + operation.OperationName
	}
	return text + ": " + reason(f.cause)
}

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
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		text = api.ErrorCode()
	}
	return fmt.Sprintf("%s (status %d, request %q)", text, answer.HTTPStatusCode(), answer.ServiceRequestID())
}
