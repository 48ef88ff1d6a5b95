package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// host is an API that a test makes sick and well again.
type host struct {
	requests int
	answer   transport
}

func (h *host) client() *Client {
	return newClient(transport(func(r *http.Request) (*http.Response, error) {
		h.requests++
		return h.answer(r)
	}))
}

func is(status int) transport {
	if status == http.StatusOK {
		return transportOf(says(status, `{"id": 5}`))
	}
	return transportOf(says(status, ""))
}

func lost(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
}

// reads makes the n-th request of a user, in the time of one call.
func reads(t *testing.T, c *Client, user string, n int) error {
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	_, err := readURL(ctx, c, newAccount(user), fmt.Sprintf("https://api.acme.example/items/%d", n))
	return err
}

// breaks makes as many different requests as open the breaker, of two users.
func breaks(t *testing.T, c *Client) {
	t.Helper()
	for n := range failuresToOpen {
		f := wantFault(t, reads(t, c, []string{"nora", "omar"}[n%2], n), fault.UpstreamError)
		if last := n == failuresToOpen-1; last != (f.RetryAfter == firstPause) {
			t.Errorf("after failure %d: %+v", n+1, f)
		}
	}
}

func TestBreaker_FailsFastAndSaysWhenToComeBack(t *testing.T) {
	for name, sick := range map[string]transport{
		"refuses connections": lost, "hangs": hang, "drops": func(*http.Request) (*http.Response, error) { return nil, io.EOF },
		"500": is(500), "502": is(502), "503": is(503), "504": is(504),
		"stops in its answer": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"id"`), broken{}))}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := host{answer: sick}
			c := h.client()
			breaks(t, c)
			sent, start := h.requests, time.Now()
			for _, send := range methods {
				f := wantFault(t, send(t.Context(), c), fault.UpstreamError)
				if !f.Retryable || f.MayHaveHappened || f.RetryAfter != firstPause || f.Upstream.Provider != "acme" ||
					f.Message != "Acme is not answering at present; try again in 5 s" {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if h.requests != sent || time.Since(start) != 0 {
				t.Errorf("%s: %d more requests in %s", name, h.requests-sent, time.Since(start))
			}
		})
	}
}

func TestBreaker_LetsOneRequestTestTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host{answer: is(503)}
		c := h.client()
		breaks(t, c)
		for _, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute} {
			time.Sleep(time.Until(c.breaker.next))
			sent := h.requests
			h.answer = func(r *http.Request) (*http.Response, error) {
				if f := wantFault(t, reads(t, c, "omar", 9), fault.UpstreamError); f.RetryAfter != probeTime {
					t.Errorf("during the test: %+v", f)
				}
				return is(503)(r)
			}
			f := wantFault(t, reads(t, c, "nora", 1), fault.UpstreamError)
			if f.RetryAfter != pause || h.requests != sent+1 {
				t.Errorf("%d requests, %+v, want a pause of %s", h.requests-sent, f, pause)
			}
		}
		time.Sleep(maxPause)
		h.answer = is(200)
		for range 2 {
			if err := errors.Join(reads(t, c, "nora", 1), reads(t, c, "omar", 2)); err != nil {
				t.Error(err)
			}
		}
		h.answer = is(503)
		breaks(t, c) // a closed breaker starts again
	})
}

func TestBreaker_IsNotOpenedByAnAnswer(t *testing.T) {
	for _, status := range []int{200, 301, 304, 400, 401, 403, 404, 409, 422, 429} {
		synctest.Test(t, func(t *testing.T) {
			h := host{answer: is(status)}
			c := h.client()
			for n := range 3 * failuresToOpen {
				_ = reads(t, c, []string{"nora", "omar"}[n%2], n)
			}
			if h.answer = is(200); reads(t, c, "nora", 1) != nil {
				t.Errorf("%d opened the breaker", status)
			}
			h.answer = is(503)
			for n := range failuresToOpen - 1 {
				_ = reads(t, c, "nora", n)
			}
			h.answer = is(status)
			_ = reads(t, c, "nora", failuresToOpen)
			h.answer = is(503)
			_ = reads(t, c, "nora", failuresToOpen+1)
			if h.answer = is(200); reads(t, c, "nora", 1) != nil {
				t.Errorf("%d between failures did not show that the host answers", status)
			}
		})
	}
}

func TestBreaker_IgnoresWhatItsCallersGiveUp(t *testing.T) {
	for name, limit := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"a cancelled call": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		},
		"a call with little time": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := host{answer: hang}
			c := h.client()
			for n := range 3 * failuresToOpen {
				ctx, cancel := limit(t.Context())
				_, err := readURL(ctx, c, newAccount(fmt.Sprint(n)), fmt.Sprintf("https://api.acme.example/items/%d", n))
				cancel()
				wantFault(t, err, fault.UpstreamError)
			}
			if h.requests != 3*failuresToOpen {
				t.Errorf("%s: %d requests", name, h.requests)
			}
			h.answer = is(503)
			breaks(t, c)
			time.Sleep(firstPause)
			h.answer = hang
			ctx, cancel := limit(t.Context())
			defer cancel()
			_, _ = read(ctx, c, newAccount("nora"))
			if h.answer = is(200); reads(t, c, "omar", 1) != nil {
				t.Errorf("%s: after a test that was given up, no other request may test the host", name)
			}
		})
	}
}

func TestBreaker_OnePersonsTroubleBarsNoOtherUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host{}
		h.answer = func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Path, "/items/1") { // Nora's account is broken
				return is(500)(r)
			}
			return is(200)(r)
		}
		c := h.client()
		for range 2 * failuresToOpen {
			wantFault(t, reads(t, c, "nora", 1), fault.UpstreamError)
		}
		if err := reads(t, c, "nora", 2); err != nil {
			t.Errorf("one request that is repeated opened the breaker: %v", err)
		}
		for n := range failuresToOpen {
			wantFault(t, reads(t, c, "nora", 10+n), fault.UpstreamError)
		}
		if f := wantFault(t, reads(t, c, "nora", 2), fault.UpstreamError); f.RetryAfter != firstPause {
			t.Errorf("Nora: %+v", f)
		}
		if err := reads(t, c, "omar", 2); err != nil {
			t.Errorf("Omar: %v", err)
		}
	})
}

func TestBreaker_OpensForAllOnceAnotherUserFailsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host{answer: is(503)}
		c := h.client()
		for n := range failuresToOpen {
			_ = reads(t, c, "nora", n)
		}
		sent := h.requests
		wantFault(t, reads(t, c, "omar", 1), fault.UpstreamError) // as long as the breaker pauses Nora only
		if h.requests == sent {
			t.Error("Omar's request was not sent")
		}
		sent = h.requests
		wantFault(t, reads(t, c, "priya", 1), fault.UpstreamError)
		if h.requests != sent {
			t.Error("Priya's request was sent")
		}
	})
}

func TestAttempt_OfAReadEndsAfterEightSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host{answer: hang}
		c := h.client()
		start := time.Now()
		f := wantFault(t, reads(t, c, "nora", 1), fault.UpstreamError)
		if took := time.Since(start); h.requests != 2 || took < 17*time.Second || took > 17*time.Second+maxJitter || !f.Retryable {
			t.Errorf("%d attempts in %s: %v", h.requests, took, f)
		}
		h.answer = func(r *http.Request) (*http.Response, error) {
			h.answer = is(200)
			return hang(r)
		}
		start = time.Now()
		if err := reads(t, c, "nora", 1); err != nil || time.Since(start) > 10*time.Second {
			t.Errorf("after one slow attempt: %v in %s", err, time.Since(start))
		}
	})
}

func TestAttempt_OfAReadIncludesTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(stuck{r.Context().Done})}, nil
		}))
		start := time.Now()
		wantFault(t, reads(t, c, "nora", 1), fault.UpstreamError)
		if took := time.Since(start); took > 17*time.Second+maxJitter {
			t.Errorf("took %s", took)
		}
	})
}

type stuck struct{ done func() <-chan struct{} }

func (s stuck) Read([]byte) (int, error) {
	<-s.done()
	return 0, context.DeadlineExceeded
}

func TestAttempt_OfAWriteHasAllTheTimeOfItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host{answer: func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(20 * time.Second):
				return is(200)(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			if err := methods[method](withTimeout(t, 25*time.Second), h.client()); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
	})
}
