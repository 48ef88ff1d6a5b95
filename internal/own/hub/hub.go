// Package hub knows which things of a person are the same: a personal task, an item in Basecamp, an
// issue on GitHub. It keeps links between references, and nothing else. Titles and states are read
// from where they are, each time, as the caller: a link gives no access.
package hub

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/memo"
)

// State is what a thing is where it belongs.
type State string

// The states.
const (
	Open      State = "open"
	Done      State = "done"
	Trashed   State = "trashed" // put away without being done: trashed, archived, closed as not planned or unmerged
	Gone      State = "gone"    // deleted, or hidden from the caller
	Forbidden State = "forbidden"
	Unknown   State = "unknown" // it could not be read now
)

// Ref names a thing: its side, and a reference that its side understands, such as todo:1.
type Ref struct {
	Side string `json:"side"`
	ID   string `json:"id"`
}

// Thing is something that can be linked, as its side shows it to the caller.
type Thing struct {
	Ref   Ref
	Title string
	URL   string
	State State
	// ByHand says that only its users complete it, where it is, such as a pull request.
	ByHand bool
}

// Side is one of the systems whose things can be linked.
type Side interface {
	// Name returns the name of the side, which is part of stored references.
	Name() string
	// Names reports whether a text has the form of a reference or a URL of this side.
	Names(text string) bool
	// Find reads the thing that a reference, a URL or a title names.
	Find(ctx context.Context, argument, text string) (Thing, error)
	// Complete completes a thing, unless it is done, and returns what that did.
	Complete(ctx context.Context, id string) (Completed, error)
	// CallToComplete returns the call of a tool that completes a thing.
	CallToComplete(id string) Call
}

// Batch is what a Side also has if it reads many things with one request. What it cannot read has
// only a reference and a state.
type Batch interface {
	Look(ctx context.Context, refs []Ref) ([]Thing, error)
}

// Completed is what completing a thing did. Fields that its side does not know are absent.
type Completed struct {
	Thing      Thing
	Changed    bool
	Notified   []string
	ClientsSee any
}

// Hub holds the operations on a person's links. The person is always the caller in the context.
type Hub struct {
	store  Store
	now    func() time.Time
	sides  []Side
	states *memo.Memo[seenKey, Thing] // what was read of things, for as long as fresh
	// MayGoOn returns an error if a call has too little time or too few requests left for another
	// write; nil means that it never has.
	MayGoOn func(context.Context) error
}

type seenKey struct {
	subject string
	ref     Ref
}

// fresh is how old the state of a thing may be that an answer shows.
const fresh = time.Minute

// New returns the hub of a Store. Its clock is now; nil means the real time.
func New(store Store, now func() time.Time) *Hub {
	if now == nil {
		now = time.Now
	}
	return &Hub{store: store, now: now, states: memo.New(10_000, memo.Units[seenKey, Thing], now)}
}

// Join adds sides. A text that several could name is offered to the first one first.
func (h *Hub) Join(sides ...Side) { h.sides = append(h.sides, sides...) }

// side returns the side with a name, or nil: GitHub may not be configured any more.
func (h *Hub) side(name string) Side {
	for _, s := range h.sides {
		if s.Name() == name {
			return s
		}
	}
	return nil
}

// Find reads the thing that a text names: a reference, a URL, or a title that only one thing has. A
// title names a thing of the side with the name last only if no other side has it.
func (h *Hub) Find(ctx context.Context, argument, text, last string) (Thing, error) {
	text = strings.TrimSpace(text)
	for _, s := range h.sides {
		if s.Names(text) {
			return h.read(ctx, s, argument, text)
		}
	}
	isLast := func(s Side) bool { return s.Name() == last }
	t, err := h.titled(ctx, argument, text, slices.DeleteFunc(slices.Clone(h.sides), isLast))
	if i := slices.IndexFunc(h.sides, isLast); i >= 0 && isMissing(err) {
		if t, why := h.titled(ctx, argument, text, h.sides[i:i+1]); !isMissing(why) {
			return t, why
		}
	}
	return t, err
}

func isMissing(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.InvalidInput)
}

// titled reads the only thing of some sides that has a title.
func (h *Hub) titled(ctx context.Context, argument, title string, sides []Side) (Thing, error) {
	var found []Thing
	var missing, several error
	for _, s := range sides {
		t, err := h.read(ctx, s, argument, title)
		switch {
		case err == nil:
			found = append(found, t)
		case isMissing(err):
			if missing == nil || fault.Is(err, fault.NotFound) {
				missing = err
			}
		case fault.Is(err, fault.Ambiguous):
			several = err
		default:
			return Thing{}, err
		}
	}
	switch {
	case several != nil && (len(found) == 0 || isWhole(several, title)):
		return Thing{}, several
	case len(found) == 0:
		return Thing{}, missing
	case len(found) == 1:
		return found[0], nil
	}
	e := fault.New(fault.Ambiguous, "%s: several things have the title %s; give a reference", argument, plaintext.Quote(title))
	for _, t := range found {
		e.Candidates = append(e.Candidates, fault.Candidate{Ref: t.Ref.ID, Name: t.Title})
	}
	return Thing{}, e
}

