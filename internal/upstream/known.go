package upstream

import (
	"context"
	"sync"
)

// known are the answers to the reads of one metered call, so that each URL is read once. A write of
// the call forgets them all.
type known struct {
	mu    sync.Mutex
	begun map[cacheKey]*reading
}

// reading is a read that runs or has succeeded.
type reading struct {
	done   chan struct{} // closed at its end
	value  any
	err    error
	failed bool // through its own caller, who left; another caller reads again
}

type afreshKey struct{}

// Afresh returns a context whose reads do not share what the call read before.
func Afresh(ctx context.Context) context.Context {
	return context.WithValue(ctx, afreshKey{}, true)
}

type startKey struct{}

// Announce returns a context that calls started when its first read has its place among those of
// the call: code that reads the same afterwards waits for it. It may call started several times.
func Announce(ctx context.Context, started func()) context.Context {
	return context.WithValue(ctx, startKey{}, started)
}

// Started says that what Announce waits for has happened: code that starts several reads calls it
// after the last one.
func Started(ctx context.Context) {
	if started, ok := ctx.Value(startKey{}).(func()); ok {
		started()
	}
}

// once returns what read returns, or what it returned to an earlier caller in the same metered
// call. Callers that come while it runs wait for it. A failed read is forgotten. If the caller that
// reads leaves, one that waits reads again.
func once[T any](ctx context.Context, key cacheKey, read func() (T, error)) (T, error) {
	m := meterOf(ctx)
	if key.user == "" || ctx.Value(afreshKey{}) != nil {
		Started(ctx)
		return read()
	}
	for {
		r, first := m.known.begin(key)
		Started(ctx)
		if first {
			return lead(ctx, &m.known, key, r, read)
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return read() // which says what the end of the time means
		}
		value, fits := r.value.(T)
		switch {
		case r.failed:
			continue
		case r.err == nil && !fits:
			return read()
		}
		return value, r.err
	}
}

// lead reads for all who wait for r.
func lead[T any](ctx context.Context, all *known, key cacheKey, r *reading, read func() (T, error)) (T, error) {
	defer func() {
		if r.failed || r.err != nil {
			all.drop(key, r)
		}
		close(r.done)
	}()
	value, err := read()
	r.value, r.err, r.failed = value, err, err != nil && ctx.Err() != nil
	return value, err
}

// begin returns the reading of key, and whether the caller must carry it out.
func (all *known) begin(key cacheKey) (r *reading, first bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if r, known := all.begun[key]; known {
		return r, false
	}
	if all.begun == nil {
		all.begun = map[cacheKey]*reading{}
	}
	r = &reading{done: make(chan struct{})}
	all.begun[key] = r
	return r, true
}

// drop forgets one reading, unless another one has taken its place.
func (all *known) drop(key cacheKey, r *reading) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.begun[key] == r {
		delete(all.begun, key)
	}
}

// forget drops everything that was read. What still runs is not shared with callers that follow.
func (m *meter) forget() {
	m.known.mu.Lock()
	defer m.known.mu.Unlock()
	m.known.begun = nil
}
