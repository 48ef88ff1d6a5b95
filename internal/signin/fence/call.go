package fence

import (
	"context"
	"sync"

	"basecamp-mcp/internal/report/fault"
)

// Call is what one call of a client with a fence has learned: the places of the things that it has
// read, and what was left out of answers. A nil Call knows nothing and keeps nothing. It is safe
// for concurrent use.
type Call struct {
	mu     sync.Mutex
	places map[string]string
	left   map[string]bool
}

type callKey struct{}

// Begin returns the context of a call.
func Begin(ctx context.Context) (context.Context, *Call) {
	c := &Call{places: map[string]string{}, left: map[string]bool{}}
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

// Code is the code of the problem in a fault about a place that the fence does not name.
const Code = "outside_fence"

// Hides reports whether the client may read less than its person. What such a client reads is
// neither kept for other clients, nor taken from what is kept for them.
func (f Fence) Hides() bool { return f.Read != nil || f.NoPings }

// Bounds reports whether the client may read or write less than its person.
func (f Fence) Bounds() bool { return f.Hides() || f.Write != nil }

// Hidden returns the fault about something that the fence does not name, or that does not exist.
// Code that looks for a thing finds NOT_FOUND in both cases, so no answer says which it is. The
// client is told PERMISSION_DENIED, with the page on which the person can widen the fence. origin
// is that of this server, or "".
func Hidden(origin string) *fault.Error {
	told := denied("this client may not use it, or it does not exist: the user holds the client to some places", origin)
	f := fault.New(fault.NotFound, "%s", told.Message)
	f.Told = told
	return f
}

// Unfound returns the error of a search in all that the client may read. If its person may read
// more, the client is not told whether the thing exists.
func (f Fence) Unfound(err error, origin string) error {
	if f.Read == nil || !fault.Is(err, fault.NotFound) {
		return err
	}
	missing := *fault.From(err)
	missing.Told = Hidden(origin).Told
	missing.Told.Nearest = missing.Nearest
	return &missing
}

// Denied returns the fault about a place that the client may read and not write, or about what
// belongs to no place.
func Denied(origin string) *fault.Error {
	return denied("this client may not do this: the user holds the client to some places, and this is not in one of them", origin)
}

func denied(message, origin string) *fault.Error {
	if origin != "" {
		message += "; the user can allow more at " + origin + "/account"
	}
	f := fault.New(fault.PermissionDenied, "%s", message)
	f.Validation = []fault.Violation{{Path: "arguments", Message: message, Code: Code}}
	return f
}
