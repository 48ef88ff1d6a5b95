package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// scenario is one thing to measure.
type scenario struct {
	call        call
	connections int
	delay       time.Duration // of the upstream
	lasts       time.Duration // how long to send requests
	atMost      int           // requests; 0: as many as fit
}

// slice is what one round measured of a scenario.
type slice struct {
	wall time.Duration
	cpu  time.Duration   // of the peer
	took []time.Duration // by request
}

// Of these many answers of a connection, one is checked in full. The others are only looked at,
// because a full check costs the machine more than most peers need for the answer.
const checkedOneIn = 32

// measure sends requests to a peer on several connections. A wrong answer is an error.
func (b *bench) measure(ctx context.Context, p *process, s scenario) (slice, error) {
	b.upstream.slow(s.delay)
	before, err := p.cpu()
	if err != nil {
		return slice{}, err
	}
	began := time.Now()
	var all sync.WaitGroup
	took := make([][]time.Duration, s.connections)
	failed := make([]error, s.connections)
	for i := range s.connections {
		all.Go(func() { took[i], failed[i] = b.stream(ctx, p, s, began.Add(s.lasts)) })
	}
	all.Wait()
	measured := slice{wall: time.Since(began), took: slices.Concat(took...)}
	after, err := p.cpu()
	if err := errors.Join(append(failed, err)...); err != nil {
		return slice{}, fmt.Errorf("%s: %w", p.peer.name, err)
	}
	measured.cpu = after - before
	return measured, nil
}

// stream sends requests one after the other on one connection until a time.
func (b *bench) stream(ctx context.Context, p *process, s scenario, until time.Time) (took []time.Duration, err error) {
	w := dial(ctx, p)
	defer w.close()
	for n := 0; n == 0 || time.Now().Before(until) && (s.atMost == 0 || n < s.atMost); n++ {
		pages := int(b.upstream.pages.Load())
		began := time.Now()
		answer, err := w.ask(s.call)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.call.name, err)
		}
		took = append(took, time.Since(began))
		if n%checkedOneIn == 0 || !s.call.quick(answer) {
			if err := s.call.checked(answer, p.tools, pages); err != nil {
				return nil, err
			}
		}
		if !s.call.quick(answer) {
			return nil, fmt.Errorf("%s: an answer lacks what all have: %.200s", s.call.name, answer)
		}
	}
	return took, nil
}

// microseconds returns the peer's processor time for a request.
func (s slice) microseconds() float64 {
	return float64(s.cpu.Nanoseconds()) / 1000 / float64(len(s.took))
}

// perSecond returns the answers in a second.
func (s slice) perSecond() float64 { return float64(len(s.took)) / s.wall.Seconds() }

// middle returns the median time of an answer, in milliseconds.
func (s slice) middle() float64 {
	took := slices.Sorted(slices.Values(s.took))
	return took[len(took)/2].Seconds() * 1000
}
