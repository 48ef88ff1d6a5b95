package basecamp

import (
	"context"
	"reflect"
	"regexp"
	"strconv"
	"sync"
	"time"

	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

const (
	fewSiblings      = 8 // entries of a batch from which on whole lists are read
	mostSiblingPages = 4 // of a list
)

// Fresh is how old an item may be whose fields a batch writes back. An older one is read again, so
// that the batch does not undo what other people change meanwhile.
const Fresh = 2 * time.Second

type siblingsKey struct{}

// siblings are the items that a batch has read, with those that stand beside them in their lists: a
// family by type.
type siblings struct{ sync.Map }

// WithSiblings returns a context for a batch of n items. Where several to-dos or cards of one list
// are read, the pages of the list are read in their place.
func WithSiblings(ctx context.Context, n int) context.Context {
	if n < fewSiblings {
		return ctx
	}
	return context.WithValue(ctx, siblingsKey{}, new(siblings))
}

func siblingsOf(ctx context.Context) *siblings {
	s, _ := ctx.Value(siblingsKey{}).(*siblings)
	return s
}

// family are the items of one kind that a batch has read.
type family[T any] struct {
	turn  chan struct{} // of one, who reads pages or looks at what is known
	known map[int64]sibling[T]
	lists map[int64]int // how often an item of a list was read by itself
}

func familyOf[T any](s *siblings) *family[T] {
	f, _ := s.LoadOrStore(reflect.TypeFor[T](), &family[T]{turn: make(chan struct{}, 1), known: map[int64]sibling[T]{}, lists: map[int64]int{}})
	return f.(*family[T])
}

// sibling is an item as it was read, and where in its list.
type sibling[T any] struct {
	item T
	read time.Time
	list pager[T]
	page int
}

// get returns an item that was read lately, or reads it: with its page if that is known, otherwise
// by itself. Of the second one of a list, it reads the whole list.
func (f *family[T]) get(ctx context.Context, id int64, one func(context.Context) (T, error), in func(T) (parent int64, list pager[T])) (T, error) {
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
		next, err = f.readPage(ctx, list, next)
	}
	return item, nil
}

// lately returns an item that was read lately, or is read again with its page, or with the one
// before: where items leave a list, others move up.
func (f *family[T]) lately(ctx context.Context, id int64) (item T, ok bool) {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	was := f.known[id]
	for page := was.page; page > max(0, was.page-2) && time.Since(f.known[id].read) > Fresh; page-- {
		if _, err := f.readPage(upstream.Afresh(ctx), was.list, page); err != nil {
			break
		}
	}
	s := f.known[id]
	return s.item, time.Since(s.read) <= Fresh
}

func (f *family[T]) readPage(ctx context.Context, list pager[T], page int) (next int, err error) {
	began := time.Now()
	p, err := list(ctx, page)
	for _, item := range p.Items {
		f.known[any(item).(interface{ key() int64 }).key()] = sibling[T]{item, began, list, page}
	}
	return p.Next, err
}

// forget drops an item that was written.
func (f *family[T]) forget(id int64) {
	f.turn <- struct{}{}
	delete(f.known, id)
	<-f.turn
}

// whole is an item with all fields that Basecamp says.
type whole fields

func (s whole) key() int64 {
	id, _ := strconv.ParseInt(writeplan.Text(s["id"]), 10, 64) // 0 without one
	return id
}

// UnmarshalJSON keeps numbers as they are written.
func (s *whole) UnmarshalJSON(data []byte) error { return writeplan.DecodeInto(data, (*fields)(s)) }

// siblingPath is the path of an item whose lists have all that it says itself.
var siblingPath = regexp.MustCompile(`(^|/)(todos|card_tables/cards)/(\d+)\.json$`)

// stateBeside returns the state at a path: in a batch, with the states of its siblings.
func (c *Client) stateBeside(ctx context.Context, path string) (any, error) {
	s, match := siblingsOf(ctx), siblingPath.FindStringSubmatch(path)
	if s == nil || match == nil {
		return c.state(ctx, path)
	}
	id, _ := strconv.ParseInt(match[3], 10, 64) // 0 is no item
	one := func(ctx context.Context) (whole, error) {
		v, err := c.state(ctx, path)
		f, _ := v.(fields)
		return f, err
	}
	v, err := familyOf[whole](s).get(ctx, id, one, func(v whole) (int64, pager[whole]) {
		parent, _ := v["parent"].(fields)
		in := whole(parent).key()
		list := Endpoint[whole]{kind: CardsIn.kind, path: CardsIn.path}
		if match[2] == "todos" {
			if parent["type"] != "Todolist" {
				return 0, nil
			}
			list = Endpoint[whole]{kind: TodosIn.kind, path: TodosIn.path, query: CompletedTodos(truth(v["completed"]))}
		}
		return in, list.Source(c, in)
	})
	return fields(v), err
}
