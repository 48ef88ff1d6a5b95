package memory

import (
	"container/list"
	"iter"
	"time"
)

// shelf stores values by key until they expire, up to a maximum number: then a new value displaces
// the one that was put longest ago. Expired values are not returned, and later puts remove them.
// The owner locks it.
type shelf[K comparable, V any] struct {
	most  int
	end   func(V) time.Time
	slots map[K]*list.Element
	order *list.List // of slot[K, V]; the one put longest ago is in front
	puts  int        // since the last sweep
}

type slot[K comparable, V any] struct {
	key   K
	value V
}

func newShelf[K comparable, V any](most int, end func(V) time.Time) *shelf[K, V] {
	return &shelf[K, V]{most: most, end: end, slots: map[K]*list.Element{}, order: list.New()}
}

func (s *shelf[K, V]) get(key K, now time.Time) (value V, ok bool) {
	e, ok := s.slots[key]
	if !ok {
		return value, false
	}
	found := e.Value.(slot[K, V]).value
	if !now.Before(s.end(found)) {
		return value, false
	}
	return found, true
}

// put adds or replaces a value. It sweeps when up to half of the values may have been put since the
// last sweep. So the cost of a put does not depend on the size, and there are never more than twice
// as many values as the last sweep left.
func (s *shelf[K, V]) put(key K, value V, now time.Time) {
	if e, ok := s.slots[key]; ok {
		e.Value = slot[K, V]{key, value}
		s.order.MoveToBack(e)
	} else {
		s.slots[key] = s.order.PushBack(slot[K, V]{key, value})
	}
	s.puts++
	if 2*s.puts >= len(s.slots) {
		s.sweep(now)
	}
	if len(s.slots) > s.most {
		s.remove(s.order.Front().Value.(slot[K, V]).key)
	}
}

func (s *shelf[K, V]) remove(key K) {
	if e, ok := s.slots[key]; ok {
		s.order.Remove(e)
		delete(s.slots, key)
	}
}

// all returns every value in the order of the puts, also expired ones.
func (s *shelf[K, V]) all() iter.Seq[V] {
	return func(yield func(V) bool) {
		for e := s.order.Front(); e != nil; e = e.Next() {
			if !yield(e.Value.(slot[K, V]).value) {
				return
			}
		}
	}
}

func (s *shelf[K, V]) sweep(now time.Time) {
	s.puts = 0
	for key, e := range s.slots {
		if !now.Before(s.end(e.Value.(slot[K, V]).value)) {
			s.remove(key)
		}
	}
}
