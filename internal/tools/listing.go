package tools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
)

const (
	// maxScanned is how many upstream pages one call reads while it looks for items that match, or for a page far behind.
	maxScanned = 20
	// partPages sets the parts of a source apart: the pages of its nth part, from 0, are numbered from n*partPages+1.
	partPages = 10_000
)

// position is where an answer ended and the next begins: an offset into a page of one of the listing's sources. Number
// counts the pages of all sources, one after the other, from 1.
type position struct {
	Source int `json:"s,omitempty"`
	Page   int `json:"p"`
	Offset int `json:"o,omitempty"`
	Number int `json:"n"`
}

var start = position{Page: 1, Number: 1}

// listing is a list made of sources, one after the other. Keep, when set, picks the items that match.
type listing[T any] struct {
	of      string // a digest of the arguments that chose it
	id      func(T) int64
	sources []source[T]
	keys    []int64 // the sources' own ids, where they have any
	parts   bool    // whether sources have parts; how many items there are is then known only at the end
	keep    func(T) bool
	beside  int // bytes of what the answer holds beside the items

	pages map[pageOf]basecamp.Page[T] // what this call has read
}

// add adds a source that has an id.
func (l *listing[T]) add(id int64, s source[T]) {
	l.sources, l.keys = append(l.sources, s), append(l.keys, id)
}

// pageOf is a page of a source.
type pageOf struct{ source, page int }

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
	limit := in.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	switch {
	case in.Page > 0 && in.Cursor != "":
		return collected[T]{}, badCursor("cannot be combined with page")
	case in.Cursor != "":
		at, err := l.resume(ctx, in.Cursor)
		if err != nil {
			return collected[T]{}, err
		}
		return l.take(ctx, at, limit, false)
	case len(l.sources) == 0:
		return collected[T]{}, nil
	case in.Page > 0:
		at, found, err := l.seek(ctx, in.Page)
		if err != nil || !found {
			return collected[T]{total: -1}, err
		}
		if in.Limit > 0 {
			return l.take(ctx, at, limit, false)
		}
		return l.take(ctx, at, maxPageItems, true)
	}
	return l.take(ctx, start, limit, false)
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
		after, goesOn := l.after(at, upstream)
		if len(l.sources) == 1 && l.keep == nil && (!l.parts || !goesOn && at.Page < partPages) {
			c.total = upstream.Total
		}
		c.more = !l.gather(&c, at, after, upstream.Items, func() bool { return full(at) })
		if c.more || !goesOn {
			return c, nil
		}
		if !full(at) {
			c.next = after
		}
		// Upstream said that this very list has another page, and nothing is filtered: no need to look.
		if full(after) && after.Source == at.Source && after.Page == at.Page+1 && l.keep == nil {
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

// seek finds the page with a number, counted over all sources; false when there are fewer. Beyond the first source, or
// where a source has parts, that takes a walk.
func (l *listing[T]) seek(ctx context.Context, number int) (position, bool, error) {
	direct := position{Page: number, Number: number}
	if number == 1 || len(l.sources) == 1 && !l.parts {
		return direct, true, nil
	}
	if number < partPages {
		if upstream, err := l.read(ctx, direct, 0); err != nil || len(upstream.Items) > 0 {
			return direct, err == nil, err
		}
	}
	at := start
	for at.Number < number {
		if at.Number > maxScanned {
			return at, false, fault.Invalid("page", "is too far behind to be counted, got %d; go there by cursor", number)
		}
		upstream, err := l.read(ctx, at, 0)
		if err != nil {
			return at, false, err
		}
		next, goesOn := l.after(at, upstream)
		if !goesOn {
			return at, false, nil
		}
		at = next
	}
	return at, true, nil
}

// read reads the page at a position, once in a call. When the first source has turned out not to be enough, the next ones
// are read a few at a time.
func (l *listing[T]) read(ctx context.Context, at position, first int) (basecamp.Page[T], error) {
	if upstream, ok := l.pages[pageOf{at.Source, at.Page}]; ok {
		return upstream, nil
	}
	count := 1
	if at.Page == 1 && at.Source != first {
		count = min(parallel, len(l.sources)-at.Source)
	}
	pages, err := inParallel(ctx, l.sources[at.Source:at.Source+count], func(ctx context.Context, read source[T]) (basecamp.Page[T], error) {
		return read(ctx, at.Page)
	})
	if err != nil {
		return basecamp.Page[T]{}, err
	}
	if l.pages == nil {
		l.pages = map[pageOf]basecamp.Page[T]{}
	}
	for i, upstream := range pages {
		l.pages[pageOf{at.Source + i, at.Page}] = upstream
	}
	return pages[0], nil
}

// cursor is a position as a caller carries it to the next call. Lists change meanwhile, so it also holds on to the items
// before it.
type cursor struct {
	position
	Key  int64   `json:"k,omitempty"` // the source's own id, as sources come and go
	Last []int64 `json:"l,omitempty"` // the items before, the last one last; none when a list begins here
	Of   string  `json:"of"`
}

// maxAnchors is how many items a cursor holds on to: one is not enough when that very item is dealt with and gone.
const maxAnchors = 5

// cursor is what a caller needs to go on behind the items shown.
func (l *listing[T]) cursor(c collected[T]) string {
	at := c.next
	next := cursor{position: at, Of: l.of}
	if l.keys != nil {
		next.Key = l.keys[at.Source]
	}
	n := len(c.items)
	if n > 0 && at == c.ends[n-1] && (at.Offset > 0 || !firstOfPart(at.Page)) {
		for _, item := range c.items[max(0, n-maxAnchors):] {
			next.Last = append(next.Last, l.id(item))
		}
	}
	return encodeCursor(next)
}

func firstOfPart(page int) bool { return page%partPages == 1 }

// resume is the position a cursor stands for now.
func (l *listing[T]) resume(ctx context.Context, text string) (position, error) {
	var c cursor
	if !decodeCursor(text, &c) || c.Page < 1 || c.Number < 1 || c.Offset < 0 || c.Source < 0 {
		return position{}, badCursor("is not one this server gave")
	}
	if c.Of != l.of {
		return position{}, badCursor("belongs to a call with other arguments: repeat those")
	}
	if l.keys != nil {
		c.Source = slices.Index(l.keys, c.Key)
	}
	if c.Source < 0 || c.Source >= len(l.sources) {
		return position{}, badCursor("points at a list that is no longer there")
	}
	if len(c.Last) == 0 {
		return c.position, nil
	}
	return l.behind(ctx, c)
}

// behind finds the position behind the last item shown, or one of those just before it: on the page where it was, or on
// those around it, to which it has been moved by what came or went. If none of them is there any more the list begins
// anew: items are then repeated, but never lost.
func (l *listing[T]) behind(ctx context.Context, c cursor) (position, error) {
	first := c.Page - (c.Page-1)%partPages
	for _, number := range []int{c.Page, c.Page - 1, c.Page + 1, c.Page - 2, c.Page - 3} {
		if number < first {
			continue
		}
		at := c.to(number)
		upstream, err := l.read(ctx, at, at.Source)
		if err != nil {
			return at, err
		}
		for i, item := range slices.Backward(upstream.Items) {
			if slices.Contains(c.Last, l.id(item)) {
				at.Offset = i + 1
				return at, nil
			}
		}
	}
	return c.to(first), nil
}

// to is the beginning of another page of the same part.
func (p position) to(page int) position {
	return position{Source: p.Source, Page: page, Number: max(1, p.Number+page-p.Page)}
}
