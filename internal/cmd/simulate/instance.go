package main

import "math"

// The pace of a function's requests to Basecamp, as internal/basecamp sets it.
const (
	paceBurst  = 20
	paceRefill = 0.25 // seconds
	paceWindow = 10.0 // seconds
	paceMost   = 45   // requests in any window
)

// instance is one running copy of the MCP function. It serves one request at a time.
type instance struct {
	full float64           // when the burst is full again
	sent [paceMost]float64 // when the latest requests to Basecamp were sent
	next int               // index of the oldest in sent

	breaker
}

func newInstance() *instance {
	i := &instance{}
	for k := range i.sent {
		i.sent[k] = math.Inf(-1)
	}
	return i
}

// draw returns when a request to Basecamp may be sent that is ready now.
func (i *instance) draw(now float64) (at float64) {
	at = max(now, i.full-(paceBurst-1)*paceRefill, i.sent[i.next]+paceWindow)
	i.full = max(i.full, at) + paceRefill
	i.sent[i.next] = at
	i.next = (i.next + 1) % paceMost
	return at
}

// The limits of a request while Basecamp does not answer, as internal/upstream sets them.
const (
	wholeTime   = 28.0      // seconds of a request, without a limit for each attempt
	attemptTime = 8.0       // seconds of an attempt
	failedTime  = 2*8.0 + 1 // seconds of two attempts and the pause between them
	refusedTime = 0.01      // seconds of a request that the breaker refuses
	toOpen      = 3         // failed requests in a row that open the breaker
	firstPause  = 5.0       // seconds, doubled each time
	lastPause   = 60.0      // seconds
)

// breaker refuses requests to a Basecamp that does not answer. Each instance has its own.
type breaker struct {
	failed int
	pause  float64
	until  float64
}

// fail returns how long a request takes if Basecamp does not answer.
func (b *breaker) fail(now float64) (took float64) {
	switch {
	case b.failed < toOpen:
		took = failedTime
	case now < b.until:
		return refusedTime
	default:
		took = attemptTime // one request tests whether Basecamp answers again
	}
	if b.failed++; b.failed >= toOpen {
		b.pause = min(max(firstPause, 2*b.pause), lastPause)
		b.until = now + took + b.pause
	}
	return took
}
