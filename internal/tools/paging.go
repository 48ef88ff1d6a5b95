package tools

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"basecamp-mcp/internal/fault"
)

const (
	defaultLimit = 25
	maxPageItems = 100 // upstream's largest page, and the most one answer holds
)

// pageInput is how most lists are paged. Page is upstream's own page, whole; limit counts items and may span pages.
type pageInput struct {
	Page   int    `json:"page,omitzero" jsonschema:"Basecamp's own page, from 1" limits:"min=1"`
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

// scrollInput is how lists are paged whose pages have no numbers.
type scrollInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

func (in scrollInput) paging() pageInput { return pageInput{Limit: in.Limit, Cursor: in.Cursor} }

// overviewLimit is how much an overview gives unasked: its point is to be whole.
const overviewLimit = 100

// overviewInput is how overviews are paged, whose items are small.
type overviewInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 100" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

func (in overviewInput) paging() pageInput {
	return pageInput{Limit: cmp.Or(in.Limit, overviewLimit), Cursor: in.Cursor}
}

// scroll is the answer of a list whose pages have no numbers.
type scroll[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

func scrolled[T any](p page[T]) scroll[T] {
	return scroll[T]{p.Items, p.HasMore, p.NextCursor, p.Total}
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
