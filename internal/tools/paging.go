package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
)

const (
	defaultLimit = 25
	maxPageItems = 100 // upstream's largest page, and the most one answer holds
	maxScanned   = 20  // upstream pages one call reads while it looks for items that match
	maxSearched  = 50  // upstream pages of one list that are read to find something by name
	parallel     = 5   // requests that do not depend on each other, made at once
)

// pageInput is how every list is paged. Page is upstream's own page, whole; limit counts items and may span pages.
type pageInput struct {
	Page int `json:"page,omitzero" jsonschema:"Whole page to read, from 1 (pages grow: 15, 30, 50, 100 items)" limits:"min=1"`
	cursorInput
}

// cursorInput is the paging of lists that have no page numbers of their own.
type cursorInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"At most this many items (default 25)" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor of the previous answer, with the same other arguments" limits:"maxlen=500"`
}

// page is the shape of every list's answer. HasMore is true exactly when NextCursor is set; NextPage is set too when
// the next whole page begins where this answer ended.
type page[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextPage   *int    `json:"next_page"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

// source reads one numbered page of an upstream list.
type source[T any] func(ctx context.Context, page int) (basecamp.Page[T], error)

// position is where an answer ended and the next begins: an offset into a page of one of the listing's sources. Number
// counts the pages of all sources, one after the other, from 1.
type position struct {
	Source int `json:"s,omitempty"`
	Page   int `json:"p"`
	Offset int `json:"o,omitempty"`
	Number int `json:"n"`
}

// cursor is a position as a caller carries it to the next call.
type cursor struct {
	position
	Key int64  `json:"k,omitempty"` // the source's own id, as sources come and go
	Of  string `json:"of"`          // a digest of the arguments the cursor belongs to
}

var start = position{Page: 1, Number: 1}

// digest identifies what a cursor continues.
func digest(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// listing is a list made of sources, one after the other. Keep, when set, picks the items that match.
type listing[T any] struct {
	of      string
	sources []source[T]
	keys    []int64 // the sources' ids, where they have any
	keep    func(T) bool
	beside  int // bytes of what the answer holds beside the items

	ahead map[int]basecamp.Page[T] // first pages of sources, read ahead
}

// collected is a run of upstream items: ends[i] is the position right behind items[i]. More says whether any item
// follows, and next where to go on. Total is -1 when unknown.
type collected[T any] struct {
	items []T
	ends  []position
	more  bool
	next  position
	total int
}

// collect reads the run that the paging arguments ask for: a whole page, or as many items as the limit from where the
// cursor points.
func (l *listing[T]) collect(ctx context.Context, in pageInput) (collected[T], error) {
	if in.Page > 0 && in.Cursor != "" {
		return collected[T]{}, fault.Invalid("page", "cannot be combined with cursor; give one of them")
	}
	limit := in.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	switch {
	case in.Cursor != "":
		at, err := l.resume(in.Cursor)
		if err != nil {
			return collected[T]{}, err
		}
		return l.take(ctx, at, limit, false)
	case in.Page > 0:
		at, err := l.seek(ctx, in.Page)
		if err != nil {
			return collected[T]{}, err
		}
		if in.Limit > 0 {
			return l.take(ctx, at, limit, false)
		}
		return l.take(ctx, at, maxPageItems, true)
	}
	return l.take(ctx, start, limit, false)
}

// cursor is what a caller needs to go on at a position.
func (l *listing[T]) cursor(at position) string {
	c := cursor{position: at, Of: l.of}
	if l.keys != nil {
		c.Key = l.keys[at.Source]
	}
	return encodeCursor(c)
}

// resume is the position a cursor stands for.
func (l *listing[T]) resume(text string) (position, error) {
	var c cursor
	if !decodeCursor(text, &c) || c.Page < 1 || c.Number < 1 || c.Offset < 0 || c.Source < 0 {
		return position{}, fault.Invalid("cursor", "is not one this server gave; leave it out to start from the beginning")
	}
	if c.Of != l.of {
		return position{}, fault.Invalid("cursor", "belongs to a call with other arguments; repeat those, or leave it out to start from the beginning")
	}
	if l.keys != nil {
		c.Source = slices.Index(l.keys, c.Key)
	}
	if c.Source < 0 || c.Source >= len(l.sources) {
		return position{}, fault.Invalid("cursor", "points at a list that is no longer there; leave it out to start from the beginning")
	}
	return c.position, nil
}

func encodeCursor(c any) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // integers, strings and times
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func decodeCursor(text string, c any) bool {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(data, c) == nil
}

// take reads items from a position on until there are as many as wanted or, if asked, to the end of the page. It then
// looks for one more, so that more is true only when something follows; a search that finds nothing for maxScanned pages
// stops there and can be continued.
func (l *listing[T]) take(ctx context.Context, at position, want int, onePage bool) (collected[T], error) {
	c := collected[T]{next: at, total: -1}
	first := at
	full := func(p position) bool { return len(c.items) == want || onePage && p.Number > first.Number }
	for range maxScanned {
		upstream, err := l.read(ctx, at, first.Source)
		if err != nil {
			return c, err
		}
		if len(l.sources) == 1 && l.keep == nil {
			c.total = upstream.Total
		}
		after, goesOn := l.after(at, upstream)
		c.more = !l.gather(&c, at, after, upstream.Items, func() bool { return full(at) })
		if c.more || !goesOn {
			return c, nil
		}
		if !full(at) {
			c.next = after
		}
		// Upstream said that this source has another page, and nothing is filtered: no need to look.
		if full(after) && after.Source == at.Source && l.keep == nil {
			c.more = true
			return c, nil
		}
		at = after
	}
	c.more = true
	return c, nil
}

// gather adds the items of a page; false when c was full and one of them had to be left.
func (l *listing[T]) gather(c *collected[T], at, after position, items []T, full func() bool) bool {
	for i := at.Offset; i < len(items); i++ {
		if l.keep != nil && !l.keep(items[i]) {
			continue
		}
		if full() {
			return false
		}
		end := position{Source: at.Source, Page: at.Page, Offset: i + 1, Number: at.Number}
		if i+1 == len(items) {
			end = after
		}
		c.items, c.ends, c.next = append(c.items, items[i]), append(c.ends, end), end
	}
	return true
}

// after is the position behind a page; false when the listing ends there.
func (l *listing[T]) after(at position, upstream basecamp.Page[T]) (position, bool) {
	if upstream.Next > 0 {
		return position{Source: at.Source, Page: upstream.Next, Number: at.Number + 1}, true
	}
	next := position{Source: at.Source + 1, Page: 1, Number: at.Number + 1}
	return next, next.Source < len(l.sources)
}

// seek finds the page with a number. Beyond the first source that takes a walk, as pages differ in size.
func (l *listing[T]) seek(ctx context.Context, number int) (position, error) {
	at := position{Page: number, Number: number}
	if number == 1 || len(l.sources) == 1 {
		return at, nil
	}
	upstream, err := l.read(ctx, at, 0)
	if err != nil || len(upstream.Items) > 0 {
		return at, err
	}
	for at = start; at.Number < number; {
		if upstream, err = l.read(ctx, at, 0); err != nil {
			return at, err
		}
		next, goesOn := l.after(at, upstream)
		if !goesOn { // beyond the end: stay on the last source, where this page is empty
			return position{Source: at.Source, Page: at.Page + 1, Number: number}, nil
		}
		at = next
	}
	return at, nil
}

// read reads the page at a position. Once the first source has turned out not to be enough, the next ones are read a few
// at a time.
func (l *listing[T]) read(ctx context.Context, at position, first int) (basecamp.Page[T], error) {
	if at.Page > 1 || at.Source == first {
		return l.sources[at.Source](ctx, at.Page)
	}
	if upstream, ok := l.ahead[at.Source]; ok {
		return upstream, nil
	}
	batch := l.sources[at.Source:min(at.Source+parallel, len(l.sources))]
	pages, err := inParallel(ctx, batch, func(ctx context.Context, read source[T]) (basecamp.Page[T], error) {
		return read(ctx, 1)
	})
	if err != nil {
		return basecamp.Page[T]{}, err
	}
	l.ahead = map[int]basecamp.Page[T]{}
	for i, upstream := range pages {
		l.ahead[at.Source+i] = upstream
	}
	return pages[0], nil
}

// inParallel runs f over items, a few at a time, and keeps their order.
func inParallel[A, B any](ctx context.Context, items []A, f func(context.Context, A) (B, error)) ([]B, error) {
	results := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			results[i], err = f(ctx, item)
			return err
		})
	}
	return results, group.Wait()
}

// both runs two requests that do not depend on each other at once.
func both(ctx context.Context, first, second func(context.Context) error) error {
	_, err := inParallel(ctx, []func(context.Context) error{first, second},
		func(ctx context.Context, f func(context.Context) error) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// everything reads all pages of a source, as far as anything is ever looked through for a name: some thousand items.
func everything[T any](ctx context.Context, read source[T]) ([]T, error) {
	var all []T
	for number := 1; number > 0 && number <= maxSearched; {
		upstream, err := read(ctx, number)
		if err != nil {
			return nil, err
		}
		all = append(all, upstream.Items...)
		number = upstream.Next
	}
	return all, nil
}
