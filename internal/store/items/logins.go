package items

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/authserver"
)

const (
	kindLoginState = "state"
	kindLink       = "link" // a login state of a link that a tool shows
)

func loginStateKey(hash authserver.Hash) Key {
	if link, ok := strings.CutPrefix(string(hash), authserver.LinkKey); ok {
		return Key{kindLink, "", link}
	}
	return Key{kindLoginState, "", string(hash)}
}

// AddLoginState adds a login state. It returns ErrConflict if its key exists.
func (s *Store) AddLoginState(ctx context.Context, state authserver.LoginState) error {
	return s.write(ctx, "add a login state", func(t *tx) {
		t.add(loginStateKey(state.Key), state, state.ExpiresAt, authserver.ErrConflict)
	})
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
	err = s.write(ctx, "take a login state", func(t *tx) {
		found = t.find(loginStateKey(hash), &state)
		t.remove(loginStateKey(hash))
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
	return s.write(ctx, "replace a login state", func(t *tx) {
		var state authserver.LoginState
		t.get(loginStateKey(hash), &state, authserver.ErrNotFound)
		t.refuse(!bound(state, binding), authserver.ErrNotFound)
		t.add(loginStateKey(next.Key), next, next.ExpiresAt, authserver.ErrConflict)
		t.remove(loginStateKey(hash))
	})
}

func bound(state authserver.LoginState, binding authserver.Hash) bool {
	return state.Binding == "" || state.Binding == binding
}

const (
	kindCode       = "code"
	kindEndedCodes = "ended"
	// replayWindow is how long a code stays readable after its expiry.
	replayWindow = 24 * time.Hour
)

func codeKey(hash authserver.Hash) Key { return Key{kindCode, "", string(hash)} }

// endedCodes ends the codes of a user that expire at a time or earlier.
type endedCodes struct{ Until time.Time }

func endedCodesKey(subject string) Key { return Key{kindEndedCodes, "", subject} }

// AddCode adds a code. It returns ErrConflict if its hash exists.
func (s *Store) AddCode(ctx context.Context, c authserver.Code) error {
	return s.write(ctx, "add a code", func(t *tx) {
		t.add(codeKey(c.Hash), c, c.ExpiresAt.Add(replayWindow), authserver.ErrConflict)
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
	return s.write(ctx, "redeem a code", func(t *tx) {
		var ended endedCodes
		var c authserver.Code
		t.find(endedCodesKey(f.Subject), &ended)
		t.get(codeKey(code.Hash), &c, authserver.ErrConflict)
		t.refuse(!c.UsedAt.IsZero() || !at.Before(c.ExpiresAt) || !code.ExpiresAt.After(ended.Until), authserver.ErrConflict)
		c.UsedAt = at
		t.put(codeKey(c.Hash), c, c.ExpiresAt.Add(replayWindow))
		t.put(Key{kindLogin, f.Subject, f.ID}, struct{}{}, f.EndsAt)
		t.add(familyKey(f.ID), f, endOf(f), authserver.ErrConflict)
		t.putTokens(f, a, r)
	})
}

// EndCodes ends a user's codes that expire at a time or earlier.
func (s *Store) EndCodes(ctx context.Context, subject string, until time.Time) error {
	return s.put(ctx, "end a user's codes", endedCodesKey(subject), endedCodes{until}, until)
}

const (
	kindClient    = "client"
	kindConnected = "connected" // has no content: the client with this name has a family
)

// clientKey returns a key with a digest, because a client ID may be a long URL.
func clientKey(id string) Key { return Key{kindClient, "", digest(id)} }

// Client returns a client, or ErrNotFound.
func (s *Store) Client(ctx context.Context, id string) (c authserver.Client, err error) {
	err = s.get(ctx, "read a client", clientKey(id), &c, authserver.ErrNotFound)
	return c, err
}

// SaveClient adds or replaces a client. It displaces no client that has redeemed a code.
func (s *Store) SaveClient(ctx context.Context, c authserver.Client) error {
	return s.put(ctx, "save a client", clientKey(c.ID), c, c.ExpiresAt)
}
