package listing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/wire/upstream"
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
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
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
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
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
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
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

// Cursor is the position that a client sends with the next call. It also names the items before it,
// because lists change between calls.
type Cursor struct {
	Position
	Keys  []int64         `json:"k,omitempty"` // ids of the source and of those before it: indexes change
	Last  []int64         `json:"l,omitempty"` // ids of the last items before; empty at the beginning of a list
	At    time.Time       `json:"a,omitzero"`  // of the last one, if the list goes back in time
	Since time.Time       `json:"b,omitzero"`  // see List.Since
	Of    string          `json:"of"`
	Total int             `json:"t,omitempty"` // items of the source, if the cursor points at the beginning of a page
	Made  int64           `json:"m,omitempty"` // when the call that made the cursor began, in seconds
	Carry json.RawMessage `json:"c,omitempty"` // see List.Carry
}

// maxUnmoved is how long an unchanged total is taken as proof that a list has not moved. The total
// stays the same if as many items come as go. So an older cursor, and one from before the caller's
// last write, is checked on the page before it.
const maxUnmoved = 30 * time.Second

// maxAnchors is the number of items that a cursor names. One is too few: that item may be completed
// or deleted before the next call.
const maxAnchors = 5

// maxKeys is the number of sources that a cursor names.
const maxKeys = 5

// Cursor returns the text that a client sends to continue after the items shown.
func (l *List[T]) Cursor(c Collected[T]) string {
	at := c.Next
	next := Cursor{Position: at, Of: l.Of, Since: l.Since, Made: c.began.Unix(), Carry: carried(l.Carry)}
	if l.known != nil {
		for _, k := range slices.Backward(l.known[max(0, at.Source-maxKeys+1) : at.Source+1]) {
			next.Keys = append(next.Keys, k.id)
		}
	}
	n := len(c.Items)
	if n > 0 && at == c.ends[n-1] && (at.Offset > 0 || at.Page > 1) {
		for _, item := range c.Items[max(0, n-maxAnchors):] {
			next.Last = append(next.Last, l.ID(item))
		}
		if l.Time != nil {
			next.At = l.Time(c.Items[n-1])
		}
		if at.Offset == 0 {
			next.Total = max(0, l.pages[pageOf{at.Source, at.Page - 1}].Total)
		}
	}
	return EncodeCursor(next)
}

// resume returns the position that a cursor points at now. It is behind the last source if nothing
// follows.
func (l *List[T]) resume(ctx context.Context, text string) (Position, error) {
	var c Cursor
	if !DecodeCursor(text, &c) || c.Page < 1 || c.Number < 1 || c.Offset < 0 || c.Source < 0 {
		return Position{}, BadCursor("this cursor is not from this server")
	}
	if c.Of != l.Of {
		return Position{}, BadCursor("this cursor belongs to a call with other arguments, which must be repeated")
	}
	if l.known != nil {
		stays, err := l.findSource(ctx, &c)
		if err != nil || !stays {
			return c.Position, err
		}
	}
	if c.Source >= len(l.Sources) {
		return Position{}, errListGone
	}
	l.Sources[c.Source] = l.Sources[c.Source].reusing
	switch {
	case len(c.Last) == 0:
		return c.Position, nil
	case l.Time != nil:
		return l.older(ctx, c)
	}
	return l.position(ctx, c)
}

var errListGone = BadCursor("this cursor points at a list that is no longer there")

// findSource moves a cursor to where its source is now. If the source is gone, it returns false and
// moves the cursor behind the last source before it that is still there.
func (l *List[T]) findSource(ctx context.Context, c *Cursor) (bool, error) {
	for i, key := range c.Keys[:min(maxKeys, len(c.Keys))] {
		source, err := l.index(ctx, key)
		switch {
		case err != nil:
			return false, err
		case source < 0:
			continue
		case i == 0:
			c.Source = source
			return true, nil
		}
		c.Position = Position{Source: source + 1, Page: 1, Number: c.Number}
		if c.Source == len(l.Sources) {
			err = l.addRest(ctx)
		}
		return false, err
	}
	return false, errListGone
}

