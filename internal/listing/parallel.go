package listing

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/fault"
)

// parallel is how many requests are made at once that do not depend on each other.
const parallel = 5

// InParallel runs f over items, a few at a time, and keeps their order.
func InParallel[A, B any](ctx context.Context, items []A, f func(context.Context, A) (B, error)) ([]B, error) {
	results := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil { // out here it would end the process
					err = fmt.Errorf("%s\n%s", fault.Panicked(p), debug.Stack())
				}
			}()
			results[i], err = f(ctx, item)
			return err
		})
	}
	return results, group.Wait()
}

// Together runs requests that do not depend on each other at once.
func Together(ctx context.Context, requests ...func(context.Context) error) error {
	_, err := InParallel(ctx, requests, func(ctx context.Context, do func(context.Context) error) (struct{}, error) {
		return struct{}{}, do(ctx)
	})
	return err
}
