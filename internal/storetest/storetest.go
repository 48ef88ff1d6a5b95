// Package storetest says what a Store is: one suite for every Store interface, which each implementation passes, in memory
// or behind a network. Every check invents its own people, so that suites can share a table with whatever lies there; and
// where an interface allows a read to be late, the suite waits a little.
//
// Times need to survive to the second, in whatever zone.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fact is something that holds of every S. What it says is the subtest's name.
type fact[S any] struct {
	says  string
	holds func(t *testing.T, s S)
}

func check[S any](t *testing.T, open func(t *testing.T) S, facts []fact[S]) {
	for _, f := range facts {
		t.Run(f.says, func(t *testing.T) { f.holds(t, open(t)) })
	}
}

// clock stands still until it is moved. It begins now, as a table of today may clear away what expired yesterday.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock {
	elsewhere := time.FixedZone("elsewhere", 2*60*60)
	return &clock{at: time.Now().Truncate(time.Second).In(elsewhere)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// rivals is how many try the same thing at once.
const rivals = 20

// together does the same thing in many goroutines that begin at once, and gives what each came to.
func together(do func(i int) error) []error {
	errs := make([]error, rivals)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	all.Wait()
	return errs
}

// oneWinner finds the only one without an error; all others have lost with that error.
func oneWinner(t *testing.T, errs []error, lost error) int {
	t.Helper()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Fatalf("both %d and %d won", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, lost):
			t.Fatalf("%d lost with %q, want %q", i, err, lost)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	return winner
}

// patience is how long soon waits for what may come late.
const patience = 10 * time.Second

// soon tries until there is no error any more, for reads that may miss what was written a moment ago.
func soon(t *testing.T, try func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	again := time.NewTicker(patience / 200)
	defer again.Stop()
	for err := try(); err != nil; err = try() {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("still after %s: %v", patience, err)
		}
	}
}

// must stops the test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantErr stops the test unless that is the error.
func wantErr(t *testing.T, err, want error) {
	t.Helper()
	must(t, is(err, want))
}

func is(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("got error %w, want %w", orNone(err), want)
	}
	return nil
}

var errNone = errors.New("none")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// wantSame stops the test unless what was read is what was written.
func wantSame(t *testing.T, got, want any) {
	t.Helper()
	must(t, same(got, want))
}

func same(got, want any) error {
	if diff := cmp.Diff(want, got, toTheSecond, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("read something else than was written (-written +read):\n%s", diff)
	}
	return nil
}

// toTheSecond compares times, of which none is like no other.
var toTheSecond = cmp.Comparer(func(a, b time.Time) bool { return a.IsZero() == b.IsZero() && a.Unix() == b.Unix() })

// wantUnreachable stops the test unless err says that the Store could not be reached: it is an error, and none of those
// that the interface gives a meaning.
func wantUnreachable(t *testing.T, err error, named ...error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error, though the context was cancelled")
	}
	for _, meaning := range named {
		if errors.Is(err, meaning) {
			t.Fatalf("a cancelled context means %q", meaning)
		}
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// newSubject invents a person.
func newSubject() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	n, _ := strconv.ParseUint(hex.EncodeToString(b[:]), 16, 64)
	return "37s:" + strconv.FormatUint(n, 10)
}

// newID is 16 random letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

// unicode is what a name may be made of.
const unicode = "Ines Albrecht 🚲 Zoë \u202eЖ\u0301 \x00\t\"\\</script>"
