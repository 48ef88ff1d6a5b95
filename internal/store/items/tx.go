package items

import (
	"encoding/json"
	"time"
)

// tx is a write in progress. After its first error, which the write returns, it finds nothing and
// changes nothing.
type tx struct {
	Tx
	store *Store
	err   error
}

// with returns what an engine calls for a write that do makes.
func (s *Store) with(do func(t *tx)) func(Tx) error {
	return func(in Tx) error {
		t := tx{Tx: in, store: s}
		do(&t)
		return t.err
	}
}

// refuse ends the write with an error, if a condition holds.
func (t *tx) refuse(condition bool, err error) {
	if condition && t.err == nil {
		t.err = err
	}
}

// item returns the item with a key, and whether there is one.
func (t *tx) item(k Key) (Item, bool) {
	if t.err != nil {
		return Item{}, false
	}
	found, err := t.Find(k)
	if t.err = err; err != nil || len(found) == 0 {
		return Item{}, false
	}
	return found[0], true
}

// has returns whether there is an item with a key.
func (t *tx) has(k Key) bool {
	_, ok := t.item(k)
	return ok
}

// find reads an item into v. It returns whether there is one.
func (t *tx) find(k Key, v any) bool {
	i, ok := t.item(k)
	if ok {
		t.decode(i, v)
	}
	return ok && t.err == nil
}

// get reads an item into v, or refuses the write with missing if there is none.
func (t *tx) get(k Key, v any, missing error) { t.refuse(!t.find(k, v), missing) }

// count returns how many items an owner had of a kind before this write.
func (t *tx) count(kind, owner string) (n int) {
	if t.err == nil {
		n, t.err = t.Count(kind, owner)
	}
	return n
}

// add adds an item, or refuses the write with taken if there is one.
func (t *tx) add(k Key, v any, expires time.Time, taken error) {
	t.New(k)
	t.refuse(t.has(k), taken)
	t.put(k, v, expires)
}

// put adds or replaces an item.
func (t *tx) put(k Key, v any, expires time.Time) { t.putBody(k, t.encode(v), expires) }

func (t *tx) putBody(k Key, body []byte, expires time.Time) {
	if t.err == nil {
		t.err = t.Put(Item{k, body, expires})
	}
}

// remove deletes an item, if it exists.
func (t *tx) remove(k Key) {
	if t.err == nil {
		t.err = t.Remove(k)
	}
}

// decode reads the body of an item into v.
func (t *tx) decode(i Item, v any) {
	if t.err == nil {
		t.err = decode(i, v)
	}
}

// encode returns the body of an item.
func (t *tx) encode(v any) (body []byte) {
	if t.err == nil {
		body, t.err = json.Marshal(v)
	}
	return body
}
