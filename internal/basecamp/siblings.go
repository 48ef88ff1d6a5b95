package basecamp

import (
	"context"
	"time"

	"basecamp-mcp/internal/upstream"
)

const (
	fewSiblings      = 8 // entries of a batch from which on whole lists are read
	mostSiblingPages = 4 // of a list
)

// Fresh is how old an item may be whose fields a batch writes back. An older one is read again, so
// that the batch does not undo what other people change meanwhile.
const Fresh = 2 * time.Second

type siblingsKey struct{}

// siblings are the items that a batch has read, with those that stand beside them in their lists.
type siblings struct {
	todos family[Todo]
	cards family[Card]
}

// WithSiblings returns a context for a batch of n items. Where several to-dos or cards of one list
// are read, the pages of the list are read in their place.
func WithSiblings(ctx context.Context, n int) context.Context {
	if n < fewSiblings {
		return ctx
	}
	return context.WithValue(ctx, siblingsKey{}, &siblings{
		todos: newFamily[Todo](),
		cards: newFamily[Card](),
	})
}

func siblingsOf(ctx context.Context) *siblings {
	s, _ := ctx.Value(siblingsKey{}).(*siblings)
	return s
}

// family are the items of one kind that a batch has read.
type family[T item] struct {
	turn  chan struct{} // of one, who reads pages or looks at what is known
	known map[int64]sibling[T]
	lists map[int64]int // how often an item of a list was read by itself
}

func newFamily[T item]() family[T] {
	return family[T]{turn: make(chan struct{}, 1), known: map[int64]sibling[T]{}, lists: map[int64]int{}}
}

// sibling is an item as it was read, and how its page of the list is read again.
type sibling[T any] struct {
	item T
	read time.Time
	page func(context.Context) (Page[T], error)
}

// get returns an item that was read lately, or reads it: with its page if that is known, otherwise
// by itself. Of the second one of a list, it reads the whole list.
func (f *family[T]) get(ctx context.Context, id int64, one func(context.Context) (T, error), in func(T) (parent int64, list func(ctx context.Context, page int) (Page[T], error))) (T, error) {
	if known, ok := f.lately(ctx, id); ok {
		return known, nil
	}
	item, err := one(ctx)
	if err != nil {
		return item, err
	}
	parent, list := in(item)
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	if f.lists[parent]++; f.lists[parent] != 2 || parent == 0 {
		return item, nil
	}
	for next := 1; next > 0 && next <= mostSiblingPages && err == nil; { // or the others are read by themselves
		page := next
		next, err = f.readPage(ctx, func(ctx context.Context) (Page[T], error) { return list(ctx, page) })
	}
	return item, nil
}

// lately returns an item that was read lately, or is read again with its page.
func (f *family[T]) lately(ctx context.Context, id int64) (item T, ok bool) {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	s, ok := f.known[id]
	if ok && time.Since(s.read) > Fresh {
		_, err := f.readPage(upstream.Afresh(ctx), s.page)
		s, ok = f.known[id]
		ok = ok && err == nil && time.Since(s.read) <= Fresh
	}
	return s.item, ok
}

func (f *family[T]) readPage(ctx context.Context, read func(context.Context) (Page[T], error)) (next int, err error) {
	began := time.Now()
	p, err := read(ctx)
	for _, item := range p.Items {
		f.known[item.key()] = sibling[T]{item, began, read}
	}
	return p.Next, err
}
