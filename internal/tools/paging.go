package tools

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
)

const (
	defaultLimit = 25
	maxPageItems = 100 // upstream's largest page, and the most one answer holds
	maxSearched  = 50  // upstream pages of one list that are read to find something by name
	parallel     = 5   // requests that do not depend on each other, made at once
)

// pageInput is how most lists are paged. Page is upstream's own page, whole; limit counts items and may span pages.
type pageInput struct {
	Page   int    `json:"page,omitzero" jsonschema:"Whole page, from 1 (15, 30, 50, then 100 items)" limits:"min=1"`
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

// page is the shape of every list's answer. HasMore is true exactly when NextCursor is set; NextPage is set too when
// the next whole page begins where this answer ended.
type page[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextPage   *int    `json:"next_page"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

// digest identifies what a cursor continues.
func digest(parts ...any) string {
	data, err := json.Marshal(parts)
	if err != nil {
		panic(err) // numbers, strings and references
	}
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

func encodeCursor(c any) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // integers, strings and times
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func decodeCursor(text string, c any) bool {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(data, c) == nil
}

func badCursor(problem string) error {
	return fault.Invalid("cursor", "%s; leave it out to start from the beginning", problem)
}

// inParallel runs f over items, a few at a time, and keeps their order.
func inParallel[A, B any](ctx context.Context, items []A, f func(context.Context, A) (B, error)) ([]B, error) {
	results := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil { // out here it would end the process
					err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			results[i], err = f(ctx, item)
			return err
		})
	}
	return results, group.Wait()
}

// both runs two requests that do not depend on each other at once.
func both(ctx context.Context, first, second func(context.Context) error) error {
	_, err := inParallel(ctx, []func(context.Context) error{first, second},
		func(ctx context.Context, f func(context.Context) error) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

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

// source reads one numbered page of an upstream list. What it gives as the next page's number need not be one more.
type source[T any] func(ctx context.Context, page int) (basecamp.Page[T], error)
