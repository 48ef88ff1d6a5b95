package listing

import (
	"context"
	"math"
	"slices"

	"basecamp-mcp/internal/upstream"
)

// Source reads one numbered page of an upstream list. The number of the next page may be any higher
// number.
type Source[T any] func(ctx context.Context, page int) (upstream.Page[T], error)

// SourceOf returns the source that lists what belongs to one parent.
func SourceOf[T any](list func(ctx context.Context, parent int64, page int) (upstream.Page[T], error), parent int64) Source[T] {
	return func(ctx context.Context, page int) (upstream.Page[T], error) { return list(ctx, parent, page) }
}

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
