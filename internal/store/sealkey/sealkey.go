// Package sealkey keeps the key with which a local server seals tokens: in the keyring of the
// operating system if there is one, otherwise in a file next to the data. An ID is derived from its
// key, so a key that was replaced is never mistaken for the old one.
package sealkey

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
)

const keySize = 32

// Keys has the key of one database.
type Keys struct {
	ring ring
	file file
}

// ring is a keyring. Errors: errNoRing, or why it did not answer.
type ring interface {
	// get returns the stored text, or an empty one.
	get(ctx context.Context) (string, error)
	set(ctx context.Context, text string) error
}

// errNoRing means that this machine has no keyring, or none for this login.
var errNoRing = errors.New("there is no keyring")

// InFile returns the key of a database, in a file of its own.
func InFile(database string) *Keys { return &Keys{&system{}, file(database + "-key")} }

// InKeyring returns the key of a database, in the keyring of the operating system. A machine
// without a keyring keeps it in a file.
func InKeyring(database string) *Keys {
	return &Keys{&system{account: database}, file(database + "-key")}
}

// Check returns why the key file cannot be trusted, so that a server does not start with it. A
// missing file is not an error.
func (k *Keys) Check() error {
	_, err := k.file.key()
	return err
}

// Current returns the key for new tokens and its ID. It makes a key if there is none. A keyring
// that does not answer within a second counts as none.
func (k *Keys) Current(ctx context.Context) (id string, key []byte, err error) {
	key, err = k.inRing(ctx)
	if err != nil && ctx.Err() != nil { // which says nothing about the keyring
		return "", nil, ctx.Err()
	}
	if err != nil {
		key, err = k.file.key()
	}
	if err == nil && key == nil {
		key, err = k.file.add(newKey())
	}
	if err != nil {
		return "", nil, err
	}
	return idOf(key), key, nil
}

// inRing returns the key in the keyring, after it has made one if there is none.
func (k *Keys) inRing(ctx context.Context) ([]byte, error) {
	for range 2 {
		text, err := k.ring.get(ctx)
		if key := decoded(text); err != nil || key != nil {
			return key, err
		}
		if err := k.ring.set(ctx, encoded(newKey())); err != nil {
			return nil, err
		}
	}
	return nil, errNoRing // it forgets keys at once
}

// Key returns the key with an ID, or nil if it is neither in the file nor in the keyring. An error
// means that the keyring did not answer.
func (k *Keys) Key(ctx context.Context, id string) ([]byte, error) {
	key, err := k.file.key()
	if err != nil || key != nil && idOf(key) == id {
		return key, err
	}
	text, err := k.ring.get(ctx)
	if errors.Is(err, errNoRing) {
		return nil, nil
	}
	if key = decoded(text); err != nil || key == nil || idOf(key) != id {
		return nil, err
	}
	return key, nil
}

func newKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return key
}

// idOf returns 64 bits of a hash of a key.
func idOf(key []byte) string {
	sum := sha256.Sum256(append([]byte("id of a key of basecamp-mcp\n"), key...))
	return hex.EncodeToString(sum[:8])
}

func encoded(key []byte) string { return base64.RawStdEncoding.EncodeToString(key) }

// decoded returns a key, or nil if the text is not a key.
func decoded(text string) []byte {
	key, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(key) != keySize {
		return nil
	}
	return key
}
