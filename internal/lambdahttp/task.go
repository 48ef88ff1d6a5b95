package lambdahttp

import (
	"context"
	"encoding/json"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
)

// StartTask runs a task for each event, for the life of the process. The answer is sent as JSON.
// After an error, Lambda counts the run as failed and may repeat it.
func StartTask(run func(ctx context.Context, event []byte) (answer any, err error)) {
	catchStray(os.Stdout)
	lambda.Start(task(run))
}

type task func(ctx context.Context, event []byte) (any, error)

// Invoke implements lambda.Handler.
func (t task) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-spare))
		defer cancel()
	}
	answer, err := t(ctx, event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
