package upstream

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
)

func TestBucket_AdmitsTwentyAtOnceAndThenFourASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(says(200, `{"id": 5}`))
		if got := concurrently(testRate.Burst, func() error { return get(t.Context(), c) }); got.took != 0 || got.failed != 0 {
			t.Errorf("the first twenty: %+v", got)
		}
		if got := concurrently(8, func() error { return get(t.Context(), c) }); got.took != 2*time.Second || got.failed != 0 {
			t.Errorf("eight more: %+v", got)
		}
		time.Sleep(testRate.Window)
		if got := concurrently(testRate.Burst, func() error { return get(t.Context(), c) }); got.took != 0 || got.failed != 0 {
			t.Errorf("twenty, ten seconds later: %+v", got)
		}
	})
}

func TestBucket_AdmitsAtMostFortyFiveInAnyTenSeconds(t *testing.T) {
	for name, pause := range map[string]time.Duration{"without a pause": 0, "at the pace of the bucket": testRate.Refill, "in bursts": 0} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var sent []time.Time
			c := answering(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				sent = append(sent, time.Now())
				mu.Unlock()
				says(200, `{"id": 5}`)(w, r)
			})
			for range 60 {
				concurrently(5, func() error { return get(t.Context(), c) })
				time.Sleep(pause)
				if name == "in bursts" && len(sent)%testRate.Burst == 0 {
					time.Sleep(time.Duration(testRate.Burst) * testRate.Refill)
				}
			}
			most := 0
			for i, from := range sent {
				inside := 0
				for _, at := range sent[i:] {
					if at.Sub(from) < testRate.Window {
						inside++
					}
				}
				most = max(most, inside)
			}
			if took := sent[len(sent)-1].Sub(sent[0]); most > testRate.PerWindow || len(sent) != 300 || took > 75*time.Second {
				t.Errorf("%s: %d of %d requests in %s, all in %s", name, most, len(sent), testRate.Window, took)
			}
		})
	}
}

func TestBucket_TellsTheCallerWhenToTryAgainIfTheCallersTimeIsTooShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, says(200, `{"id": 5}`)))
		concurrently(testRate.Burst, func() error { return get(t.Context(), c) })
		start := time.Now()
		f := wantFault(t, post(withTimeout(t, answerTime), c), fault.RateLimited)
		if requests != testRate.Burst || time.Since(start) != 0 {
			t.Errorf("%d requests, waited %s", requests, time.Since(start))
		}
		if !f.Retryable || f.RetryAfter != 250*time.Millisecond || *f.RateLimit.RetryAfter != 1 || f.MayHaveHappened {
			t.Errorf("fault %+v", f)
		}
		if got := concurrently(1, func() error { return get(t.Context(), c) }); got.took != 250*time.Millisecond {
			t.Errorf("the next request waited %s: the refused one kept its place", got.took)
		}
	})
}

func TestBucket_EndsTheWaitOfACallerWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, says(200, `{"id": 5}`)))
		concurrently(testRate.Burst, func() error { return get(t.Context(), c) })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if f := wantFault(t, post(ctx, c), fault.UpstreamError); f.MayHaveHappened || requests != testRate.Burst {
			t.Errorf("%d requests, %+v", requests, f)
		}
	})
}

// One failure ends the context of all the reads of a batch. The rest of them must not use up the
// rate.
func TestBucket_GivesNoPlaceToARequestWhoseContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(says(200, `{"id": 5}`))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if got := concurrently(testRate.PerWindow, func() error { return get(ended, c) }); got.failed != int64(testRate.PerWindow) {
			t.Errorf("%+v", got)
		}
		if got := concurrently(testRate.Burst, func() error { return get(t.Context(), c) }); got != (result{}) {
			t.Errorf("the next requests: %+v", got)
		}
	})
}

func TestBucket_IsSharedByAllUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(says(200, `{"id": 5}`))
		readAs := func(user string) func() error {
			return func() error {
				_, err := read(t.Context(), c, newAccount(user))
				return err
			}
		}
		concurrently(testRate.Burst, readAs("nora"))
		if got := concurrently(1, readAs("idris")); got.took == 0 {
			t.Error("another user had a bucket of their own")
		}
	})
}

func TestBucket_IsOptional(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Transport: transportOf(says(200, `{"id": 5}`))})
		if got := concurrently(200, func() error { return get(t.Context(), c) }); got != (result{}) {
			t.Errorf("without a rate: %+v", got)
		}
	})
}
