package memory

import (
	"bytes"
	"context"

	"basecamp-mcp/internal/authserver"
)

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (b *AuthStore) AddLoginState(ctx context.Context, s authserver.LoginState) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, taken := b.steps.get(s.Key, now); taken {
		return authserver.ErrConflict
	}
	b.steps.put(s.Key, copyOfStep(s), now)
	return nil
}

// LoginState returns a login state without removing it, or ErrNotFound.
func (b *AuthStore) LoginState(ctx context.Context, key authserver.Hash) (authserver.LoginState, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.LoginState{}, err
	}
	defer b.mu.Unlock()
	s, ok := b.steps.get(key, now)
	if !ok {
		return authserver.LoginState{}, authserver.ErrNotFound
	}
	return copyOfStep(s), nil
}

// TakeLoginState removes a login state. It returns the login state if the binding matches,
// otherwise ErrNotFound.
func (b *AuthStore) TakeLoginState(ctx context.Context, key, binding authserver.Hash) (authserver.LoginState, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.LoginState{}, err
	}
	defer b.mu.Unlock()
	s, ok := b.steps.get(key, now)
	b.steps.remove(key)
	if !ok || !bound(s, binding) {
		return authserver.LoginState{}, authserver.ErrNotFound
	}
	return s, nil
}

// ReplaceLoginState removes a login state and adds next. It returns ErrNotFound if there is no
// step with that binding, and ErrConflict if next's key exists; then it changes nothing.
func (b *AuthStore) ReplaceLoginState(ctx context.Context, key, binding authserver.Hash, next authserver.LoginState) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if s, ok := b.steps.get(key, now); !ok || !bound(s, binding) {
		return authserver.ErrNotFound
	}
	if _, taken := b.steps.get(next.Key, now); taken {
		return authserver.ErrConflict
	}
	b.steps.remove(key)
	b.steps.put(next.Key, copyOfStep(next), now)
	return nil
}

func bound(s authserver.LoginState, binding authserver.Hash) bool {
	return s.Binding == "" || s.Binding == binding
}

func copyOfStep(s authserver.LoginState) authserver.LoginState {
	s.Body = bytes.Clone(s.Body)
	return s
}
