package fence

import (
	"context"
	"sync"
)

// Call is what one call of a client with a fence has learned: the places of the things that it has
// read, the links that stand in them, and what was left out of answers. A nil Call knows nothing
// and keeps nothing. It is safe for concurrent use.
type Call struct {
	mu     sync.Mutex
	places map[string]string
	links  map[string]bool
	left   map[string]bool
}

type callKey struct{}

// Begin returns the context of a call.
func Begin(ctx context.Context) (context.Context, *Call) {
	c := &Call{places: map[string]string{}, links: map[string]bool{}, left: map[string]bool{}}
	return context.WithValue(ctx, callKey{}, c), c
}

// CallFrom returns what the call in ctx has learned, or nil.
func CallFrom(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

type asideKey struct{}

// Aside returns a context for reads that look something up: what their answers leave out is not
// missing in the answer of the call.
func Aside(ctx context.Context) context.Context { return context.WithValue(ctx, asideKey{}, true) }

// IsAside reports whether a read only looks something up.
func IsAside(ctx context.Context) bool { return ctx.Value(asideKey{}) != nil }

// Learn notes the place of a thing.
func (c *Call) Learn(thing, place string) { set(c, func() { c.places[thing] = place }) }

// PlaceOf returns the place of a thing, or "" if the call has not read it.
func (c *Call) PlaceOf(thing string) (place string) {
	set(c, func() { place = c.places[thing] })
	return place
}

// LearnLink notes a link that stands in a thing already, so that a text that has it may be written
// again.
func (c *Call) LearnLink(link string) { set(c, func() { c.links[link] = true }) }

// HasLink reports whether a link stands in what the call has read.
func (c *Call) HasLink(link string) (has bool) {
	set(c, func() { has = c.links[link] })
	return has
}

// LeaveOut notes that an answer does not show a thing. A thing counts once.
func (c *Call) LeaveOut(thing string) { set(c, func() { c.left[thing] = true }) }

// LeftOut returns how many things the answers of the call do not show.
func (c *Call) LeftOut() (n int) {
	set(c, func() { n = len(c.left) })
	return n
}

func set(c *Call, work func()) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	work()
}
