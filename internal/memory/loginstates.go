package memory

import (
	"bytes"
	"context"
	"time"

	"basecamp-mcp/internal/authserver"
)

// steps are the login states of one kind.
type steps = *shelf[authserver.Hash, authserver.LoginState]

// step returns a login state, and whether there is one.
func (b *AuthStore) step(key authserver.Hash, now time.Time) (s authserver.LoginState, ok bool) {
	for _, kind := range b.steps {
		if s, ok = kind.get(key, now); ok {
			return s, true
		}
	}
	return s, false
}

func (b *AuthStore) putStep(s authserver.LoginState, now time.Time) {
	if b.steps[s.Kind] == nil {
		b.steps[s.Kind] = newShelf[authserver.Hash](mostOfAKind, func(s authserver.LoginState) time.Time { return s.ExpiresAt })
	}
	b.steps[s.Kind].put(s.Key, copyOfStep(s), now)
}

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (b *AuthStore) AddLoginState(ctx context.Context, s authserver.LoginState) error {
	now, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, taken := b.step(s.Key, now); taken {
		return authserver.ErrConflict
	}
	b.putStep(s, now)
	return nil
}

// LoginState returns a login state without removing it, or ErrNotFound.
func (b *AuthStore) LoginState(ctx context.Context, key authserver.Hash) (authserver.LoginState, error) {
	now, err := b.lock(ctx)
	if err != nil {
		return authserver.LoginState{}, err
	}
	defer b.mu.Unlock()
	s, ok := b.step(key, now)
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
	s, ok := b.step(key, now)
	if ok {
		b.steps[s.Kind].remove(key)
	}
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
	s, ok := b.step(key, now)
	if !ok || !bound(s, binding) {
		return authserver.ErrNotFound
	}
	if _, taken := b.step(next.Key, now); taken {
		return authserver.ErrConflict
	}
	b.steps[s.Kind].remove(key)
	b.putStep(next, now)
	return nil
}

func bound(s authserver.LoginState, binding authserver.Hash) bool {
	return s.Binding == "" || s.Binding == binding
}

func copyOfStep(s authserver.LoginState) authserver.LoginState {
	s.Body = bytes.Clone(s.Body)
	return s
}
