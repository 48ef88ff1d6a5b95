// Package listing turns upstream lists into answers. It reads the items that a call asks for, fits
// them into the size of an answer, and encodes in a cursor where the next call continues. It also
// runs batches of writes.
package listing

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

const (
	// MaxScanned is the number of upstream pages that one call reads to find matching items or a page
	// by its number.
	MaxScanned = 20
	// PartPages separates the parts of a source. Part n, from 0, has the page numbers from
	// n*PartPages+1.
	PartPages = 10_000
)

// Position is where the next answer begins: an offset into a page of one of the list's sources.
// Number counts the pages of all sources, one after the other, from 1.
type Position struct {
	Source int `json:"s,omitempty"`
	Page   int `json:"p"`
	Offset int `json:"o,omitempty"`
	Number int `json:"n"`
}

var start = Position{Page: 1, Number: 1}

// List is a list that consists of sources, one after the other.
type List[T any] struct {
	Of      string // digest of the arguments that selected the list
	ID      func(T) int64
	Sources []Source[T]
	keys    []int64      // ids of the sources; nil if they have no ids
	Parts   bool         // whether sources have parts; the total is then unknown until the end
	Partial bool         // whether sources leave items out: their totals only show whether they change
	Keep    func(T) bool // reports whether an item matches; nil: all items match
	Beside  int          // size of the answer's other fields, in bytes
	// Size returns how many items a source has, or its first page at least. It is nil if that is
	// unknown.
	Size func(source int) int
	// Follows returns how many items the first page of the part at a position probably has. It is nil,
	// or returns 0, if that is unknown. It decides only where an answer ends.
	Follows func(at Position) int
	// Beyond starts what a source has after the part at a position, for an answer that has some of the
	// wanted items at the end of that part. It may be nil.
	Beyond func(ctx context.Context, at Position, have, want int)

	// PartIDs returns the ids of the part at a position and of the part before it, without those of a
	// source's first part. PartOf returns the number of the part with an id, or 0 if it is gone: parts
	// move if one before them goes. They are nil if parts have no ids.
	PartIDs func(at Position) []int64
	PartOf  func(ctx context.Context, source int, id int64) (int, error)

	// Carry returns what the next call need not ask upstream again, for a cursor at a position. It may
	// be nil.
	Carry func(at Position) any

	Pages map[pageOf]upstream.Page[T] // pages that this call has read

	readers map[int]*Reader[T] // by source
	wanted  int                // items that the call asks for
	have    int                // items that it has
	compact bool               // whether the answer is compact
	began   time.Time          // when the call began to read
}

// Add appends a source that has an id.
func (l *List[T]) Add(id int64, s Source[T]) {
	l.Sources, l.keys = append(l.Sources, s), append(l.keys, id)
}

// pageOf identifies a page of a source.
type pageOf struct{ source, page int }

// Collected is a run of upstream items.
type Collected[T any] struct {
	Items []T
	ends  []Position // ends[i] is the position after Items[i]
	More  bool       // whether items follow
	Next  Position   // where the next run begins
	total int        // -1 if unknown
}

