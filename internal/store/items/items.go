// Package items implements every Store on items: JSON documents with a kind, an owner, a name and
// an expiry. An Engine keeps the items: in a DynamoDB table, in a file or in memory.
//
// A method that changes items does so in one write of the engine, as if no other method ran. The
// function that it gives to the engine may run several times, so it has no effect outside.
//
// A deployment's functions have rights by kind. What the MCP function writes about a family, and
// the links that it makes, are of kinds of their own: it cannot make a token, a code or a step of a
// login.
package items

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

// Key is the key of an item. The kind says which store it belongs to, and the owner is the user,
// the family or the provider that has several items of the kind.
type Key struct{ Kind, Owner, Name string }

// Item is an item as an engine keeps it. The engine does not change the body.
type Item struct {
	Key
	Body    []byte    // JSON
	Expires time.Time // zero: never
}

// Range is a part of the items of an owner, in the order of their names.
type Range struct {
	Kind, Owner string
	From        string // the first name
	Below       string // the name after the last; empty for no end
	Descending  bool
	Limit       int // 0: all
}

// Engine keeps items. What it reads is as every earlier write left it, without what has expired. An
// item that it cannot read has no body.
type Engine interface {
	// Find returns the items with some keys, in any order.
	Find(ctx context.Context, keys ...Key) ([]Item, error)
	// FindTogether does the same, and returns the items as they are at one moment.
	FindTogether(ctx context.Context, keys ...Key) ([]Item, error)
	// List returns the items of a range. An owner without a name has no list.
	List(ctx context.Context, r Range) ([]Item, error)
	// Write carries out what do does as a whole, or nothing if do returns an error, which it
	// returns. It may call do several times, and only what the last call does counts.
	Write(ctx context.Context, do func(Tx) error) error
}

// fileEngine is what an Engine in a file also does.
type fileEngine interface {
	// WriteAhead does what Write does, but the write may be lost in a crash until the next Write.
	WriteAhead(ctx context.Context, do func(Tx) error) error
	// Shred removes what is left of deleted items.
	Shred(ctx context.Context)
}

// Tx is a write in progress.
type Tx interface {
	// Find returns the item with a key, also one that this write has put.
	Find(k Key) ([]Item, error)
	// New says that there is probably no item with a key, so that an engine need not read it first.
	New(k Key)
	// Count returns how many items an owner has of a kind before this write.
	Count(kind, owner string) (int, error)
	// Put adds or replaces an item. A replaced item counts as the newest of its kind.
	Put(i Item) error
	// Remove deletes an item, if it exists.
	Remove(k Key) error
}

// Options are the options of a Store.
type Options struct {
	Keys  Keys             // have the keys that seal tokens and what undoes calls; nil for a Store that seals nothing
	Stack string           // the name of the deployment; what another one has sealed is refused
	Log   *slog.Logger     // nil: no log
	Now   func() time.Time // nil: time.Now
	// Local says that the engine is on a user's machine. It keeps what Limits say, and no more keys
	// of a user than calls.MostKeys; and what Keys return stays valid until the process ends.
	Local bool
}

// Store is an authserver.Store, and the Store of calls, of checklist, of task and of hub. Its
// methods Records and Grants return the stores of a provider. It is safe for concurrent use. An
// error says in one line what was being done, what failed and what to do.
type Store struct {
	engine  Engine
	keys    keychain
	stack   string
	log     *slog.Logger
	now     func() time.Time
	local   bool
	decoded decoded
}

var _ = authserver.NewStore((*Store)(nil))

// New returns the stores that an engine keeps.
func New(e Engine, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{
		engine: e, keys: keychain{Keys: o.Keys, remembers: o.Local}, stack: o.Stack, log: o.Log, now: o.Now, local: o.Local,
	}
}

// failed returns err with what was being done, or nil for nil.
func (s *Store) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// never is the expiry of an item that does not expire.
var never time.Time

