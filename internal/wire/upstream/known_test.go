package upstream

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
)

// slowly answers after a second and counts.
func slowly(requests *atomic.Int64, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		time.Sleep(time.Second)
		answer(w, r)
	}
}

func TestRead_SendsTheSameGETOnceWithinACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := answering(slowly(&requests, says(200, `{"id": 5}`)))
		ctx, _ := Meter(t.Context())
		if got := concurrently(12, func() error { return get(ctx, c) }); got.failed != 0 || got.took != time.Second || requests.Load() != 1 {
			t.Errorf("%d requests, %+v", requests.Load(), got)
		}
		if err := get(ctx, c); err != nil || requests.Load() != 1 {
			t.Errorf("later: %d requests, %v", requests.Load(), err)
		}
		if err := get(Afresh(ctx), c); err != nil || requests.Load() != 2 {
			t.Errorf("afresh: %d requests, %v", requests.Load(), err)
		}
	})
}

func TestRead_IsNotSharedByUsersOrCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := answering(slowly(&requests, says(200, `{"id": 5}`)))
		first, _ := Meter(t.Context())
		second, _ := Meter(t.Context())
		for _, as := range []struct {
			ctx  context.Context
			user string
		}{{first, "nora"}, {first, "idris"}, {second, "nora"}, {t.Context(), "nora"}, {t.Context(), "nora"}, {first, ""}, {first, ""}} {
			if _, err := read(as.ctx, c, newAccount(as.user)); err != nil {
				t.Fatal(err)
			}
		}
		if requests.Load() != 7 {
			t.Errorf("%d requests", requests.Load())
		}
	})
}

func TestRead_IsForgottenAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := answering(slowly(&requests, inTurn(says(404, ""), says(200, `{"id": 5}`))))
		ctx, _ := Meter(t.Context())
		if got := concurrently(3, func() error { return get(ctx, c) }); got.failed != 3 || requests.Load() != 1 {
			t.Errorf("%d requests, %+v", requests.Load(), got)
		}
		if err := get(ctx, c); err != nil || requests.Load() != 2 {
			t.Errorf("%d requests, %v", requests.Load(), err)
		}
	})
}

func TestRead_IsForgottenAfterAWriteOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				reads.Add(1)
			} else {
				time.Sleep(time.Second)
			}
			says(200, `{"id": 5}`)(w, r)
		})
		ctx, _ := Meter(t.Context())
		_ = get(ctx, c)
		go func() { _ = post(ctx, c) }()
		time.Sleep(500 * time.Millisecond)
		_ = get(ctx, c) // while the write runs
		time.Sleep(time.Second)
		_ = get(ctx, c)
		if reads.Load() != 3 {
			t.Errorf("%d reads", reads.Load())
		}
	})
}

func TestRead_OfACallerWhoLeavesIsDoneByOneWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := New(Config{ID: "acme", Name: "Acme", Transport: transport(func(r *http.Request) (*http.Response, error) {
			requests.Add(1)
			select {
			case <-time.After(time.Second):
				return transportOf(says(200, `{"id": 5}`))(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})})
		ctx, _ := Meter(t.Context())
		leader, leave := context.WithCancel(ctx)
		go func() { _ = get(leader, c) }()
		synctest.Wait()
		time.AfterFunc(500*time.Millisecond, leave)
		if got := concurrently(4, func() error { return get(ctx, c) }); got.failed != 0 || requests.Load() != 2 || got.took != 1500*time.Millisecond {
			t.Errorf("%d requests, %+v", requests.Load(), got)
		}
		waiting, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		go func() { _ = post(ctx, c) }()
		synctest.Wait()
		go func() { _ = get(ctx, c) }()
		synctest.Wait()
		if f := fault.From(get(waiting, c)); f.Code != fault.UpstreamError || f.MayHaveHappened {
			t.Errorf("%+v", f)
		}
	})
}

func TestRead_ThatRunsDuringAWriteIsNotSharedAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		slow := slowly(&reads, says(200, `{"id": 5}`))
		c := answering(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				slow(w, r)
				return
			}
			says(200, `{"id": 5}`)(w, r)
		})
		ctx, _ := Meter(t.Context())
		go func() { _ = get(ctx, c) }()
		synctest.Wait()
		if written, err := post(ctx, c), get(ctx, c); written != nil || err != nil || reads.Load() != 2 {
			t.Errorf("%d reads, %v, %v", reads.Load(), written, err)
		}
	})
}

