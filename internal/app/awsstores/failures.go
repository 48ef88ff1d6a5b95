package awsstores

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/report/telemetry"
)

// The errors by which a service answers a question, and does not fail.
var (
	tableRefusals = []string{
		"ConditionalCheckFailedException", "TransactionCanceledException", "TransactionConflictException", "TransactionInProgressException",
	}
	secretRefusals = []string{"ResourceNotFoundException", "ResourceExistsException", "InvalidRequestException", "LimitExceededException"}
)

// storeFailures counts the operations of a deployment's stores that failed after all retries, with
// the line of their request. Some operations end after that line, or belong to no request: those of
// the audit trail, for example. They are counted with the next request.
type storeFailures struct {
	late atomic.Int64
}

// count returns the option of an SDK client that counts. refusals are the errors by which a
// service answers.
func (f *storeFailures) count(refusals []string) []func(*middleware.Stack) error {
	count := middleware.InitializeMiddlewareFunc("CountFailures", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		f.report(ctx)
		out, metadata, err := next.HandleInitialize(ctx, in)
		if storeFailed(ctx, err, refusals) && !telemetry.StoreFailed(ctx) {
			f.late.Add(1)
		}
		return out, metadata, err
	})
	return []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
		return stack.Initialize.Add(count, middleware.Before)
	}}
}

// report counts the failures that no line has yet.
func (f *storeFailures) report(ctx context.Context) {
	if f.late.Load() == 0 {
		return
	}
	for left := f.late.Swap(0); left > 0; left-- {
		if !telemetry.StoreFailed(ctx) {
			f.late.Add(left)
			return
		}
	}
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
