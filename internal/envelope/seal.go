package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"strconv"
)

// label is the place that a row is bound to.
type label struct {
	stack    string
	owner    Owner
	version  string // names the key, too
	revision int64
}

func (t *Tokens) label(subject string, r Row) label {
	return label{t.store.stack, t.owner(subject), r.Version, r.Revision}
}

// seal returns r with a sealed text.
func (t *Tokens) seal(k Key, subject string, r Row, text string) (Row, error) {
	l := t.label(subject, r)
	box, err := l.box(k)
	if err != nil {
		return Row{}, err
	}
	r.Sealed = box.Seal(nil, nil, []byte(text), l.data())
	return r, nil
}

// open returns the text that was sealed with the same label.
func (l label) open(k Key, sealed []byte) (string, error) {
	box, err := l.box(k)
	if err != nil {
		return "", err
	}
	text, err := box.Open(nil, nil, sealed, l.data())
	if err != nil {
		return "", fmt.Errorf("open a row: %w", err)
	}
	return string(text), nil
}

// box returns AES-256-GCM with the user's key, and a random nonce for each row.
func (l label) box(k Key) (cipher.AEAD, error) {
	info := joined("basecamp-mcp tokens", l.stack, l.owner.Provider, l.owner.Subject)
	key, err := hkdf.Key(sha256.New, k.Secret, nil, info, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a user's key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive a user's key: %w", err)
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("derive a user's key: %w", err)
	}
	return box, nil
}

// data returns the associated data of a row.
func (l label) data() []byte {
	id, _, _ := KeyOf(l.version)
	return []byte(joined(prefix, l.stack, l.owner.Provider, l.owner.Subject, l.version, id, strconv.FormatInt(l.revision, 10)))
}
