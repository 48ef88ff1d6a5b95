package upstream

import (
	"container/list"
	"context"
	"net/http"
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
	}
}

// lookup returns the entry of key, and whether the context allows its use without asking. If there
// is none, it returns the zero value, whose validator is empty.
func (c *cache) lookup(ctx context.Context, key cacheKey) (kept cached, reusable bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return cached{}, false
	}
	c.recent.MoveToFront(element)
	entry := element.Value.(*cacheEntry)
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
