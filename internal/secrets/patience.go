package secrets

import (
	"context"
	"fmt"
	"time"
)

// patience is the list of pauses before each further try.
type patience []time.Duration

// retry calls do until it succeeds or fails with an error that does not pass, and returns the last
// error. If ctx ends during a pause, retry returns the error of ctx: the outcome of a further try
// is unknown.
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
