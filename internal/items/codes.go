package items

import (
	"context"
	"time"

	"basecamp-mcp/internal/authserver"
)

const (
	kindCode       = "code"
	kindEndedCodes = "ended codes"
	// replayWindow is how long a code stays readable after its expiry.
	replayWindow = 24 * time.Hour
)

func codeKey(hash authserver.Hash) Key { return Key{kindCode, "", string(hash)} }

// endedCodes ends the codes of a user that expire at a time or earlier.
type endedCodes struct{ Until time.Time }

func endedCodesKey(subject string) Key { return Key{kindEndedCodes, "", subject} }

// AddCode adds a code. It returns ErrConflict if its hash exists.
func (s *Store) AddCode(ctx context.Context, c authserver.Code) error {
	return s.write(ctx, "add a code", func(t tx) error {
		return t.add(codeKey(c.Hash), c, c.ExpiresAt.Add(replayWindow), authserver.ErrConflict)
	})
}

// Code returns a code, or ErrNotFound. Used codes, and codes that expired up to a day ago, are
// found.
func (s *Store) Code(ctx context.Context, hash authserver.Hash) (c authserver.Code, err error) {
	err = s.get(ctx, "read a code", codeKey(hash), &c, authserver.ErrNotFound)
	return c, err
}

// Redeem marks the code as used and adds the family with its first tokens. It returns ErrConflict,
// and changes nothing, if the code does not exist, was used, has expired or was ended, or if the
// family exists.
func (s *Store) Redeem(
	ctx context.Context, code authserver.Code, at time.Time, f authserver.Family, a authserver.Access, r authserver.Refresh,
) error {
	return s.write(ctx, "redeem a code", func(t tx) error {
		c, err := t.redeemable(code, at, f)
		if err != nil {
			return err
		}
		c.UsedAt = at
		return first(
			func() error { return t.put(codeKey(c.Hash), c, c.ExpiresAt.Add(replayWindow)) },
			func() error { return t.putFamily(f) },
			func() error { return t.put(Key{kindLogin, f.Subject, f.ID}, struct{}{}, f.EndsAt) },
			func() error { return t.putTokens(f.ID, a, r) },
			func() error { return t.putConnected(f) },
		)
	})
}

// redeemable returns the stored code, or ErrConflict.
func (t tx) redeemable(code authserver.Code, at time.Time, f authserver.Family) (c authserver.Code, err error) {
	var ended endedCodes
	if _, err := t.find(endedCodesKey(f.Subject), &ended); err != nil {
		return c, err
	}
	ok, err := t.find(codeKey(code.Hash), &c)
	if err != nil {
		return c, err
	}
	taken, err := t.has(familyKey(f.ID))
	if err != nil {
		return c, err
	}
	if taken || !ok || !c.UsedAt.IsZero() || !at.Before(c.ExpiresAt) || !code.ExpiresAt.After(ended.Until) {
		return c, authserver.ErrConflict
	}
	return c, nil
}

// EndCodes ends a user's codes that expire at a time or earlier.
func (s *Store) EndCodes(ctx context.Context, subject string, until time.Time) error {
	return s.put(ctx, "end a user's codes", endedCodesKey(subject), endedCodes{until}, until)
}

// first returns the error of the first step that fails. The steps after it are not done.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
