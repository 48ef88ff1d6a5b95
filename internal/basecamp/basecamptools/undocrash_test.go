package basecamptools

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/store/memory"
)

// crash ends a process at one of its operations, counted from 1: that one, of the store or of
// Basecamp, and all later ones fail. If late is true, the first one is carried out, and only its
// answer is lost.
type crash struct {
	calls.Store
	to   http.RoundTripper
	at   int // 0: never
	late bool

	mu    sync.Mutex
	count int
}

var errCrash = errors.New("the process ended")

// next counts an operation, and reports whether it is carried out and whether it is answered.
func (c *crash) next() (does, answers bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	answers = c.at == 0 || c.count < c.at
	return answers || c.late && c.count == c.at, answers
}

// end lets the process end at an operation from now on. It returns how many operations there were.
func (c *crash) end(at int) (operations int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	operations, c.count, c.at = c.count, 0, at
	return operations
}

func (c *crash) RoundTrip(r *http.Request) (*http.Response, error) {
	does, answers := c.next()
	if !does {
		return nil, errCrash
	}
	response, err := c.to.RoundTrip(r)
	if err == nil && !answers {
		response.Body.Close()
		return nil, errCrash
	}
	return response, err
}

// stored carries out an operation of the store.
func (c *crash) stored(work func() error) error {
	does, answers := c.next()
	if !does {
		return errCrash
	}
	if err := work(); err != nil || answers {
		return err
	}
	return errCrash
}

func (c *crash) ClaimCall(ctx context.Context, subject string, r calls.Record, k *calls.Key) (found calls.Key, err error) {
	err = c.stored(func() (err error) { found, err = c.Store.ClaimCall(ctx, subject, r, k); return err })
	return found, err
}

func (c *crash) ChangeCall(ctx context.Context, subject string, r calls.Record, opposite []byte, k *calls.Key) error {
	return c.stored(func() error { return c.Store.ChangeCall(ctx, subject, r, opposite, k) })
}

func (c *crash) Opposite(ctx context.Context, subject, id string) (plain []byte, err error) {
	err = c.stored(func() (err error) { plain, err = c.Store.Opposite(ctx, subject, id); return err })
	return plain, err
}

func (c *crash) WritingCalls(ctx context.Context, subject, from, before string, limit int) (all []calls.Record, err error) {
	err = c.stored(func() (err error) { all, err = c.Store.WritingCalls(ctx, subject, from, before, limit); return err })
	return all, err
}

// crashing makes a call, or its undoing, in a process that crashes at an operation, and holds what
// another process finds then. It returns how many operations there were.
func crashing(t *testing.T, tool string, inUndo, late bool, at int) (operations int) {
	c := &crash{Store: memory.New(nil), late: late}
	d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(to http.RoundTripper) http.RoundTripper { c.to = to; return c })
	d.short = true
	d.server = d.serverWith(calls.New(c, slog.New(slog.DiscardHandler), nil))
	in := typical(d)[tool]
	before := d.sandbox.World()
	if inUndo {
		call[map[string]any](d, tool, in)
	}
	c.end(at)
	if inUndo {
		d.raw("undo", args{"last": 1})
	} else {
		d.raw(tool, in)
	}
	operations = c.end(0)
	time.Sleep(2 * time.Minute) // of the test's own time: Basecamp is asked again
	changes := call[undone](d, "undo", nil).Changes
	for len(changes) > 0 && changes[0].Tool == "undo" {
		changes = changes[1:]
	}
	same := func() bool { return len(differences(before, d.sandbox.World())) == 0 }
	switch {
	case len(changes) == 0:
		if !same() {
			t.Errorf("%s at %d: something was written, and there is no record", tool, at)
		}
	case changes[0].Undoable:
		if u := call[undone](d, "undo", args{"ids": []string{changes[0].ID}}).Undone; u[0].Result != "undone" || !same() {
			t.Errorf("%s at %d: %+v\n%v", tool, at, u, differences(before, d.sandbox.World()))
		}
	case changes[0].Reason == "undone already":
		if !same() {
			t.Errorf("%s at %d: undone, but %v", tool, at, differences(before, d.sandbox.World()))
		}
	case !strings.Contains(changes[0].Reason, "may_have_happened") && !same():
		t.Errorf("%s at %d: %+v", tool, at, changes[0])
	}
	if len(changes) == 0 {
		return operations
	}
	again := d.sandbox.World()
	d.raw("undo", args{"ids": []string{changes[0].ID}})
	if lines := differences(again, d.sandbox.World()); len(lines) > 0 {
		t.Errorf("%s at %d: undone twice: %v", tool, at, lines)
	}
	return operations
}

// A crash at an operation of the store or of Basecamp leaves all as it was, what can be undone, or
// what may have happened; and nothing is undone twice.
func TestUndo_SurvivesACrashAtEveryOperation(t *testing.T) {
	t.Parallel()
	most := 3 // crashes of a call, and of its undoing
	if testing.Short() {
		most = 1
	}
	for i, tool := range writingTools() {
		if slices.Contains(irreversible, tool.Name) {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 5))
			for _, inUndo := range []bool{false, true} {
				var operations int
				synctest.Test(t, func(t *testing.T) { operations = crashing(t, tool.Name, inUndo, false, 0) })
				points := r.Perm(operations)
				for _, at := range points[:min(len(points), most)] {
					synctest.Test(t, func(t *testing.T) { crashing(t, tool.Name, inUndo, r.IntN(2) == 0, at+1) })
				}
			}
		})
	}
}
