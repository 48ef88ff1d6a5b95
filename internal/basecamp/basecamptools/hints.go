package basecamptools

import "context"

// hint is a cache key. Its value is the IDs that an answer about an item named, and that the call
// read next. A later call reads them at the same time as the item, and drops those that the new
// answer does not name.
type hint struct {
	of   string // columns, list, ...
	item int64
	name string // the part of the item that the call names; "" for all
}

// hinted returns the IDs that an answer named before.
func (rs *resolver) hinted(ctx context.Context, h hint) []int64 {
	key, err := keyFor(ctx, rs, h)
	if err != nil {
		return nil
	}
	ids, _, _ := rs.hints.get(key)
	return ids
}

// learn keeps the IDs that an answer named.
func (rs *resolver) learn(ctx context.Context, h hint, ids ...int64) {
	if key, err := keyFor(ctx, rs, h); err == nil {
		rs.hints.put(key, ids)
	}
}

// maxEarly is the number of hinted reads that a call starts before the read that it certainly
// needs. A call sends five requests at a time, so that read waits for at most two of them.
const maxEarly = 10

// expectHinted starts to read the first of what an answer named before.
func expectHinted[T any](ctx context.Context, rs *resolver, h hint, read func(context.Context, int64) (T, error)) {
	ids := rs.hinted(ctx, h)
	for _, id := range ids[:min(maxEarly, len(ids))] {
		expect(ctx, id, read)
	}
}
