package basecamp

import (
	"errors"

	"basecamp-mcp/internal/upstream"
)

// Page is one page of a list.
type Page[T any] = upstream.Page[T]

func decodePage[T any](a upstream.Answer, kept Page[T]) (Page[T], error) {
	if a.Unchanged() {
		return kept.WithHeaders(a)
	}
	var items []T
	if err := decodeJSON(a.Body, &items); err != nil {
		return Page[T]{}, err
	}
	if items == nil {
		return Page[T]{}, errors.New("null instead of a list")
	}
	return Page[T]{Items: items}.WithHeaders(a)
}
