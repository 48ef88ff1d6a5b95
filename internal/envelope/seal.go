package envelope

import (
	"context"
	"crypto/cipher"
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
	return aesgcm.For(joined("basecamp-mcp tokens", l.stack, l.owner.Provider, l.owner.Subject), k)
}

// data returns the associated data of a row.
func (l label) data() []byte {
	return []byte(joined(prefix, l.stack, l.owner.Provider, l.owner.Subject, l.version, strconv.FormatInt(l.revision, 10)))
}

// Keys is the key ring of a deployment.
type Keys interface {
	// Current returns the key for new tokens.
	Current(ctx context.Context) (Key, error)
	// Key returns the key with a fingerprint. It returns ErrNoKey if the ring was read and does not
	// have it; every other error means that the ring could not be read.
	Key(ctx context.Context, fingerprint string) (Key, error)
}

// ErrNoKey means that the key ring does not have a key.
var ErrNoKey = errors.New("the key ring does not have the key")

// Key is a key of a key ring. Users' keys are derived from it.
type Key []byte

// Fingerprint returns 12 hexadecimal digits that name the key: the first of its SHA-256. They are
// of no help to guess a random key.
func (k Key) Fingerprint() string {
	sum := sha256.Sum256(k)
	return hex.EncodeToString(sum[:fingerprintSize/2])
}
