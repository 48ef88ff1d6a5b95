package dynamo

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

func stepFields(s *authserver.LoginState) fields {
	return fields{"binding": (*string)(&s.Binding), "body": &s.Body, "exp": &s.ExpiresAt}
}

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (t *Table) AddLoginState(ctx context.Context, s authserver.LoginState) error {
	tx := t.begin("add a step")
	tx.put(stepKey(s.Key), stepFields(&s), free(t.now()))
	return orConflict(tx.commit(ctx))
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
	refused, err := tx.commit(ctx)
	if refused == 1 {
		return authserver.ErrNotFound
	}
	return orConflict(refused, err)
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
