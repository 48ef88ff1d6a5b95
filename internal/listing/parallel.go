package listing

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/fault"
)

// parallel is the number of independent requests that are sent at once.
const parallel = 5

// InParallel calls f for each item, a few at a time, and returns the results in the order of items.
func InParallel[A, B any](ctx context.Context, items []A, f func(context.Context, A) (B, error)) ([]B, error) {
	results := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil { // in a goroutine of its own, a panic would end the process
					err = fmt.Errorf("%s\n%s", fault.Panicked(p), debug.Stack())
				}
			}()
			results[i], err = f(ctx, item)
			return err
		})
	}
	return results, group.Wait()
}

// Together runs independent requests in parallel.
func Together(ctx context.Context, requests ...func(context.Context) error) error {
	_, err := InParallel(ctx, requests, func(ctx context.Context, do func(context.Context) error) (struct{}, error) {
		return struct{}{}, do(ctx)
	})
	return err
}
