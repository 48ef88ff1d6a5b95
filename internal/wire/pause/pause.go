// Package pause waits.
package pause

import (
	"context"
	"time"
)

// For waits for a time. If ctx ends earlier, or has ended, it returns the error of ctx at once.
func For(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
