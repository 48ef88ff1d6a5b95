package main

import (
	"container/heap"
	"math/rand/v2"
)

// A hour is a part of the busiest hour of a deployment without limits. It records what arrives, so
// that any limit can be compared with it.
type hour struct {
	mcp       []float64 // times of requests to the tools, in order
	tokens    []float64 // times of requests for a new access token, in order
	basecamp  []float64 // times of requests to Basecamp
	busy      []int     // requests that found as many instances busy
	delayed   int       // requests that waited more than a second for the pace of their instance
	instances int
}

const most = 60_000 // requests of a simulation; more people are simulated for a shorter time

// outage says how Basecamp behaves.
type outage int

const (
	healthy outage = iota
	silent         // it answers nothing, and no breaker notices
	noticed        // it answers nothing, and the breaker of each instance notices
)

// world is a running simulation.
type world struct {
	use  use
	down outage
	rand *rand.Rand

	events events
	idle   []*instance // the one that was used last is at the end, and is used next
	hour   hour
}

// event is the arrival of a request, or its end.
type event struct {
	at   float64
	kind kind
	on   *instance // whose request ends
}

type kind int

const (
	begins kind = iota // a job begins, and so does the next one later
	opens              // a request of an opening session
	calls              // a tool call
	ends               // an instance becomes idle
)

// simulate runs a part of the busiest hour. The same arguments always have the same result.
func simulate(u use, people int, down outage) hour {
	w := &world{use: u, down: down, rand: rand.New(rand.NewPCG(18, uint64(people)))} //nolint:gosec // a simulation must be repeatable
	until := min(3600, most/(peak*u.average(people)))
	w.settle(people)
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		if e.at > until {
			break
		}
		w.happen(e, people)
	}
	return w.hour
}

// settle begins in the middle of the hour: agents are at work. Because all pauses are exponential,
// what is left of their work is distributed like the whole.
func (w *world) settle(people int) {
	rate := w.use.jobs(people)
	atWork := rate * w.use.callsAJob() * (think + w.use.seconds())
	for range w.poisson(atWork) {
		w.add(event{at: w.waitingTime(think), kind: calls})
	}
	w.add(event{at: w.waitingTime(1 / rate), kind: begins})
}

func (w *world) happen(e event, people int) {
	switch e.kind {
	case begins:
		w.add(event{at: e.at + w.waitingTime(1/w.use.jobs(people)), kind: begins})
		if w.rand.Float64() < w.use.refreshes() {
			w.hour.tokens = append(w.hour.tokens, e.at)
		}
		for range opening {
			w.add(event{at: e.at, kind: opens})
		}
		w.add(event{at: e.at + w.waitingTime(think), kind: calls})
	case opens:
		w.serve(e.at, 0)
	case calls:
		done := w.serve(e.at, 1+w.geometric(upstream-1))
		if w.rand.Float64() > 1/w.use.callsAJob() {
			w.add(event{at: done + w.waitingTime(think), kind: calls})
		}
	case ends:
		w.idle = append(w.idle, e.on)
	}
}

// serve runs a request on an instance, and returns when it ends.
func (w *world) serve(at float64, requests int) (done float64) {
	w.hour.mcp = append(w.hour.mcp, at)
	busy := w.hour.instances - len(w.idle)
	for len(w.hour.busy) <= busy {
		w.hour.busy = append(w.hour.busy, 0)
	}
	w.hour.busy[busy]++
	i := w.take()
	done = at + ownTime
	switch {
	case requests > 0 && w.down == silent:
		done = at + wholeTime
	case requests > 0 && w.down == noticed:
		done = at + i.fail(at)
	case requests > 0:
		done = w.ask(i, done, requests)
	}
	w.add(event{at: done, kind: ends, on: i})
	return done
}

// ask sends requests to Basecamp, one after the other.
func (w *world) ask(i *instance, at float64, requests int) (done float64) {
	waited := 0.0
	for range requests {
		sent := i.draw(at)
		waited += sent - at
		w.hour.basecamp = append(w.hour.basecamp, sent)
		at = sent + w.waitingTime(w.use.answerTime())
	}
	if waited > 1 {
		w.hour.delayed++
	}
	return at
}

func (w *world) take() *instance {
	if last := len(w.idle) - 1; last >= 0 {
		i := w.idle[last]
		w.idle = w.idle[:last]
		return i
	}
	w.hour.instances++
	return newInstance()
}

func (w *world) add(e event) { heap.Push(&w.events, e) }

// waitingTime returns a random time with this mean.
func (w *world) waitingTime(mean float64) float64 { return w.rand.ExpFloat64() * mean }

// geometric returns a random number with this mean, zero or more.
func (w *world) geometric(mean float64) (n int) {
	for w.rand.Float64() < mean/(1+mean) {
		n++
	}
	return n
}

// poisson returns how many independent events happen if this many are expected.
func (w *world) poisson(mean float64) (n int) {
	for sum := w.rand.ExpFloat64(); sum < mean; sum += w.rand.ExpFloat64() {
		n++
	}
	return n
}

// events is a heap, with the earliest event first.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
