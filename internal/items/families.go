package items

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
)

// The items of a family. The item of kind login has no content: it lists the family under its user.
const (
	kindFamily  = "family"
	kindLogin   = "login"
	kindAccess  = "access token"
	kindRefresh = "refresh token"
	kindSession = "ended session"
)

func familyKey(id string) Key { return Key{kindFamily, "", id} }

func accessKey(family string, token authserver.Hash) Key {
	return Key{kindAccess, family, string(token)}
}

func refreshKey(family string, token authserver.Hash) Key {
	return Key{kindRefresh, family, string(token)}
}

// endOf returns the time at which a family expires, revoked or not.
func endOf(f authserver.Family) time.Time {
	if f.EndsAt.Before(f.ExpiresAt) {
		return f.EndsAt
	}
	return f.ExpiresAt
}

func (t tx) putFamily(f authserver.Family) error { return t.put(familyKey(f.ID), f, endOf(f)) }

func (t tx) putTokens(family string, a authserver.Access, r authserver.Refresh) error {
	if err := t.put(accessKey(family, a.Hash), a, a.ExpiresAt); err != nil {
		return err
	}
	return t.put(refreshKey(family, r.Hash), r, r.ExpiresAt)
}

// Access returns a family with one of its access tokens, and whether a session of it was ended; or
// ErrNotFound.
func (s *Store) Access(
	ctx context.Context, id string, token, session authserver.Hash,
) (f authserver.Family, a authserver.Access, ended bool, err error) {
	var none struct{}
	found, err := s.together(ctx, "read an access token", map[Key]any{
		familyKey(id): &f, accessKey(id, token): &a, {kindSession, id, string(session)}: &none,
	})
	if err == nil && (!found[familyKey(id)] || !found[accessKey(id, token)]) {
		err = authserver.ErrNotFound
	}
	if err != nil {
		return authserver.Family{}, authserver.Access{}, false, err
	}
	return f, a, found[Key{kindSession, id, string(session)}], nil
}

// Refresh returns a family with one of its refresh tokens, also a rotated one; or ErrNotFound. Both
// are read at the same moment.
func (s *Store) Refresh(ctx context.Context, id string, token authserver.Hash) (f authserver.Family, r authserver.Refresh, err error) {
	found, err := s.together(ctx, "read a refresh token", map[Key]any{familyKey(id): &f, refreshKey(id, token): &r})
	if err == nil && len(found) < 2 {
		err = authserver.ErrNotFound
	}
	if err != nil {
		return authserver.Family{}, authserver.Refresh{}, err
	}
	return f, r, nil
}

// Rotate replaces a refresh token. It returns ErrConflict, and changes nothing, unless the token is
// the newest one of a live family.
func (s *Store) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	return s.write(ctx, "rotate a refresh token", func(t tx) error {
		own, err := t.liveFamily(f.ID)
		if err != nil {
			return err
		}
		var stored authserver.Refresh
		ok, err := t.find(refreshKey(f.ID, old.Hash), &stored)
		if err != nil {
			return err
		}
		if !ok || !stored.RotatedAt.IsZero() || own.Generation != f.Generation-1 {
			return authserver.ErrConflict
		}
		stored.RotatedAt, stored.Sealed, stored.ExpiresAt = old.RotatedAt, old.Sealed, old.ExpiresAt
		own.Generation, own.Unconfirmed, own.RefreshedAt, own.ExpiresAt = f.Generation, f.Unconfirmed, f.RefreshedAt, f.ExpiresAt
		return first(
			func() error { return t.put(refreshKey(f.ID, old.Hash), stored, stored.ExpiresAt) },
			func() error { return t.putTokens(f.ID, access, next) },
			func() error { return t.putFamily(own) },
			func() error { return t.putConnected(own) },
		)
	})
}

// liveFamily returns a family that is not revoked, or ErrConflict.
func (t tx) liveFamily(id string) (f authserver.Family, err error) {
	ok, err := t.find(familyKey(id), &f)
	if err == nil && (!ok || !f.RevokedAt.IsZero()) {
		err = authserver.ErrConflict
	}
	return f, err
}

// AddAccess adds an access token. It returns ErrConflict if the family does not exist or was
// revoked.
func (s *Store) AddAccess(ctx context.Context, id string, a authserver.Access) error {
	return s.write(ctx, "add an access token", func(t tx) error {
		if _, err := t.liveFamily(id); err != nil {
			return err
		}
		return t.put(accessKey(id, a.Hash), a, a.ExpiresAt)
	})
}

// SetFence replaces the fence of a live family. It returns ErrConflict, and changes nothing, if the
// family is not live or has another fence than was.
func (s *Store) SetFence(ctx context.Context, id string, was, next fence.Fence) error {
	return s.write(ctx, "change a fence", func(t tx) error {
		f, err := t.liveFamily(id)
		if err == nil && !f.Fence.Equal(was) {
			err = authserver.ErrConflict
		}
		if err != nil {
			return err
		}
		f.Fence = next
		return t.putFamily(f)
	})
}

// Confirm sets a family's Unconfirmed to zero if it equals the generation.
func (s *Store) Confirm(ctx context.Context, id string, generation int) error {
	return s.changeFamily(ctx, "confirm a refresh", id, func(f *authserver.Family) bool {
		changes := f.Unconfirmed == generation && generation != 0
		if changes {
			f.Unconfirmed = 0
		}
		return changes
	})
}

// Revoke revokes a family with all its tokens. A second call does not change the time and the
// reason.
func (s *Store) Revoke(ctx context.Context, id, reason string, at time.Time) error {
	return s.changeFamily(ctx, "revoke a family", id, func(f *authserver.Family) bool {
		changes := f.RevokedAt.IsZero()
		if changes {
			f.RevokedAt, f.RevokedFor = at, reason
		}
		return changes
	})
}

// changeFamily changes a family, if it exists and change returns true.
func (s *Store) changeFamily(ctx context.Context, doing, id string, change func(*authserver.Family) bool) error {
	return s.write(ctx, doing, func(t tx) error {
		var f authserver.Family
		ok, err := t.find(familyKey(id), &f)
		if err != nil || !ok || !change(&f) {
			return err
		}
		return t.putFamily(f)
	})
}

// RevokeAccess revokes one access token.
func (s *Store) RevokeAccess(ctx context.Context, id string, token authserver.Hash) error {
	return s.remove(ctx, "revoke an access token", accessKey(id, token))
}

// FamiliesOf returns a user's live families, newest first.
func (s *Store) FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error) {
	const doing = "read a user's families"
	logins, err := s.engine.List(ctx, Range{Kind: kindLogin, Owner: subject})
	if err != nil {
		return nil, s.failed(doing, err)
	}
	var live []authserver.Family
	for _, login := range logins {
		var f authserver.Family
		found, err := s.read(ctx, doing, familyKey(login.Name), &f)
		if err != nil {
			return nil, err
		}
		if found && f.Live(s.now()) {
			live = append(live, f)
		}
	}
	slices.SortFunc(live, func(x, y authserver.Family) int {
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return live, nil
}

// EndSession stores until a time that a session of a family has ended.
func (s *Store) EndSession(ctx context.Context, id string, session authserver.Hash, until time.Time) error {
	return s.put(ctx, "end a session", Key{kindSession, id, string(session)}, struct{}{}, until)
}
