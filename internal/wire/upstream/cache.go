package upstream

import (
	"container/list"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	cacheEntries = 1000
	cacheBytes   = 8 << 20
)

// validator is what a conditional request sends to ask whether an answer changed.
type validator struct {
	etag     string
	modified string
}

func validatorOf(h http.Header) validator {
	return validator{etag: h.Get("ETag"), modified: h.Get("Last-Modified")}
}

// ask makes a request conditional. It sends only the ETag if there is one, because it is stronger.
func (v validator) ask(h http.Header) {
	switch {
	case v.etag != "":
		h.Set("If-None-Match", v.etag)
	case v.modified != "":
		h.Set("If-Modified-Since", v.modified)
	}
}

// cached is a decoded answer that a conditional request can ask about.
type cached struct {
	validator
	value any
}

// cacheKey contains the user, because one URL returns different answers to different users.
type cacheKey struct {
	user string
	url  string
}

// cache holds the latest answers in decoded form. Both the number of entries and their bytes,
// counted before decoding, are limited. The least recently used entry is removed first.
type cache struct {
	maxEntries int
	maxBytes   int

	mu      sync.Mutex
	entries map[cacheKey]*list.Element
	recent  *list.List // of *cacheEntry, the latest in front
	bytes   int
	totals  map[cacheKey]int // of the pages' lists, as the latest answers said
}

// totalled is a page of a list, or has one. Its total is -1 if the provider does not say it.
type totalled interface{ Count() int }

// saidTotal notes the total that came with a page of a list.
func (c *cache) saidTotal(page cacheKey, value any) {
	p, ok := value.(totalled)
	if !ok || p.Count() < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.totals) >= c.maxEntries { // then kept pages are read anew
		clear(c.totals)
	}
	c.totals[page.list()] = p.Count()
}

// list returns the key of a page's list: all its pages have the same one.
func (k cacheKey) list() cacheKey {
	u, err := url.Parse(k.url)
	if err != nil {
		return k
	}
	query := u.Query()
	query.Del("page")
	u.RawQuery = query.Encode()
	return cacheKey{k.user, u.String()}
}

// holds reports whether a kept value may still be one of its list: the list has the same total as
// when the page was kept. Where a kept page ends the list, a longer one goes on.
func (c *cache) holds(key cacheKey, value any) bool {
	p, ok := value.(totalled)
	return !ok || p.Count() < 0 || c.totals[key.list()] == p.Count()
}

type cacheEntry struct {
	key    cacheKey
	cached cached
	size   int
	asked  time.Time // when the provider was last asked
}

type reuseKey struct{}

// Reuse returns a context whose reads may return a cached answer without asking, if the provider
// was asked for it at a time or later.
func Reuse(ctx context.Context, since time.Time) context.Context {
	return context.WithValue(ctx, reuseKey{}, since)
}

func newCache(maxEntries, maxBytes int) *cache {
	return &cache{
		maxEntries: maxEntries,
		maxBytes:   maxBytes,
		entries:    make(map[cacheKey]*list.Element),
		recent:     list.New(),
		totals:     make(map[cacheKey]int),
	}
}

// lookup returns the entry of key, and whether the context allows its use without asking. If there
// is none, or it is a page of a list that has another total by now, it returns the zero value,
// whose validator is empty.
func (c *cache) lookup(ctx context.Context, key cacheKey) (kept cached, reusable bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return cached{}, false
	}
	c.recent.MoveToFront(element)
	entry := element.Value.(*cacheEntry)
	if !c.holds(key, entry.cached.value) {
		return cached{}, false
	}
	since, reuse := ctx.Value(reuseKey{}).(time.Time)
	return entry.cached, reuse && !entry.asked.Before(since)
}

// confirm replaces the value of an entry whose body the provider says is unchanged. A part of it
// may come from the headers, which may have changed. If another read has replaced the entry
// meanwhile, confirm changes nothing.
func (c *cache) confirm(key cacheKey, answer cached, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return
	}
	if entry := element.Value.(*cacheEntry); entry.cached.validator == answer.validator {
		entry.cached, entry.asked = answer, asked
	}
}

// keep stores an answer if it has a validator and its user is known.
func (c *cache) keep(key cacheKey, answer cached, size int, asked time.Time) {
	if answer.validator == (validator{}) || key.user == "" || size > c.maxBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[key]; ok {
		c.drop(old)
	}
	c.entries[key] = c.recent.PushFront(&cacheEntry{key, answer, size, asked})
	c.bytes += size
	for len(c.entries) > c.maxEntries || c.bytes > c.maxBytes {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(element *list.Element) {
	entry := c.recent.Remove(element).(*cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= entry.size
}

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
