// Package storetest proves each fact of the stores once, in memory, unless the tests of the package
// that uses it do. It proves each fact of an engine in every engine: it keeps what it is given, and
// carries out writes apart from each other. Some races show that of whole stores. Each check uses
// new people, so that suites can share a table with other data. Only tokens may be read late: there
// the suite waits.
//
// Stores must keep times to the second; the time zone may change.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/store/items"
)

// All runs the suites of all stores. open returns stores whose clock is now.
func All(t *testing.T, open func(t *testing.T, now func() time.Time) *items.Store) {
	check(t, opened(open), slices.Concat(
		clientFacts, stepFacts, replaceFacts, codeFacts, redeemFacts, familyFacts, rotationFacts, revocationFacts, fenceFacts,
		checklistFacts, callFacts, hubFacts, taskFacts, separateRecords,
	))
	both := open(t, time.Now)
	check(t, func(*testing.T) grant.Records { return both.Records("first") }, recordFacts)
	Grants(t, func(_ *testing.T, provider string) grant.Store { return both.Grants(provider) })
}

// env has stores and their clock.
type env struct {
	*items.Store
	clock *clock
}

func opened(open func(t *testing.T, now func() time.Time) *items.Store) func(t *testing.T) env {
	return func(t *testing.T) env {
		c := newClock()
		return env{open(t, c.Now), c}
	}
}

// fact is a statement that is true of every S. Its text is the name of the subtest.
type fact[S any] struct {
	says  string
	holds func(t *testing.T, s S)
}

func check[S any](t *testing.T, open func(t *testing.T) S, facts []fact[S]) {
	for _, f := range facts {
		t.Run(f.says, func(t *testing.T) { f.holds(t, open(t)) })
	}
}

// clock is a clock that stands still until a test moves it. It starts at the real time, because a
// table may remove items that expired yesterday.
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

// rivals is the number of concurrent attempts.
const rivals = 20

// together calls do concurrently in many goroutines and returns their errors.
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

// oneWinner returns the only call without an error. All others must have failed with lost.
func oneWinner(t *testing.T, errs []error, lost error) int {
	t.Helper()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			t.Fatalf("calls %d and %d both succeeded", winner, i)
		case err == nil:
			winner = i
		case !errors.Is(err, lost):
			t.Fatalf("call %d failed with %q, want %q", i, err, lost)
		}
	}
	if winner < 0 {
		t.Fatal("no call succeeded")
	}
	return winner
}

// patience is how long soon waits for a late read.
const patience = 10 * time.Second

// soon repeats try until it returns nil, for reads that may miss a recent write.
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
			t.Fatalf("still failing after %s: %v", patience, err)
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

// wantErr stops the test unless err matches want.
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

// wantSame stops the test unless the value that was read equals the value that was written.
func wantSame(t *testing.T, got, want any) {
	t.Helper()
	must(t, same(got, want))
}

func same(got, want any) error {
	if diff := cmp.Diff(want, got, toTheSecond, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("the value read differs (-written +read):\n%s", diff)
	}
	return nil
}

// toTheSecond compares times to the second. A zero time equals only another zero time.
var toTheSecond = cmp.Comparer(func(a, b time.Time) bool { return a.IsZero() == b.IsZero() && a.Unix() == b.Unix() })

// wantUnreachable stops the test unless err says that the Store could not be reached: err must be
// an error without a meaning in the interface.
func wantUnreachable(t *testing.T, err error, named ...error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error for a cancelled context")
	}
	for _, meaning := range named {
		if errors.Is(err, meaning) {
			t.Fatalf("a cancelled context returned %q", meaning)
		}
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// newSubject returns a new person.
func newSubject() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	n, _ := strconv.ParseUint(hex.EncodeToString(b[:]), 16, 64)
	return "user:" + strconv.FormatUint(n, 10)
}

// newID returns 16 random letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

// unicode is a name with unusual characters.
const unicode = "Ines Albrecht 🚲 Zoë \u202eЖ\u0301 \x00\t\"\\</script>"
