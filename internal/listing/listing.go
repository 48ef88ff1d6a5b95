package listing

import (
	"context"
	"slices"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

const (
	// MaxScanned is how many upstream pages one call reads while it looks for items that match, or for a page far behind.
	MaxScanned = 20
	// PartPages sets the parts of a source apart: the pages of its nth part, from 0, are numbered from n*partPages+1.
	PartPages = 10_000
)

// Position is where an answer ended and the next begins: an offset into a page of one of the listing's sources. Number
// counts the pages of all sources, one after the other, from 1.
type Position struct {
	Source int `json:"s,omitempty"`
	Page   int `json:"p"`
	Offset int `json:"o,omitempty"`
	Number int `json:"n"`
}

var start = Position{Page: 1, Number: 1}

// listing is a list made of sources, one after the other. Keep, when set, picks the items that match.
type List[T any] struct {
	Of      string // a digest of the arguments that chose it
	ID      func(T) int64
	Sources []Source[T]
	keys    []int64 // the sources' own ids, where they have any
	Parts   bool    // whether sources have parts; how many items there are is then known only at the end
	Keep    func(T) bool
	Beside  int // bytes of what the answer holds beside the items

	Pages map[pageOf]upstream.Page[T] // what this call has read
}

// Add adds a source that has an id.
func (l *List[T]) Add(id int64, s Source[T]) {
	l.Sources, l.keys = append(l.Sources, s), append(l.keys, id)
}

// pageOf is a page of a source.
type pageOf struct{ source, page int }

// Collected is a run of upstream items: ends[i] is the position right behind items[i]. More says whether any item
// follows, and next where to go on. Total is -1 when unknown.
type Collected[T any] struct {
	Items []T
	ends  []Position
	More  bool
	Next  Position
	total int
}

// Collect reads the run that the paging arguments ask for: a whole page, or as many items as the limit from where the
// cursor points.
func (l *List[T]) Collect(ctx context.Context, in PageInput) (Collected[T], error) {
	limit := in.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	switch {
	case in.Page > 0 && in.Cursor != "":
		return Collected[T]{}, BadCursor("cannot be combined with page")
	case in.Cursor != "":
		at, err := l.resume(ctx, in.Cursor)
		if err != nil {
			return Collected[T]{}, err
		}
		return l.take(ctx, at, limit, false)
	case len(l.Sources) == 0:
		return Collected[T]{}, nil
	case in.Page > 0:
		at, found, err := l.seek(ctx, in.Page)
		if err != nil || !found {
			return Collected[T]{total: -1}, err
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
func (l *List[T]) take(ctx context.Context, at Position, want int, onePage bool) (Collected[T], error) {
	c := Collected[T]{Next: at, total: -1}
	first := at
	full := func(p Position) bool { return len(c.Items) == want || onePage && p.Number > first.Number }
	for range MaxScanned {
		page, err := l.read(ctx, at, first.Source)
		if err != nil {
			return c, err
		}
		after, goesOn := l.after(at, page)
		if len(l.Sources) == 1 && l.Keep == nil && (!l.Parts || !goesOn && at.Page < PartPages) {
			c.total = page.Total
		}
		c.More = !l.gather(&c, at, after, page.Items, func() bool { return full(at) })
		if c.More || !goesOn {
			return c, nil
		}
		if !full(at) {
			c.Next = after
		}
		// Upstream said that this very list has another page, and nothing is filtered: no need to look.
		if full(after) && after.Source == at.Source && after.Page == at.Page+1 && l.Keep == nil {
			c.More = true
			return c, nil
		}
		at = after
	}
	c.More = true
	return c, nil
}

// gather adds the items of a page; false when c was full and one of them had to be left.
func (l *List[T]) gather(c *Collected[T], at, after Position, items []T, full func() bool) bool {
	for i := at.Offset; i < len(items); i++ {
		if l.Keep != nil && !l.Keep(items[i]) {
			continue
		}
		if full() {
			return false
		}
		end := Position{Source: at.Source, Page: at.Page, Offset: i + 1, Number: at.Number}
		if i+1 == len(items) {
			end = after
		}
		c.Items, c.ends, c.Next = append(c.Items, items[i]), append(c.ends, end), end
	}
	return true
}

// after is the position behind a page; false when the listing ends there.
func (l *List[T]) after(at Position, page upstream.Page[T]) (Position, bool) {
	if page.Next > 0 {
		return Position{Source: at.Source, Page: page.Next, Number: at.Number + 1}, true
	}
	next := Position{Source: at.Source + 1, Page: 1, Number: at.Number + 1}
	return next, next.Source < len(l.Sources)
}

// seek finds the page with a number, counted over all sources; false when there are fewer. Beyond the first source, or
// where a source has parts, that takes a walk.
func (l *List[T]) seek(ctx context.Context, number int) (Position, bool, error) {
	direct := Position{Page: number, Number: number}
	if number == 1 || len(l.Sources) == 1 && !l.Parts {
		return direct, true, nil
	}
	if number < PartPages {
		if page, err := l.read(ctx, direct, 0); err != nil || len(page.Items) > 0 {
			return direct, err == nil, err
		}
	}
	at := start
	for at.Number < number {
		if at.Number > MaxScanned {
			return at, false, fault.Invalid("page", "is too far behind to be counted, got %d; go there by cursor", number)
		}
		page, err := l.read(ctx, at, 0)
		if err != nil {
			return at, false, err
		}
		next, goesOn := l.after(at, page)
		if !goesOn {
			return at, false, nil
		}
		at = next
	}
	return at, true, nil
}

// read reads the page at a position, once in a call. When the first source has turned out not to be enough, the next ones
// are read a few at a time.
func (l *List[T]) read(ctx context.Context, at Position, first int) (upstream.Page[T], error) {
	if page, ok := l.Pages[pageOf{at.Source, at.Page}]; ok {
		return page, nil
	}
	count := 1
	if at.Page == 1 && at.Source != first {
		count = min(parallel, len(l.Sources)-at.Source)
	}
	pages, err := InParallel(ctx, l.Sources[at.Source:at.Source+count], func(ctx context.Context, read Source[T]) (upstream.Page[T], error) {
		return read(ctx, at.Page)
	})
	if err != nil {
		return upstream.Page[T]{}, err
	}
	if l.Pages == nil {
		l.Pages = map[pageOf]upstream.Page[T]{}
	}
	for i, page := range pages {
		l.Pages[pageOf{at.Source + i, at.Page}] = page
	}
	return pages[0], nil
}

// Cursor is a position as a caller carries it to the next call. Lists change meanwhile, so it also holds on to the items
// before it.
type Cursor struct {
	Position
	Key  int64   `json:"k,omitempty"` // the source's own id, as sources come and go
	Last []int64 `json:"l,omitempty"` // the items before, the last one last; none when a list begins here
	Of   string  `json:"of"`
}

// maxAnchors is how many items a cursor holds on to: one is not enough when that very item is dealt with and gone.
const maxAnchors = 5

// Cursor is what a caller needs to go on behind the items shown.
func (l *List[T]) Cursor(c Collected[T]) string {
	at := c.Next
	next := Cursor{Position: at, Of: l.Of}
	if l.keys != nil {
		next.Key = l.keys[at.Source]
	}
	n := len(c.Items)
	if n > 0 && at == c.ends[n-1] && (at.Offset > 0 || !firstOfPart(at.Page)) {
		for _, item := range c.Items[max(0, n-maxAnchors):] {
			next.Last = append(next.Last, l.ID(item))
		}
	}
	return EncodeCursor(next)
}

func firstOfPart(page int) bool { return page%PartPages == 1 }

// resume is the position a cursor stands for now.
func (l *List[T]) resume(ctx context.Context, text string) (Position, error) {
	var c Cursor
	if !DecodeCursor(text, &c) || c.Page < 1 || c.Number < 1 || c.Offset < 0 || c.Source < 0 {
		return Position{}, BadCursor("is not one this server gave")
	}
	if c.Of != l.Of {
		return Position{}, BadCursor("belongs to a call with other arguments: repeat those")
	}
	if l.keys != nil {
		c.Source = slices.Index(l.keys, c.Key)
	}
	if c.Source < 0 || c.Source >= len(l.Sources) {
		return Position{}, BadCursor("points at a list that is no longer there")
	}
	if len(c.Last) == 0 {
		return c.Position, nil
	}
	return l.behind(ctx, c)
}

// behind finds the position behind the last item shown, or one of those just before it: on the page where it was, or on
// those around it, to which it has been moved by what came or went. If none of them is there any more the list begins
// anew: items are then repeated, but never lost.
func (l *List[T]) behind(ctx context.Context, c Cursor) (Position, error) {
	first := c.Page - (c.Page-1)%PartPages
	for _, number := range []int{c.Page, c.Page - 1, c.Page + 1, c.Page - 2, c.Page - 3} {
		if number < first {
			continue
		}
		at := c.to(number)
		page, err := l.read(ctx, at, at.Source)
		if err != nil {
			return at, err
		}
		for i, item := range slices.Backward(page.Items) {
			if slices.Contains(c.Last, l.ID(item)) {
				at.Offset = i + 1
				return at, nil
			}
		}
	}
	return c.to(first), nil
}

// to is the beginning of another page of the same part.
func (p Position) to(page int) Position {
	return Position{Source: p.Source, Page: page, Number: max(1, p.Number+page-p.Page)}
}
