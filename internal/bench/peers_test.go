package main

import (
	"context"
	"testing"
	"time"
)

// The test of a peer that this machine cannot run is skipped.
func TestPeers_GiveTheSameAnswersAsThisServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	b, err := newBench(ctx, t.TempDir(), options{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, p := range b.peers {
		t.Run(p.name, func(t *testing.T) {
			if reason := b.missing[p.name]; reason != "" {
				t.Skip(reason)
			}
			for _, c := range calls {
				if !p.can(c) {
					continue
				}
				if _, err := b.measure(ctx, b.process(p.name), scenario{call: c, connections: 2, lasts: time.Minute, atMost: 2}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// process returns the running process of a peer.
func (b *bench) process(name string) *process {
	for _, p := range b.running {
		if p.peer.name == name {
			return p
		}
	}
	return nil
}
