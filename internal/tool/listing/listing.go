// Package listing turns upstream lists into answers. It reads the items that a call asks for, fits
// them into the size of an answer, and encodes in a cursor where the next call continues. It also
// reads the optional parts of answers, and runs batches of writes.
package listing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// maxScanned is the number of upstream pages that one call reads to find matching items or a page
// by its number.
const maxScanned = 20

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
	Rest    func(context.Context) error // adds the sources that are known only when these have ended; may be nil
	Partial bool                        // whether sources leave items out: their totals only show whether they change
	Keep    func(T) bool                // reports whether an item matches; nil: all items match
	Time    func(T) time.Time           // of a list that goes back in time: when an item was made; nil for others
	Since   time.Time                   // where such a list ends, on every page the same; zero: with the first item
	Beside  int                         // size of the answer's other fields, in bytes
	Carry   any                         // what the next call need not ask upstream again; may be nil

	known  []known // of each source; nil if the sources have no ids
	pages  map[pageOf]upstream.Page[T]
	read   map[int]*Reader[T] // by source
	wanted int                // items that the call asks for
}

// known is what is known of a source before it is read: its id, and how many items it has.
type known struct {
	id    int64
	count int // -1 if unknown
}

// Add appends a source that has an id, and count items, or -1 if that is unknown.
func (l *List[T]) Add(id int64, count int, s Source[T]) {
	l.Sources, l.known = append(l.Sources, s), append(l.known, known{id, count})
}

type pageOf struct{ source, page int }

// Collected is a run of upstream items.
type Collected[T any] struct {
	Items []T
	ends  []Position // ends[i] is the position after Items[i]
	More  bool       // whether items follow
	Next  Position   // where the next run begins
	total int        // -1 if unknown
	began time.Time  // when the call began to read

	compact bool // whether the answer is compact
}

// Collect reads the items that the paging arguments ask for: a whole page, or limit items from
// where the cursor points.
func (l *List[T]) Collect(ctx context.Context, in PageInput) (Collected[T], error) {
	ctx, drop := context.WithCancel(ctx) // ends the reads that are not needed
	defer l.wait()
	defer drop()
	began := time.Now()
	c, err := l.collect(ctx, in, cmp.Or(in.Limit, DefaultLimit))
	c.began, c.compact = began, in.Compact()
	return c, err
}

