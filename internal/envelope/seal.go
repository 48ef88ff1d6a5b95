package envelope

import (
	"context"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"basecamp-mcp/internal/aesgcm"
)

// label is the place that a row is bound to.
type label struct {
	stack    string
	owner    Owner
	version  string // names the key, too
	revision int64
}

func (t *Tokens) label(subject string, r Row) label {
	return label{t.config.Stack, t.owner(subject), r.Version, r.Revision}
}

// seal returns r with a sealed text.
func (t *Tokens) seal(k Key, subject string, r Row, text string) Row {
	l := t.label(subject, r)
	r.Sealed = l.box(k).Seal(nil, nil, []byte(text), l.data())
	return r
}

// open returns the text that was sealed with the same label.
func (l label) open(k Key, sealed []byte) (string, error) {
	text, err := l.box(k).Open(nil, nil, sealed, l.data())
	if err != nil {
		return "", fmt.Errorf("open a row: %w", err)
	}
	return string(text), nil
}

// box returns AES-256-GCM with the user's key, and a random nonce for each row.
func (l label) box(k Key) cipher.AEAD {
	return aesgcm.For(joined("basecamp-mcp tokens", l.stack, l.owner.Provider, l.owner.Subject), k.Secret)
}

// data returns the associated data of a row.
func (l label) data() []byte {
	id, _, _ := KeyOf(l.version)
	return []byte(joined(prefix, l.stack, l.owner.Provider, l.owner.Subject, l.version, id, strconv.FormatInt(l.revision, 10)))
}

// Keys is the key ring of a deployment.
type Keys interface {
	// Current returns the key for new tokens.
	Current(ctx context.Context) (Key, error)
	// Key returns the key with an ID. It returns ErrNoKey if the ring was read and does not have it;
	// every other error means that the ring could not be read.
	Key(ctx context.Context, id string) (Key, error)
}

// ErrNoKey means that the key ring does not have a key.
var ErrNoKey = errors.New("the key ring does not have the key")

// Key is a key of a key ring. Users' keys are derived from Secret.
type Key struct {
	ID     string // 1 to 32 letters, digits, hyphens and underscores: "k1"
	Secret []byte
}

// Fingerprint returns 12 hexadecimal digits that tell keys with the same ID apart: two rings may
// both have a "k1". They say nothing else about the secret.
func (k Key) Fingerprint() string {
	sum, err := hkdf.Key(sha256.New, k.Secret, nil, "basecamp-mcp key fingerprint", 6)
	if err != nil {
		panic(fmt.Sprintf("derive a fingerprint: %v", err)) // only for more than 8,160 bytes
	}
	return hex.EncodeToString(sum)
}

// usable returns why a key cannot seal tokens, or nil.
func (k Key) usable() error {
	switch {
	case !isKeyID(k.ID):
		return errors.New("the ID of the current key must consist of 1 to 32 letters, digits, hyphens and underscores")
	case len(k.Secret) == 0:
		return fmt.Errorf("key %s is empty", k.ID)
	}
	return nil
}

func isKeyID(id string) bool {
	for _, c := range []byte(id) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return 1 <= len(id) && len(id) <= 32
}
