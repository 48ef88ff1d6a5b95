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

// failure is a call that failed without an answer to the caller's question: DynamoDB was
// unreachable or busy, refused the request, or returned an invalid response. Its text consists of
// this server's words and the name of DynamoDB's error, because upstream text may contain
// stored values.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }

// Unwrap returns the SDK's error.
func (f *failure) Unwrap() error { return f.err }

// failed returns a failure with the cause err, or nil if err is nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	text := "DynamoDB"
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		text += " " + operation.OperationName
	}
	return &failure{text + ": " + reason(err), err}
}

// ownError is an error of this package.
type ownError string

const (
	errUnprocessed ownError = "keys left unprocessed"
	errIncomplete  ownError = "unreadable answer"
	errBusy        ownError = "other calls kept changing the same items"
	errTooMuch     ownError = "a transaction has more than 100 items or 4 MB"
)

func (e ownError) Error() string { return string(e) }

// reason returns the kind of an error.
func reason(err error) string {
	own, isOwn := errors.AsType[ownError](err)
	canceled, isCanceled := errors.AsType[*types.TransactionCanceledException](err)
	answer, isAnswer := errors.AsType[smithy.APIError](err)
	_, isGarbage := errors.AsType[*smithy.DeserializationError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no time left"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case isOwn:
		return string(own)
	case isCanceled:
		return strings.Join(append([]string{canceled.ErrorCode()}, reasons(canceled)...), " ")
	case isAnswer && isName(answer.ErrorCode()):
		if wrong := wrongTable(err); wrong != "" {
			return answer.ErrorCode() + ": " + wrong
		}
		return answer.ErrorCode()
	case isAnswer, isGarbage:
		return "unreadable answer"
	default:
		return "no answer"
	}
}

// isName reports whether an error's code is one of DynamoDB's, and not text from a proxy.
// UnknownError is the SDK's code for an answer without one.
func isName(code string) bool {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	return code != "" && code != "UnknownError" && len(code) <= 64 && strings.IndexFunc(code, func(c rune) bool { return !letter(c) }) < 0
}

// The reasons for which DynamoDB cancels transactions that this package distinguishes.
const (
	conditionFailed = "ConditionalCheckFailed"
	conflict        = "TransactionConflict"
	throttled       = "ThrottlingError"
	tableThrottled  = "ProvisionedThroughputExceeded"
)

// passes reports whether a failed call may succeed soon although the SDK does not retry it: it was
// answered in part, it conflicted with a transaction on the same item, or its own transaction was
// throttled. It reports false if one write of a transaction failed for another reason, such as its
// condition.
func passes(err error) bool {
	if _, alone := errors.AsType[*types.TransactionConflictException](err); alone || errors.Is(err, errUnprocessed) {
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

// reasons returns the codes for which a transaction was cancelled, each once.
func reasons(canceled *types.TransactionCanceledException) []string {
	var codes []string
	for _, r := range canceled.CancellationReasons {
		if r.Code != nil && *r.Code != "None" && isName(*r.Code) && !slices.Contains(codes, *r.Code) {
			codes = append(codes, *r.Code)
		}
	}
	return codes
}

// noSilence makes an error of a 200 response without a body. The SDK treats it as a missing item,
// or as a successful write; but DynamoDB returns at least {}. It is an option of each call, because
// a new client for it would open connections of its own.
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

// The advice for an operator who named a table that the functions cannot use.
const (
	unknownTable = "TABLE_NAME names no table of this account and region; deploy with another ExistingTable"
	otherKey     = "the table of TABLE_NAME does not have the key pk and sk; deploy with another ExistingTable"
)

// WrongTable reports whether a call failed because the table does not exist, or a read because the
// table has another key.
func WrongTable(err error) bool { return wrongTable(err) != "" }

// wrongTable returns what is wrong with the table, or an empty string. DynamoDB finds a write
// invalid for other reasons, too, such as its size.
func wrongTable(err error) string {
	operation, ok := errors.AsType[*smithy.OperationError](err)
	if !ok {
		return ""
	}
	reads := slices.Contains([]string{"GetItem", "BatchGetItem", "Query"}, operation.OperationName)
	answer, ok := errors.AsType[smithy.APIError](err)
	switch {
	case ok && answer.ErrorCode() == "ResourceNotFoundException":
		return unknownTable
	case ok && reads && answer.ErrorCode() == "ValidationException":
		return otherKey
	}
	return ""
}
