package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/memory"
)

var call = idempotency.Call{Subject: "37s:1", Tool: "create_todo", Key: "k", Asked: "a"}

// deed is a call that counts how often it runs.
type deed struct {
	times  int
	result string
	err    error
}

func (d *deed) do(context.Context) ([]byte, error) {
	d.times++
	if d.err != nil {
		return nil, d.err
	}
	return []byte(d.result), nil
}

func newRunner() *idempotency.Runner {
	return idempotency.NewRunner(memory.New(nil), slog.New(slog.DiscardHandler), nil)
}

// wantConflict returns err as a CONFLICT, or fails the test.
func wantConflict(t *testing.T, err error, says string) *fault.Error {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.Conflict || !strings.Contains(f.Message, says) {
		t.Fatalf("got %v, want a CONFLICT that says %q", err, says)
	}
	return f
}

func TestDo_KeepsTheFirstResultForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, d := newRunner(), &deed{result: `{"id":1}`}
		repeat := func(want int) {
			t.Helper()
			result, err := r.Do(t.Context(), call, d.do)
			if err != nil || string(result) != `{"id":1}` || d.times != want {
				t.Fatalf("%s, %v, done %d times", result, err, d.times)
			}
		}
		repeat(1)
		repeat(1)
		time.Sleep(idempotency.Kept - time.Second)
		repeat(1)
		time.Sleep(time.Second)
		repeat(2)
	})
}

func TestDo_AKeyBelongsToOnePersonAndOneTool(t *testing.T) {
	r, d := newRunner(), &deed{}
	for i, c := range []idempotency.Call{
		call,
		{Subject: "37s:2", Tool: "create_todo", Key: "k", Asked: "a"},
		{Subject: "37s:1", Tool: "create_card", Key: "k", Asked: "a"},
		{Subject: "37s:1", Tool: "create_todo", Key: "l", Asked: "a"},
	} {
		if _, err := r.Do(t.Context(), c, d.do); err != nil || d.times != i+1 {
			t.Errorf("%+v: %v, done %d times", c, err, d.times)
		}
	}
}

func TestDo_AKeyOfADifferentCallIsAConflict(t *testing.T) {
	r, d := newRunner(), &deed{}
	_, _ = r.Do(t.Context(), call, d.do)
	other := call
	other.Asked = "b"
	_, err := r.Do(t.Context(), other, d.do)
	if f := wantConflict(t, err, "use a new key"); f.Retryable || d.times != 1 {
		t.Errorf("%+v, done %d times", f, d.times)
	}
}

func TestDo_TellsTheSecondOfTwoConcurrentCallsToRetry(t *testing.T) {
	r := newRunner()
	_, err := r.Do(t.Context(), call, func(ctx context.Context) ([]byte, error) {
		_, err := r.Do(ctx, call, (&deed{}).do)
		f := wantConflict(t, err, "still running")
		if !f.Retryable || f.RetryAfter != 2*time.Second || f.MayHaveHappened {
			t.Errorf("%+v", f)
		}
		return []byte("{}"), nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDo_RunsOneOfTwentyConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner()
		var ran atomic.Int64
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, _ = r.Do(t.Context(), call, func(context.Context) ([]byte, error) {
					ran.Add(1)
					time.Sleep(time.Second)
					return []byte("{}"), nil
				})
			})
		}
		all.Wait()
		if ran.Load() != 1 {
			t.Errorf("%d ran", ran.Load())
		}
	})
}

func TestDo_ACallThatFailedForCertainCanBeRepeated(t *testing.T) {
	r := newRunner()
	for _, code := range []fault.Code{
		fault.InvalidInput, fault.TokenExpired, fault.NotLinked, fault.PermissionDenied, fault.NotFound, fault.Ambiguous, fault.Conflict,
		fault.RateLimited, fault.LimitReached, fault.UpstreamError, fault.InternalError,
	} {
		d := &deed{err: fault.New(code, "not done")}
		for want := range 2 {
			if _, err := r.Do(t.Context(), call, d.do); !errors.Is(err, d.err) || d.times != want+1 {
				t.Errorf("%s: %v, done %d times", code, err, d.times)
			}
		}
	}
	d := &deed{result: "{}"}
	if _, err := r.Do(t.Context(), call, d.do); err != nil || d.times != 1 {
		t.Errorf("%v, done %d times", err, d.times)
	}
}

func TestDo_ACallThatMayHaveHappenedDoesNotRunAgain(t *testing.T) {
	unclear := fault.New(fault.UpstreamError, "no clear answer")
	unclear.MayHaveHappened = true
	for _, err := range []error{unclear, context.DeadlineExceeded, context.Canceled, errors.New("a defect")} {
		r, d := newRunner(), &deed{err: err}
		if _, got := r.Do(t.Context(), call, d.do); !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
		_, got := r.Do(t.Context(), call, d.do)
		if f := wantConflict(t, got, "look whether it did"); !f.MayHaveHappened || f.Retryable || d.times != 1 {
			t.Errorf("%v: %+v, done %d times", err, f, d.times)
		}
	}
}

