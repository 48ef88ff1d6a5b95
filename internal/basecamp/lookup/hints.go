package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
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
		Expect(ctx, id, read)
	}
}

// BoardOf returns the hint to the card table that a card or a column is on.
func BoardOf(id int64) Hint { return Hint{Of: "table", Item: id} }

// chatOf returns the hint to the chat of a line.
func chatOf(line int64) Hint { return Hint{Of: "chat", Item: line} }

// ListOf returns the hint to the list or group that a to-do is in.
func ListOf(todo int64) Hint { return Hint{Of: "list", Item: todo} }

// LearnList keeps the list or group that an answer said a to-do is in. It ignores other items, and
// to-dos in no list.
func (rs *Resolver) LearnList(ctx context.Context, r basecamp.Recording) {
	if r.Type == TodoKind.Upstream && r.Parent != nil && r.Parent.Type == ListKind.Upstream {
		rs.Learn(ctx, ListOf(r.ID), r.Parent.ID)
	}
}

// LearnChat keeps the chat of a line that an answer showed. It ignores other items.
func (rs *Resolver) LearnChat(ctx context.Context, r basecamp.Recording) {
	if TypeOf(r.Type) == LineKind.Kind && r.Parent != nil {
		rs.Learn(ctx, chatOf(r.ID), r.Parent.ID)
	}
}

// LearnBoard keeps which card table columns and cards are on.
func (rs *Resolver) LearnBoard(ctx context.Context, table basecamp.CardTable, cards ...int64) {
	if table.ID == 0 { // Basecamp did not say
		return
	}
	for _, c := range table.Columns {
		rs.Learn(ctx, BoardOf(c.ID), table.ID)
	}
	for _, id := range cards {
		rs.Learn(ctx, BoardOf(id), table.ID)
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
