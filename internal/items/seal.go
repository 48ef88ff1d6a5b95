package items

import (
	"context"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"basecamp-mcp/internal/aesgcm"
	"basecamp-mcp/internal/grant"
)

// Keys keeps the keys with which tokens, and what undoes calls, are sealed, outside the engine.
// internal/sealkey and internal/secrets implement it.
type Keys interface {
	// Current returns the key for new tokens and its ID, which has no dot. A key of one machine is
	// made if there is none; only one process calls it at a time.
	Current(ctx context.Context) (id string, key []byte, err error)
	// Key returns the key with an ID, or nil if it no longer exists. An error means that it could not
	// be reached, or that the operator can put it back.
	Key(ctx context.Context, id string) ([]byte, error)
}

// keychain remembers the keys that this process has used, if it may.
type keychain struct {
	keys      Keys
	remembers bool

	mu      sync.Mutex
	current string
	known   map[string][]byte // by ID
}

// labelOf returns a label that is different for different parts.
func labelOf(parts ...string) []byte {
	label, _ := json.Marshal(parts) // never fails for strings
	return label
}

// sealing returns the current key's ID, and the cipher for each label (AES-256-GCM with a random
// nonce, and a key that is derived for the label).
func (s *Store) sealing(ctx context.Context) (id string, box func(label []byte) cipher.AEAD, err error) {
	id, key := s.keys.remembered("")
	if key == nil {
		// In a write, because two processes must not make a key each.
		err = s.engine.Write(ctx, func(Tx) error {
			id, key, err = s.keys.keys.Current(ctx)
			return err
		})
		if err != nil {
			return "", nil, fmt.Errorf("find the key for tokens: %w", err)
		}
		s.keys.remember(id, key, true)
	}
	return id, func(label []byte) cipher.AEAD { return aesgcm.For(string(label), key) }, nil
}

var (
	errKeyLost    = errors.New("the key is lost")
	errSealBroken = errors.New("the text was changed")
)

// unseal returns tokens that were sealed with a key and the same label. It returns
// grant.ErrNotFound, after it has logged why, if the key is lost or the text was changed.
func (s *Store) unseal(ctx context.Context, id string, label, sealed []byte) ([]byte, error) {
	plain, err := s.open(ctx, id, label, sealed)
	switch {
	case errors.Is(err, errKeyLost):
		s.log.WarnContext(ctx, "the key of stored tokens is lost, so the user must sign in again")
		return nil, grant.ErrNotFound
	case errors.Is(err, errSealBroken):
		return nil, s.refuse(ctx)
	}
	return plain, err
}

// open decrypts what was sealed with a key and the same label, or returns errKeyLost or
// errSealBroken.
func (s *Store) open(ctx context.Context, id string, label, sealed []byte) ([]byte, error) {
	_, key := s.keys.remembered(id)
	if key == nil {
		var err error
		if key, err = s.keys.keys.Key(ctx, id); err != nil {
			return nil, fmt.Errorf("find the key for tokens: %w", err)
		}
		if key == nil {
			return nil, errKeyLost
		}
		s.keys.remember(id, key, false)
	}
	plain, err := aesgcm.For(string(label), key).Open(nil, nil, sealed, label)
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

// remembered returns a key by its ID, or the current one for "".
func (k *keychain) remembered(id string) (string, []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id == "" {
		id = k.current
	}
	return id, k.known[id]
}

func (k *keychain) remember(id string, key []byte, current bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.remembers {
		k.known[id] = key
	}
	if current && k.remembers {
		k.current = id
	}
}
