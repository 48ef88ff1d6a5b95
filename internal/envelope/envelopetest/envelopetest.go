// Package envelopetest has the parts of an envelope.Store in memory, for tests.
package envelopetest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
)

// Ring is an envelope.Keys. Tests may change its fields between calls.
type Ring struct {
	Keys []string // the first seals
	Err  error    // why the ring cannot be read; may be nil
}

var _ envelope.Keys = (*Ring)(nil)

// NewRing returns a ring with one key.
func NewRing() *Ring { return &Ring{Keys: []string{"fernhill-ring-key-one-0123456789"}} }

// Current implements envelope.Keys.
func (r *Ring) Current(ctx context.Context) (envelope.Key, error) {
	return envelope.Key(r.Keys[0]), cmp.Or(ctx.Err(), r.Err)
}

// Key implements envelope.Keys.
func (r *Ring) Key(ctx context.Context, fingerprint string) (envelope.Key, error) {
	if err := cmp.Or(ctx.Err(), r.Err); err != nil {
		return nil, err
	}
	for _, key := range r.Keys {
		if k := envelope.Key(key); k.Fingerprint() == fingerprint {
			return k, nil
		}
	}
	return nil, envelope.ErrNoKey
}

// Rows is an envelope.Rows. It is safe for concurrent use.
type Rows struct {
	mu     sync.Mutex
	owners map[envelope.Owner]*user
	writes int64 // of all users
}

type user struct {
	pointer envelope.Pointer
	rows    map[string]envelope.Row
}

var _ envelope.Rows = (*Rows)(nil)

// NewRows returns empty Rows.
func NewRows() *Rows { return &Rows{owners: map[envelope.Owner]*user{}} }

// user returns what is stored for an owner. The caller holds the lock.
func (r *Rows) user(o envelope.Owner) *user {
	if r.owners[o] == nil {
		r.owners[o] = &user{rows: map[string]envelope.Row{}}
	}
	return r.owners[o]
}

// Pointer implements envelope.Rows.
func (r *Rows) Pointer(ctx context.Context, o envelope.Owner) (envelope.Pointer, error) {
	if err := ctx.Err(); err != nil {
		return envelope.Pointer{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.user(o).pointer
	p.Kept = slices.Clone(p.Kept)
	return p, nil
}

// Row implements envelope.Rows.
func (r *Rows) Row(ctx context.Context, o envelope.Owner, version string) (envelope.Row, error) {
	if err := ctx.Err(); err != nil {
		return envelope.Row{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	row, ok := r.user(o).rows[version]
	if !ok {
		return envelope.Row{}, grant.ErrNotFound
	}
	row.Sealed = slices.Clone(row.Sealed)
	return row, nil
}

// Write implements envelope.Rows.
func (r *Rows) Write(ctx context.Context, o envelope.Owner, p envelope.Pointer, add *envelope.Row, remove []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.user(o)
	if u.pointer.Change != p.Change {
		return grant.ErrConflict
	}
	r.writes++
	p.Change = r.writes
	p.Kept = slices.Clone(p.Kept)
	u.pointer = p
	for _, version := range remove {
		delete(u.rows, version)
	}
	if add != nil {
		u.rows[add.Version] = *add
	}
	return nil
}

// Edit changes what is stored for a user, as an attacker could who can write to the table.
func (r *Rows) Edit(o envelope.Owner, edit func(p *envelope.Pointer, rows map[string]envelope.Row)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.user(o)
	edit(&u.pointer, u.rows)
}

// Delete implements envelope.Rows.
func (r *Rows) Delete(ctx context.Context, o envelope.Owner) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owners, o)
	return nil
}
