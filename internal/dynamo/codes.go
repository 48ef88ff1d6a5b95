package dynamo

import (
	"context"
	"time"

	"basecamp-mcp/internal/authserver"
)

func codeFields(c *authserver.Code) fields {
	return fields{
		"family": &c.Family, "subject": &c.Subject, "person": &c.Person, "account": &c.Account, "account_name": &c.AccountName,
		"client": &c.Client, "redirect_uri": &c.RedirectURI, "challenge": &c.Challenge, "resource": &c.Resource,
		"scopes": &c.Scopes, "fence": &c.Fence, "exp": &c.ExpiresAt, "used": &c.UsedAt,
	}
}

// AddCode adds a code. It returns ErrConflict if its hash exists.
func (t *Table) AddCode(ctx context.Context, c authserver.Code) error {
	tx := t.begin("add a code")
	tx.put(codeKey(c.Hash), codeFields(&c), free(t.now().Add(-retention)))
	return orConflict(tx.commit(ctx))
}

// Code returns a code, or ErrNotFound. Used codes, and codes that expired up to a day ago, are
// found.
func (t *Table) Code(ctx context.Context, hash authserver.Hash) (authserver.Code, error) {
	const doing = "read a code"
	it, err := t.get(ctx, doing, codeKey(hash))
	if err != nil {
		return authserver.Code{}, err
	}
	c := authserver.Code{Hash: hash}
	if err := codeFields(&c).read(it); err != nil {
		return authserver.Code{}, failed(doing, err)
	}
	if !t.now().Before(c.ExpiresAt.Add(retention)) {
		return authserver.Code{}, authserver.ErrNotFound
	}
	return c, nil
}

// Redeem marks the code as used and adds the family with its first tokens. It returns ErrConflict,
// and changes nothing, if the code does not exist, was used, has expired or was ended, or if the
// family exists.
func (t *Table) Redeem(
	ctx context.Context, code authserver.Code, at time.Time, f authserver.Family, a authserver.Access, r authserver.Refresh,
) error {
	tx := t.begin("redeem a code")
	tx.check(endedCodesKey(f.Subject), condition{"attribute_not_exists(pk) OR exp < :expires", fields{":expires": &code.ExpiresAt}})
	tx.update(codeKey(code.Hash), fields{"used": &at}, condition{
		"attribute_not_exists(used) AND exp > :at", fields{":at": &at},
	})
	tx.put(familyKey(f.ID), familyFields(&f), free(t.now()))
	tx.put(accessKey(f.ID, a.Hash), accessFields(&a), always)
	tx.put(refreshKey(f.ID, r.Hash), refreshFields(&r), always)
	tx.put(indexKey(f.Subject, f.ID), indexFields(&f), always)
	return orConflict(tx.commit(ctx))
}

// EndCodes ends a user's codes that expire at a time or earlier. Codes have no index by user, so
// one item ends all of them. It is stored as long as one of them could be redeemed.
func (t *Table) EndCodes(ctx context.Context, subject string, until time.Time) error {
	tx := t.begin("end a person's codes")
	tx.put(endedCodesKey(subject), fields{"exp": &until}, always)
	_, err := tx.commit(ctx)
	return err
}
