package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

func TestRetry_DependsOnTheMethodAndTheStatus(t *testing.T) {
	attempts := map[string]map[int]int{
		"GET":    {429: 3, 500: 3, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"PUT":    {429: 3, 500: 1, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"DELETE": {429: 3, 500: 1, 502: 3, 503: 3, 504: 3, 404: 1, 422: 1, 507: 1},
		"POST":   {429: 3, 500: 1, 502: 1, 503: 1, 504: 1, 404: 1, 422: 1, 507: 1},
	}
	for method, statuses := range attempts {
		for status, want := range statuses {
			synctest.Test(t, func(t *testing.T) {
				var requests int
				if err := methods[method](t.Context(), answering(counted(&requests, says(status, "")))); err == nil {
					t.Errorf("%s %d: no error", method, status)
				}
				if requests != want {
					t.Errorf("%s %d: %d attempts, want %d", method, status, requests, want)
				}
			})
		}
	}
}

func TestRetry_OfAPostDependsOnItsEffect(t *testing.T) {
	for effect, want := range map[Effect]map[int]int{ByMethod: {500: 1, 503: 1}, Repeatable: {500: 1, 503: 3}, Reads: {500: 3, 503: 3}} {
		for status, attempts := range want {
			synctest.Test(t, func(t *testing.T) {
				var requests int
				r := requestFor(newAccount("nora"), http.MethodPost, itemURL)
				r.Effect = effect
				f := wantFault(t, write(t.Context(), answering(counted(&requests, says(status, ""))), r), fault.UpstreamError)
				if requests != attempts || f.MayHaveHappened != (effect != Reads) || f.Retryable != (effect != ByMethod) {
					t.Errorf("effect %d, status %d: %d attempts, %+v", effect, status, requests, f)
				}
			})
		}
	}
}

func TestRetry_DoublesItsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		wantFault(t, get(t.Context(), answering(says(502, ""))), fault.UpstreamError)
		if took := time.Since(start); took < 3*time.Second || took > 3*time.Second+2*maxJitter {
			t.Errorf("took %s, want 1 s and 2 s and jitter", took)
		}
	})
}

func TestRetry_WaitsForTheTimeInRetryAfter(t *testing.T) {
	for _, value := range []string{"7", "Sat, 01 Jan 2000 00:00:07 GMT"} { // synctest's clock starts on that day
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			c := answering(inTurn(says(429, "", "Retry-After", value), says(200, `{"id": 5}`)))
			if err := get(withTimeout(t, 20*time.Second), c); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 7*time.Second {
				t.Errorf("Retry-After %q: took %s", value, took)
			}
		})
	}
}

func TestRetry_WaitsForTheTimeInTheProvidersFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, _ := Meter(t.Context())
		c := answering(inTurn(says(403, "", "X-RateLimit-Remaining", "0"), says(200, `{"id": 5}`)))
		if err := post(ctx, c); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("took %s, %v", time.Since(start), err)
		}
		if _, limited := Waited(ctx); limited != 1 {
			t.Errorf("%d limited", limited)
		}
	})
}

func TestRetry_ComparesDatesWithTheGivenClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := New(Config{
			Now:       func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
			Transport: transportOf(inTurn(says(429, "", "Retry-After", "Sun, 01 Mar 2026 12:00:04 GMT"), says(200, `{"id": 5}`))),
		})
		if err := get(t.Context(), c); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("took %s, %v", time.Since(start), err)
		}
	})
}

func TestRetryAfter_IgnoresAnInvalidHeader(t *testing.T) {
	for _, value := range []string{"", "-1", "1.5", "soon", "99999999999", "Sun, 01 Mar 2026", "１"} {
		if wait := RetryAfter(http.Header{"Retry-After": {value}}, time.Now()); wait != nil {
			t.Errorf("%q reads as %s", value, *wait)
		}
	}
	if wait := RetryAfter(http.Header{"Retry-After": {"Sun, 01 Mar 1998 12:00:04 GMT"}}, time.Now()); wait == nil || *wait != 0 {
		t.Errorf("a date in the past reads as %v", wait)
	}
}

func TestRetry_DoesNotWaitLongerThanTheCallersTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var requests int
		c := answering(counted(&requests, says(429, "", "Retry-After", "60")))
		f := wantFault(t, get(withTimeout(t, 20*time.Second), c), fault.RateLimited)
		if time.Since(start) != 0 || requests != 1 {
			t.Errorf("%d attempts in %s", requests, time.Since(start))
		}
		if !f.Retryable || f.RetryAfter != time.Minute || *f.RateLimit.RetryAfter != 60 {
			t.Errorf("fault %+v", f)
		}
	})
}

func TestRetry_LeavesTimeForTheNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := answering(counted(&requests, says(503, "", "Retry-After", "9")))
		f := wantFault(t, get(withTimeout(t, 10*time.Second-time.Millisecond), c), fault.UpstreamError)
		if requests != 1 || f.RetryAfter != 9*time.Second {
			t.Errorf("%d attempts, %+v", requests, f)
		}
		for _, x := range []struct {
			ctx  context.Context
			wait time.Duration
			want bool
		}{
			{t.Context(), maxWait, true},
			{t.Context(), maxWait + 1, false},
			{withTimeout(t, 5*time.Second), 4 * time.Second, true},
			{withTimeout(t, 5*time.Second), 4*time.Second + 1, false},
		} {
			if got := fits(x.ctx, x.wait); got != x.want {
				t.Errorf("fits(%s) = %t", x.wait, got)
			}
		}
	})
}

func TestRetry_StopsWhenTheCallerCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		start := time.Now()
		wantFault(t, get(ctx, answering(says(503, ""))), fault.UpstreamError)
		if time.Since(start) != 200*time.Millisecond {
			t.Errorf("took %s", time.Since(start))
		}
	})
}

