package listing

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/wire/upstream"
)

// Reader reads the pages of a source, each once. It starts the pages early that are needed later.
type Reader[T any] struct {
	read    Source[T]
	mu      sync.Mutex
	started map[int]func() (upstream.Page[T], error)
}

// NewReader returns a reader for one call.
func NewReader[T any](read Source[T]) *Reader[T] {
	return &Reader[T]{read: read, started: map[int]func() (upstream.Page[T], error){}}
}

// Start reads a page early. The read ends with ctx.
func (r *Reader[T]) Start(ctx context.Context, number int) { r.start(ctx, number) }

func (r *Reader[T]) start(ctx context.Context, number int) (await func() (upstream.Page[T], error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started[number] == nil {
		r.started[number] = Ahead(ctx, func(ctx context.Context) (upstream.Page[T], error) { return r.read(ctx, number) })
	}
	return r.started[number]
}

// Read returns a page.
func (r *Reader[T]) Read(ctx context.Context, number int) (upstream.Page[T], error) {
	return r.start(ctx, number)()
}

// wait waits for the reads that were started, after their context has ended.
func (r *Reader[T]) wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, await := range r.started {
		_, _ = await() // not needed
	}
}

// Foresee starts the pages after a page that are needed for a number of further items. Upstream
// must have named the next page, and the page must say how many items there are. At most a few
// pages are started at a time. The reads end with ctx. Foresee returns how many items are certainly
// wanted after this source.
func (r *Reader[T]) Foresee(ctx context.Context, number int, page upstream.Page[T], wanted int) (left int) {
	if page.Next != number+1 {
		return wanted
	}
	total := page.Total
	if page.Likely > 0 {
		total = page.Likely
	}
	sizes := sizesAs(number, len(page.Items))
	read, found := sizes.through(number), 0
	if total >= 0 {
		left = wanted - max(0, total-read)
	}
	for next := number + 1; next <= number+parallel && read < total && found < wanted; next++ {
		r.Start(ctx, next)
		size := sizes.size(next)
		read, found = read+size, found+size
	}
	return left
}

// sizeOfNext returns how many items the page after a page has: as many as the list has left, at
// most a full page. It is at least 1.
func sizeOfNext[T any](number int, page upstream.Page[T]) int {
	sizes := sizesAs(number, len(page.Items))
	size := sizes.size(number + 1)
	if page.Total >= 0 {
		size = min(size, page.Total-sizes.through(number))
	}
	return max(1, size)
}

// fitting returns how many items an answer has that has some of the wanted items after a page, and
// goes on to the end of the source.
func fitting[T any](number int, page upstream.Page[T], have, want int) int {
	sizes := sizesAs(number, len(page.Items))
	read := sizes.through(number)
	for n := number + 1; read < page.Total; n++ {
		size := min(sizes.size(n), page.Total-read)
		if have >= want || endsBefore(have, size, want) {
			return min(have, want)
		}
		read, have = read+size, have+size
	}
	return want
}

// gears are the sizes of the first pages of a list whose pages grow. All further pages have the
// last size.
var gears = []int{15, 30, 50, 100}

// SizeOfPage returns how many items a page has, of a list with a number of items whose pages grow.
// If the number is -1, which means unknown, it returns the largest size of the page.
func SizeOfPage(number, count int) int {
	size := pageSizes(0).size(number)
	if count < 0 {
		return size
	}
	return max(0, min(size, count-pageSizes(0).through(number-1)))
}

// pageSizes are the sizes of a list's pages: all the same, or for 0 those of the gears.
type pageSizes int

// sizesAs returns the page sizes of a list with a full page of this size.
func sizesAs(number, size int) pageSizes {
	if size == 0 || size == pageSizes(0).size(number) {
		return 0
	}
	return pageSizes(size)
}

// size returns the size of a page, if it is not the last one.
func (s pageSizes) size(number int) int {
	if s > 0 {
		return int(s)
	}
	return gears[min(number, len(gears))-1]
}

// through returns the number of items up to the end of a page.
func (s pageSizes) through(number int) (items int) {
	for n := 1; n <= number; n++ {
		items += s.size(n)
	}
	return items
}

// Source reads one numbered page of an upstream list. The number of the next page may be any higher
// number.
type Source[T any] func(ctx context.Context, page int) (upstream.Page[T], error)

