// Package envelopetest has the parts of an envelope.Store in memory, for tests.
package envelopetest

import (
	"context"
	"slices"
	"sync"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
)

// Ring is an envelope.Keys. Tests may change its fields between calls.
type Ring struct {
	Now  string            // the ID of the current key
	Held map[string]string // secrets by key ID
	Err  error             // why the ring cannot be read; may be nil
}

var _ envelope.Keys = (*Ring)(nil)

// NewRing returns a ring with the current key k1.
func NewRing() *Ring {
	return &Ring{Now: "k1", Held: map[string]string{"k1": "fernhill-ring-key-one-0123456789"}}
}

// Current implements envelope.Keys.
func (r *Ring) Current(ctx context.Context) (envelope.Key, error) { return r.Key(ctx, r.Now) }

// Key implements envelope.Keys.
func (r *Ring) Key(ctx context.Context, id string) (envelope.Key, error) {
	if err := ctx.Err(); err != nil {
		return envelope.Key{}, err
	}
	if r.Err != nil {
		return envelope.Key{}, r.Err
	}
	secret, ok := r.Held[id]
	if !ok {
		return envelope.Key{}, envelope.ErrNoKey
	}
	return envelope.Key{ID: id, Secret: []byte(secret)}, nil
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

// Remove implements envelope.Rows.
func (r *Rows) Remove(ctx context.Context, o envelope.Owner, change int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if u := r.user(o); u.pointer.Change != change || change == 0 && len(u.rows) == 0 {
		return grant.ErrConflict
	}
	delete(r.owners, o)
	return nil
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
