package grant_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/grant"
)

// slowRecords take a second for a read, count the reads, and fail the first few.
type slowRecords struct {
	grant.Records
	reads, failing atomic.Int64
}

func (s *slowRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	s.reads.Add(1)
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return grant.Record{}, ctx.Err()
	}
	if s.failing.Add(-1) >= 0 {
		return grant.Record{}, errors.New("no answer")
	}
	return s.Records.Record(ctx, subject)
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
		slow := &slowRecords{Records: env.records}
		c := env.config()
		c.Records = slow
		env.Keeper = grant.New(c)
		start := time.Now()
		if got := env.together(10, ines, jonas); got != 20 || slow.reads.Load() != 2 || time.Since(start) != time.Second {
			t.Errorf("%d of 20 calls have a token after %d reads and %v", got, slow.reads.Load(), time.Since(start))
		}
	})
}

func TestAccess_CallsReadForThemselvesAfterAFailedRead(t *testing.T) {
	in(t, func(env *testEnv) {
		slow := &slowRecords{Records: env.records}
		slow.failing.Store(1)
		c := env.config()
		c.Records = slow
		env.Keeper = grant.New(c)
		start := time.Now()
		if got := env.together(5, ines); got != 4 || time.Since(start) != 2*time.Second {
			t.Errorf("%d of 5 calls have a token after %v, want 4 after 2s", got, time.Since(start))
		}
	})
}

func TestAccess_ACallStopsWaitingAtItsDeadline(t *testing.T) {
	in(t, func(env *testEnv) {
		slow := &slowRecords{Records: env.records}
		c := env.config()
		c.Records = slow
		env.Keeper = grant.New(c)
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
