package memory

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/broker"
)

// AddCode adds one. ErrConflict when there is one of that hash.
func (b *Broker) AddCode(ctx context.Context, c broker.Code) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, taken := b.codes.get(c.Hash, now); taken {
		return broker.ErrConflict
	}
	b.codes.put(c.Hash, copyOfCode(c), now)
	return nil
}

// Code reads one, used or expired as it may be, for a day after it has expired. ErrNotFound.
func (b *Broker) Code(ctx context.Context, hash broker.Hash) (broker.Code, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return broker.Code{}, err
	}
	defer b.mu.Unlock()
	c, ok := b.codes.get(hash, now)
	if !ok {
		return broker.Code{}, broker.ErrNotFound
	}
	return copyOfCode(c), nil
}

// Redeem marks the code as used and adds the family with its first tokens. ErrConflict when the code is not there, was used
// has expired or was ended, or there is such a family; then nothing is changed.
func (b *Broker) Redeem(ctx context.Context, code broker.Code, at time.Time, f broker.Family, a broker.Access, r broker.Refresh) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	c, ok := b.codes.get(code.Hash, now)
	if until, ended := b.ended.get(f.Subject, now); ended && !code.ExpiresAt.After(until) {
		return broker.ErrConflict
	}
	if !ok || !c.UsedAt.IsZero() || !at.Before(c.ExpiresAt) {
		return broker.ErrConflict
	}
	if _, taken := b.families.get(f.ID, now); taken {
		return broker.ErrConflict
	}
	c.UsedAt = at
	b.codes.put(code.Hash, c, now)
	b.families.put(f.ID, newFamily(f, a, r, now), now)
	return nil
}

// EndCodes ends those codes of a person that expire at a time or before.
func (b *Broker) EndCodes(ctx context.Context, subject string, until time.Time) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	b.ended.put(subject, until, now)
	return nil
}

func copyOfCode(c broker.Code) broker.Code {
	c.Client = copyOfClient(c.Client)
	c.Scopes = slices.Clone(c.Scopes)
	return c
}