// Whole returns the source of a list that the provider returns without pages.
func Whole[T any](read func(context.Context) ([]T, error)) Source[T] {
	return func(ctx context.Context, page int) (upstream.Page[T], error) {
		if page > 1 {
			return upstream.Page[T]{}, nil
		}
		items, err := read(ctx)
		return upstream.Page[T]{Items: items, Total: len(items)}, err
	}
}

// maxSearched is the number of pages that are read to find an item by name.
const maxSearched = 50

// Everything reads all pages of a source, up to maxSearched: some thousand items.
func Everything[T any](ctx context.Context, read Source[T]) ([]T, error) {
	ctx, drop := context.WithCancel(ctx) // ends the reads that are not needed
	pages := NewReader(read)
	defer pages.wait()
	defer drop()
	var all []T
	number := 1
	for range maxSearched {
		page, err := pages.Read(ctx, number)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == 0 {
			break
		}
		pages.Foresee(ctx, number, page, math.MaxInt)
		number = page.Next
	}
	return all, nil
}

// EverythingIn reads everything that belongs to several parents, in their order.
func EverythingIn[P, T any](ctx context.Context, parents []P, list func(P) Source[T]) ([]T, error) {
	each, err := InParallel(ctx, parents, func(ctx context.Context, parent P) ([]T, error) { return Everything(ctx, list(parent)) })
	return slices.Concat(each...), err
}

// parallel is the number of independent requests that are sent at once.
const parallel = 5

// InParallel calls f for each item, a few at a time, and returns the results in the order of items.
func InParallel[A, B any](ctx context.Context, items []A, f func(context.Context, A) (B, error)) ([]B, error) {
	results := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			if ctx.Err() != nil { // a call whose time is over stops computing
				return context.Cause(ctx)
			}
			results[i], err = guarded(ctx, func(ctx context.Context) (B, error) { return f(ctx, item) })
			return err
		})
	}
	return results, group.Wait()
}

// guarded returns a panic of f as an error: in a goroutine of its own, it would end the process.
func guarded[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	defer fault.Recover(&err)
	return f(ctx)
}

// Ahead starts f before it is known whether its result is needed, and returns a function that waits
// for the result. f ends with ctx, at the latest with the call, which cancels it and waits for it.
func Ahead[T any](ctx context.Context, f func(context.Context) (T, error)) (await func() (T, error)) {
	var result T
	var err error
	done := make(chan struct{})
	mcptool.InBackground(ctx, func(ctx context.Context) {
		defer close(done)
		result, err = guarded(ctx, f)
	})
	return func() (T, error) { <-done; return result, err }
}

// Together runs independent requests in parallel.
func Together(ctx context.Context, requests ...func(context.Context) error) error {
	_, err := InParallel(ctx, requests, func(ctx context.Context, do func(context.Context) error) (struct{}, error) {
		return struct{}{}, do(ctx)
	})
	return err
}

// Likely estimates how many items of a list, which goes back in time, begin after a time: as many
// in each hour as among the first ones. It returns total if that is known and less.
func Likely(total, first int, now, oldest, begin time.Time) int {
	passed := now.Sub(oldest)
	if !oldest.After(begin) {
		return first
	}
	estimate := math.MaxInt32
	if begin.IsZero() {
		return total
	}
	if passed > 0 {
		estimate = int(min(float64(first)*float64(now.Sub(begin))/float64(passed), math.MaxInt32))
	}
	if total >= 0 {
		return min(total, estimate)
	}
	return estimate
}

// BackTo ends a source, whose items go back in time, at begin.
func BackTo[T any](begin, now time.Time, made func(T) time.Time, read Source[T]) Source[T] {
	return func(ctx context.Context, page int) (upstream.Page[T], error) {
		p, err := read(ctx, page)
		if n := len(p.Items); page == 1 && n > 0 {
			p.Likely = Likely(p.Total, n, now, made(p.Items[n-1]), begin)
		} else {
			p.Likely = 1 // read no page early: it may be older than begin
		}
		if i := slices.IndexFunc(p.Items, func(item T) bool { return made(item).Before(begin) }); i >= 0 {
			p.Items, p.Next = p.Items[:i], 0
		}
		return p, err
	}
}
