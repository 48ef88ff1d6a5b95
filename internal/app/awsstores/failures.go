package awsstores

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/telemetry"
)

// The errors by which a service answers a question, and does not fail.
var (
	tableRefusals = []string{
		"ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException", "TransactionInProgressException",
	}
	secretRefusals = []string{"ResourceNotFoundException", "ResourceExistsException", "InvalidRequestException", "LimitExceededException"}
)

// countFailures returns the option of an SDK client that counts the operations that failed after
// all retries, as failures of the deployment with this table.
func countFailures(table string, refusals []string) []func(*middleware.Stack) error {
	count := middleware.InitializeMiddlewareFunc("CountFailures", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if storeFailed(ctx, err, refusals) {
			telemetry.StoreFailed(ctx, table)
		}
		return out, metadata, err
	})
	return []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
		return stack.Initialize.Add(count, middleware.Before)
	}}
}

// storeFailed reports whether the error of an operation is a failure of the service. It reports
// false if the caller gave up. A transaction that was only throttled is a failure too.
func storeFailed(ctx context.Context, err error, refusals []string) bool {
	if err == nil || errors.Is(ctx.Err(), context.Canceled) {
		return false
	}
	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return slices.ContainsFunc(canceled.CancellationReasons, func(r types.CancellationReason) bool {
			return r.Code != nil && (*r.Code == "ThrottlingError" || *r.Code == "ProvisionedThroughputExceeded")
		})
	}
	answer, ok := errors.AsType[smithy.APIError](err)
	return !ok || !slices.Contains(refusals, answer.ErrorCode())
}
