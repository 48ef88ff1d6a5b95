package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
)

func TestBucket_AdmitsTwelveOfAUserAtOnceAndThenThreeASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(says(200, `{"id": 5}`))
		if got := concurrently(ofOneUser, func() error { return get(t.Context(), c) }); got.took != 0 || got.failed != 0 {
			t.Errorf("the first twelve: %+v", got)
		}
		if got := concurrently(9, func() error { return get(t.Context(), c) }); got.took != 9*testRate.Refill || got.failed != 0 {
			t.Errorf("nine more: %+v", got)
		}
		time.Sleep(testRate.Window)
		if got := concurrently(ofOneUser, func() error { return get(t.Context(), c) }); got.took != 0 || got.failed != 0 {
			t.Errorf("twelve, a window later: %+v", got)
		}
	})
}

// What counts is when requests arrive: the network delays each one by up to a second.
func TestBucket_AtMostFortyFiveArriveInAnyTenSeconds(t *testing.T) {
	for name, pause := range map[string]time.Duration{"without a pause": 0, "at the pace of the bucket": testRate.Refill, "in bursts": 0} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var arrived []time.Time
			random := rand.New(rand.NewPCG(1, 2))
			c := answering(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				late := time.Duration(random.Int64N(int64(time.Second)))
				mu.Unlock()
				time.Sleep(late)
				mu.Lock()
				arrived = append(arrived, time.Now())
				mu.Unlock()
				says(200, `{"id": 5}`)(w, r)
			})
			for range 60 {
				concurrently(5, func() error { return get(t.Context(), c) })
				time.Sleep(pause)
				if name == "in bursts" && len(arrived)%testRate.Burst == 0 {
					time.Sleep(time.Duration(testRate.Burst) * testRate.Refill)
				}
			}
			most := 0
			for i, from := range arrived {
				inside := 0
				for _, at := range arrived[i:] {
					if at.Sub(from) < 10*time.Second {
						inside++
					}
				}
				most = max(most, inside)
			}
			if took := arrived[len(arrived)-1].Sub(arrived[0]); most > testRate.PerWindow || len(arrived) != 300 || took > 150*time.Second {
				t.Errorf("%s: %d of %d requests in 10 s, all in %s", name, most, len(arrived), took)
			}
		})
	}
}

func TestBucket_TellsTheCallerWhenToTryAgainIfTheCallersTimeIsTooShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, says(200, `{"id": 5}`)))
		concurrently(ofOneUser, func() error { return get(t.Context(), c) })
		start := time.Now()
		f := wantFault(t, post(withTimeout(t, answerTime), c), fault.RateLimited)
		if requests != ofOneUser || time.Since(start) != 0 {
			t.Errorf("%d requests, waited %s", requests, time.Since(start))
		}
		if !f.Retryable || f.RetryAfter != testRate.Refill || *f.RateLimit.RetryAfter != 1 || f.MayHaveHappened {
			t.Errorf("fault %+v", f)
		}
		if got := concurrently(1, func() error { return get(t.Context(), c) }); got.took != testRate.Refill {
			t.Errorf("the next request waited %s: the refused one kept its place", got.took)
		}
	})
}

func TestBucket_EndsTheWaitOfACallerWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, says(200, `{"id": 5}`)))
		concurrently(ofOneUser, func() error { return get(t.Context(), c) })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if f := wantFault(t, post(ctx, c), fault.UpstreamError); f.MayHaveHappened || requests != ofOneUser {
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
		if got := concurrently(ofOneUser, func() error { return get(t.Context(), c) }); got != (result{}) {
			t.Errorf("the next requests: %+v", got)
		}
	})
}

// ofOneUser is how many requests a user may send at once: the burst without the spare places.
var ofOneUser = testRate.Burst - testRate.Spare

func TestBucket_IsSharedByAllUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(says(200, `{"id": 5}`))
		concurrently(ofOneUser, readAs(t, c, "nora"))
		if got := concurrently(testRate.Spare, readAs(t, c, "idris")); got.took != 0 {
			t.Errorf("the spare places of another user: %+v", got)
		}
		if got := concurrently(1, readAs(t, c, "idris")); got.took == 0 {
			t.Error("another user had a bucket of their own")
		}
	})
}

func readAs(t *testing.T, c *Client, user string) func() error {
	return func() error {
		_, err := read(t.Context(), c, newAccount(user))
		return err
	}
}

// A batch keeps five requests waiting all the time, also while the window is used up. Another user
// makes a call of up to eight requests in turn.
func TestBucket_ABatchDelaysAnotherUsersCallByAtMostFourRequests(t *testing.T) {
	const roundTrip = 150 * time.Millisecond
	for arrival := range 24 {
		for length := 1; length <= 8; length++ {
			synctest.Test(t, func(t *testing.T) {
				var ofBatch, atStart, first atomic.Int64
				c := answering(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						ofBatch.Add(1)
					} else {
						first.Add(ofBatch.Load() - atStart.Load())
					}
					time.Sleep(roundTrip)
					says(200, `{"id": 5}`)(w, r)
				})
				end := batch(t, c)
				defer end()
				time.Sleep(time.Duration(arrival) * 700 * time.Millisecond)
				synctest.Wait()
				start := time.Now()
				for range length {
					synctest.Wait() // for requests of the batch that have their place already
					atStart.Store(ofBatch.Load())
					if err := write(t.Context(), c, requestFor(newAccount("idris"), http.MethodPut, itemURL)); err != nil {
						t.Fatal(err)
					}
				}
				late := time.Since(start) - time.Duration(length)*roundTrip
				if first.Load() > 4 || length <= 4 && late > testRate.Refill {
					t.Errorf("%d requests in turn, %d: %d requests of the batch came first, %s later than alone", length, arrival, first.Load(), late)
				}
			})
		}
	}
}

// batch starts a call of Nora's that always has five requests to send. The function ends it.
func batch(t *testing.T, c *Client) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range maxInFlight {
		all.Go(func() {
			for ctx.Err() == nil {
				_, _ = read(ctx, c, newAccount("nora"))
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

func TestBucket_GivesUpInTimeForARequestThatOthersOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBucket(Rate{Burst: 1, Refill: time.Second, Window: time.Minute, PerWindow: 60})
		for range 3 {
			if _, err := b.Wait(t.Context(), "nora"); err != nil {
				t.Fatal(err)
			}
		}
		start, ctx := time.Now(), withTimeout(t, 4*time.Second)
		var others sync.WaitGroup
		defer others.Wait()
		for i := range 9 {
			others.Go(func() {
				time.Sleep(time.Millisecond)
				_, _ = b.Wait(t.Context(), fmt.Sprint(i))
			})
		}
		tooLong, err := b.Wait(ctx, "nora")
		if took := time.Since(start); tooLong == 0 || err != nil || took.Round(time.Second) != 3*time.Second {
			t.Errorf("%s, %v after %s", tooLong, err, took)
		}
	})
}
