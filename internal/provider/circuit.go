package provider

import "time"

// Circuit is the state of a circuit breaker: how often in a row it opened, and when one call may
// test again whether it can close. The zero value is closed.
type Circuit struct {
	Failures int
	NextTry  time.Time
}

// Wait returns how long calls must wait. It is zero if the circuit is closed, and when it is
// half-open: then one call may test it.
func (c Circuit) Wait(now time.Time) time.Duration { return max(0, c.NextTry.Sub(now)) }

// Opened returns the circuit after a failure. It stays open for first, doubled each time up to
// most.
func (c Circuit) Opened(now time.Time, first, most time.Duration) Circuit {
	return Circuit{Failures: c.Failures + 1, NextTry: now.Add(Backoff(c.Failures, first, most))}
}

// Tested returns the circuit while one call tests it, which may take at most lease.
func (c Circuit) Tested(now time.Time, lease time.Duration) Circuit {
	c.NextTry = now.Add(lease)
	return c
}

// Backoff returns the pause after a failure that follows the given number of failures.
func Backoff(failures int, first, most time.Duration) time.Duration {
	return min(first<<min(failures, 16), most)
}
