package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/tool/listing"
)

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
		listing.Expect(ctx, id, read)
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

// maxRecentLists is how long a call that goes on may rely on the lists of the call before.
const maxRecentLists = 30 * time.Second

// RecentLists returns what an earlier call has read of a to-do set. The caller's writes drop it.
func (rs *Resolver) RecentLists(ctx context.Context, set int64) (basecamp.ProjectLists, bool) {
	known, age, ok := rs.todoLists.get(ctx, set)
	return known, ok && age < maxRecentLists
}

// RememberLists caches the lists of a to-do set.
func (rs *Resolver) RememberLists(ctx context.Context, set int64, known basecamp.ProjectLists) {
	rs.todoLists.put(ctx, set, known)
}
