package basecamp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
)

func TestRetry_GoesByTheMethodAndTheStatus(t *testing.T) {
	attempts := map[string]map[int]int{
		"GET":    {429: 3, 500: 3, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"PUT":    {429: 3, 500: 1, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"DELETE": {429: 3, 500: 1, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"POST":   {429: 3, 500: 1, 502: 1, 503: 1, 504: 1, 404: 1, 422: 1, 507: 1},
	}
	for method, statuses := range attempts {
		for status, want := range statuses {
			synctest.Test(t, func(t *testing.T) {
				var asked int
				if err := calls[method](t.Context(), wired(t, counted(&asked, says(status, "")))); err == nil {
					t.Errorf("%s %d: no error", method, status)
				}
				if asked != want {
					t.Errorf("%s %d: %d attempts, want %d", method, status, asked, want)
				}
			})
		}
	}
}

func TestRetry_EndsWithTheFirstSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := wired(t, replies(says(503, ""), says(200, `{"id": 5}`)))
		if err := read5(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

func TestRetry_BacksOffTwiceAsLongEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		failed(t, read5(t.Context(), wired(t, says(502, ""))), fault.UpstreamError)
		if took := time.Since(start); took < 3*time.Second || took > 3*time.Second+2*maxJitter {
			t.Errorf("took %s, want 1 s and 2 s and some jitter", took)
		}
	})
}

func TestRetry_WaitsAsLongAsBasecampAsks_B49(t *testing.T) {
	for _, value := range []string{"7", "Sat, 01 Jan 2000 00:00:07 GMT"} { // the clock of a bubble starts that day
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			c := wired(t, replies(says(429, "", "Retry-After", value), says(200, `{"id": 5}`)))
			if err := read5(soon(t, 20*time.Second), c); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 7*time.Second {
				t.Errorf("Retry-After %q: took %s", value, took)
			}
		})
	}
}

func TestRetry_HoldsDatesAgainstTheGivenClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := client(t, Config{
			Now:       func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
			Transport: transportOf(replies(says(429, "", "Retry-After", "Sun, 01 Mar 2026 12:00:04 GMT"), says(200, `{"id": 5}`))),
		})
		if err := read5(t.Context(), c); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("took %s, %v", time.Since(start), err)
		}
	})
}

func TestRetryAfter_ThatMakesNoSenseIsNone(t *testing.T) {
	for _, value := range []string{"", "-1", "1.5", "soon", "99999999999", "Sun, 01 Mar 2026", "１"} {
		if wait := retryAfter(http.Header{"Retry-After": {value}}, time.Now()); wait != nil {
			t.Errorf("%q reads as %s", value, *wait)
		}
	}
	if wait := retryAfter(http.Header{"Retry-After": {"Sun, 01 Mar 1998 12:00:04 GMT"}}, time.Now()); wait == nil || *wait != 0 {
		t.Errorf("a date gone by reads as %v", wait)
	}
}

func TestRetry_DoesNotSleepBeyondTheCallersTime_W10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var asked int
		c := wired(t, counted(&asked, says(429, "", "Retry-After", "60")))
		f := failed(t, read5(soon(t, 20*time.Second), c), fault.RateLimited)
		if time.Since(start) != 0 || asked != 1 {
			t.Errorf("%d attempts in %s", asked, time.Since(start))
		}
		if !f.Retryable || f.RetryAfter != time.Minute || *f.RateLimit.RetryAfter != 60 {
			t.Errorf("fault %+v", f)
		}
	})
}

func TestRetry_LeavesTimeForTheAttemptItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		c := wired(t, counted(&asked, says(503, "", "Retry-After", "9")))
		f := failed(t, read5(soon(t, 10*time.Second-time.Millisecond), c), fault.UpstreamError)
		if asked != 1 || f.RetryAfter != 9*time.Second {
			t.Errorf("%d attempts, %+v", asked, f)
		}
	})
}

