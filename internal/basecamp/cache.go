package basecamp

import (
	chain "container/list" // list is ours
	"net/http"
	"sync"
)

const (
	cacheEntries = 1000
	cacheBytes   = 32 << 20
)

// freshness is how an answer is asked about again.
type freshness struct {
	etag     string
	modified string
}

func freshnessOf(h http.Header) freshness {
	return freshness{etag: h.Get("ETag"), modified: h.Get("Last-Modified")}
}

// ask makes a request conditional. The ETag is the stronger of the two and goes alone.
func (f freshness) ask(h http.Header) {
	switch {
	case f.etag != "":
		h.Set("If-None-Match", f.etag)
	case f.modified != "":
		h.Set("If-Modified-Since", f.modified)
	}
}

// fresh is a decoded answer that Basecamp can be asked about again.
type fresh[T any] struct {
	freshness
	value T
}

// cacheKey tells answers apart: the same URL is another answer to another person (B-58).
type cacheKey struct {
	person  string
	account int64
	url     string
}

func (x *exchange) cacheKey() cacheKey {
	return cacheKey{person: x.credential.Person, account: x.credential.Account, url: x.url.String()}
}

// cache keeps the latest answers, decoded, up to a number of entries and of bytes (counted as they came, undecoded). What
// has not been asked for longest goes first.
type cache struct {
	maxEntries int
	maxBytes   int

	mu      sync.Mutex
	entries map[cacheKey]*chain.Element
	recent  *chain.List // of cacheEntry, the latest in front
	bytes   int
}

type cacheEntry struct {
	key   cacheKey
	fresh any // fresh[T]
	size  int
}

func newCache(maxEntries, maxBytes int) *cache {
	return &cache{
		maxEntries: maxEntries,
		maxBytes:   maxBytes,
		entries:    make(map[cacheKey]*chain.Element),
		recent:     chain.New(),
	}
}

// lookup gives what is kept under key, if it is a T; nothing kept is without freshness.
func lookup[T any](c *cache, key cacheKey) fresh[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return fresh[T]{}
	}
	c.recent.MoveToFront(element)
	kept, _ := element.Value.(cacheEntry).fresh.(fresh[T])
	return kept
}

// keep stores an answer that can be asked about again and whose person is known.
func keep[T any](c *cache, key cacheKey, f fresh[T], size int) {
	if f.freshness == (freshness{}) || key.person == "" || size > c.maxBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[key]; ok {
		c.drop(old)
	}
	c.entries[key] = c.recent.PushFront(cacheEntry{key: key, fresh: f, size: size})
	c.bytes += size
	for len(c.entries) > c.maxEntries || c.bytes > c.maxBytes {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(element *chain.Element) {
	entry := c.recent.Remove(element).(cacheEntry)
	delete(c.entries, entry.key)
	c.bytes -= entry.size
}
