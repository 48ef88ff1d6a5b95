package main

import (
	"container/heap"
	"math/rand/v2"
)

// hours says how much of a user's work one part of the day has, as a multiple of an average hour.
// Their sum is their number; one of them is the busiest hour.
var hours = []float64{0.4, 0.9, peak, 0.8, 0.3, 1.2, 1, 0.4}

// Assumptions about the instances of Lambda, which does not say when it ends them.
const (
	idleLife  = 600.0  // seconds without a request
	wholeLife = 7200.0 // seconds
)

// The caches of an instance, as internal/grant, internal/secrets and the authorization server set
// them.
const (
	recordLife = 30.0  // seconds
	ringLife   = 300.0 // seconds
	cacheSize  = 1000  // entries; a full cache is cleared
)

// memory is what an instance of the MCP function caches.
type memory struct {
	records, tokens cache
	ring            float64 // until when it knows the ring
	started, used   float64
}

// cache holds until when a value of each user is known.
type cache map[int]float64

// has reports whether the value of a user is known, and makes it known until then.
func (c cache) has(user int, now, until float64) bool {
	end, known := c[user]
	if known && now < end {
		return true
	}
	if !known && len(c) >= cacheSize {
		clear(c)
	}
	c[user] = until
	return false
}

// month is a running simulation of working days.
type month struct {
	use  use
	rand *rand.Rand

	events  visits
	idle    []*memory // the one that was used last is at the end, and is used next
	renewed []float64 // when each user got an access token, by user

	requests, calls                             int
	records, tokens, ring, coldStarts, renewals int
}

// visit is the arrival of a request of a user, or its end.
type visit struct {
	at   float64
	kind kind
	user int
	on   *memory
}

// count simulates whole working days of a team. It returns the averages, and the refreshes of a
// user's access tokens in a month. All instances end in the night between them.
func count(u use, people int) (counted reads, refreshes float64) {
	m := &month{use: u, rand: rand.New(rand.NewPCG(19, uint64(people)))} //nolint:gosec // a simulation must be repeatable
	days := max(1, most*8/int(float64(people)*u.toTools()/workdays))
	for range days {
		m.day(people)
	}
	per := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	return reads{people, per(m.records, m.calls), per(m.tokens, m.calls), per(m.ring, m.calls), per(m.coldStarts, m.requests)},
		per(m.renewals, m.requests) * u.toTools()
}

const workdays = 20 // a month

func (m *month) day(people int) {
	m.events, m.idle = nil, nil
	m.renewed = make([]float64, people)
	for i := range m.renewed {
		m.renewed[i] = -tokenLife
	}
	length := m.use.Hours / workdays / float64(len(hours)) * 3600 // seconds of a part
	average := m.use.jobs(people) / peak
	for part, times := range hours {
		for at := m.waitingTime(1 / (times * average)); at < length; at += m.waitingTime(1 / (times * average)) {
			heap.Push(&m.events, visit{at: float64(part)*length + at, kind: begins, user: m.rand.IntN(people)})
		}
	}
	for len(m.events) > 0 {
		m.happen(heap.Pop(&m.events).(visit))
	}
}

func (m *month) happen(v visit) {
	switch v.kind {
	case begins:
		for range opening {
			heap.Push(&m.events, visit{at: v.at, kind: opens, user: v.user})
		}
		heap.Push(&m.events, visit{at: v.at + m.waitingTime(think), kind: calls, user: v.user})
	case opens:
		m.serve(v, ownTime)
	case calls:
		done := m.serve(v, m.waitingTime(m.use.callTime()))
		if m.rand.Float64() > 1/m.use.callsAJob() {
			heap.Push(&m.events, visit{at: done + m.waitingTime(think), kind: calls, user: v.user})
		}
	case ends:
		v.on.used = v.at
		m.idle = append(m.idle, v.on)
	}
}

// serve runs a request on an instance, and returns when it ends.
func (m *month) serve(v visit, took float64) (done float64) {
	if m.requests++; v.at-m.renewed[v.user] >= tokenLife {
		m.renewed[v.user] = v.at
		m.renewals++
	}
	i := m.take(v.at)
	if v.kind == calls {
		m.calls++
		if !i.records.has(v.user, v.at, v.at+recordLife) {
			m.records++
			m.load(i, v)
		}
	}
	heap.Push(&m.events, visit{at: v.at + took, kind: ends, on: i})
	return v.at + took
}

// load reads the tokens of a user, unless the instance has them. They change every two weeks.
func (m *month) load(i *memory, v visit) {
	if i.tokens.has(v.user, v.at, v.at+wholeLife) {
		return
	}
	m.tokens++
	if v.at >= i.ring {
		i.ring = v.at + ringLife
		m.ring++
	}
}

// take returns the idle instance that was used last, or a new one.
func (m *month) take(now float64) *memory {
	for last := len(m.idle) - 1; last >= 0; last = len(m.idle) - 1 {
		i := m.idle[last]
		m.idle = m.idle[:last]
		if now-i.used < idleLife && now-i.started < wholeLife {
			return i
		}
	}
	m.coldStarts++
	return &memory{records: cache{}, tokens: cache{}, started: now}
}

func (m *month) waitingTime(mean float64) float64 { return m.rand.ExpFloat64() * mean }

// visits is a heap, with the earliest visit first.
type visits []visit

func (v visits) Len() int           { return len(v) }
func (v visits) Less(i, j int) bool { return v[i].at < v[j].at }
func (v visits) Swap(i, j int)      { v[i], v[j] = v[j], v[i] }
func (v *visits) Push(x any)        { *v = append(*v, x.(visit)) }
func (v *visits) Pop() any {
	last := len(*v) - 1
	x := (*v)[last]
	*v = (*v)[:last]
	return x
}
