package secrets

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// failure is an error of the SDK in our words: the operation and the code of the service, and its id of the request to look
// it up by. The SDK's own words quote whatever the service said.
type failure struct {
	doing string
	cause error
}

// Unwrap gives the SDK's error, for its type alone.
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
		return unanswered(err)
	}
	text := "unreadable answer"
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		text = api.ErrorCode()
	}
	return fmt.Sprintf("%s (status %d, request %q)", text, answer.HTTPStatusCode(), answer.ServiceRequestID())
}

// unanswered is why there was no answer: the connection, or what the request was to be signed with. Nothing that the service
// said can be in it.
func unanswered(err error) string {
	if send, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		const broken = "transport connection broken" // and then net/http quotes what it could not read
		if strings.Contains(send.Err.Error(), broken) {
			return broken
		}
		return send.Err.Error()
	}
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		return operation.Err.Error()
	}
	return err.Error()
}
