// Package lookup finds what callers of Basecamp's tools name: projects, items and people by ID,
// name, title or URL, days and periods in words, and whom a text mentions. It caches what each
// caller has read, and holds the views of items that several tools share.
//
// A Resolver does all of that. A name that fits several things is AMBIGUOUS, with candidates; one
// that fits nothing is NOT_FOUND, with the nearest.
package lookup

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/memo"
)

// How long and how much is remembered.
const (
	justRead = 10 * time.Second // the largest age of a list that proves that a name is not in it
	maxZones = 100
	maxTexts = 4 << 20 // the size limit of the cache of converted texts, HTML and Markdown, in bytes
)

// Resolver resolves what callers name (projects, items, people) with a Basecamp client, and
// caches what each caller has read.
type Resolver struct {
	dayReader
	titles    cache[titlesOf, []basecamp.Listed]
	hints     cache[Hint, []int64]
	todoLists cache[int64, basecamp.ProjectLists] // by to-do set
	wrote     cache[int, time.Time]               // when the caller last wrote, with key 0
	texts     *memo.Memo[basecamp.HTML, string]   // Markdown by HTML, the same for all callers
}

// New returns a resolver that uses a client of Basecamp and a clock.
func New(client *basecamp.Client, now func() time.Time) *Resolver {
	projects := projectFinder{
		BC:         client,
		projects:   newCache[int64, basecamp.Project](client, 1000, nil, now),
		lists:      newCache[string, []basecamp.Project](client, 100, nil, now),
		confirmed:  newCache[int64, bool](client, 10_000, nil, now),
		hasClients: newCache[int64, bool](client, 10_000, nil, now),
	}
	people := personFinder{
		projectFinder: projects,
		profiles:      newCache[int64, basecamp.Person](client, 1000, nil, now),
		peopleLists:   newCache[int64, []basecamp.Person](client, 200, nil, now),
		everyone:      newCache[int, []basecamp.Person](client, 200, nil, now),
	}
	return &Resolver{
		dayReader: dayReader{people, now, memo.New(maxZones, memo.Units[string, *time.Location], now)},
		titles:    newCache[titlesOf](client, 20_000, func(items []basecamp.Listed) int { return 1 + len(items) }, now),
		hints:     newCache[Hint](client, 20_000, func(ids []int64) int { return 1 + len(ids) }, now),
		todoLists: newCache[int64](client, 20_000, func(l basecamp.ProjectLists) int { return 1 + l.Count() }, now),
		wrote:     newCache[int, time.Time](client, 10_000, nil, now),
		texts:     memo.New(maxTexts, func(html basecamp.HTML, text string) int { return len(html) + len(text) }, now),
	}
}

// cache keeps what each caller may see in each account.
type cache[K comparable, V any] struct {
	client *basecamp.Client
	memo   *memo.Memo[callerKey[K], V]
}

type callerKey[K comparable] struct {
	subject string
	account int64
	key     K
}

// newCache returns a cache with a limit of the total weight. If weigh is nil, each value weighs 1.
func newCache[K comparable, V any](client *basecamp.Client, limit int, weigh func(V) int, now func() time.Time) cache[K, V] {
	return cache[K, V]{client, memo.New(limit, func(_ callerKey[K], value V) int {
		if weigh == nil {
			return 1
		}
		return weigh(value)
	}, now)}
}

// key returns a key of the caller, or false if the account of the call is not known: then a request
// fails too.
func (c cache[K, V]) key(ctx context.Context, key K) (callerKey[K], bool) {
	account, err := c.client.Account(ctx)
	caller, _ := identity.From(ctx)
	return callerKey[K]{caller.Subject, account, key}, err == nil
}

func (c cache[K, V]) get(ctx context.Context, key K) (value V, age time.Duration, ok bool) {
	if k, known := c.key(ctx, key); known {
		return c.memo.Get(ctx, k)
	}
	return value, 0, false
}

func (c cache[K, V]) put(ctx context.Context, key K, value V) {
	if k, known := c.key(ctx, key); known {
		c.memo.Put(ctx, k, value)
	}
}

// forget drops what the caller has read in any account.
func (c cache[K, V]) forget(ctx context.Context) {
	caller, _ := identity.From(ctx)
	c.memo.ForgetAll(ctx, func(k callerKey[K]) bool { return k.subject == caller.Subject })
}

// Markdown converts rich text to Markdown. It caches long texts, because conversion is most of
// the work of an answer whose items have not changed. The list of files supplies the names of
// attachments that have no name in the text.
func (rs *Resolver) Markdown(html basecamp.HTML, files ...basecamp.Attachment) string {
	if len(files) > 0 {
		named := Mapped(files, func(f basecamp.Attachment) richtext.File {
			return richtext.File{SGID: f.SGID, Name: f.Filename, ContentType: f.ContentType}
		})
		html = basecamp.HTML(richtext.NameFiles(string(html), named))
	}
	if len(html) < 200 {
		return richtext.Markdown(string(html))
	}
	text, _, ok := rs.texts.Get(context.Background(), html)
	if !ok {
		text = convert(html)
		rs.texts.Put(context.Background(), html, text)
	}
	return text
}

// converting limits how many long texts are converted at once: meanwhile each takes many times its
// size.
var converting = make(chan struct{}, 4)

func convert(html basecamp.HTML) string {
	if len(html) > 32<<10 {
		converting <- struct{}{}
		defer func() { <-converting }()
	}
	return richtext.Markdown(string(html))
}
