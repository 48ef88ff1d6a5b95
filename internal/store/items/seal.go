package items

import (
	"context"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/store/aesgcm"
)

// Keys keeps the keys with which tokens, and what undoes calls, are sealed, outside the engine.
// internal/store/sealkey and internal/store/secrets implement it.
type Keys interface {
	// Current returns the key for new tokens and its ID, which has no dot. A key of one machine is
	// made if there is none; only one process calls it at a time.
	Current(ctx context.Context) (id string, key []byte, err error)
	// Key returns the key with an ID, or nil if it no longer exists. An error means that it could not
	// be reached, or that the operator can put it back.
	Key(ctx context.Context, id string) ([]byte, error)
}

// keychain has the keys, and remembers those that this process has used, if it may.
type keychain struct {
	Keys
	remembers bool
	known     sync.Map // of sealKeys, by ID; "" is the current one
}

type sealKey struct {
	id  string
	key []byte // nil: lost
}

// find returns the key with an ID, or the current one for "".
func (k *keychain) find(id string, ask func() (sealKey, error)) (sealKey, error) {
	if known, ok := k.known.Load(id); ok {
		return known.(sealKey), nil
	}
	found, err := ask()
	if err != nil {
		return found, fmt.Errorf("find the key for tokens: %w", err)
	}
	if k.remembers && found.key != nil {
		k.known.Store(found.id, found)
		k.known.Store(id, found)
	}
	return found, nil
}

// labelOf returns a label that is different for different parts.
func labelOf(parts ...string) []byte {
	label, _ := json.Marshal(parts) // never fails for strings
	return label
}

// sealing returns the current key's ID, and the cipher for each label (AES-256-GCM with a random
// nonce, and a key that is derived for the label).
func (s *Store) sealing(ctx context.Context) (id string, box func(label []byte) cipher.AEAD, err error) {
	k, err := s.keys.find("", func() (k sealKey, err error) {
		// In a write, because two processes must not make a key each.
		err = s.engine.Write(ctx, func(Tx) error {
			k.id, k.key, err = s.keys.Current(ctx)
			return err
		})
		return k, err
	})
	return k.id, func(label []byte) cipher.AEAD { return aesgcm.For(string(label), k.key) }, err
}

var (
	errKeyLost    = errors.New("the key is lost")
	errSealBroken = errors.New("the text was changed")
)

// sealed is the item of a text that was sealed with a key; without one, there is no text.
type sealed struct {
	Key    string `json:",omitempty"` // its ID
	Sealed []byte `json:",omitempty"`
}

// unseal returns tokens that were sealed with the same label. It returns grant.ErrNotFound, after
// it has logged why, if the key is lost or the text was changed.
func (s *Store) unseal(ctx context.Context, label []byte, in sealed) ([]byte, error) {
	plain, err := s.open(ctx, label, in)
	switch {
	case errors.Is(err, errKeyLost):
		s.log.WarnContext(ctx, "the key of stored tokens is lost, so the user must sign in again")
		return nil, grant.ErrNotFound
	case errors.Is(err, errSealBroken):
		return nil, s.refuse(ctx)
	}
	return plain, err
}

// open decrypts what was sealed with the same label, or returns errKeyLost or errSealBroken.
func (s *Store) open(ctx context.Context, label []byte, in sealed) ([]byte, error) {
	k, err := s.keys.find(in.Key, func() (sealKey, error) {
		key, err := s.keys.Key(ctx, in.Key)
		return sealKey{in.Key, key}, err
	})
	switch {
	case err != nil:
		return nil, err
	case k.key == nil:
		return nil, errKeyLost
	}
	plain, err := aesgcm.For(string(label), k.key).Open(nil, nil, in.Sealed, label)
	if err != nil {
		return nil, errSealBroken
	}
	return plain, nil
}

// refuse reports stored tokens that must not be used, and returns grant.ErrNotFound.
func (s *Store) refuse(ctx context.Context) error {
	s.log.ErrorContext(ctx, "stored tokens were changed, or belong to another place, so the user must sign in again")
	return grant.ErrNotFound
}
