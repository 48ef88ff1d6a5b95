package dynamo

import (
	"errors"
	"slices"

	"github.com/aws/smithy-go"
)

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
