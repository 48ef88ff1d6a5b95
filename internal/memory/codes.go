package memory

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
)

// AddCode adds a code. It returns ErrConflict if its hash exists.
func (b *AuthStore) AddCode(ctx context.Context, c authserver.Code) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, taken := b.codes.get(c.Hash, now); taken {
		return authserver.ErrConflict
	}
	b.codes.put(c.Hash, copyOfCode(c), now)
	return nil
}

// Code returns a code, or ErrNotFound. Used codes, and codes that expired up to a day ago, are
// found.
func (b *AuthStore) Code(ctx context.Context, hash authserver.Hash) (authserver.Code, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.Code{}, err
	}
	defer b.mu.Unlock()
	c, ok := b.codes.get(hash, now)
	if !ok {
		return authserver.Code{}, authserver.ErrNotFound
	}
	return copyOfCode(c), nil
}

// Redeem marks the code as used and adds the family with its first tokens. It returns ErrConflict,
// and changes nothing, if the code does not exist, was used, has expired or was ended, or if the
// family exists.
func (b *AuthStore) Redeem(ctx context.Context, code authserver.Code, at time.Time, f authserver.Family, a authserver.Access, r authserver.Refresh) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	c, ok := b.codes.get(code.Hash, now)
	if until, ended := b.ended.get(f.Subject, now); ended && !code.ExpiresAt.After(until) {
		return authserver.ErrConflict
	}
	if !ok || !c.UsedAt.IsZero() || !at.Before(c.ExpiresAt) {
		return authserver.ErrConflict
	}
	if _, taken := b.families.get(f.ID, now); taken {
		return authserver.ErrConflict
	}
	c.UsedAt = at
	b.codes.put(code.Hash, c, now)
	b.families.put(f.ID, newFamily(f, a, r, now), now)
	if c, ok := b.clients.get(f.Client.ID, now); ok {
		b.clients.remove(c.ID)
		b.connected.put(c.ID, c, now)
	}
	return nil
}

// EndCodes ends a user's codes that expire at a time or earlier.
func (b *AuthStore) EndCodes(ctx context.Context, subject string, until time.Time) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	b.ended.put(subject, until, now)
	return nil
}

func copyOfCode(c authserver.Code) authserver.Code {
	c.Client = copyOfClient(c.Client)
	c.Scopes = slices.Clone(c.Scopes)
	return c
}
