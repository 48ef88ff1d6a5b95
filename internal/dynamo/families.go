package dynamo

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
)

func familyFields(f *authserver.Family) fields {
	return fields{
		"subject": &f.Subject, "person": &f.Person, "account": &f.Account, "account_name": &f.AccountName,
		"client": &f.Client, "scopes": &f.Scopes, "fence": &f.Fence, "resource": &f.Resource, "key": &f.Key, "gen": &f.Generation,
		"unconfirmed": &f.Unconfirmed,
		"created":     &f.CreatedAt, "refreshed": &f.RefreshedAt, "exp": &f.ExpiresAt, "ends": &f.EndsAt,
		"revoked": &f.RevokedAt, "revoked_for": &f.RevokedFor,
	}
}

func accessFields(a *authserver.Access) fields {
	return fields{"scopes": &a.Scopes, "gen": &a.Generation, "exp": &a.ExpiresAt}
}

func refreshFields(r *authserver.Refresh) fields {
	return fields{"gen": &r.Generation, "exp": &r.ExpiresAt, "rotated": &r.RotatedAt, "sealed": &r.Sealed}
}

// living returns the condition that a family is not revoked and has not expired.
func living(now time.Time) condition {
	return condition{"attribute_not_exists(revoked) AND exp > :now AND ends > :now", fields{":now": &now}}
}

// Access returns a family with one of its access tokens, and whether a session of it was ended; or
// ErrNotFound. It sees every earlier write: clients often use a token as soon as it is issued, and
// a revoked token must fail at once.
func (t *Table) Access(
	ctx context.Context, family string, token, session authserver.Hash,
) (f authserver.Family, a authserver.Access, ended bool, err error) {
	const doing = "read an access token"
	found, err := t.batch(ctx, doing, true, familyKey(family), accessKey(family, token), marksKey(family))
	if err != nil {
		return f, a, false, err
	}
	a = authserver.Access{Hash: token}
	f, m, err := familyIn(family, found[familyKey(family)], found[marksKey(family)])
	if err := cmp.Or(err, accessFields(&a).read(found[accessKey(family, token)])); err != nil {
		return authserver.Family{}, authserver.Access{}, false, failed(doing, err)
	}
	// A missing item has a zero expiry, so it counts as expired.
	now := t.now()
	if expired(f, now) || !now.Before(a.ExpiresAt) {
		return authserver.Family{}, authserver.Access{}, false, authserver.ErrNotFound
	}
	return f, a, m.ended(session, now), nil
}

// Refresh returns a family with one of its refresh tokens, also a rotated one; or ErrNotFound. All
// are read at the same moment. Otherwise a token that was just rotated could meet a family that
// does not know it yet. It would look like an old token, and reuse of an old token revokes the
// family (RFC 9700 section 4.14.2).
func (t *Table) Refresh(ctx context.Context, family string, token authserver.Hash) (authserver.Family, authserver.Refresh, error) {
	const doing = "read a refresh token"
	r := authserver.Refresh{Hash: token}
	items, err := t.snapshot(ctx, familyKey(family), refreshKey(family, token), marksKey(family))
	if err != nil {
		return authserver.Family{}, authserver.Refresh{}, failed(doing, err)
	}
	f, _, err := familyIn(family, items[0], items[2])
	if err = cmp.Or(err, refreshFields(&r).read(items[1])); err != nil {
		return authserver.Family{}, authserver.Refresh{}, failed(doing, err)
	}
	if now := t.now(); expired(f, now) || !now.Before(r.ExpiresAt) {
		return authserver.Family{}, authserver.Refresh{}, authserver.ErrNotFound
	}
	return f, r, nil
}

// snapshot reads items as they are together at one moment, in the order of the keys. A missing item
// is nil.
func (t *Table) snapshot(ctx context.Context, keys ...key) (items []item, err error) {
	gets := make([]types.TransactGetItem, len(keys))
	for i, k := range keys {
		gets[i].Get = &types.Get{TableName: &t.name, Key: k.item()}
	}
	err = patiently(ctx, func() error {
		out, err := t.client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets}, noSilence)
		if err != nil {
			return err
		}
		if len(out.Responses) != len(keys) {
			return errUnreadable
		}
		for _, response := range out.Responses {
			items = append(items, response.Item)
		}
		return nil
	})
	return items, err
}

// Rotate replaces a refresh token. It returns ErrConflict, and changes nothing, unless the token is
// the newest one of a live family. It does not check the marks, which would cost two more units: if
// the MCP function revokes the family after the caller has read it, no read accepts the new tokens.
func (t *Table) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	now, generation := t.now(), f.Generation-1
	newest := living(now)
	newest.text += " AND gen = :gen"
	newest.values[":gen"] = &generation

	tx := t.begin("rotate a refresh token")
	tx.update(familyKey(f.ID), fields{
		"gen": &f.Generation, "unconfirmed": &f.Unconfirmed, "refreshed": &f.RefreshedAt, "exp": &f.ExpiresAt,
	}, newest)
	tx.update(refreshKey(f.ID, old.Hash), fields{"rotated": &old.RotatedAt, "sealed": &old.Sealed, "exp": &old.ExpiresAt}, condition{
		"attribute_not_exists(rotated) AND exp > :now", fields{":now": &now},
	})
	tx.put(refreshKey(f.ID, next.Hash), refreshFields(&next), always)
	tx.put(accessKey(f.ID, access.Hash), accessFields(&access), always)
	return tx.commitOr(ctx, authserver.ErrConflict)
}

// AddAccess adds an access token. It returns ErrConflict if the family does not exist or was
// revoked.
func (t *Table) AddAccess(ctx context.Context, family string, a authserver.Access) error {
	tx := t.begin("add an access token")
	tx.check(familyKey(family), living(t.now()))
	tx.put(accessKey(family, a.Hash), accessFields(&a), always)
	return tx.commitOr(ctx, authserver.ErrConflict)
}

// SetFence replaces the fence of a live family. It returns ErrConflict, and changes nothing, if the
// family is not live or has another fence than was. Every family has the attribute.
func (t *Table) SetFence(ctx context.Context, family string, was, next fence.Fence) error {
	same := living(t.now())
	same.text += " AND fence = :was"
	same.values[":was"] = &was
	tx := t.begin("change a fence")
	tx.update(familyKey(family), fields{"fence": &next}, same)
	return tx.commitOr(ctx, authserver.ErrConflict)
}

func expired(f authserver.Family, now time.Time) bool {
	return !now.Before(f.ExpiresAt) || !now.Before(f.EndsAt)
}
