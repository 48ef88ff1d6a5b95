package provider

import (
	"testing"
	"time"
)

func TestCircuit_OpensForLongerEachTime(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c := Circuit{}
	if wait := c.Wait(now); wait != 0 {
		t.Errorf("closed: %s", wait)
	}
	for _, want := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, 30 * time.Second} {
		c = c.Opened(now, 5*time.Second, 30*time.Second)
		if wait := c.Wait(now); wait != want {
			t.Errorf("after %d failures: %s, want %s", c.Failures, wait, want)
		}
		now = now.Add(want)
		if wait := c.Wait(now); wait != 0 {
			t.Errorf("half-open: %s", wait)
		}
		tested := c.Tested(now, 7*time.Second)
		if wait := tested.Wait(now); wait != 7*time.Second || tested.Failures != c.Failures {
			t.Errorf("while it is tested: %+v", tested)
		}
	}
	if got := Backoff(1000, time.Second, time.Hour); got != time.Hour {
		t.Errorf("after a thousand failures: %s", got)
	}
}
