package dynamo

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// failure is a call that did not do what it was made for, for a reason that is no answer to the caller's question: DynamoDB
// could not be reached, was too busy, refused us, or said what makes no sense. It says so in our words and the name of
// DynamoDB's error, because messages from elsewhere may carry what we were about to store.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }

// Unwrap gives what the SDK said.
func (f *failure) Unwrap() error { return f.err }

var errUnprocessed = errors.New("keys left unprocessed")

// failed makes a failure of an error, and nil of none.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	text := doing + ": DynamoDB"
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		text += " " + operation.OperationName
	}
	return &failure{text + ": " + reason(err), err}
}

// reason names the kind of an error.
func reason(err error) string {
	canceled, isCanceled := errors.AsType[*types.TransactionCanceledException](err)
	answer, isAnswer := errors.AsType[smithy.APIError](err)
	_, isGarbage := errors.AsType[*smithy.DeserializationError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no time left"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, errUnprocessed), errors.Is(err, errUnreadable):
		return err.Error()
	case isCanceled:
		return strings.Join(append([]string{canceled.ErrorCode()}, reasons(canceled)...), " ")
	case isAnswer && isName(answer.ErrorCode()):
		return answer.ErrorCode()
	case isAnswer, isGarbage:
		return "unreadable answer"
	default:
		return "no answer"
	}
}

// isName reports whether an error's code is one of DynamoDB's, and not what something between us put there; UnknownError is the
// SDK's word for none.
func isName(code string) bool {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	return code != "" && code != "UnknownError" && len(code) <= 64 && strings.IndexFunc(code, func(c rune) bool { return !letter(c) }) < 0
}

// The codes that tell of a transaction why it was canceled, as far as they matter here.
const (
	conditionFailed = "ConditionalCheckFailed"
	conflict        = "TransactionConflict"
	throttled       = "ThrottlingError"
	tableThrottled  = "ProvisionedThroughputExceeded"
)

// refusal is which write of a transaction, counted from 1, had the first condition that did not hold; 0 when it was not a
// condition that kept it from being done.
func refusal(err error) int {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return 0
	}
	return 1 + slices.IndexFunc(canceled.CancellationReasons, func(r types.CancellationReason) bool {
		return r.Code != nil && *r.Code == conditionFailed
	})
}

// passes reports whether a call was not carried out for reasons that pass in a moment, and that the SDK does not retry: it met
// another transaction on the same item, or was a transaction that was throttled. If one write of a transaction failed for
// another reason, such as its condition, there is nothing to wait for.
func passes(err error) bool {
	if _, alone := errors.AsType[*types.TransactionConflictException](err); alone {
		return true
	}
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return false
	}
	codes := reasons(canceled)
	return len(codes) > 0 && !slices.ContainsFunc(codes, func(code string) bool {
		return code != conflict && code != throttled && code != tableThrottled
	})
}

// reasons are the codes for which a transaction was canceled, each once.
func reasons(canceled *types.TransactionCanceledException) []string {
	var codes []string
	for _, r := range canceled.CancellationReasons {
		if r.Code != nil && *r.Code != "None" && isName(*r.Code) && !slices.Contains(codes, *r.Code) {
			codes = append(codes, *r.Code)
		}
	}
	return codes
}

// noSilence makes an error of a 200 without a word, which to the SDK is an item that is not there, or a write that is done.
// DynamoDB says {} at least. It is an option of each call, as a client made anew for it would have connections of its own.
func noSilence(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("NoSilence", func(
			ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
		) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			answer, ok := out.RawResponse.(*smithyhttp.Response)
			if err == nil && ok && answer.StatusCode == http.StatusOK && answer.ContentLength == 0 {
				err = &smithy.DeserializationError{Err: io.ErrUnexpectedEOF}
			}
			return out, metadata, err
		}), middleware.After)
	})
}
