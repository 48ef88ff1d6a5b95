package grant_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowly makes reads of records take a second, and the first few of them fail.
func (env *testEnv) slowly(failing int64) {
	var reads atomic.Int64
	env.Keeper, env.records.reads, env.records.takes = env.another(), 0, time.Second
	env.records.onRead = func(string) error {
		if reads.Add(1) <= failing {
			return errDown
		}
		return nil
	}
}

// together returns how many of n concurrent calls by Ines and by Jonas got a token.
func (env *testEnv) together(n int, subjects ...string) (succeeded int) {
	env.Helper()
	var got atomic.Int64
	var all sync.WaitGroup
	for _, subject := range subjects {
		for range n {
			all.Go(func() {
				if token, err := env.AccessToken(env.Context(), subject, ""); err == nil && token != "" {
					got.Add(1)
				}
			})
		}
	}
	all.Wait()
	return int(got.Load())
}

func TestAccess_CallsThatBeginTogetherReadTheGrantOnce(t *testing.T) {
	in(t, func(env *testEnv) {
		env.connect(jonas)
		env.slowly(0)
		start := time.Now()
		if got := env.together(10, ines, jonas); got != 20 || env.records.reads != 2 || time.Since(start) != time.Second {
			t.Errorf("%d of 20 calls have a token after %d reads and %v", got, env.records.reads, time.Since(start))
		}
	})
}

func TestAccess_CallsReadForThemselvesAfterAFailedRead(t *testing.T) {
	in(t, func(env *testEnv) {
		env.slowly(1)
		start := time.Now()
		if got := env.together(5, ines); got != 5 || time.Since(start) != 2*time.Second {
			t.Errorf("%d of 5 calls have a token after %v, want all after 2s", got, time.Since(start))
		}
	})
}

func TestAccess_ACallStopsWaitingAtItsDeadline(t *testing.T) {
	in(t, func(env *testEnv) {
		env.slowly(0)
		ctx, cancel := context.WithTimeout(env.Context(), 100*time.Millisecond)
		defer cancel()
		var first sync.WaitGroup
		first.Go(func() { env.together(1, ines) })
		synctest.Wait()
		start := time.Now()
		if _, err := env.AccessToken(ctx, ines, ""); err == nil || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		first.Wait()
	})
}
