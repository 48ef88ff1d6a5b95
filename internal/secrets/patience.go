package secrets

import (
	"context"
	"fmt"
	"time"
)

// patience is how long to wait before each further try.
type patience []time.Duration

// retry repeats do while it fails in a way that passes, and gives its last error; or that of ctx when it ends in between,
// for then nobody knows how the waiting would have ended.
func (p patience) retry(ctx context.Context, passes func(error) bool, do func() error) error {
	err := do()
	for _, pause := range p {
		if !passes(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("wait to try again: %w", ctx.Err())
		}
		err = do()
	}
	return err
}
