package undo

import (
	"bytes"
	"context"
	"crypto/cipher"

	"basecamp-mcp/internal/aesgcm"
)

// Keys has the secrets from which the keys of records are derived.
type Keys interface {
	// Current returns the secret for new records and its ID, of up to 255 bytes.
	Current(ctx context.Context) (id string, secret []byte, err error)
	// Secret returns the secret with an ID, or ErrNotFound if it is lost.
	Secret(ctx context.Context, id string) ([]byte, error)
}

// Sealed is a Sealer with AES-256-GCM. Its keys are derived from secrets (HKDF-SHA256, RFC 5869),
// for one deployment.
type Sealed struct {
	Keys  Keys
	Stack string // the name of the deployment
}

// Seal encrypts a text and binds it to a label and to the ID of its secret.
func (s Sealed) Seal(ctx context.Context, label, plain []byte) ([]byte, error) {
	id, secret, err := s.Keys.Current(ctx)
	if err != nil {
		return nil, err
	}
	head := append([]byte{byte(len(id))}, id...)
	return append(head, s.box(secret).Seal(nil, nil, plain, bound(label, head))...), nil
}

// Open decrypts a text that was sealed with the same label, or returns ErrNotFound.
func (s Sealed) Open(ctx context.Context, label, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 || len(sealed) < 1+int(sealed[0]) {
		return nil, ErrNotFound
	}
	head := sealed[:1+int(sealed[0])]
	secret, err := s.Keys.Secret(ctx, string(head[1:]))
	if err != nil {
		return nil, err
	}
	plain, err := s.box(secret).Open(nil, nil, sealed[len(head):], bound(label, head))
	if err != nil {
		return nil, ErrNotFound
	}
	return plain, nil
}

func (s Sealed) box(secret []byte) cipher.AEAD {
	return aesgcm.For("basecamp-mcp undo\x00"+s.Stack, secret)
}

// bound returns the associated data of a text.
func bound(label, head []byte) []byte { return append(bytes.Clone(head), label...) }

// Unsealed is a Sealer for records that are never stored outside the memory of a process.
type Unsealed struct{}

// Seal returns the text with its label.
func (Unsealed) Seal(_ context.Context, label, plain []byte) ([]byte, error) {
	return append(bytes.Clone(label), plain...), nil
}

// Open returns a text that was sealed with the same label, or ErrNotFound.
func (Unsealed) Open(_ context.Context, label, sealed []byte) ([]byte, error) {
	plain, ok := bytes.CutPrefix(sealed, label)
	if !ok {
		return nil, ErrNotFound
	}
	return plain, nil
}
