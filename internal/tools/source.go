package tools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
)

// source reads one numbered page of an upstream list. What it gives as the next page's number need not be one more.
type source[T any] func(ctx context.Context, page int) (basecamp.Page[T], error)

// sourceOf is the source of what hangs under one thing.
func sourceOf[T any](list func(ctx context.Context, parent int64, page int) (basecamp.Page[T], error), parent int64) source[T] {
	return func(ctx context.Context, page int) (basecamp.Page[T], error) { return list(ctx, parent, page) }
}

// readWhole is a source of what Basecamp gives without pages.
func readWhole[T any](read func(context.Context) ([]T, error)) source[T] {
	return func(ctx context.Context, page int) (basecamp.Page[T], error) {
		if page > 1 {
			return basecamp.Page[T]{}, nil
		}
		items, err := read(ctx)
		return basecamp.Page[T]{Items: items, Total: len(items)}, err
	}
}

// maxSearched is how many pages of a list are read to find something by name.
const maxSearched = 50

// everything reads all pages of a source, as far as anything is ever looked through for a name: some thousand items.
func everything[T any](ctx context.Context, read source[T]) ([]T, error) {
	var all []T
	number := 1
	for range maxSearched {
		upstream, err := read(ctx, number)
		if err != nil {
			return nil, err
		}
		all = append(all, upstream.Items...)
		if number = upstream.Next; number == 0 {
			break
		}
	}
	return all, nil
}

// everythingIn reads everything under several parents, in their order.
func everythingIn[P, T any](ctx context.Context, parents []P, list func(P) source[T]) ([]T, error) {
	each, err := inParallel(ctx, parents, func(ctx context.Context, parent P) ([]T, error) { return everything(ctx, list(parent)) })
	return slices.Concat(each...), err
}
