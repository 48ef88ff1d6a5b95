package basecamp

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
)

func TestMeter_CountsEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, requests := Meter(t.Context())
		c := wired(t, replies(says(401, ""), says(503, ""), says(200, `{"id": 5}`)))
		if err := read5(ctx, c); err != nil || requests() != 3 {
			t.Errorf("%d requests, %v", requests(), err)
		}
		if _, others := Meter(ctx); others() != 0 {
			t.Errorf("a new meter starts at %d", others())
		}
	})
}

func TestMeter_KeepsACallToFiveRequestsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		c := wired(t, func(w http.ResponseWriter, r *http.Request) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			says(200, `{"id": 5}`)(w, r)
		})
		ctx, requests := Meter(t.Context())
		at := atOnce(12, func() error { return read5(ctx, c) })
		if most.Load() != maxInFlight || requests() != 12 || at.failed != 0 || at.took != 3*time.Second {
			t.Errorf("%d at a time, %d requests, %+v", most.Load(), requests(), at)
		}
	})
}

func TestMeter_GivesUpItsPlaceInTheQueueWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t, Config{Transport: wire(never)})
		ctx, _ := Meter(soon(t, time.Second))
		var posts atomic.Int64
		atOnce(maxInFlight+1, func() error {
			err := post(ctx, c)
			if f := fault.From(err); f.MayHaveHappened {
				posts.Add(1)
			} else if f.Code != fault.UpstreamError || !f.Retryable {
				t.Errorf("fault %+v", f)
			}
			return err
		})
		if posts.Load() != maxInFlight {
			t.Errorf("%d posts may have happened, want those that were sent", posts.Load())
		}
	})
}

func TestWaited_AddsUpTheTimeOfRequestsAndNoneOfTheirQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := wired(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			says(200, `{"id": 5}`)(w, r)
		})
		atOnce(bucketSize-1, func() error { return read5(t.Context(), c) })
		ctx, _ := Meter(t.Context())
		time.AfterFunc(500*time.Millisecond, func() {
			if waited, _ := Waited(ctx); waited <= 0 || waited > 3500*time.Millisecond {
				t.Errorf("in the midst of it, %s", waited)
			}
		})
		atOnce(12, func() error { return read5(ctx, c) }) // five at a time, and four a second
		if waited, limited := Waited(ctx); waited != 12*time.Second || limited != 0 {
			t.Errorf("waited %s, %d limited", waited, limited)
		}
		if waited, _ := Waited(t.Context()); waited != 0 {
			t.Errorf("outside a call, waited %s", waited)
		}
	})
}

func TestWaited_CountsRefusalsForTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := says(429, "", "Retry-After", "1")
		c := client(t, Config{Transport: transportOf(replies(slow, says(503, ""), says(429, "")))})
		ctx, requests := Meter(t.Context())
		failed(t, read5(ctx, c), fault.RateLimited)
		if waited, limited := Waited(ctx); limited != 2 || requests() != 3 || waited != 0 {
			t.Errorf("%d limited of %d, waited %s", limited, requests(), waited)
		}
	})
}

func TestBucket_LetsTwentyThroughAndThenFourASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := wired(t, says(200, `{"id": 5}`))
		if at := atOnce(bucketSize, func() error { return read5(t.Context(), c) }); at.took != 0 || at.failed != 0 {
			t.Errorf("the first twenty: %+v", at)
		}
		if at := atOnce(8, func() error { return read5(t.Context(), c) }); at.took != 2*time.Second || at.failed != 0 {
			t.Errorf("eight more: %+v", at)
		}
		time.Sleep(window)
		if at := atOnce(bucketSize, func() error { return read5(t.Context(), c) }); at.took != 0 || at.failed != 0 {
			t.Errorf("twenty, ten seconds later: %+v", at)
		}
	})
}

func TestBucket_LetsNoMoreThanFortyFiveThroughInAnyTenSeconds(t *testing.T) {
	for name, pause := range map[string]time.Duration{"without a pause": 0, "at the pace of the bucket": bucketRefill, "in bursts": 0} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var sent []time.Time
			c := wired(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				sent = append(sent, time.Now())
				mu.Unlock()
				says(200, `{"id": 5}`)(w, r)
			})
			for range 60 {
				atOnce(5, func() error { return read5(t.Context(), c) })
				time.Sleep(pause)
				if name == "in bursts" && len(sent)%bucketSize == 0 {
					time.Sleep(bucketSize * bucketRefill)
				}
			}
			most := 0
			for i, from := range sent {
				inside := 0
				for _, at := range sent[i:] {
					if at.Sub(from) < window {
						inside++
					}
				}
				most = max(most, inside)
			}
			if took := sent[len(sent)-1].Sub(sent[0]); most > 45 || len(sent) != 300 || took > 75*time.Second {
				t.Errorf("%s: %d of %d requests in %s, all in %s", name, most, len(sent), window, took)
			}
		})
	}
}

func TestBucket_TellsTheSecondsWhereTheCallersTimeIsShorter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		c := wired(t, counted(&asked, says(200, `{"id": 5}`)))
		atOnce(bucketSize, func() error { return read5(t.Context(), c) })
		start := time.Now()
		f := failed(t, post(soon(t, answerTime), c), fault.RateLimited)
		if asked != bucketSize || time.Since(start) != 0 {
			t.Errorf("%d requests, waited %s", asked, time.Since(start))
		}
		if !f.Retryable || f.RetryAfter != 250*time.Millisecond || *f.RateLimit.RetryAfter != 1 || f.MayHaveHappened {
			t.Errorf("fault %+v", f)
		}
		if at := atOnce(1, func() error { return read5(t.Context(), c) }); at.took != 250*time.Millisecond {
			t.Errorf("the next one waited %s: the one that gave up kept its place", at.took)
		}
	})
}

func TestBucket_IsLeftByACallerWhoGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		c := wired(t, counted(&asked, says(200, `{"id": 5}`)))
		atOnce(bucketSize, func() error { return read5(t.Context(), c) })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if f := failed(t, post(ctx, c), fault.UpstreamError); f.MayHaveHappened || asked != bucketSize {
			t.Errorf("%d requests, %+v", asked, f)
		}
	})
}

func TestBucket_IsOneForAllPersons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := wired(t, says(200, `{"id": 5}`))
		atOnce(bucketSize, func() error { return read5(as(t.Context(), "nora"), c) })
		if at := atOnce(1, func() error { return read5(as(t.Context(), "idris"), c) }); at.took == 0 {
			t.Error("another person, of the same address to Basecamp, had a bucket of their own")
		}
	})
}

func TestFits_LeavesTimeToAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, x := range []struct {
			ctx  context.Context
			wait time.Duration
			want bool
		}{
			{t.Context(), maxWait, true},
			{t.Context(), maxWait + 1, false},
			{soon(t, 5*time.Second), 4 * time.Second, true},
			{soon(t, 5*time.Second), 4*time.Second + 1, false},
		} {
			if got := fits(x.ctx, x.wait); got != x.want {
				t.Errorf("fits(%s) = %t", x.wait, got)
			}
		}
	})
}

type crowd struct {
	took   time.Duration
	failed int64
}

// atOnce does something n times at once, in the test's own time.
func atOnce(n int, do func() error) crowd {
	start := time.Now()
	var failures atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if do() != nil {
				failures.Add(1)
			}
		})
	}
	all.Wait()
	return crowd{took: time.Since(start), failed: failures.Load()}
}