func (l *List[T]) collect(ctx context.Context, in PageInput, limit int) (Collected[T], error) {
	switch {
	case in.Page > 0 && in.Cursor != "":
		return Collected[T]{}, BadCursor("cursor cannot be combined with page")
	case in.Cursor != "":
		at, err := l.resume(ctx, in.Cursor)
		if err != nil || at.Source == len(l.Sources) {
			return Collected[T]{total: -1}, err
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
// only then. After maxScanned pages it stops with More set, and the next call continues there.
func (l *List[T]) take(ctx context.Context, at Position, want int, onePage bool) (Collected[T], error) {
	c := Collected[T]{Next: at, total: -1}
	first := at
	if !onePage {
		l.wanted = want
	}
	full := func(p Position) bool { return len(c.Items) == want || onePage && p.Number > first.Number }
	for range maxScanned {
		page, err := l.readFrom(ctx, at, first.Source, len(c.Items))
		if err != nil {
			return c, err
		}
		after, goesOn, err := l.positionAfter(ctx, at, page)
		if err != nil {
			return c, err
		}
		if len(l.Sources) == 1 && l.Rest == nil && l.Keep == nil && !l.Partial {
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
		if next := l.following(at, after, page); next > 0 && (full(after) || endsBefore(len(c.Items), next, want) && !onePage) {
			c.More = true
			return c, nil
		}
		at = after
	}
	c.More = true
	return c, nil
}

// endsBefore reports whether an answer that has some of the wanted items ends before a page with
// next items. The rule: an answer ends where an upstream page ends if it has at least two thirds of
// the wanted items, and the next page does not fit in as a whole. The rest of that page would have
// to be asked for again. An answer with fewer items takes a part of that page.
func endsBefore(have, next, want int) bool { return 3*have >= 2*want && have+next > want }

// following returns how many items the page after a page probably has, or 0 unless an item
// certainly follows: upstream has named a next page of the same list, or the next source is known
// to have items, and all items match.
func (l *List[T]) following(at, after Position, page upstream.Page[T]) int {
	switch {
	case l.Keep != nil:
		return 0
	case after.Source == at.Source && after.Page == at.Page+1:
		return sizeOfNext(at.Page, page)
	}
	return SizeOfPage(1, l.count(after.Source))
}

// count returns how many items a source has, or 0 if that is unknown.
func (l *List[T]) count(source int) int {
	if source >= len(l.known) {
		return 0
	}
	return max(0, l.known[source].count)
}

// foresee starts the pages that are needed for the rest of the wanted items: those of a source, and
// the first ones of the sources after it.
func (l *List[T]) foresee(ctx context.Context, at Position, page upstream.Page[T], have int) {
	wanted := l.wanted - have
	if l.Keep == nil {
		wanted = fitting(at.Page, page, have, l.wanted) - have
	}
	left := l.reader(at.Source).Foresee(ctx, at.Page, page, wanted)
	if left <= 0 || at.Source+1 == len(l.Sources) && l.addRest(ctx) != nil {
		return
	}
	have = l.wanted - left
	for next := at.Source + 1; next < min(at.Source+1+parallel, len(l.known)) && have < l.wanted; next++ {
		count := l.count(next)
		if count > 0 && endsBefore(have, SizeOfPage(1, count), l.wanted) {
			return
		}
		l.reader(next).Start(ctx, 1)
		have += max(1, count)
	}
}

// addRest adds the sources that were not known until now.
func (l *List[T]) addRest(ctx context.Context) error {
	if l.Rest == nil {
		return nil
	}
	err := l.Rest(ctx)
	if err == nil {
		l.Rest = nil
	}
	return err
}

func (l *List[T]) reader(source int) *Reader[T] {
	if l.read == nil {
		l.read = map[int]*Reader[T]{}
	}
	if l.read[source] == nil {
		l.read[source] = NewReader(l.Sources[source])
	}
	return l.read[source]
}

// wait waits for the reads that were started, after their context has ended.
func (l *List[T]) wait() {
	for _, r := range l.read {
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

// positionAfter returns the position after a page, or false if the list ends there.
func (l *List[T]) positionAfter(ctx context.Context, at Position, page upstream.Page[T]) (next Position, goesOn bool, err error) {
	if page.Next > 0 {
		return Position{Source: at.Source, Page: page.Next, Number: at.Number + 1}, true, nil
	}
	next = Position{Source: at.Source + 1, Page: 1, Number: at.Number + 1}
	if next.Source == len(l.Sources) {
		err = l.addRest(ctx)
	}
	return next, next.Source < len(l.Sources), err
}

// seek finds a page by its number, counted over all sources. It returns false if there are fewer
// pages. Pages after the first source are counted by reading.
func (l *List[T]) seek(ctx context.Context, number int) (Position, bool, error) {
	direct := Position{Page: number, Number: number}
	if number == 1 || len(l.Sources) == 1 && l.Rest == nil {
		return direct, true, nil
	}
	if page, err := l.readFrom(ctx, direct, 0, 0); err != nil || len(page.Items) > 0 {
		return direct, err == nil, err
	}
	at := start
	for at.Number < number {
		if at.Number > maxScanned {
			return at, false, fault.Invalid("page", "page %d is too high to jump to; follow next_cursor instead", number)
		}
		page, err := l.readFrom(ctx, at, 0, 0)
		if err != nil {
			return at, false, err
		}
		next, goesOn, err := l.positionAfter(ctx, at, page)
		if err != nil || !goesOn {
			return at, false, err
		}
		at = next
	}
	return at, true, nil
}

// together returns the number of sources whose first pages are read in parallel, by a call that has
// some items: as many as are certainly needed. If the sizes of sources are unknown, or items need
// not match, it returns a few as soon as the first source did not hold enough items.
func (l *List[T]) together(at Position, first, have int) int {
	most := min(parallel, len(l.Sources)-at.Source)
	sized := slices.ContainsFunc(l.known, func(k known) bool { return k.count >= 0 })
	switch {
	case at.Page != 1:
		return 1
	case at.Source != first && (!sized || l.Keep != nil):
		return most
	case !sized:
		return 1
	}
	counts := make([]int, most)
	for i := range counts {
		counts[i] = l.known[at.Source+i].count
	}
	return Needed(counts, have, l.wanted, l.Keep == nil)
}

// Needed returns how many of the sources with these numbers of items are certainly needed, at least
// one and at most a few, by an answer that has some of the wanted items. A number is -1 if it is
// unknown; all says whether all items match.
func Needed(counts []int, have, want int, all bool) int {
	size := func(i int) int {
		if counts[i] < 0 {
			return gears[0]
		}
		return counts[i]
	}
	needed := 1
	for have += size(0); have < want && needed < min(parallel, len(counts)); needed++ {
		if all && endsBefore(have, SizeOfPage(1, max(0, counts[needed])), want) {
			break
		}
		have += size(needed)
	}
	return needed
}

// readFrom reads the page at a position, once in a call that has some items. It reads the first
// pages of several sources in parallel.
func (l *List[T]) readFrom(ctx context.Context, at Position, first, have int) (upstream.Page[T], error) {
	if page, ok := l.pages[pageOf{at.Source, at.Page}]; ok {
		return page, nil
	}
	count := l.together(at, first, have)
	readers := make([]*Reader[T], count)
	for i := range readers {
		readers[i] = l.reader(at.Source + i)
	}
	pages, err := InParallel(ctx, readers, func(ctx context.Context, r *Reader[T]) (upstream.Page[T], error) { return r.Read(ctx, at.Page) })
	if err != nil {
		return upstream.Page[T]{}, err
	}
	if l.pages == nil {
		l.pages = map[pageOf]upstream.Page[T]{}
	}
	for i, page := range pages {
		l.pages[pageOf{at.Source + i, at.Page}] = page
	}
	return pages[0], nil
}