// ErrUnreadable means that an item is not what its kind has, or that another release wrote it.
var ErrUnreadable = errors.New("unreadable item")

// Unreadable returns an ErrUnreadable that names the item.
func (k Key) Unreadable() error {
	return fmt.Errorf("%w of kind %q: %q %q", ErrUnreadable, k.Kind, k.Owner, k.Name)
}

// decode reads the body of an item into v, of which nothing else stays.
func decode(i Item, v any) error {
	reflect.ValueOf(v).Elem().SetZero()
	if err := json.Unmarshal(i.Body, v); err != nil {
		return i.Unreadable()
	}
	return nil
}

// decoded remembers what items say that are read at each request, so that only one that has changed
// is decoded again. What it returns must not be changed in place.
type decoded struct {
	mu   sync.Mutex
	last map[Key]reading
}

type reading struct {
	body  []byte
	value any
}

// mostDecoded is the number of items with which a decoded is full, and cleared.
const mostDecoded = 1_000

// recall does what decode does.
func recall[V any](d *decoded, i Item, v *V) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if last, ok := d.last[i.Key]; ok && bytes.Equal(last.body, i.Body) {
		*v = last.value.(V)
		return nil
	}
	if err := decode(i, v); err != nil {
		return err
	}
	if len(d.last) >= mostDecoded || d.last == nil {
		d.last = map[Key]reading{}
	}
	d.last[i.Key] = reading{i.Body, *v}
	return nil
}

// read returns whether there is an item, after it has read the item into v.
func (s *Store) read(ctx context.Context, doing string, k Key, v any) (bool, error) {
	found, err := s.engine.Find(ctx, k)
	if err == nil && len(found) > 0 {
		err = decode(found[0], v)
	}
	return err == nil && len(found) > 0, s.failed(doing, err)
}

// get reads an item into v, or returns missing if there is none.
func (s *Store) get(ctx context.Context, doing string, k Key, v any, missing error) error {
	ok, err := s.read(ctx, doing, k, v)
	if err == nil && !ok {
		return missing
	}
	return err
}

// list returns the decoded items of a range, without those that are unreadable.
func list[V any](ctx context.Context, s *Store, doing string, r Range) ([]V, error) {
	found, err := s.engine.List(ctx, r)
	all, n := make([]V, len(found)), 0
	for _, i := range found {
		if s.readable(ctx, i, &all[n]) {
			n++
		}
	}
	return all[:n], s.failed(doing, err)
}

// readable reads an item of a list into v. If the item is unreadable, it logs that and returns
// false, so that the others stay usable.
func (s *Store) readable(ctx context.Context, i Item, v any) bool {
	err := decode(i, v)
	if err != nil {
		s.log.WarnContext(ctx, "an item is left out", "err", err)
	}
	return err == nil
}

// write carries out a write. Its error says what was being done.
func (s *Store) write(ctx context.Context, doing string, do func(t *tx)) error {
	return s.failed(doing, s.engine.Write(ctx, s.with(do)))
}

// writeAhead does the same as write for a line that may be lost, or for a change whose call changes
// its record next: the write of the record makes sure of both.
func (s *Store) writeAhead(ctx context.Context, doing string, do func(t *tx)) error {
	if e, ok := s.engine.(fileEngine); ok {
		return s.failed(doing, e.WriteAhead(ctx, s.with(do)))
	}
	return s.write(ctx, doing, do)
}

// put writes one item.
func (s *Store) put(ctx context.Context, doing string, k Key, v any, expires time.Time) error {
	return s.write(ctx, doing, func(t *tx) { t.put(k, v, expires) })
}

// remove deletes one item, if it exists.
func (s *Store) remove(ctx context.Context, doing string, k Key) error {
	return s.write(ctx, doing, func(t *tx) { t.remove(k) })
}

// digest returns a name of fixed length for a text that a client chooses.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
