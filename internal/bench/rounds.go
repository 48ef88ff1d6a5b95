package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	longest = 6 * time.Minute  // of a whole run
	reserve = 90 * time.Second // what must be left of it for a round to begin
)

// Lengths of the scenarios in one round.
const (
	short  = 300 * time.Millisecond
	medium = 500 * time.Millisecond
)

// plan is what each round measures. With an upstream that takes time, few requests are enough.
var plan = []scenario{
	{call: listTools, connections: 1, lasts: short},
	{call: listTools, connections: 16, lasts: short},
	{call: listTasks, connections: 1, lasts: short},
	{call: listTasks, connections: 16, lasts: short},
	{call: getMe, connections: 1, lasts: short},
	{call: listTodos, connections: 1, lasts: medium},
	{call: listTodos, connections: 16, lasts: medium},
	{call: listTodos, connections: 1, lasts: 3 * time.Second, atMost: 8, delay: 20 * time.Millisecond},
	{call: listTodos, connections: 1, lasts: 6 * time.Second, atMost: 3, delay: 200 * time.Millisecond},
}

// key names what a figure is of.
type key struct {
	kind        string // cpu, rate, wait, first or peak
	call        string // empty for first and peak
	connections int
	delay       time.Duration
}

func (k key) as(kind string) key {
	k.kind = kind
	return k
}

// Figures that belong to no call.
var firstAnswer, memory = key{kind: "first"}, key{kind: "peak"}

// figures holds one figure a round, by the name of the peer.
type figures map[string]map[key][]float64

func (f figures) add(peer string, k key, figure float64) {
	if f[peer] == nil {
		f[peer] = map[key][]float64{}
	}
	f[peer][k] = append(f[peer][k], figure)
}

// run measures all peers in turn, scenario by scenario and round by round, so that a busy machine
// slows all of them. It returns the number of rounds.
func (b *bench) run(ctx context.Context) (f figures, done int, err error) {
	began := time.Now()
	end, _ := ctx.Deadline()
	warmUp := slices.DeleteFunc(slices.Clone(plan), func(s scenario) bool { return s.delay > 0 })
	if err := b.round(ctx, warmUp, figures{}, 0); err != nil { // some runtimes compile while they run
		return nil, 0, err
	}
	f = figures{}
	for done < b.rounds && (done == 0 || time.Until(end) > reserve) {
		if err := b.round(ctx, plan, f, done); err != nil {
			return nil, done, err
		}
		if err := b.starts(ctx, f); err != nil {
			return nil, done, err
		}
		done++
		fmt.Fprintf(b.out, "round %d of %d, %v\n", done, b.rounds, time.Since(began).Round(time.Second))
	}
	for _, p := range b.running {
		peak, err := p.peak()
		if err != nil {
			return nil, done, err
		}
		f.add(p.peer.name, memory, float64(peak)/1e6)
	}
	return f, done, nil
}

// round measures every scenario with every peer. Each scenario begins with another peer.
func (b *bench) round(ctx context.Context, plan []scenario, f figures, number int) error {
	for i, s := range plan {
		for n := range b.running {
			p := b.running[(n+i+number)%len(b.running)]
			if !p.peer.can(s.call) {
				continue
			}
			measured, err := b.measure(ctx, p, s)
			if err != nil {
				return err
			}
			of := key{call: s.call.name, connections: s.connections, delay: s.delay}
			f.add(p.peer.name, of.as("cpu"), measured.microseconds())
			f.add(p.peer.name, of.as("rate"), measured.perSecond())
			f.add(p.peer.name, of.as("wait"), measured.middle())
		}
	}
	return nil
}

// starts measures how long one more process of each peer takes until its first answer.
func (b *bench) starts(ctx context.Context, f figures) error {
	for _, p := range b.running {
		took, err := b.first(ctx, p.peer)
		if err != nil {
			return err
		}
		f.add(p.peer.name, firstAnswer, took)
	}
	return nil
}
