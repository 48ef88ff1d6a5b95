package items

import (
	"cmp"
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
)

// The items of a family. The item of kind login has no content: it lists the family under its user.
const (
	kindFamily  = "family"
	kindLogin   = "login"
	kindAccess  = "access"
	kindRefresh = "refresh"
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

func (t *tx) putFamily(f authserver.Family) { t.put(familyKey(f.ID), f, endOf(f)) }

// putTokens adds tokens of a family, whose client is then displaced by no client without a family.
func (t *tx) putTokens(f authserver.Family, a authserver.Access, r authserver.Refresh) {
	t.put(accessKey(f.ID, a.Hash), a, a.ExpiresAt)
	t.put(refreshKey(f.ID, r.Hash), r, r.ExpiresAt)
	if t.store.local {
		t.put(Key{kindConnected, "", clientKey(f.Client.ID).Name}, struct{}{}, endOf(f))
	}
}

// Access returns a family with one of its access tokens, and whether a session of it was ended; or
// ErrNotFound. All three items are read at each request.
func (s *Store) Access(
	ctx context.Context, id string, token, session authserver.Hash,
) (f authserver.Family, a authserver.Access, ended bool, err error) {
	found, err := s.engine.Find(ctx, familyKey(id), accessKey(id, token), marksKey(id))
	f, m, err := withToken(&s.decoded, found, err, &a)
	if err != nil {
		return authserver.Family{}, authserver.Access{}, false, s.failed("read an access token", err)
	}
	return f, a, m.ended(session, s.now()), nil
}

// Refresh returns a family with one of its refresh tokens, also a rotated one; or ErrNotFound. All
// are read at the same moment. Otherwise a token that was just rotated could meet a family that
// does not know it yet. It would look like an old token, and reuse of an old token revokes the
// family (RFC 9700 section 4.14.2).
func (s *Store) Refresh(ctx context.Context, id string, token authserver.Hash) (f authserver.Family, r authserver.Refresh, err error) {
	found, err := s.engine.FindTogether(ctx, familyKey(id), refreshKey(id, token), marksKey(id))
	f, _, err = withToken(&decoded{}, found, err, &r)
	if err != nil {
		return authserver.Family{}, authserver.Refresh{}, s.failed("read a refresh token", err)
	}
	return f, r, nil
}

// withToken decodes the items of a family, of one of its tokens and of its marks. It returns the
// family with what its marks add, or ErrNotFound unless the first two are there.
func withToken[T any](d *decoded, found []Item, err error, token *T) (f authserver.Family, m marks, _ error) {
	needed := 2
	for _, i := range found {
		switch {
		case err != nil:
		case i.Kind == kindMarks:
			err = recall(d, i, &m)
		case i.Kind == kindFamily:
			needed, err = needed-1, recall(d, i, &f)
		default:
			needed, err = needed-1, recall(d, i, token)
		}
	}
	if err == nil && needed > 0 {
		err = authserver.ErrNotFound
	}
	return m.on(f), m, err
}

// Rotate replaces a refresh token. It returns ErrConflict, and changes nothing, unless the token is
// the newest one of a live family. It does not look at the marks: if the MCP function revokes the
// family after the caller has read it, no read accepts the new tokens.
func (s *Store) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	return s.write(ctx, "rotate a refresh token", func(t *tx) {
		var stored authserver.Refresh
		own := t.liveFamily(f.ID)
		t.get(refreshKey(f.ID, old.Hash), &stored, authserver.ErrConflict)
		t.refuse(!stored.RotatedAt.IsZero() || own.Generation != f.Generation-1, authserver.ErrConflict)
		stored.RotatedAt, stored.Sealed, stored.ExpiresAt = old.RotatedAt, old.Sealed, old.ExpiresAt
		own.Generation, own.Unconfirmed, own.RefreshedAt, own.ExpiresAt = f.Generation, f.Unconfirmed, f.RefreshedAt, f.ExpiresAt
		t.put(refreshKey(f.ID, old.Hash), stored, stored.ExpiresAt)
		t.putFamily(own)
		t.putTokens(own, access, next)
	})
}

// liveFamily returns a family that is not revoked, or refuses the write with ErrConflict.
func (t *tx) liveFamily(id string) (f authserver.Family) {
	t.get(familyKey(id), &f, authserver.ErrConflict)
	t.refuse(!f.RevokedAt.IsZero(), authserver.ErrConflict)
	return f
}

// AddAccess adds an access token. It returns ErrConflict if the family does not exist or was
// revoked.
func (s *Store) AddAccess(ctx context.Context, id string, a authserver.Access) error {
	return s.write(ctx, "add an access token", func(t *tx) {
		t.liveFamily(id)
		t.put(accessKey(id, a.Hash), a, a.ExpiresAt)
	})
}

// SetFence replaces the fence of a live family. It returns ErrConflict, and changes nothing, if the
// family is not live or has another fence than was.
func (s *Store) SetFence(ctx context.Context, id string, was, next fence.Fence) error {
	return s.write(ctx, "change a fence", func(t *tx) {
		f := t.liveFamily(id)
		t.refuse(!f.Fence.Equal(was), authserver.ErrConflict)
		f.Fence = next
		t.putFamily(f)
	})
}

// Revoke revokes a family with all its tokens, because every read of a token also reads the family.
// A second call does not change the time and the reason.
func (s *Store) Revoke(ctx context.Context, id, reason string, at time.Time) error {
	return s.write(ctx, "revoke a family", func(t *tx) {
		var f authserver.Family
		if t.find(familyKey(id), &f) && f.RevokedAt.IsZero() {
			f.RevokedAt, f.RevokedFor = at, reason
			t.putFamily(f)
		}
	})
}

// RevokeAccess revokes one access token.
func (s *Store) RevokeAccess(ctx context.Context, id string, token authserver.Hash) error {
	return s.remove(ctx, "revoke an access token", accessKey(id, token))
}

// readAtOnce is how many families are read at once, with their marks.
const readAtOnce = 50

// FamiliesOf returns a user's live families, newest first. It skips families of other users, which
// only a forged item of kind login names. Marks that are unreadable do not keep a user from
// disconnecting a family.
func (s *Store) FamiliesOf(ctx context.Context, subject string) (live []authserver.Family, err error) {
	const doing = "read a user's families"
	logins, err := s.engine.List(ctx, Range{Kind: kindLogin, Owner: subject})
	if err != nil {
		return nil, s.failed(doing, err)
	}
	for some := range slices.Chunk(logins, readAtOnce) {
		var keys []Key
		for _, login := range some {
			keys = append(keys, familyKey(login.Name), marksKey(login.Name))
		}
		found, err := s.engine.Find(ctx, keys...)
		if err != nil {
			return nil, s.failed(doing, err)
		}
		for _, f := range s.familiesIn(ctx, found) {
			if f.Live(s.now()) && f.Subject == subject {
				live = append(live, f)
			}
		}
	}
	slices.SortFunc(live, func(x, y authserver.Family) int {
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(x.ID, y.ID))
	})
	return live, nil
}

// familiesIn returns the families among items, with what their marks add.
func (s *Store) familiesIn(ctx context.Context, found []Item) (families []authserver.Family) {
	marked := map[string]marks{}
	for _, i := range found {
		var m marks
		if i.Kind == kindMarks && s.readable(ctx, i, &m) {
			marked[i.Name] = m
		}
	}
	for _, i := range found {
		var f authserver.Family
		if i.Kind == kindFamily && s.readable(ctx, i, &f) {
			families = append(families, marked[i.Name].on(f))
		}
	}
	return families
}