func TestRetry_AfterALostConnectionIsOnlyForRepeatableRequests(t *testing.T) {
	lost := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
	for method, want := range map[string]int{"GET": 3, "PUT": 3, "DELETE": 3, "POST": 1} {
		synctest.Test(t, func(t *testing.T) {
			var requests int
			c := newClient(transport(func(*http.Request) (*http.Response, error) { requests++; return nil, lost }))
			f := wantFault(t, methods[method](t.Context(), c), fault.UpstreamError)
			if requests != want || f.MayHaveHappened != (method != "GET") || f.Retryable != (method != "POST") {
				t.Errorf("%s: %d attempts, %+v", method, requests, f)
			}
		})
	}
}

func TestRetry_AfterAFailedConnectionIsForEveryMethod(t *testing.T) {
	for _, failure := range []error{
		&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")},
		&net.DNSError{Err: "no such host", Name: "api.acme.example"},
	} {
		for method, send := range methods {
			synctest.Test(t, func(t *testing.T) {
				var requests int
				c := newClient(transport(func(*http.Request) (*http.Response, error) { requests++; return nil, failure }))
				f := wantFault(t, send(t.Context(), c), fault.UpstreamError)
				if requests != 3 || f.MayHaveHappened || !f.Retryable {
					t.Errorf("%s: %d attempts, %+v", method, requests, f)
				}
			})
		}
	}
}

func TestAPostThatTimedOutMayHaveHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := wantFault(t, post(withTimeout(t, 5*time.Second), newClient(transport(hang))), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || !errors.Is(f, context.DeadlineExceeded) {
			t.Errorf("fault %+v", f)
		}
	})
}

func TestAPostWithAFailedAnswerMayHaveHappened(t *testing.T) {
	for _, answer := range []http.HandlerFunc{
		says(500, ""), says(502, "<html>"), says(503, "", "Retry-After", "1"), says(504, ""),
		says(201, "<html>"), says(201, `{"id": `), says(201, `[]`),
	} {
		f := wantFault(t, post(t.Context(), answering(answer)), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || f.RetryAfter != 0 {
			t.Errorf("fault %+v", f)
		}
	}
}

func TestAPostThatWasRefusedHasNotHappened(t *testing.T) {
	for _, status := range []int{400, 403, 404, 409, 413, 422, 429} {
		synctest.Test(t, func(t *testing.T) {
			if f := fault.From(post(t.Context(), answering(says(status, "")))); f.MayHaveHappened {
				t.Errorf("%d: %+v", status, f)
			}
		})
	}
}

func TestAWriteInDoubtStaysInDoubtWhenALaterAttemptIsRefused(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		synctest.Test(t, func(t *testing.T) {
			c := answering(inTurn(says(503, ""), says(404, "")))
			if f := wantFault(t, methods[method](t.Context(), c), fault.NotFound); f.MayHaveHappened != (method != http.MethodGet) {
				t.Errorf("%s: %+v", method, f)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := answering(inTurn(says(429, "", "Retry-After", "1"), says(403, "")))
		if f := wantFault(t, methods[http.MethodPut](t.Context(), c), fault.PermissionDenied); f.MayHaveHappened {
			t.Errorf("refused twice: %+v", f)
		}
	})
}

func TestAFaultNamesTheAnswerItComesFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for status, message := range map[int]string{404: "not found", 422: "name is too long", 503: "service unavailable"} {
			f := fault.From(get(t.Context(), answering(says(status, "", "X-Request-Id", "req-1"))))
			want := &fault.Upstream{Provider: "acme", Status: status, Message: message, RequestID: "req-1"}
			if diff := cmp.Diff(want, f.Upstream); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(&fault.Resource{Type: "item", ID: "5"}, f.Resource); diff != "" {
				t.Error(diff)
			}
		}
		f := fault.From(get(t.Context(), answering(says(404, "", "X-Request-Id", "req 1 <b>"))))
		if f.Upstream.RequestID != "" {
			t.Errorf("request ID %q", f.Upstream.RequestID)
		}
	})
}

func TestAFaultNamesTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, c := range map[string]*Client{
			"Acme could not be reached; ":       newClient(transport(func(*http.Request) (*http.Response, error) { return nil, io.EOF })),
			"Acme returned an invalid response": answering(says(200, "?")),
			"Acme did not answer in time; ":     newClient(transport(hang)),
		} {
			if f := fault.From(get(withTimeout(t, 10*time.Second), c)); !strings.HasPrefix(f.Message, want) {
				t.Errorf("%q, want %q", f.Message, want)
			}
		}
	})
}

func TestABodyThatEndsEarlyIsAnUpstreamError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests int
		c := newClient(transport(func(*http.Request) (*http.Response, error) {
			requests++
			return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"id"`), broken{}))}, nil
		}))
		if f := wantFault(t, get(t.Context(), c), fault.UpstreamError); requests != 3 || !f.Retryable {
			t.Errorf("%d attempts, %+v", requests, f)
		}
		if f := wantFault(t, post(t.Context(), c), fault.UpstreamError); !f.MayHaveHappened || f.Retryable {
			t.Errorf("a write: %+v", f)
		}
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAFaultDistinguishesACancelledCallFromOneThatTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(transport(hang))
		late := wantFault(t, get(withTimeout(t, time.Second), c), fault.UpstreamError)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		gone := wantFault(t, get(ctx, c), fault.UpstreamError)
		if !errors.Is(late, context.DeadlineExceeded) || !errors.Is(gone, context.Canceled) || late.Message == gone.Message {
			t.Errorf("late: %v\ngone: %v", late, gone)
		}
		if !late.Retryable || !gone.Retryable {
			t.Error("a read cannot be repeated")
		}
	})
}
