package upstream

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
)

func TestMeter_CountsEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, requests := Meter(t.Context())
		c := answering(inTurn(says(401, ""), says(503, ""), says(200, `{"id": 5}`)))
		if err := get(ctx, c); err != nil || requests() != 3 {
			t.Errorf("%d requests, %v", requests(), err)
		}
		if _, others := Meter(ctx); others() != 0 {
			t.Errorf("a new meter starts at %d", others())
		}
	})
}

func TestMeter_CountsNoRequestWhoseContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for name, c := range map[string]*Client{
			"with a rate":    answering(says(200, `{"id": 5}`)),
			"without a rate": New(Config{Transport: transportOf(says(200, `{"id": 5}`))}),
		} {
			ctx, requests := Meter(ended)
			for range 20 {
				if f := wantFault(t, post(ctx, c), fault.UpstreamError); f.MayHaveHappened || requests() != 0 {
					t.Fatalf("%s: %d requests, %+v", name, requests(), f)
				}
			}
			if taken := len(meterOf(ctx).slots); taken != 0 {
				t.Errorf("%s: %d slots are taken", name, taken)
			}
		}
	})
}

func TestMeter_LimitsACallToFiveRequestsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			says(200, `{"id": 5}`)(w, r)
		})
		ctx, requests := Meter(t.Context())
		got := concurrently(12, func() error { return post(ctx, c) })
		if most.Load() != maxInFlight || requests() != 12 || got.failed != 0 || got.took != 3*time.Second {
			t.Errorf("%d at a time, %d requests, %+v", most.Load(), requests(), got)
		}
	})
}

func TestMeter_ReleasesTheQueuedRequestsOfACallerWhoseTimeEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(transport(hang))
		ctx, _ := Meter(withTimeout(t, time.Second))
		var doubtful atomic.Int64
		concurrently(maxInFlight+1, func() error {
			err := post(ctx, c)
			if f := fault.From(err); f.MayHaveHappened {
				doubtful.Add(1)
			} else if f.Code != fault.UpstreamError || !f.Retryable {
				t.Errorf("fault %+v", f)
			}
			return err
		})
		if doubtful.Load() != maxInFlight {
			t.Errorf("%d writes may have happened, want the %d that were sent", doubtful.Load(), maxInFlight)
		}
	})
}

func TestEnter_TakesASlotAndCountsARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, requests := Meter(withTimeout(t, time.Second))
		var leaves []func()
		for range maxInFlight {
			leave, err := Enter(ctx)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		if _, err := Enter(ctx); err == nil {
			t.Error("a sixth request was admitted")
		}
		for _, leave := range leaves {
			leave()
		}
		if waited, _ := Waited(ctx); requests() != maxInFlight || waited != maxInFlight*time.Second {
			t.Errorf("%d requests, waited %s", requests(), waited)
		}
	})
}

func TestWaited_AddsUpTheTimeOfRequestsWithoutTheirQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			says(200, `{"id": 5}`)(w, r)
		})
		concurrently(ofOneUser-1, func() error { return get(t.Context(), c) })
		ctx, _ := Meter(t.Context())
		time.AfterFunc(500*time.Millisecond, func() {
			if waited, _ := Waited(ctx); waited <= 0 || waited > 3500*time.Millisecond {
				t.Errorf("while requests run, %s", waited)
			}
		})
		concurrently(12, func() error { return post(ctx, c) }) // five at a time, and three a second
		if waited, limited := Waited(ctx); waited != 12*time.Second || limited != 0 {
			t.Errorf("waited %s, %d limited", waited, limited)
		}
		if waited, _ := Waited(t.Context()); waited != 0 {
			t.Errorf("outside a call, waited %s", waited)
		}
	})
}

func TestWaited_CountsRateLimitedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := says(429, "", "Retry-After", "1")
		ctx, requests := Meter(t.Context())
		wantFault(t, get(ctx, answering(inTurn(slow, says(503, ""), says(429, "")))), fault.RateLimited)
		if waited, limited := Waited(ctx); limited != 2 || requests() != 3 || waited != 0 {
			t.Errorf("%d limited of %d, waited %s", limited, requests(), waited)
		}
	})
}

func TestLook_SaysWhenACallMustStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	metered, _ := Meter(ctx)
	if !Look(metered, mostLooked-1) || Look(metered, 1) {
		t.Error("a call may go on after it worked too much, or must stop before")
	}
	if _, work := Spent(metered); work != mostLooked {
		t.Errorf("the work is %d", work)
	}
	cancel()
	if other, _ := Meter(ctx); Look(other, 0) || Look(ctx, 0) {
		t.Error("a call may go on after its end")
	}
}
