package items

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/own/calls"
)

var _ calls.Store = (*Store)(nil)

const (
	kindLine     = "audit"    // a call without a record
	kindCall     = "call"     // a record
	kindOpposite = "opposite" // what undoes it; its name is the record's
	kindPointer  = "key"      // an idempotency key, with the answer
)

func callKey(subject, id string) Key { return Key{kindCall, subject, id} }

// pointerKey returns a key with a digest, because clients choose idempotency keys freely.
func pointerKey(subject string, k calls.Key) Key {
	return Key{kindPointer, subject, digest(string(labelOf(k.Tool, k.Limits, k.Key)))}
}

// AddLine adds the line of a call without a record, or returns ErrTaken.
func (s *Store) AddLine(ctx context.Context, subject string, e calls.Entry) error {
	return s.writeAhead(ctx, "add the line of a call", func(t *tx) {
		t.addCall(Key{kindLine, subject, e.ID}, &e, e.Time)
	})
}

// addCall adds a line or a record, or refuses the write with ErrTaken. Adding the same again
// changes nothing.
func (t *tx) addCall(k Key, v any, began time.Time) {
	t.New(k)
	body := t.encode(v)
	switch was, exists := t.item(k); {
	case !exists:
		t.putBody(k, body, began.Add(calls.Retention))
	case !bytes.Equal(was.Body, body):
		t.refuse(true, calls.ErrTaken)
	}
}

// ClaimCall adds a record with its key. Errors: ErrTaken, ErrKeyTaken, ErrFull.
func (s *Store) ClaimCall(ctx context.Context, subject string, r calls.Record, k *calls.Key) (found calls.Key, err error) {
	err = s.write(ctx, "add the record of a call", func(t *tx) {
		if k != nil {
			found, _ = t.addKey(subject, *k)
		}
		t.addCall(callKey(subject, r.ID), &r, r.Time)
	})
	return found, err
}

// addKey adds a key, or returns the one that its call has added before. It refuses the write with
// ErrKeyTaken or ErrFull.
func (t *tx) addKey(subject string, k calls.Key) (found calls.Key, taken bool) {
	at := pointerKey(subject, k)
	t.New(at)
	taken = t.find(at, &found)
	t.refuse(taken && found.Call != k.Call, calls.ErrKeyTaken)
	if !taken {
		t.refuse(t.store.local && t.count(kindPointer, subject) >= calls.MostKeys, calls.ErrFull)
		t.put(at, k, k.ExpiresAt)
	}
	return found, taken
}

// FindKey returns the key, and whether there is one.
func (s *Store) FindKey(ctx context.Context, subject string, k calls.Key) (found calls.Key, ok bool, err error) {
	ok, err = s.read(ctx, "read an idempotency key", pointerKey(subject, k), &found)
	return found, ok, err
}

// make stores the key of the call under ctx, if it has one, together with the row that the
// transaction adds. If an earlier try of the call has added a row, it reads that one into earlier
// and reports true. It refuses the write with ErrKeyTaken if the key belongs to another call.
func (t *tx) make(ctx context.Context, subject string, row, earlier any) (repeated bool) {
	k, ok := calls.In(ctx)
	if !ok {
		return false
	}
	k.Progress, k.Answer = calls.Made, t.encode(row)
	found, repeated := t.addKey(subject, k)
	t.refuse(repeated && found.Progress != calls.Made, calls.ErrKeyTaken)
	if repeated {
		t.decode(Item{pointerKey(subject, k), found.Answer, found.ExpiresAt}, earlier)
	}
	return repeated
}

// ChangeCall replaces the revision before r's, or returns ErrChanged. In a table, it writes the
// opposite, the key and the record one after the other, because a transaction would cost twice as
// much. If the opposite cannot be sealed, it returns why, and the record says that nothing undoes
// the call.
func (s *Store) ChangeCall(ctx context.Context, subject string, r calls.Record, opposite []byte, k *calls.Key) error {
	const doing = "change the record of a call"
	var writes []func(t *tx)
	var unsealed error
	if opposite != nil {
		var sealed sealed
		if sealed, unsealed = s.sealOpposite(ctx, subject, r.ID, opposite); unsealed != nil {
			r.Cannot = calls.NotKept
		} else {
			writes = append(writes, func(t *tx) {
				t.put(Key{kindOpposite, subject, r.ID}, sealed, r.Time.Add(calls.Undoable))
			})
		}
	}
	if k != nil {
		writes = append(writes, func(t *tx) { t.settle(subject, *k) })
	}
	writes = append(writes, func(t *tx) { t.changeCall(subject, r) })
	together := 1
	if s.local {
		together = len(writes)
	}
	for some := range slices.Chunk(writes, together) {
		err := s.write(ctx, doing, func(t *tx) {
			for _, write := range some {
				write(t)
			}
		})
		if err != nil {
			return err
		}
	}
	return s.failed(doing, unsealed)
}

