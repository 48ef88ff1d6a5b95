package items

import (
	"context"

	"basecamp-mcp/internal/authserver"
)

const kindLoginState = "login state"

func loginStateKey(hash authserver.Hash) Key { return Key{kindLoginState, "", string(hash)} }

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (s *Store) AddLoginState(ctx context.Context, state authserver.LoginState) error {
	return s.write(ctx, "add a login state", func(t tx) error { return t.addLoginState(state) })
}

func (t tx) addLoginState(state authserver.LoginState) error {
	return t.add(loginStateKey(state.Key), state, state.ExpiresAt, authserver.ErrConflict)
}

// LoginState returns a login state without removing it, or ErrNotFound.
func (s *Store) LoginState(ctx context.Context, hash authserver.Hash) (state authserver.LoginState, err error) {
	err = s.get(ctx, "read a login state", loginStateKey(hash), &state, authserver.ErrNotFound)
	return state, err
}

// TakeLoginState removes a login state. It returns the login state if the binding matches,
// otherwise ErrNotFound.
func (s *Store) TakeLoginState(ctx context.Context, hash, binding authserver.Hash) (state authserver.LoginState, err error) {
	found := false
	err = s.write(ctx, "take a login state", func(t tx) error {
		if found, err = t.find(loginStateKey(hash), &state); err != nil {
			return err
		}
		return t.Remove(loginStateKey(hash))
	})
	if err == nil && (!found || !bound(state, binding)) {
		err = authserver.ErrNotFound
	}
	if err != nil {
		return authserver.LoginState{}, err
	}
	return state, nil
}

// ReplaceLoginState removes a login state and adds next. It returns ErrNotFound if there is no
// state with that binding, and ErrConflict if next's key exists; then it changes nothing.
func (s *Store) ReplaceLoginState(ctx context.Context, hash, binding authserver.Hash, next authserver.LoginState) error {
	return s.write(ctx, "replace a login state", func(t tx) error {
		var state authserver.LoginState
		ok, err := t.find(loginStateKey(hash), &state)
		if err == nil && (!ok || !bound(state, binding)) {
			err = authserver.ErrNotFound
		}
		if err == nil {
			err = t.addLoginState(next)
		}
		if err != nil {
			return err
		}
		return t.Remove(loginStateKey(hash))
	})
}

func bound(state authserver.LoginState, binding authserver.Hash) bool {
	return state.Binding == "" || state.Binding == binding
}
