package listing

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolanswer"
)

const (
	// DefaultLimit is the number of items in an answer if the call names no limit.
	DefaultLimit = 25
	maxPageItems = 100 // upstream's largest page, and the most items in an answer
)

// PageInput holds the paging arguments of most lists. Page is a whole page of the provider; Limit
// counts items and may span pages.
type PageInput struct {
	Page   int    `json:"page,omitzero" jsonschema:"From 1" limits:"min=1"`
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// Page is the answer of a list. HasMore is true exactly if NextCursor is set. NextPage is set too
// if the next whole page begins where this answer ends.
type Page[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextPage   *int    `json:"next_page" compact:"keep"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

// ScrollInput holds the paging arguments of lists whose pages have no numbers.
type ScrollInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 25" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// Paging returns the arguments as those of a list with pages.
func (in ScrollInput) Paging() PageInput {
	return PageInput{Limit: in.Limit, Cursor: in.Cursor, DetailInput: in.DetailInput}
}

// OverviewLimit is the default limit of an overview. It is high, because an overview should be
// complete.
const OverviewLimit = 100

// OverviewInput holds the paging arguments of overviews. Their items are small.
type OverviewInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 100" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

// Paging returns the arguments as those of a list with pages.
func (in OverviewInput) Paging() PageInput {
	return PageInput{Limit: cmp.Or(in.Limit, OverviewLimit), Cursor: in.Cursor, DetailInput: in.DetailInput}
}

// Scroll is the answer of a list whose pages have no numbers.
type Scroll[T any] struct {
	Items      []T     `json:"items"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Total      *int    `json:"total,omitempty"`
}

// Scrolled returns a page as the answer of a list whose pages have no numbers.
func Scrolled[T any](p Page[T]) Scroll[T] {
	return Scroll[T]{p.Items, p.HasMore, p.NextCursor, p.Total}
}

// maxCarried is the largest size of what a cursor carries, in bytes: clients send all of it back.
const maxCarried = 600

// carried encodes what a cursor carries. It returns nil if that is too large, so that the next call
// asks upstream again.
func carried(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil || v == nil || len(data) > maxCarried {
		return nil
	}
	return data
}

// maxCarriedAge is how long the next call may rely on what a cursor carries.
const maxCarriedAge = 5 * time.Minute

// Carried reads what a cursor carries into v. It returns false if the cursor carries nothing or is
// too old.
func Carried(cursor string, v any) bool {
	var c Cursor
	if !DecodeCursor(cursor, &c) || len(c.Carry) == 0 || c.Page < 1 {
		return false
	}
	age := time.Since(time.Unix(c.Made, 0))
	return age >= 0 && age < maxCarriedAge && json.Unmarshal(c.Carry, v) == nil
}

// Digest returns a short hash of the arguments that selected a list. A cursor carries it.
func Digest(parts ...any) string {
	data, err := json.Marshal(parts)
	if err != nil {
		panic(err) // numbers, strings and references
	}
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// EncodeCursor returns a cursor as text.
func EncodeCursor(c any) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // integers, strings and times
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// DecodeCursor reads the text of a cursor into c, and reports whether it is valid.
func DecodeCursor(text string, c any) bool {
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(data, c) == nil
}

// Starts returns the page of the first source at which the paging arguments begin, or 0 if they
// begin elsewhere.
func (in PageInput) Starts() int {
	if in.Cursor == "" {
		return max(1, in.Page)
	}
	var c Cursor
	if !DecodeCursor(in.Cursor, &c) || c.Source != 0 {
		return 0
	}
	return max(0, c.Page)
}

// BadCursor returns an INVALID_INPUT about the cursor.
func BadCursor(problem string) error {
	return fault.Invalid("cursor", "%s; omit cursor to start from the beginning", problem)
}
