package secrets

import (
	"context"
	"testing"
	"time"
)

// A function may be frozen for longer than an operator waits before a key is dropped. The monotonic
// clock may stop meanwhile.
func TestCached_GoesByTheWallClock(t *testing.T) {
	reads := 0
	c := newCached("count", func(context.Context) (int, error) { reads++; return reads, nil }, func(error) bool { return false })
	always := func(*int) bool { return true }
	if _, err := c.get(t.Context(), always); err != nil {
		t.Fatal(err)
	}
	if c.tried != c.tried.Round(0) { // also compares the monotonic clock
		t.Error("the time of the last read has a reading of the monotonic clock")
	}
	for want, away := range []time.Duration{0, 0, -fresh, time.Hour} {
		c.tried = c.tried.Add(away)
		if n, err := c.get(t.Context(), always); err != nil || *n != max(1, want) {
			t.Errorf("the clock moved by %s: read %d times, %v; want %d", -away, *n, err, max(1, want))
		}
	}
}
