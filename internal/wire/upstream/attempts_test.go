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

// A request is sent again if that is safe and may help. The fault says whether it may have
// happened, and whether the caller may repeat it.
func TestRetry_DependsOnTheRequestAndItsAnswer(t *testing.T) {
	drops := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}
	refuses := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	unknown := &net.DNSError{Err: "no such host", Name: "api.acme.example"}
	const once, again, doubt, sure = 1, 3, true, false
	requests := map[string]Request{"QUERY": {Method: http.MethodPost, Effect: Reads}, "SET": {Method: http.MethodPost, Effect: Repeatable}}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodPost} {
		requests[method] = Request{Method: method}
	}
	for _, row := range []struct {
		requests  string
		answers   []any // statuses, bodies of a success, and failures of the connection
		attempts  int
		doubt     bool
		retryable bool
	}{
		{"GET QUERY", []any{500, 502, 503, 504, drops}, again, sure, true},
		{"PUT DELETE SET", []any{502, 503, 504, drops}, again, doubt, true},
		{"PUT DELETE SET", []any{500, 507}, once, doubt, true},
		{"GET QUERY", []any{507, "<html>", `{"id": `, `[]`}, once, sure, true},
		{"POST", []any{500, 502, 503, 504, 507, drops, "<html>", `{"id": `, `[]`}, once, doubt, false},
		{"GET QUERY SET PUT DELETE POST", []any{429, refuses, unknown}, again, sure, true},
		{"GET QUERY SET PUT DELETE POST", []any{404, 422, 403}, once, sure, false},
	} {
		for name := range strings.FieldsSeq(row.requests) {
			for _, answer := range row.answers {
				synctest.Test(t, func(t *testing.T) {
					sent := 0
					c := newClient(transport(func(r *http.Request) (*http.Response, error) {
						sent++
						switch answer := answer.(type) {
						case int:
							return is(answer)(r)
						case string:
							return transportOf(says(201, answer))(r)
						}
						return nil, answer.(error)
					}))
					r := requestFor(newAccount("nora"), requests[name].Method, itemURL)
					r.Effect = requests[name].Effect
					f := fault.From(write(t.Context(), c, r))
					if sent != row.attempts || f.MayHaveHappened != row.doubt || f.Retryable != row.retryable || f.MayHaveHappened && f.RetryAfter != 0 {
						t.Errorf("%s, %v: %d attempts, %+v", name, answer, sent, f)
					}
				})
			}
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

func TestAPostThatTimedOutMayHaveHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := wantFault(t, post(withTimeout(t, 5*time.Second), newClient(transport(hang))), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || !errors.Is(f, context.DeadlineExceeded) {
			t.Errorf("fault %+v", f)
		}
	})
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