// Collect reads the items that the paging arguments ask for: a whole page, or limit items from
// where the cursor points.
func (l *List[T]) Collect(ctx context.Context, in PageInput) (Collected[T], error) {
	ctx, drop := context.WithCancel(ctx) // ends the reads that are not needed
	defer l.wait()
	defer drop()
	l.compact, l.began = in.Compact(), time.Now()
	limit := in.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	switch {
	case in.Page > 0 && in.Cursor != "":
		return Collected[T]{}, BadCursor("cursor cannot be combined with page")
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

// take reads items from a position on: as many as wanted or, with onePage, to the end of the page.
// If upstream does not say whether an item follows, take looks for one more, so that More is true
// only then. After MaxScanned pages it stops with More set, and the next call continues there.
func (l *List[T]) take(ctx context.Context, at Position, want int, onePage bool) (Collected[T], error) {
	c := Collected[T]{Next: at, total: -1}
	first := at
	if !onePage {
		l.wanted = want
	}
	full := func(p Position) bool { return len(c.Items) == want || onePage && p.Number > first.Number }
	for range MaxScanned {
		l.have = len(c.Items)
		page, err := l.read(ctx, at, first.Source)
		if err != nil {
			return c, err
		}
		after, goesOn := l.after(at, page)
		if len(l.Sources) == 1 && l.Keep == nil && !l.Partial && (!l.Parts || !goesOn && at.Page < PartPages) {
			c.total = page.Total
		}
		c.More = !l.gather(&c, at, after, page.Items, func() bool { return full(at) })
		if c.More || !goesOn {
			return c, nil
		}
		if !full(at) {
			c.Next = after
			if !onePage {
				l.foresee(ctx, at, page, len(c.Items))
			}
		}
		if next := l.following(at, after, page); next > 0 && (full(after) || EndsBefore(len(c.Items), next, want) && !onePage) {
			c.More = true
			return c, nil
		}
		at = after
	}
	c.More = true
	return c, nil
}

// EndsBefore reports whether an answer that has some of the wanted items ends before a page with
// next items. The rule: an answer ends where an upstream page ends if it has at least two thirds of
// the wanted items, and the next page does not fit in as a whole. The rest of that page would have
// to be asked for again. An answer with fewer items takes a part of that page.
func EndsBefore(have, next, want int) bool { return 3*have >= 2*want && have+next > want }

// following returns how many items the page after a page probably has, or 0 unless an item
// certainly follows: upstream has named a next page of the same list, or Follows knows it, and all
// items match.
func (l *List[T]) following(at, after Position, page upstream.Page[T]) int {
	switch {
	case l.Keep != nil:
		return 0
	case after.Source == at.Source && after.Page == at.Page+1:
		return SizeOfNext(at.Page, page)
	case l.Follows == nil:
		return 0
	}
	return l.Follows(after)
}

// foresee starts the pages of a source that are needed for the rest of the wanted items.
func (l *List[T]) foresee(ctx context.Context, at Position, page upstream.Page[T], have int) {
	wanted := l.wanted - have
	if l.Keep == nil {
		wanted = Fitting(at.Page, page, have, l.wanted) - have
	}
	left := l.reader(at.Source).Foresee(ctx, at.Page, page, wanted)
	if left > 0 && l.Beyond != nil {
		l.Beyond(ctx, at, l.wanted-left, l.wanted)
	}
}

// reader returns the reader of a source.
func (l *List[T]) reader(source int) *Reader[T] {
	if l.readers == nil {
		l.readers = map[int]*Reader[T]{}
	}
	if l.readers[source] == nil {
		l.readers[source] = NewReader(l.Sources[source])
	}
	return l.readers[source]
}

// wait waits for the reads that were started, after their context has ended.
func (l *List[T]) wait() {
	for _, r := range l.readers {
		r.wait()
	}
}

// gather adds the matching items of a page to c. It returns false if c was full before the last
// one.
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

// after returns the position after a page, or false if the list ends there.
func (l *List[T]) after(at Position, page upstream.Page[T]) (Position, bool) {
	if page.Next > 0 {
		return Position{Source: at.Source, Page: page.Next, Number: at.Number + 1}, true
	}
	next := Position{Source: at.Source + 1, Page: 1, Number: at.Number + 1}
	return next, next.Source < len(l.Sources)
}

// seek finds a page by its number, counted over all sources. It returns false if there are fewer
// pages. Pages after the first source, or of a source with parts, are counted by reading.
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
			return at, false, fault.Invalid("page", "page %d is too high to jump to; follow next_cursor instead", number)
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

// together returns the number of sources whose first pages are read in parallel: as many as are
// certainly needed. If the sizes of sources are unknown, or items need not match, it returns a few
// as soon as the first source did not hold enough items.
func (l *List[T]) together(at Position, first int) int {
	most := min(parallel, len(l.Sources)-at.Source)
	switch {
	case at.Page != 1:
		return 1
	case at.Source != first && (l.Size == nil || l.Keep != nil):
		return most
	case l.Size == nil:
		return 1
	}
	count := 1
	for items := l.have + l.Size(at.Source); items < l.wanted && count < most; count++ {
		next := Position{Source: at.Source + count, Page: 1}
		if l.Follows != nil && l.Keep == nil && EndsBefore(items, l.Follows(next), l.wanted) {
			break
		}
		items += l.Size(at.Source + count)
	}
	return count
}

// read reads the page at a position, once in a call. It reads the first pages of several sources in
// parallel.
func (l *List[T]) read(ctx context.Context, at Position, first int) (upstream.Page[T], error) {
	if page, ok := l.Pages[pageOf{at.Source, at.Page}]; ok {
		return page, nil
	}
	count := l.together(at, first)
	readers := make([]*Reader[T], count)
	for i := range readers {
		readers[i] = l.reader(at.Source + i)
	}
	pages, err := InParallel(ctx, readers, func(ctx context.Context, r *Reader[T]) (upstream.Page[T], error) { return r.Read(ctx, at.Page) })
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

// Cursor is the position that a client sends with the next call. It also names the items before it,
// because lists change between calls.
type Cursor struct {
	Position
	Key   int64           `json:"k,omitempty"` // id of the source: its index may change
	Parts []int64         `json:"g,omitempty"` // see List.PartIDs
	Last  []int64         `json:"l,omitempty"` // ids of the last items before; empty at the beginning of a list
	Of    string          `json:"of"`
	Total int             `json:"t,omitempty"` // items of the part, if the cursor points at the beginning of a page
	Made  int64           `json:"m,omitempty"` // when the call that made the cursor began, in seconds
	Carry json.RawMessage `json:"c,omitempty"` // see List.Carry
}

// maxUnmoved is how long an unchanged total is taken as proof that a list has not moved. The total
// stays the same if as many items come as go. So an older cursor, and one from before the caller's
// last write, is checked on the page before it.
const maxUnmoved = 30 * time.Second

// maxAnchors is the number of items that a cursor names. One is too few: that item may be completed
// or deleted before the next call.
const maxAnchors = 5

// Cursor returns the text that a client sends to continue after the items shown.
func (l *List[T]) Cursor(c Collected[T]) string {
	at := c.Next
	next := Cursor{Position: at, Of: l.Of, Made: l.began.Unix()}
	if l.Carry != nil {
		next.Carry = carried(l.Carry(at))
	}
	if l.keys != nil {
		next.Key = l.keys[at.Source]
	}
	if l.PartIDs != nil {
		next.Parts = l.PartIDs(at)
	}
	n := len(c.Items)
	if n > 0 && at == c.ends[n-1] && (at.Offset > 0 || !firstOfPart(at.Page)) {
		for _, item := range c.Items[max(0, n-maxAnchors):] {
			next.Last = append(next.Last, l.ID(item))
		}
		if at.Offset == 0 {
			next.Total = max(0, l.Pages[pageOf{at.Source, at.Page - 1}].Total)
		}
	}
	return EncodeCursor(next)
}

func firstOfPart(page int) bool { return page%PartPages == 1 }

// resume returns the position that a cursor points at now.
func (l *List[T]) resume(ctx context.Context, text string) (Position, error) {
	var c Cursor
	if !DecodeCursor(text, &c) || c.Page < 1 || c.Number < 1 || c.Offset < 0 || c.Source < 0 {
		return Position{}, BadCursor("this cursor is not from this server")
	}
	if c.Of != l.Of {
		return Position{}, BadCursor("this cursor belongs to a call with other arguments, which must be repeated")
	}
	if l.keys != nil {
		c.Source = slices.Index(l.keys, c.Key)
	}
	if c.Source < 0 || c.Source >= len(l.Sources) {
		return Position{}, BadCursor("this cursor points at a list that is no longer there")
	}
	if stays, err := l.findPart(ctx, &c); err != nil || !stays {
		return c.Position, err
	}
	if len(c.Last) == 0 {
		return c.Position, nil
	}
	return l.behind(ctx, c)
}

// findPart moves a cursor to where its part is now. If the part is gone, it returns false and moves
// the cursor behind the part before. If that is gone too, it moves the cursor to the beginning of
// the source: items may be repeated, but none is skipped.
func (l *List[T]) findPart(ctx context.Context, c *Cursor) (bool, error) {
	if len(c.Parts) == 0 || l.PartOf == nil {
		return true, nil
	}
	for i, id := range c.Parts[:min(2, len(c.Parts))] {
		part, err := l.PartOf(ctx, c.Source, id)
		switch {
		case err != nil:
			return false, err
		case part > 0 && i == 0:
			c.Page = part*PartPages + c.Page%PartPages
			return true, nil
		case part > 0:
			c.Page, c.Offset = (part+1)*PartPages+1, 0
			return false, nil
		}
	}
	c.Page, c.Offset = 1, 0
	if len(c.Parts) == 1 { // it was behind the first part, which is never gone
		c.Page = PartPages + 1
	}
	return false, nil
}

// behind returns the position after the last item shown, or after one of those just before it. It
// looks on the page where the item was, and on the pages around it, where changes of the list may
// have moved it. A cursor that was just made and points at the beginning of a page still points
// there if the list has as many items as then. If all these items are gone, the list begins again:
// items may be repeated, but none is skipped.
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
		if number == c.Page && c.startsAt(len(page.Items)) && Unmoved(ctx, c.Made, c.Total, page.Total) {
			return c.Position, nil
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

// startsAt reports whether a page with items is where the cursor points. A part other than the
// first can be another one by now, unless the cursor carries what its parts are.
func (c Cursor) startsAt(items int) bool {
	return c.Offset == 0 && items > 0 && (c.Page <= PartPages || c.Carry != nil)
}

// Unmoved reports whether a list with a total has not moved since a cursor was made, which was made
// in the second made and carries the total of then.
func Unmoved(ctx context.Context, made int64, then, total int) bool {
	at := time.Unix(made, 0)
	age := time.Since(at)
	wrote, _ := ctx.Value(lastWrite{}).(time.Time)
	return then > 0 && then == total && age >= 0 && age < maxUnmoved && wrote.Before(at)
}

type lastWrite struct{}

// WithLastWrite adds the time at which the caller last wrote: cursors from before are not relied
// on.
func WithLastWrite(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, lastWrite{}, at)
}

// to returns the beginning of another page of the same part.
func (p Position) to(page int) Position {
	return Position{Source: p.Source, Page: page, Number: max(1, p.Number+page-p.Page)}
}
