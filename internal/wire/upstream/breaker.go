package upstream

import (
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
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
	mu     sync.Mutex
	opened int             // how often in a row
	next   time.Time       // when a request may test the host
	users  map[string]bool // whose requests failed since the last answer
	failed map[string]bool // those requests, until the breaker opens
}

// outcome is what the attempts of one request show about its host.
type outcome int

const (
	unknown  outcome = iota // the request was not sent, or its caller gave up
	answered                // with any status that is not a 5xx
	failing                 // the connection failed, no answer came in time, or a 5xx did
)

// enter admits a request, or returns how long it must wait. An admitted request may be a probe,
// which tests whether the host answers again.
func (b *breaker) enter(r Request) (probe bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened == 0 || len(b.users) == 1 && !b.users[r.User] {
		return false, 0
	}
	if wait = time.Until(b.next); wait > 0 {
		return false, wait
	}
	b.next = time.Now().Add(probeTime)
	return true, 0
}

// leave records how an admitted request ended. It returns how long the requests of its user must
// wait now.
func (b *breaker) leave(r Request, probe bool, o outcome) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case o == answered:
		b.opened, b.next, b.users, b.failed = 0, time.Time{}, nil, nil
	case o == failing:
		if b.failed == nil {
			b.users, b.failed = map[string]bool{}, map[string]bool{}
		}
		b.users[r.User] = true
		if b.opened == 0 { // one that is repeated is the same; queries of GraphQL differ only in their body
			b.failed[strings.Join([]string{r.User, r.Method, r.URL.Path, string(r.Body)}, "\n")] = true
		}
		if probe || b.opened == 0 && len(b.failed) == failuresToOpen {
			b.next = time.Now().Add(provider.Backoff(b.opened, firstPause, maxPause))
			b.opened++
		}
	case probe:
		b.next = time.Now()
	}
	return max(0, time.Until(b.next))
}

// resting returns the fault for a request that was not sent, because its host does not answer.
func (x *exchange) resting(wait time.Duration) *fault.Error {
	f := fault.New(fault.UpstreamError, "%s is not answering at present; try again in %d s", x.client.config.Name, WholeSeconds(wait))
	f.RetryAfter = wait
	f.Upstream = &fault.Upstream{Provider: x.client.config.ID, Message: "not asked, because it did not answer before"}
	return x.about(f)
}
