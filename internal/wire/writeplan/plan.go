// Package writeplan says how the writes of a call are carried out. Every write of a provider's
// client and of this server's own stores asks [From] first. Without a plan it is carried out. With
// one it is recorded in the plan, answered as if it had been carried out, and neither sent nor
// stored. Tools do not know which.
package writeplan

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// Write is a planned write.
type Write struct {
	What   string         `json:"what"`         // what it does, in words: "create a to-do"
	On     *Item          `json:"on,omitempty"` // what it changes or adds to; nil if that is nothing in particular
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`

	Sent Request `json:"-"` // zero for a write to this server's own stores, or one that an earlier request carries
	Made string  `json:"-"` // the ID that the plan made up for what the write creates; may be empty
	Kept int     `json:"-"` // bytes of what undoes it, as far as the call has read them
}

// Item is what a write is about. Its ID is that of its provider.
type Item struct {
	Type  string `json:"type"`
	ID    string `json:"id,omitempty"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Request is a planned request to a provider, as it would be sent.
type Request struct {
	Method string
	URL    string
	Body   []byte
}

// Plan holds the writes of a call that are not carried out, and what the call has read. It is safe
// for concurrent use.
type Plan struct {
	Now time.Time // when the plan began

	Reads

	mu     sync.Mutex
	seenBy map[string]string
	writes []Write
	follow int
	made   int64
	bodies map[string][]byte // what stands in for answers to reads, by address
}

type planKey struct{}

// With returns a context whose writes are planned and not carried out.
func With(ctx context.Context) (context.Context, *Plan) {
	p := &Plan{Now: time.Now().UTC(), bodies: map[string][]byte{}, seenBy: map[string]string{}}
	return context.WithValue(ctx, planKey{}, p), p
}

// From returns the plan of ctx, or nil if writes are carried out.
func From(ctx context.Context) *Plan {
	p, _ := ctx.Value(planKey{}).(*Plan)
	return p
}

// Record adds a write.
func (p *Plan) Record(w Write) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, w)
}

// SeenBy says who sees a project in which something would be written.
func (p *Plan) SeenBy(project, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seenBy[project] = words
}

// Readers returns who sees the projects, by name.
func (p *Plan) Readers() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seenBy
}

// Writes returns the writes in the order in which they would be sent.
func (p *Plan) Writes() []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// Follow counts a write that names what an earlier one makes, and is not recorded.
func (p *Plan) Follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.follow++
}

// Following returns how many writes were counted so.
func (p *Plan) Following() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.follow
}

// MakeUp returns an ID for something that the call would create: -1, -2, ...
func (p *Plan) MakeUp() json.Number {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made--
	return json.Number(strconv.FormatInt(p.made, 10))
}

// Answer makes a body stand in for what a read of an address would return after the writes.
func (p *Plan) Answer(address string, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies[address] = body
}

// AnswerAt returns what stands in for the answer of an address, or nil.
func (p *Plan) AnswerAt(address string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies[address]
}
