package listing

import (
	"context"
	"slices"

	"basecamp-mcp/internal/upstream"
)

// Source reads one numbered page of an upstream list. What it gives as the next page's number need not be one more.
type Source[T any] func(ctx context.Context, page int) (upstream.Page[T], error)

// SourceOf is the source of what hangs under one thing.
func SourceOf[T any](list func(ctx context.Context, parent int64, page int) (upstream.Page[T], error), parent int64) Source[T] {
	return func(ctx context.Context, page int) (upstream.Page[T], error) { return list(ctx, parent, page) }
}

// readWhole is a source of what Basecamp gives without pages.
func Whole[T any](read func(context.Context) ([]T, error)) Source[T] {
	return func(ctx context.Context, page int) (upstream.Page[T], error) {
		if page > 1 {
			return upstream.Page[T]{}, nil
		}
		items, err := read(ctx)
		return upstream.Page[T]{Items: items, Total: len(items)}, err
	}
}

// maxSearched is how many pages of a list are read to find something by name.
const maxSearched = 50

// Everything reads all pages of a source, as far as anything is ever looked through for a name: some thousand items.
func Everything[T any](ctx context.Context, read Source[T]) ([]T, error) {
	var all []T
	number := 1
	for range maxSearched {
		page, err := read(ctx, number)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if number = page.Next; number == 0 {
			break
		}
	}
	return all, nil
}

// EverythingIn reads everything under several parents, in their order.
func EverythingIn[P, T any](ctx context.Context, parents []P, list func(P) Source[T]) ([]T, error) {
	each, err := InParallel(ctx, parents, func(ctx context.Context, parent P) ([]T, error) { return Everything(ctx, list(parent)) })
	return slices.Concat(each...), err
}
