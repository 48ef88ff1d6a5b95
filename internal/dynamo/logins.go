package dynamo

import (
	"context"
	"time"

	"basecamp-mcp/internal/authserver"
)

func stepFields(s *authserver.LoginState) fields {
	return fields{"binding": (*string)(&s.Binding), "body": &s.Body, "exp": &s.ExpiresAt}
}

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (t *Table) AddLoginState(ctx context.Context, s authserver.LoginState) error {
	tx := t.begin("add a step")
	tx.put(stepKey(s.Key), stepFields(&s), free(t.now()))
	return tx.commitOr(ctx, authserver.ErrConflict)
}

// LoginState returns a login state without removing it, or ErrNotFound.
func (t *Table) LoginState(ctx context.Context, hash authserver.Hash) (authserver.LoginState, error) {
	const doing = "read a step"
	it, err := t.get(ctx, doing, stepKey(hash))
	if err != nil {
		return authserver.LoginState{}, err
	}
	return t.stepIn(it, hash, doing)
}

// TakeLoginState removes a login state. It returns the login state to the one caller that removed
// it, if the binding matches, otherwise ErrNotFound. If the answer was lost, a retry also returns
// ErrNotFound, and the user must start the login again.
func (t *Table) TakeLoginState(ctx context.Context, hash, binding authserver.Hash) (authserver.LoginState, error) {
	const doing = "take a step"
	it, err := t.remove(ctx, doing, stepKey(hash))
	if err != nil {
		return authserver.LoginState{}, err
	}
	s, err := t.stepIn(it, hash, doing)
	if err != nil {
		return authserver.LoginState{}, err
	}
	if s.Binding != "" && s.Binding != binding {
		return authserver.LoginState{}, authserver.ErrNotFound
	}
	return s, nil
}

// ReplaceLoginState removes a login state and adds next. It returns ErrNotFound if there is no
// step with that binding, and ErrConflict if next's key exists; then it changes nothing.
func (t *Table) ReplaceLoginState(ctx context.Context, hash, binding authserver.Hash, next authserver.LoginState) error {
	now := t.now()
	tx := t.begin("replace a step")
	tx.delete(stepKey(hash), condition{
		"exp > :now AND (attribute_not_exists(binding) OR binding = :binding)",
		fields{":now": &now, ":binding": (*string)(&binding)},
	})
	tx.put(stepKey(next.Key), stepFields(&next), free(now))
	switch refused, err := tx.commit(ctx); refused {
	case 0:
		return err
	case 1:
		return authserver.ErrNotFound
	default:
		return authserver.ErrConflict
	}
}

func (t *Table) stepIn(it item, hash authserver.Hash, doing string) (authserver.LoginState, error) {
	s := authserver.LoginState{Key: hash}
	if err := stepFields(&s).read(it); err != nil {
		return authserver.LoginState{}, failed(doing, err)
	}
	if !t.now().Before(s.ExpiresAt) {
		return authserver.LoginState{}, authserver.ErrNotFound
	}
	return s, nil
}

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
	return tx.commitOr(ctx, authserver.ErrConflict)
}

// Code returns a code, or ErrNotFound. Used codes, and codes that expired up to a day ago, are
// found.
func (t *Table) Code(ctx context.Context, hash authserver.Hash) (authserver.Code, error) {
	c := authserver.Code{Hash: hash}
	if _, err := t.load(ctx, "read a code", codeKey(hash), codeFields(&c)); err != nil {
		return authserver.Code{}, err
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
	return tx.commitOr(ctx, authserver.ErrConflict)
}

// EndCodes ends a user's codes that expire at a time or earlier. Codes have no index by user, so
// one item ends all of them. It is stored as long as one of them could be redeemed.
func (t *Table) EndCodes(ctx context.Context, subject string, until time.Time) error {
	tx := t.begin("end a person's codes")
	tx.put(endedCodesKey(subject), fields{"exp": &until}, always)
	return tx.commitOr(ctx, nil)
}

func clientFields(c *authserver.Client) fields { return fields{"client": c, "exp": &c.ExpiresAt} }

// Client returns a client, or ErrNotFound. It sees every earlier write, because clients log in
// immediately after their registration.
func (t *Table) Client(ctx context.Context, id string) (authserver.Client, error) {
	var c authserver.Client
	if _, err := t.load(ctx, "read a client", clientKey(id), clientFields(&c)); err != nil {
		return authserver.Client{}, err
	}
	if !t.now().Before(c.ExpiresAt) {
		return authserver.Client{}, authserver.ErrNotFound
	}
	return c, nil
}

// SaveClient adds or replaces a client.
func (t *Table) SaveClient(ctx context.Context, c authserver.Client) error {
	return t.put(ctx, "save a client", clientKey(c.ID), clientFields(&c))
}