// isWhole reports whether a title is the whole title of one of the things that it may mean.
func isWhole(ambiguous error, title string) bool {
	return slices.ContainsFunc(fault.From(ambiguous).Candidates, func(c fault.Candidate) bool { return strings.EqualFold(c.Name, title) })
}

func (h *Hub) read(ctx context.Context, s Side, argument, text string) (Thing, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return Thing{}, err
	}
	t, err := s.Find(ctx, argument, text)
	if err == nil {
		h.states.Put(ctx, seenKey{subject, t.Ref}, t)
	}
	return t, err
}

// MostRefreshed is how many things a call reads to show their states.
const MostRefreshed = 20

// Seen returns things as they are now, or as they were read less than a minute ago. What cannot be
// read has only a reference and a state. It sends up to a number of requests, one for all that a
// Batch reads.
func (h *Hub) Seen(ctx context.Context, refs []Ref, most int) (map[Ref]Thing, error) {
	subject, err := identity.Subject(ctx)
	if err != nil {
		return nil, err
	}
	seen, stale := map[Ref]Thing{}, []Ref(nil)
	for _, ref := range refs {
		if _, twice := seen[ref]; twice {
			continue
		}
		seen[ref] = Thing{Ref: ref, State: Unknown}
		if t, age, ok := h.states.Get(ctx, seenKey{subject, ref}); ok && age < fresh {
			seen[ref] = t
		} else {
			stale = append(stale, ref)
		}
	}
	reads := h.reads(ctx, stale, most)
	read := make([][]Thing, len(reads))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, some := range reads {
		group.Go(func() (err error) {
			read[i], err = guarded(ctx, func(ctx context.Context) ([]Thing, error) { return h.look(ctx, some...), context.Cause(ctx) })
			return err
		})
	}
	err = group.Wait()
	for _, t := range slices.Concat(read...) {
		seen[t.Ref] = t
	}
	return seen, err
}

// reads returns what each of up to a number of requests reads. A fence refuses a request if one
// thing is outside, so a client with a fence reads each alone.
func (h *Hub) reads(ctx context.Context, refs []Ref, most int) (all [][]Ref) {
	c, _ := identity.From(ctx)
	together := map[string]int{} // the index of a side's read
	for _, ref := range refs {
		_, batch := h.side(ref.Side).(Batch)
		i, begun := together[ref.Side]
		switch {
		case begun && len(all[i]) < MostRefreshed:
			all[i] = append(all[i], ref)
		case begun || len(all) == most:
		case batch && !c.Fence.Bounds():
			together[ref.Side] = len(all)
			fallthrough
		default:
			all = append(all, []Ref{ref})
		}
	}
	return all
}

// atOnce is the number of things that are read at once.
const atOnce = 5

// look returns things of one side, or only the states of those that cannot be read.
func (h *Hub) look(ctx context.Context, refs ...Ref) []Thing {
	s := h.side(refs[0].Side)
	if b, ok := s.(Batch); ok && len(refs) > 1 {
		return h.lookTogether(ctx, b, refs)
	}
	t := Thing{State: Unknown}
	if s != nil {
		var err error
		if t, err = h.read(ctx, s, "", refs[0].ID); err != nil {
			t = Thing{State: StateOf(err)}
		}
	}
	t.Ref = refs[0] // also if it has moved
	return []Thing{t}
}

func (h *Hub) lookTogether(ctx context.Context, b Batch, refs []Ref) []Thing {
	all, err := b.Look(ctx, refs)
	if err != nil {
		all = make([]Thing, len(refs))
	}
	subject, _ := identity.Subject(ctx) // which Seen has checked
	for i := range all {
		all[i].Ref = refs[i]
		switch {
		case err != nil:
			all[i].State = StateOf(err)
		case all[i].Title != "":
			h.states.Put(ctx, seenKey{subject, refs[i]}, all[i])
		}
	}
	return all
}

// StateOf returns the state of a thing that could not be read.
func StateOf(err error) State {
	switch {
	case fault.Is(err, fault.NotFound):
		return Gone
	case fault.Is(err, fault.PermissionDenied):
		return Forbidden
	}
	return Unknown
}

// Forget drops what was read of a caller's things. Calls that write use it.
func (h *Hub) Forget(ctx context.Context) {
	if subject, err := identity.Subject(ctx); err == nil {
		h.states.ForgetAll(ctx, func(k seenKey) bool { return k.subject == subject })
	}
}

// notConfigured returns the fault for a thing whose side this server does not have any more.
func notConfigured(ref Ref) error {
	return fault.New(fault.NotFound, "%s is in %s, which this server does not serve", plaintext.Quote(ref.ID), ref.Side)
}

// unreachable returns the fault for a Store that could not be reached.
func unreachable(cause error) error {
	return fault.New(fault.UpstreamError, "your links cannot be reached right now; try again in a moment").Because(cause)
}
