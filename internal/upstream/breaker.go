package upstream

import (
	"hash/maphash"
	"sync"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/provider"
)

const (
	failuresToOpen = 3               // different requests that must fail in a row
	firstPause     = 5 * time.Second // doubled each time that the breaker opens again
	maxPause       = time.Minute
	probeTime      = 10 * time.Second // until another request may test the host
)

// breaker refuses requests to a host that does not answer. A client has one breaker, because all
// its requests go to one host. It opens after different requests failed in a row, and then lets one
// request through after each pause. Every answer closes it.
//
// If all the failed requests are of one user, it refuses only that user's requests: the cause may
// be that user's account.
type breaker struct {
	mu      sync.Mutex
	circuit provider.Circuit
	failed  map[failedRequest]struct{} // since the last answer; at most failuresToOpen
	users   map[string]bool            // of the failed requests; at most two
	seed    maphash.Seed
}

// failedRequest tells requests apart. One that is repeated is the same request.
type failedRequest struct {
	user, method, path string
	body               uint64 // hash, because queries of GraphQL differ only in it
}

// outcome is what the attempts of one request show about its host.
type outcome int

const (
	unknown  outcome = iota // the request was not sent, or its caller gave up
	answered                // with any status that is not a 5xx
	failing                 // the connection failed, no answer came in time, or a 5xx did
)

func newBreaker() *breaker {
	return &breaker{failed: map[failedRequest]struct{}{}, users: map[string]bool{}, seed: maphash.MakeSeed()}
}

// enter admits a request, or returns how long it must wait. An admitted request may be a probe,
// which tests whether the host answers again.
func (b *breaker) enter(r Request) (probe bool, wait time.Duration) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.circuit.Failures == 0 || len(b.users) == 1 && !b.users[r.User] {
		return false, 0
	}
	if wait = b.circuit.Wait(now); wait > 0 {
		return false, wait
	}
	b.circuit = b.circuit.Tested(now, probeTime)
	return true, 0
}

// leave records how an admitted request ended. It returns how long the requests of its user must
// wait now.
func (b *breaker) leave(r Request, probe bool, o outcome) (wait time.Duration) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case o == answered:
		b.circuit = provider.Circuit{}
		clear(b.failed)
		clear(b.users)
	case o == failing:
		if len(b.failed) < failuresToOpen {
			b.failed[failedRequest{r.User, r.Method, r.URL.Path, maphash.Bytes(b.seed, r.Body)}] = struct{}{}
		}
		if len(b.users) < 2 {
			b.users[r.User] = true
		}
		if probe || b.circuit.Failures == 0 && len(b.failed) == failuresToOpen {
			b.circuit = b.circuit.Opened(now, firstPause, maxPause)
		}
	case probe:
		b.circuit = b.circuit.Tested(now, 0)
	}
	return b.circuit.Wait(now)
}

// resting returns the fault for a request that was not sent, because its host does not answer.
func (x *exchange) resting(wait time.Duration) *fault.Error {
	f := fault.New(fault.UpstreamError, "%s is not answering at present; try again in %d s", x.client.config.Name, WholeSeconds(wait))
	f.RetryAfter = wait
	f.Upstream = &fault.Upstream{Provider: x.client.config.ID, Message: "not asked, because it did not answer before"}
	return x.about(f)
}