// settle replaces or frees a key, if it still is the one of its call.
func (t *tx) settle(subject string, k calls.Key) {
	var found calls.Key
	switch ok := t.find(pointerKey(subject, k), &found); {
	case !ok || found.Call != k.Call:
	case k.Progress == calls.Free:
		t.remove(pointerKey(subject, k))
	default:
		t.put(pointerKey(subject, k), k, k.ExpiresAt)
	}
}

// changeCall replaces a record, or refuses the write with ErrChanged. Replacing it by the same
// again changes nothing.
func (t *tx) changeCall(subject string, r calls.Record) {
	body, k := t.encode(r), callKey(subject, r.ID)
	was, ok := t.item(k)
	if ok && bytes.Equal(was.Body, body) {
		return
	}
	t.refuse(!ok, calls.ErrChanged)
	var stored struct{ Revision int64 }
	t.decode(was, &stored)
	t.refuse(stored.Revision != r.Revision-1, calls.ErrChanged)
	t.putBody(k, body, r.Time.Add(calls.Retention))
}

// Entries returns lines and records whose IDs are less than before, newest first.
func (s *Store) Entries(ctx context.Context, subject, before string, limit int) (entries []calls.Entry, err error) {
	if limit == 0 {
		return nil, nil
	}
	for _, kind := range []string{kindLine, kindCall} {
		some, err := s.callsIn(ctx, Range{Kind: kind, Owner: subject, Below: before, Descending: true, Limit: limit}, false)
		if err != nil {
			return nil, err
		}
		for _, r := range some {
			entries = append(entries, r.Entry)
		}
	}
	slices.SortFunc(entries, func(a, b calls.Entry) int { return cmp.Compare(b.ID, a.ID) })
	return entries[:min(limit, len(entries))], nil
}

// WritingCalls returns records that have a State, newest first.
func (s *Store) WritingCalls(ctx context.Context, subject, from, before string, limit int) ([]calls.Record, error) {
	return s.callsIn(ctx, Range{Kind: kindCall, Owner: subject, From: from, Below: before, Descending: true, Limit: limit}, true)
}

// callsIn returns lines or records, or only those that have a State.
func (s *Store) callsIn(ctx context.Context, r Range, writing bool) (all []calls.Record, err error) {
	for {
		found, err := s.engine.List(ctx, r)
		all = slices.Grow(all, len(found))
		for _, i := range found {
			one := calls.Record{}
			if s.readable(ctx, i, &one) && (!writing || one.State != "") {
				one.ID = i.Name
				all = append(all, one)
			}
		}
		if err != nil || len(all) >= r.Limit || len(found) < r.Limit {
			return all[:min(r.Limit, len(all))], s.failed("read calls", err)
		}
		r.Below = found[len(found)-1].Name // in place of what was left out
	}
}

func (s *Store) oppositeLabel(subject, id string) []byte {
	return labelOf("undo", s.stack, subject, id)
}

// sealOpposite compresses and seals what undoes a call: bytes are paid for by the KB, and it has
// old texts and new ones, which are mostly the same.
func (s *Store) sealOpposite(ctx context.Context, subject, id string, plain []byte) (sealed, error) {
	if len(plain) == 0 {
		return sealed{}, nil
	}
	small := Compressed(plain)
	key, box, err := s.sealing(ctx)
	if err != nil {
		return sealed{}, err
	}
	label := s.oppositeLabel(subject, id)
	return sealed{key, box(label).Seal(nil, nil, small, label)}, nil
}

// Opposite returns what undoes a call, or ErrNotFound.
func (s *Store) Opposite(ctx context.Context, subject, id string) ([]byte, error) {
	const doing = "read what undoes a call"
	var o sealed
	if err := s.get(ctx, doing, Key{kindOpposite, subject, id}, &o, calls.ErrNotFound); err != nil {
		return nil, err
	}
	small, err := s.open(ctx, s.oppositeLabel(subject, id), o)
	if errors.Is(err, errKeyLost) || errors.Is(err, errSealBroken) {
		return nil, calls.ErrNotFound
	}
	if err != nil {
		return nil, s.failed(doing, err)
	}
	plain, err := Uncompressed(small, calls.MostBytes+1)
	return plain, s.failed(doing, err)
}