func TestRetry_HasABoundWhereTheCallerHasNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		c := wired(t, counted(&asked, says(429, "", "Retry-After", "31")))
		failed(t, read5(context.Background(), c), fault.RateLimited)
		if asked != 1 {
			t.Errorf("%d attempts", asked)
		}
	})
}

func TestRetry_StopsWhenTheCallerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		start := time.Now()
		failed(t, read5(ctx, wired(t, says(503, ""))), fault.UpstreamError)
		if time.Since(start) != 200*time.Millisecond {
			t.Errorf("took %s", time.Since(start))
		}
	})
}

func TestRetry_OfALostConnectionIsForWhatMayBeDoneTwice(t *testing.T) {
	lost := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
	for method, want := range map[string]int{"GET": 3, "PUT": 3, "DELETE": 3, "POST": 1} {
		synctest.Test(t, func(t *testing.T) {
			var asked int
			c := client(t, Config{Transport: wire(func(*http.Request) (*http.Response, error) { asked++; return nil, lost })})
			f := failed(t, calls[method](t.Context(), c), fault.UpstreamError)
			if asked != want || f.MayHaveHappened != (method != "GET") || f.Retryable != (method != "POST") {
				t.Errorf("%s: %d attempts, %+v", method, asked, f)
			}
		})
	}
}

func TestRetry_OfAConnectionThatNeverWasIsForEveryMethod(t *testing.T) {
	for _, never := range []error{
		&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")},
		&net.DNSError{Err: "no such host", Name: "basecamp.example"},
	} {
		for method, call := range calls {
			synctest.Test(t, func(t *testing.T) {
				var asked int
				c := client(t, Config{Transport: wire(func(*http.Request) (*http.Response, error) { asked++; return nil, never })})
				f := failed(t, call(t.Context(), c), fault.UpstreamError)
				if asked != 3 || f.MayHaveHappened || !f.Retryable {
					t.Errorf("%s: %d attempts, %+v", method, asked, f)
				}
			})
		}
	}
}

func TestPost_ThatTimedOutMayHaveHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(t, Config{Transport: wire(never)})
		f := failed(t, post(soon(t, 5*time.Second), c), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || !errors.Is(f, context.DeadlineExceeded) {
			t.Errorf("fault %+v", f)
		}
	})
}

func TestPost_AnsweredWithATroubleMayHaveHappened(t *testing.T) {
	for _, answer := range []http.HandlerFunc{
		says(500, ""), says(502, "<html>"), says(503, "", "Retry-After", "1"), says(504, ""),
		says(201, "<html>"), says(201, `{"id": `), says(201, `[]`),
	} {
		f := failed(t, post(t.Context(), wired(t, answer)), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || f.RetryAfter != 0 {
			t.Errorf("fault %+v", f)
		}
	}
}

func TestPost_ThatWasRefusedHasNotHappened(t *testing.T) {
	for _, status := range []int{400, 403, 404, 409, 413, 422, 429, 507} {
		synctest.Test(t, func(t *testing.T) {
			f := fault.From(post(t.Context(), wired(t, says(status, ""))))
			if f.MayHaveHappened {
				t.Errorf("%d: %+v", status, f)
			}
		})
	}
}

// never answers a request before its time is up.
func never(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestRetry_OfAWriteThatMayHaveLandedStaysInDoubt(t *testing.T) {
	for method, attempt := range calls {
		synctest.Test(t, func(t *testing.T) {
			err := attempt(t.Context(), wired(t, replies(says(503, ""), says(429, "", "Retry-After", "60"), says(403, ""))))
			var f *fault.Error
			if !errors.As(err, &f) || f.MayHaveHappened != (method != http.MethodGet) {
				t.Errorf("%s: %+v", method, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		err := calls[http.MethodPut](t.Context(), wired(t, replies(says(429, "", "Retry-After", "1"), says(403, ""))))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.PermissionDenied || f.MayHaveHappened {
			t.Errorf("refused twice: %+v", err)
		}
	})
}