func TestDo_ACallWhoseProcessDiedIsUnknownAfterThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, d := newRunner(), &deed{}
		func() {
			defer func() { _ = recover() }()
			_, _ = r.Do(t.Context(), call, func(context.Context) ([]byte, error) { panic("the process dies") })
		}()
		_, err := r.Do(t.Context(), call, d.do)
		wantConflict(t, err, "still running")
		time.Sleep(idempotency.Held)
		_, err = r.Do(t.Context(), call, d.do)
		wantConflict(t, err, "look whether it did")
		time.Sleep(idempotency.Kept - idempotency.Held)
		if _, err = r.Do(t.Context(), call, d.do); err != nil || d.times != 1 {
			t.Errorf("%v, done %d times", err, d.times)
		}
	})
}

func TestDo_ALargeResultIsNotStoredAndTheCallDoesNotRunAgain(t *testing.T) {
	r, d := newRunner(), &deed{result: strings.Repeat("x", idempotency.MaxResult+1)}
	if result, err := r.Do(t.Context(), call, d.do); err != nil || string(result) != d.result {
		t.Fatalf("%d bytes, %v", len(result), err)
	}
	_, err := r.Do(t.Context(), call, d.do)
	wantConflict(t, err, "succeeded, but")
	d, r = &deed{result: strings.Repeat("x", idempotency.MaxResult)}, newRunner()
	_, _ = r.Do(t.Context(), call, d.do)
	if result, err := r.Do(t.Context(), call, d.do); err != nil || string(result) != d.result || d.times != 1 {
		t.Errorf("%d bytes, %v, done %d times", len(result), err, d.times)
	}
}

func TestDo_TheOutcomeIsStoredAfterTheCallsDeadline(t *testing.T) {
	r, d := newRunner(), &deed{}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Do(ctx, call, func(context.Context) ([]byte, error) { cancel(); return []byte("{}"), nil })
	if result, again := r.Do(t.Context(), call, d.do); err != nil || again != nil || string(result) != "{}" || d.times != 0 {
		t.Errorf("%v; %s, %v, done %d times", err, result, again, d.times)
	}
}

// broken is a Store that carries out operations but loses their responses. The first ones in its
// list still arrive.
type broken struct {
	idempotency.Store
	claims, settles bool
}

var errLine = errors.New("the connection is broken")

func (b broken) ClaimCall(ctx context.Context, r idempotency.Record) (idempotency.Record, error) {
	found, err := b.Store.ClaimCall(ctx, r)
	if b.claims {
		return idempotency.Record{}, errLine
	}
	return found, err
}

func (b broken) SettleCall(ctx context.Context, r idempotency.Record) error {
	if b.settles {
		return errLine
	}
	return b.Store.SettleCall(ctx, r)
}

func TestDo_WithoutItsStoreTheCallDoesNotRunAndTheKeyStaysFree(t *testing.T) {
	store, d := memory.New(nil), &deed{}
	_, err := idempotency.NewRunner(broken{Store: store, claims: true}, slog.New(slog.DiscardHandler), nil).Do(t.Context(), call, d.do)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.UpstreamError || !f.Retryable || !strings.Contains(f.Message, "nothing was done") || !errors.Is(err, errLine) || d.times != 0 {
		t.Errorf("%v, done %d times", err, d.times)
	}
	if _, err := idempotency.NewRunner(store, nil, nil).Do(t.Context(), call, d.do); err != nil || d.times != 1 {
		t.Errorf("%v, done %d times", err, d.times)
	}
}

func TestDo_AResultThatCouldNotBeStoredIsReturned(t *testing.T) {
	var log bytes.Buffer
	r, d := idempotency.NewRunner(broken{Store: memory.New(nil), settles: true}, slog.New(slog.NewTextHandler(&log, nil)), nil), &deed{result: "{}"}
	if result, err := r.Do(t.Context(), call, d.do); err != nil || string(result) != "{}" {
		t.Errorf("%s, %v", result, err)
	}
	_, err := r.Do(t.Context(), call, d.do)
	wantConflict(t, err, "still running")
	if said := log.String(); !strings.Contains(said, errLine.Error()) || strings.Contains(said, "37s:1") || d.times != 1 {
		t.Errorf("logged %s, done %d times", said, d.times)
	}
}

func TestDo_HandsTheEndOverToACallerThatStoresIt(t *testing.T) {
	for _, c := range []struct {
		fails error
		free  bool
		state idempotency.State
	}{
		{nil, false, idempotency.Done},
		{fault.New(fault.NotFound, "no such project"), true, idempotency.Running},
		{errors.New("no answer"), false, idempotency.Unknown},
	} {
		r, d := newRunner(), &deed{}
		var ends []idempotency.End
		handed := call
		handed.Ended = func(e idempotency.End) { ends = append(ends, e) }
		_, _ = r.Do(t.Context(), handed, func(ctx context.Context) ([]byte, error) {
			result, _ := d.do(ctx)
			return result, c.fails
		})
		if len(ends) != 1 || ends[0].Free != c.free || ends[0].State != c.state || ends[0].Key != call.Key {
			t.Fatalf("after %v: %+v", c.fails, ends)
		}
		if _, err := r.Do(t.Context(), call, d.do); !fault.Is(err, fault.Conflict) || d.times != 1 {
			t.Errorf("after %v and before it is stored: %v, done %d times", c.fails, err, d.times)
		}
		r.Settle(t.Context(), ends[0])
		_, err := r.Do(t.Context(), call, d.do)
		if again := d.times == 2; again != c.free || (err != nil) != (c.state == idempotency.Unknown) {
			t.Errorf("after %v, once it is stored: %v, done %d times", c.fails, err, d.times)
		}
	}
}
