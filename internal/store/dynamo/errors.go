package dynamo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"basecamp-mcp/internal/store/awsfault"
)

const (
	errUnprocessed awsfault.ReasonError = "keys left unprocessed"
	errIncomplete  awsfault.ReasonError = "unreadable answer"
	errBusy        awsfault.ReasonError = "other calls kept changing the same items"
	errTooMuch     awsfault.ReasonError = "a transaction has more than 100 items or 4 MB"
)

// The advice for an operator who named a table that the functions cannot use.
const (
	errUnknownTable awsfault.ReasonError = "TABLE_NAME names no table of this account and region; deploy with another ExistingTable"
	errOtherKey     awsfault.ReasonError = "the table of TABLE_NAME does not have the key pk and sk; deploy with another ExistingTable"
)

// WrongTable reports whether a call failed because the table does not exist, or a read because the
// table has another key.
func WrongTable(err error) bool {
	return errors.Is(err, errUnknownTable) || errors.Is(err, errOtherKey)
}

// failed returns a failure with the cause err, or nil if err is nil.
func failed(err error) error {
	if known := why(err); known != "" {
		err = fmt.Errorf("%w: %w", known, err)
	}
	return awsfault.New("DynamoDB", err)
}

// why returns what is wrong with the table or with a transaction, or an empty text. DynamoDB finds
// a write invalid for other reasons, too, such as its size.
func why(err error) awsfault.ReasonError {
	operation, _ := errors.AsType[*smithy.OperationError](err)
	answer, ok := errors.AsType[smithy.APIError](err)
	if !ok || operation == nil {
		return ""
	}
	reads := slices.Contains([]string{"GetItem", "BatchGetItem", "Query"}, operation.OperationName)
	canceled, isCanceled := errors.AsType[*types.TransactionCanceledException](err)
	switch {
	case answer.ErrorCode() == "ResourceNotFoundException":
		return errUnknownTable
	case reads && answer.ErrorCode() == "ValidationException":
		return errOtherKey
	case isCanceled:
		return awsfault.ReasonError(strings.Join(reasons(canceled), " "))
	}
	return ""
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
		if r.Code != nil && *r.Code != "None" && awsfault.IsCode(*r.Code) && !slices.Contains(codes, *r.Code) {
			codes = append(codes, *r.Code)
		}
	}
	return codes
}
