package listing

import (
	"context"

	"basecamp-mcp/internal/upstream"
)

// Reader reads the pages of a source, each once. It starts the pages early that are needed later.
type Reader[T any] struct {
	read    Source[T]
	started map[int]func() (upstream.Page[T], error)
}

// NewReader returns a reader for one call.
func NewReader[T any](read Source[T]) *Reader[T] {
	return &Reader[T]{read: read, started: map[int]func() (upstream.Page[T], error){}}
}

// Start reads a page early. The read ends with ctx.
func (r *Reader[T]) Start(ctx context.Context, number int) {
	if r.started[number] == nil {
		r.started[number] = Ahead(ctx, func(ctx context.Context) (upstream.Page[T], error) { return r.read(ctx, number) })
	}
}

// Read returns a page.
func (r *Reader[T]) Read(ctx context.Context, number int) (upstream.Page[T], error) {
	if await := r.started[number]; await != nil {
		return await()
	}
	return r.read(ctx, number)
}

// wait waits for the reads that were started, after their context has ended.
func (r *Reader[T]) wait() {
	for _, await := range r.started {
		_, _ = await() // not needed
	}
}

// Foresee starts the pages after a page that are needed for a number of further items. Upstream
// must have named the next page, and the page must say how many items there are. At most a few
// pages are started at a time. The reads end with ctx. Foresee returns how many items are certainly
// wanted after this part of the source.
func (r *Reader[T]) Foresee(ctx context.Context, number int, page upstream.Page[T], wanted int) (left int) {
	if page.Next != number+1 {
		return wanted
	}
	total := page.Total
	if page.Likely > 0 {
		total = page.Likely
	}
	part := number - 1 - (number-1)%PartPages
	sizes := sizesAs(number-part, len(page.Items))
	read, found := sizes.through(number-part), 0
	if total >= 0 {
		left = wanted - max(0, total-read)
	}
	for next := number + 1; next <= number+parallel && read < total && found < wanted; next++ {
		r.Start(ctx, next)
		size := sizes.of(next - part)
		read, found = read+size, found+size
	}
	return left
}

// gears are the sizes of the first pages of a list whose pages grow. All further pages have the
// last size.
var gears = []int{15, 30, 50, 100}

// pageSizes are the sizes of a list's pages: all the same, or for 0 those of the gears.
type pageSizes int

// sizesAs returns the page sizes of a list with a full page of this size.
func sizesAs(number, size int) pageSizes {
	if size == 0 || size == pageSizes(0).of(number) {
		return 0
	}
	return pageSizes(size)
}

// of returns the size of a page, if it is not the last one.
func (s pageSizes) of(number int) int {
	if s > 0 {
		return int(s)
	}
	return gears[min(number, len(gears))-1]
}

// through returns the number of items up to the end of a page.
func (s pageSizes) through(number int) (items int) {
	for n := 1; n <= number; n++ {
		items += s.of(n)
	}
	return items
}
