package listing

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"basecamp-mcp/internal/fault"
)

const (
	DefaultLimit = 25
	maxPageItems = 100 // upstream's largest page, and the most one answer holds
)

// PageInput is how most lists are paged. Page is upstream's own page, whole; limit counts items and may span pages.
type PageInput struct {
	Page   int    `json:"page,omitzero" jsonschema:"Basecamp's own page, from 1" limits:"min=1"`
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

// Page is the shape of every list's answer. HasMore is true exactly when NextCursor is set; NextPage is set too when
// the next whole page begins where this answer ended.
type Page[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextPage   *int    `json:"next_page"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

// ScrollInput is how lists are paged whose pages have no numbers.
type ScrollInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

func (in ScrollInput) Paging() PageInput { return PageInput{Limit: in.Limit, Cursor: in.Cursor} }

// OverviewLimit is how much an overview gives unasked: its point is to be whole.
const OverviewLimit = 100

// OverviewInput is how overviews are paged, whose items are small.
type OverviewInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 100" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

func (in OverviewInput) Paging() PageInput {
	return PageInput{Limit: cmp.Or(in.Limit, OverviewLimit), Cursor: in.Cursor}
}

// Scroll is the answer of a list whose pages have no numbers.
type Scroll[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

func Scrolled[T any](p Page[T]) Scroll[T] {
	return Scroll[T]{p.Items, p.HasMore, p.NextCursor, p.Total}
}

// Digest identifies what a cursor continues.
func Digest(parts ...any) string {
	data, err := json.Marshal(parts)
	if err != nil {
		panic(err) // numbers, strings and references
	}
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

func EncodeCursor(c any) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // integers, strings and times
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func DecodeCursor(text string, c any) bool {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(data, c) == nil
}

func BadCursor(problem string) error {
	return fault.Invalid("cursor", "%s; leave it out to start from the beginning", problem)
}
