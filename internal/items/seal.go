package items

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync"

	"basecamp-mcp/internal/aesgcm"
	"basecamp-mcp/internal/grant"
)

// Keys keeps the key with which tokens are sealed, outside the engine. internal/sealkey implements
// it.
type Keys interface {
	// Current returns the key for new tokens, of 32 bytes, and its ID. It makes one if there is
	// none. Only one process calls it at a time.
	Current(ctx context.Context) (id string, key []byte, err error)
	// Key returns the key with an ID, or nil if it no longer exists. An error means that it could
	// not be reached.
	Key(ctx context.Context, id string) ([]byte, error)
}

// keychain remembers the keys that this process has used.
type keychain struct {
	keys Keys

	mu      sync.Mutex
	current string
	known   map[string][]byte // by ID
}

// seal encrypts a text (AES-256-GCM with a random nonce) and binds it to a label. It returns the ID
// of the key.
func (s *Store) seal(ctx context.Context, label, plain []byte) (id string, sealed []byte, err error) {
	id, key := s.keys.remembered("")
	if key == nil {
		// In a write, because two processes must not make a key each.
		err = s.engine.Write(ctx, false, func(Tx) error {
			id, key, err = s.keys.keys.Current(ctx)
			return err
		})
		if err != nil {
			return "", nil, fmt.Errorf("find the key for tokens: %w", err)
		}
		s.keys.remember(id, key, true)
	}
	box, err := sealing(key)
	if err != nil {
		return "", nil, err
	}
	return id, box.Seal(nil, nil, plain, label), nil
}

// unseal decrypts what seal has sealed with the same label. It returns grant.ErrNotFound, after it
// has logged why, if the key is lost or the text was changed.
func (s *Store) unseal(ctx context.Context, id string, label, sealed []byte) ([]byte, error) {
	_, key := s.keys.remembered(id)
	if key == nil {
		var err error
		if key, err = s.keys.keys.Key(ctx, id); err != nil {
			return nil, fmt.Errorf("find the key for tokens: %w", err)
		}
		if key == nil {
			s.log.WarnContext(ctx, "the key of stored tokens is lost, so the user must sign in again")
			return nil, grant.ErrNotFound
		}
		s.keys.remember(id, key, false)
	}
	box, err := sealing(key)
	if err != nil {
		return nil, err
	}
	plain, err := box.Open(nil, nil, sealed, label)
	if err != nil {
		s.log.WarnContext(ctx, "stored tokens cannot be unsealed, so the user must sign in again")
		return nil, grant.ErrNotFound
	}
	return plain, nil
}

var errKeyLength = errors.New("the key for tokens does not have 32 bytes")

// sealing returns a cipher that puts a new random nonce before every text.
func sealing(key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, errKeyLength
	}
	return aesgcm.With(key)
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
	k.known[id] = key
	if current {
		k.current = id
	}
}