func (l *List[T]) index(ctx context.Context, id int64) (int, error) {
	has := func(k known) bool { return k.id == id }
	if i := slices.IndexFunc(l.known, has); i >= 0 {
		return i, nil
	}
	err := l.addRest(ctx)
	return slices.IndexFunc(l.known, has), err
}

// position returns the position after the last item shown, or after one of those just before it. It
// looks on the page where the item was, and on the pages around it, where changes of the list may
// have moved it. A cursor that was just made and points at the beginning of a page still points
// there if the list has as many items as then. If all these items are gone, the list begins again:
// items may be repeated, but none is skipped.
func (l *List[T]) position(ctx context.Context, c Cursor) (Position, error) {
	for _, number := range []int{c.Page, c.Page - 1, c.Page + 1, c.Page - 2, c.Page - 3} {
		if number < 1 {
			continue
		}
		at := c.startOf(number)
		page, err := l.readFrom(ctx, at, at.Source, 0)
		if err != nil {
			return at, err
		}
		if number == c.Page && c.Offset == 0 && len(page.Items) > 0 && unmoved(ctx, c.Made, c.Total, page.Total) {
			return c.Position, nil
		}
		for i, item := range slices.Backward(page.Items) {
			if slices.Contains(c.Last, l.ID(item)) {
				at.Offset = i + 1
				return at, nil
			}
		}
	}
	return c.startOf(1), nil
}

// older returns the position of the first item that is older than the last one shown, also if all
// items that the cursor names are gone. New items have moved it to a later page, and deleted ones
// to an earlier one.
func (l *List[T]) older(ctx context.Context, c Cursor) (Position, error) {
	isOlder := func(item T) bool {
		return cmp.Or(l.Time(item).Compare(c.At), cmp.Compare(l.ID(item), c.Last[len(c.Last)-1])) < 0
	}
	at, ahead := c.startOf(c.Page), false
	for range maxScanned {
		page, err := l.readFrom(ctx, at, at.Source, 0)
		if err != nil {
			return at, err
		}
		first := slices.IndexFunc(page.Items, isOlder)
		switch {
		case at.Page == c.Page && c.Offset == 0 && len(page.Items) > 0 && unmoved(ctx, c.Made, c.Total, page.Total):
			return c.Position, nil
		case first < 0 && page.Next > 0:
			at, ahead = c.startOf(page.Next), true
		case at.Page > 1 && !ahead && (first == 0 || len(page.Items) == 0):
			at = c.startOf(at.Page - 1)
		case first < 0:
			first = len(page.Items)
			fallthrough
		default:
			at.Offset = first
			return at, nil
		}
	}
	return at, nil
}

// SinceOf returns where the list of a cursor ends.
func SinceOf(cursor string) time.Time {
	var c Cursor
	DecodeCursor(cursor, &c)
	return c.Since
}

// unmoved reports whether a list with a total has not moved since a cursor was made, which was made
// in the second made and carries the total of then.
func unmoved(ctx context.Context, made int64, then, total int) bool {
	at := time.Unix(made, 0)
	age := time.Since(at)
	wrote, _ := ctx.Value(lastWrite{}).(time.Time)
	return then > 0 && then == total && age >= 0 && age < maxUnmoved && wrote.Before(at)
}

// Reusing returns a context for the reads of the source that a cursor points into. They may return
// pages that the user's earlier calls have read within maxUnmoved and after the user's last write:
// an answer often ends in the middle of a page.
func (in PageInput) Reusing(ctx context.Context) context.Context {
	if in.Cursor == "" {
		return ctx
	}
	return reusing(ctx)
}

func (read Source[T]) reusing(ctx context.Context, page int) (upstream.Page[T], error) {
	return read(reusing(ctx), page)
}

func reusing(ctx context.Context) context.Context {
	since := time.Now().Add(-maxUnmoved)
	if wrote, _ := ctx.Value(lastWrite{}).(time.Time); wrote.After(since) {
		since = wrote
	}
	return upstream.Reuse(ctx, since)
}

type lastWrite struct{}

// WithLastWrite adds the time at which the caller last wrote: cursors from before are not relied
// on.
func WithLastWrite(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, lastWrite{}, at)
}

// startOf returns the beginning of another page of the same source.
func (p Position) startOf(page int) Position {
	return Position{Source: p.Source, Page: page, Number: max(1, p.Number+page-p.Page)}
}
