package lookup

import (
	"context"
	"errors"
	"sync"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	requests "basecamp-mcp/internal/upstream"
)

// Gaps is part of every answer with optional parts. LeftOut names the parts that could not be read.
type Gaps struct {
	LeftOut []string `json:"left_out,omitempty"`
}

// Extra is an optional part of an answer.
type Extra struct {
	Name string
	Read func(context.Context) error
}

// Into returns an extra that is read into a variable.
func Into[T any](name string, v *T, read func(context.Context) (T, error)) Extra {
	return Extra{name, func(ctx context.Context) (err error) { *v, err = read(ctx); return err }}
}

// Beside reads what an answer needs and, at the same time, its optional parts.
func Beside[T any](ctx context.Context, need func(context.Context) (T, error), parts ...Extra) (needed T, left Gaps, err error) {
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) { needed, err = need(ctx); return err },
		func(ctx context.Context) (err error) { left, err = Extras(ctx, parts...); return err },
	)
	return needed, left, err
}

// Extras reads parts in parallel. It leaves out a part that cannot be read, and names it with the
// reason. Two failures fail the call: an expired connection, which only the user can renew, and an
// internal error, which must be noticed.
func Extras(ctx context.Context, parts ...Extra) (Gaps, error) {
	ctx, cancel := WithTimeToAnswer(ctx)
	defer cancel()
	failures, err := listing.InParallel(ctx, parts, func(ctx context.Context, p Extra) (*fault.Error, error) {
		err := p.Read(ctx)
		if f, ok := Dispensable(err); ok {
			return f, nil
		}
		return nil, err
	})
	var g Gaps
	for i, f := range failures {
		if f != nil {
			g.LeaveOut(parts[i].Name, f)
		}
	}
	return g, err
}

// Expect starts to read what the call will probably need. The code that needs it reads it as if
// nothing had been started: a call sends a read once.
func Expect[T any](ctx context.Context, id int64, read func(context.Context, int64) (T, error)) {
	Ahead(ctx, func(ctx context.Context) (T, error) { return read(ctx, id) })
}

// Ahead starts to read an extra before it is known whether the answer has it, and returns a
// function that waits for it. When ahead returns, the first request has its place: code that reads
// the same waits for it, and a write comes after it.
func Ahead[T any](ctx context.Context, read func(context.Context) (T, error)) func() (T, error) {
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	await := listing.Ahead(ctx, func(ctx context.Context) (T, error) {
		defer begin()
		ctx, cancel := WithTimeToAnswer(requests.Announce(ctx, begin))
		defer cancel()
		return read(ctx)
	})
	<-begun
	return await
}

// LeaveOut records that a part is missing, and why.
func (g *Gaps) LeaveOut(name string, why *fault.Error) {
	g.LeftOut = append(g.LeftOut, name+": "+why.Message)
}

// Dispensable returns the fault of an extra, and whether the call can answer without the extra.
func Dispensable(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Code != fault.TokenExpired && f.Code != fault.InternalError
}

// timeToAnswer is the time that a call keeps to answer without an extra that is too slow.
const timeToAnswer = time.Second

// WithTimeToAnswer returns a context that expires before the call does.
func WithTimeToAnswer(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-timeToAnswer))
}

// Hint is a cache key. Its value is the IDs that an answer about an item named, and that the call
// read next. A later call reads them at the same time as the item, and drops those that the new
// answer does not name.
type Hint struct {
	Of   string // columns, list, ...
	Item int64
	Name string // the part of the item that the call names; "" for all
}

// Hinted returns the IDs that an answer named before.
func (rs *Resolver) Hinted(ctx context.Context, h Hint) []int64 {
	ids, _, _ := rs.hints.get(ctx, h)
	return ids
}

// Learn keeps the IDs that an answer named.
func (rs *Resolver) Learn(ctx context.Context, h Hint, ids ...int64) { rs.hints.put(ctx, h, ids) }

// maxEarly is the number of hinted reads that a call starts before the read that it certainly
// needs. A call sends five requests at a time, so that read waits for at most two of them.
const maxEarly = 10

// ExpectHinted starts to read the first of what an answer named before.
func ExpectHinted[T any](ctx context.Context, rs *Resolver, h Hint, read func(context.Context, int64) (T, error)) {
	ids := rs.Hinted(ctx, h)
	for _, id := range ids[:min(maxEarly, len(ids))] {
		Expect(ctx, id, read)
	}
}

// HolderOf returns the hint to the list or group that a to-do is in, or to the chat of a line.
func HolderOf(item int64) Hint { return Hint{Of: "holder", Item: item} }

// LearnHolder keeps the list, group or chat that an answer said a to-do or a chat line is in. It
// ignores other items, and to-dos in no list.
func (rs *Resolver) LearnHolder(ctx context.Context, r basecamp.Recording) {
	isInList := r.Type == TodoKind.Upstream && r.Parent != nil && r.Parent.Type == ListKind.Upstream
	if isInList || TypeOf(r.Type) == LineKind.Kind && r.Parent != nil {
		rs.Learn(ctx, HolderOf(r.ID), r.Parent.ID)
	}
}

// ProjectLists are the lists of a to-do set with the groups by list. A project can have too many of
// them for a cursor, so a call that goes on with a cursor finds them in a cache.
type ProjectLists struct {
	Lists  []basecamp.Todolist
	Groups map[int64][]basecamp.Todolist
}

func (known ProjectLists) count() int {
	count := len(known.Lists)
	for _, groups := range known.Groups {
		count += len(groups)
	}
	return count
}

// maxRecentLists is how long a call that goes on may rely on the lists of the call before.
const maxRecentLists = 30 * time.Second

// RecentLists returns what an earlier call has read of a to-do set. The caller's writes drop it.
func (rs *Resolver) RecentLists(ctx context.Context, set int64) (ProjectLists, bool) {
	known, age, ok := rs.todoLists.get(ctx, set)
	return known, ok && age < maxRecentLists
}

// RememberLists caches the lists of a to-do set.
func (rs *Resolver) RememberLists(ctx context.Context, set int64, known ProjectLists) {
	rs.todoLists.put(ctx, set, known)
}
