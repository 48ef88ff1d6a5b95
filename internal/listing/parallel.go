package listing

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
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
			if ctx.Err() != nil { // a call whose time is over stops computing
				return context.Cause(ctx)
			}
			results[i], err = guarded(ctx, func(ctx context.Context) (B, error) { return f(ctx, item) })
			return err
		})
	}
	return results, group.Wait()
}

// guarded returns a panic of f as an error: in a goroutine of its own, it would end the process.
func guarded[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s\n%s", fault.Panicked(p), debug.Stack())
		}
	}()
	return f(ctx)
}

// Ahead starts f before it is known whether its result is needed, and returns a function that waits
// for the result. f ends with ctx, at the latest with the call, which cancels it and waits for it.
func Ahead[T any](ctx context.Context, f func(context.Context) (T, error)) (await func() (T, error)) {
	var result T
	var err error
	done := make(chan struct{})
	mcptool.InBackground(ctx, func(ctx context.Context) {
		defer close(done)
		result, err = guarded(ctx, f)
	})
	return func() (T, error) { <-done; return result, err }
}

// Together runs independent requests in parallel.
func Together(ctx context.Context, requests ...func(context.Context) error) error {
	_, err := InParallel(ctx, requests, func(ctx context.Context, do func(context.Context) error) (struct{}, error) {
		return struct{}{}, do(ctx)
	})
	return err
}