// A read that a call can do without has less time than one that it needs.
func TestRead_WhoseTimeEndsIsDoneByOneWithMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, _ := Meter(t.Context())
		key := cacheKey{user: "nora", url: "/todos/5.json"}
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		go func() {
			_, _ = once(brief, key, func() (int, error) { <-brief.Done(); return 0, brief.Err() })
		}()
		synctest.Wait()
		if id, err := once(ctx, key, func() (int, error) { return 5, nil }); id != 5 || err != nil {
			t.Errorf("got %d, %v", id, err)
		}
	})
}

func TestRead_OfAScreenedAnswerIsSharedByItsCallAlone(t *testing.T) {
	var requests int
	c := answering(counted(&requests, unconditionally(t, says(200, `{"id": 5, "name": "Chain"}`, "ETag", `"a"`))))
	r := requestFor(newAccount("nora"), http.MethodGet, itemURL)
	r.Screen = func(_ context.Context, a Answer) (Answer, error) { a.Body = []byte("5"); return a, nil }
	r.Judge = func(a Answer) *fault.Error {
		if string(a.Body) != "5" {
			t.Errorf("%s is judged", a.Body)
		}
		return nil
	}
	for want := range 2 {
		ctx, _ := Meter(Reuse(t.Context(), time.Time{}))
		for range 2 {
			got, err := Read(ctx, c, r, func(a Answer, _ string) (string, error) { return string(a.Body), nil })
			if got != "5" || err != nil || requests != want+1 {
				t.Errorf("%q, %v after %d requests", got, err, requests)
			}
		}
	}
}

func TestRead_OfACallerThatPanicsIsDoneByOneWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, _ := Meter(t.Context())
		key := cacheKey{user: "nora", url: "/todos/5.json"}
		go func() {
			defer func() { _ = recover() }()
			_, _ = once(ctx, key, func() (int, error) { time.Sleep(time.Second); panic("a slip") })
		}()
		synctest.Wait()
		if id, err := once(ctx, key, func() (int, error) { return 5, nil }); id != 5 || err != nil {
			t.Errorf("got %d, %v", id, err)
		}
	})
}

// A read that fails after a write of the call forgets nothing that was begun since.
func TestRead_ThatFailsForgetsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, _ := Meter(t.Context())
		key := cacheKey{user: "nora", url: "/todos/5.json"}
		var requests atomic.Int64
		reads := func(after time.Duration, err error) {
			_, _ = once(ctx, key, func() (int, error) { requests.Add(1); time.Sleep(after); return 5, err })
		}
		go reads(time.Second, fault.New(fault.UpstreamError, "late"))
		synctest.Wait()
		meterOf(ctx).forget()
		go reads(3*time.Second, nil)
		time.Sleep(2 * time.Second)
		reads(0, nil)
		if requests.Load() != 2 {
			t.Errorf("%d requests", requests.Load())
		}
	})
}

func TestRead_OfTheSameURLAsAnotherTypeIsSentAgain(t *testing.T) {
	ctx, _ := Meter(t.Context())
	key := cacheKey{user: "nora", url: "/todos/5.json"}
	_, _ = once(ctx, key, func() (int, error) { return 5, nil })
	if title, err := once(ctx, key, func() (string, error) { return "Oil the chain", nil }); title != "Oil the chain" || err != nil {
		t.Errorf("got %q, %v", title, err)
	}
}

func TestAnnounce_ComesWhenTheReadHasItsPlace(t *testing.T) {
	ctx, _ := Meter(t.Context())
	var begun []int
	ctx = Announce(ctx, func() { begun = append(begun, len(meterOf(ctx).known.begun)) })
	if _, err := once(ctx, cacheKey{user: "nora"}, func() (int, error) { return 5, nil }); err != nil || !slices.Equal(begun, []int{1}) {
		t.Errorf("announced with %v reads begun, %v", begun, err)
	}
}

// A write that follows finds the read begun, and code that needs the read waits for it.
func TestAnnounce_ARunningReadHasItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		c := answering(slowly(&requests, says(200, `{"id": 5}`)))
		ctx, _ := Meter(t.Context())
		for _, with := range []context.Context{ctx, Afresh(ctx), t.Context()} {
			requests.Store(0)
			begun := make(chan struct{})
			var reading sync.WaitGroup
			reading.Go(func() { _ = get(Announce(with, sync.OnceFunc(func() { close(begun) })), c) })
			began := time.Now()
			<-begun
			if took := time.Since(began); took != 0 {
				t.Errorf("the start was announced after %v", took)
			}
			if err := get(ctx, c); err != nil || with == ctx && requests.Load() != 1 {
				t.Errorf("%d requests, %v", requests.Load(), err)
			}
			reading.Wait()
		}
	})
}
