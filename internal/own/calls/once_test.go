package calls_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

var asks = calls.Key{Tool: "create_todo", Key: "k", Asked: "a"}

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

func as(t *testing.T, subject string) context.Context {
	return identity.With(t.Context(), identity.Caller{Subject: subject})
}

// once makes a call of a person that writes nothing, as a tool does, and ends it.
func once(ctx context.Context, l *calls.Log, k calls.Key, run func(context.Context) ([]byte, error)) ([]byte, error) {
	c := calls.Start(ctx, calls.Entry{Time: time.Now(), Tool: k.Tool})
	answer, err := l.Once(ctx, c, k, false, run)
	if c.State = ""; c.Claimed() {
		_ = l.End(ctx, c)
	}
	return answer, err
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

func TestOnce_ACallThatMayHaveHappenedDoesNotRunAgain(t *testing.T) {
	unclear := fault.New(fault.UpstreamError, "no clear answer")
	unclear.MayHaveHappened = true
	for _, err := range []error{unclear, context.DeadlineExceeded, context.Canceled, errors.New("a defect")} {
		l, _ := open(memory.New(nil))
		d := &deed{err: err}
		if _, got := once(as(t, "37s:1"), l, asks, d.do); !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
		_, got := once(as(t, "37s:1"), l, asks, d.do)
		if f := wantConflict(t, got, "look whether it did"); !f.MayHaveHappened || f.Retryable || d.times != 1 {
			t.Errorf("%v: %+v, done %d times", err, f, d.times)
		}
	}
}

func TestOnce_ACallWhoseProcessDiedIsUnknownAfterThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := open(memory.New(nil))
		d := &deed{}
		func() {
			defer func() { _ = recover() }()
			_, _ = once(as(t, "37s:1"), l, asks, func(context.Context) ([]byte, error) { panic("the process dies") })
		}()
		_, err := once(as(t, "37s:1"), l, asks, d.do)
		if f := wantConflict(t, err, "still running"); !f.Retryable || f.RetryAfter != 2*time.Second || f.MayHaveHappened {
			t.Errorf("%+v", f)
		}
		time.Sleep(calls.Held)
		_, err = once(as(t, "37s:1"), l, asks, d.do)
		wantConflict(t, err, "look whether it did")
		time.Sleep(calls.Kept - calls.Held)
		if _, err = once(as(t, "37s:1"), l, asks, d.do); err != nil || d.times != 1 {
			t.Errorf("%v, done %d times", err, d.times)
		}
	})
}

func TestOnce_ALargeAnswerIsNotKeptAndTheCallDoesNotRunAgain(t *testing.T) {
	for _, extra := range []int{0, 1} {
		l, _ := open(memory.New(nil))
		d := &deed{result: strings.Repeat("x", calls.MostBytes+extra)}
		if result, err := once(as(t, "37s:1"), l, asks, d.do); err != nil || string(result) != d.result {
			t.Fatalf("%d bytes, %v", len(result), err)
		}
		result, err := once(as(t, "37s:1"), l, asks, d.do)
		if extra > 0 {
			wantConflict(t, err, "succeeded, but")
		} else if err != nil || string(result) != d.result || d.times != 1 {
			t.Errorf("%d bytes, %v, done %d times", len(result), err, d.times)
		}
	}
}

// broken is a Store that carries out operations but loses their answers.
type broken struct {
	calls.Store
	claims, changes bool
}

var errLine = errors.New("the connection is broken")

func (b broken) ClaimCall(ctx context.Context, subject string, r calls.Record, k *calls.Key) (calls.Key, error) {
	found, err := b.Store.ClaimCall(ctx, subject, r, k)
	if b.claims {
		return calls.Key{}, errLine
	}
	return found, err
}

func (b broken) ChangeCall(ctx context.Context, subject string, r calls.Record, opposite []byte, k *calls.Key) error {
	if b.changes {
		return errLine
	}
	return b.Store.ChangeCall(ctx, subject, r, opposite, k)
}

func TestOnce_WithoutItsStoreTheCallDoesNotRunAndTheKeyStaysFree(t *testing.T) {
	store, d := memory.New(nil), &deed{}
	lost, _ := open(broken{Store: store, claims: true})
	_, err := once(as(t, "37s:1"), lost, asks, d.do)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.UpstreamError || !f.Retryable || !strings.Contains(f.Message, "nothing was done") || !errors.Is(err, errLine) || d.times != 0 {
		t.Errorf("%v, done %d times", err, d.times)
	}
	l, _ := open(store)
	if all, err := l.Latest(as(t, "37s:1"), 9); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := once(as(t, "37s:1"), l, asks, d.do); err != nil || d.times != 1 {
		t.Errorf("%v, done %d times", err, d.times)
	}
}

func TestOnce_AnAnswerThatCouldNotBeStoredIsReturned(t *testing.T) {
	l, _ := open(broken{Store: memory.New(nil), changes: true})
	d := &deed{result: "{}"}
	if result, err := once(as(t, "37s:1"), l, asks, d.do); err != nil || string(result) != "{}" {
		t.Errorf("%s, %v", result, err)
	}
	_, err := once(as(t, "37s:1"), l, asks, d.do)
	if wantConflict(t, err, "still running"); d.times != 1 {
		t.Errorf("done %d times", d.times)
	}
}
