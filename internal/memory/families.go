package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
)

// Access returns a family with one of its access tokens, and whether a session of it was ended; or
// ErrNotFound.
func (b *AuthStore) Access(
	ctx context.Context, id string, token, session authserver.Hash,
) (f authserver.Family, a authserver.Access, ended bool, err error) {
	now, err := b.lock(ctx)
	if err != nil {
		return f, a, false, err
	}
	defer b.mu.Unlock()
	fam, ok := b.families.get(id, now)
	if !ok {
		return f, a, false, authserver.ErrNotFound
	}
	found, ok := fam.access.get(token, now)
	if !ok {
		return f, a, false, authserver.ErrNotFound
	}
	_, ended = fam.ended.get(session, now)
	return copyOfFamily(fam.Family), copyOfAccess(found), ended, nil
}

// Refresh returns a family with one of its refresh tokens, also a rotated one; or ErrNotFound.
func (b *AuthStore) Refresh(ctx context.Context, id string, token authserver.Hash) (f authserver.Family, r authserver.Refresh, err error) {
	now, err := b.lock(ctx)
	if err != nil {
		return f, r, err
	}
	defer b.mu.Unlock()
	fam, ok := b.families.get(id, now)
	if !ok {
		return f, r, authserver.ErrNotFound
	}
	found, ok := fam.refresh.get(token, now)
	if !ok {
		return f, r, authserver.ErrNotFound
	}
	return copyOfFamily(fam.Family), copyOfRefresh(found), nil
}

// Rotate replaces a refresh token. It returns ErrConflict, and changes nothing, unless the token is
// the newest one of a live family.
func (b *AuthStore) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	fam, ok := b.families.get(f.ID, now)
	if !ok || !fam.RevokedAt.IsZero() || fam.Generation != f.Generation-1 {
		return authserver.ErrConflict
	}
	stored, ok := fam.refresh.get(old.Hash, now)
	if !ok || !stored.RotatedAt.IsZero() {
		return authserver.ErrConflict
	}
	stored.RotatedAt, stored.Sealed, stored.ExpiresAt = old.RotatedAt, bytes.Clone(old.Sealed), old.ExpiresAt
	fam.refresh.put(old.Hash, stored, now)
	fam.refresh.put(next.Hash, copyOfRefresh(next), now)
	fam.access.put(access.Hash, copyOfAccess(access), now)
	fam.Generation, fam.Unconfirmed, fam.RefreshedAt, fam.ExpiresAt = f.Generation, f.Unconfirmed, f.RefreshedAt, f.ExpiresAt
	b.families.put(f.ID, fam, now)
	return nil
}

// AddAccess adds an access token. It returns ErrConflict if the family does not exist or was
// revoked.
func (b *AuthStore) AddAccess(ctx context.Context, id string, a authserver.Access) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	fam, ok := b.families.get(id, now)
	if !ok || !fam.RevokedAt.IsZero() {
		return authserver.ErrConflict
	}
	fam.access.put(a.Hash, copyOfAccess(a), now)
	return nil
}

// SetFence replaces the fence of a live family. It returns ErrConflict, and changes nothing, if the
// family is not live or has another fence than was.
func (b *AuthStore) SetFence(ctx context.Context, id string, was, next fence.Fence) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	fam, ok := b.families.get(id, now)
	if !ok || !fam.RevokedAt.IsZero() || !fam.Fence.Equal(was) {
		return authserver.ErrConflict
	}
	fam.Fence = next
	return nil
}

// Confirm sets a family's Unconfirmed to zero if it equals the generation.
func (b *AuthStore) Confirm(ctx context.Context, id string, generation int) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if fam, ok := b.families.get(id, now); ok && fam.Unconfirmed == generation {
		fam.Unconfirmed = 0
	}
	return nil
}

// Revoke revokes a family with all its tokens. A second call does not change the time and the
// reason.
func (b *AuthStore) Revoke(ctx context.Context, id, reason string, at time.Time) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if fam, ok := b.families.get(id, now); ok && fam.RevokedAt.IsZero() {
		fam.RevokedAt, fam.RevokedFor = at, reason
	}
	return nil
}

// RevokeAccess revokes one access token.
func (b *AuthStore) RevokeAccess(ctx context.Context, id string, token authserver.Hash) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if fam, ok := b.families.get(id, now); ok {
		fam.access.remove(token)
	}
	return nil
}

// FamiliesOf returns a user's live families, newest first.
func (b *AuthStore) FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer b.mu.Unlock()
	var living []authserver.Family
	for fam := range b.families.all() {
		if fam.Subject == subject && fam.Live(now) {
			living = append(living, copyOfFamily(fam.Family))
		}
	}
	slices.SortStableFunc(living, func(x, y authserver.Family) int { return y.CreatedAt.Compare(x.CreatedAt) })
	return living, nil
}

// EndSession stores until a time that a session of a family has ended.
func (b *AuthStore) EndSession(ctx context.Context, id string, session authserver.Hash, until time.Time) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if fam, ok := b.families.get(id, now); ok {
		fam.ended.put(session, until, now)
	}
	return nil
}
