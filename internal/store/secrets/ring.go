package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// Ring reads the key ring of a deployment from a secret. The secret holds keys with white space
// between them. The first key seals; every key opens what it sealed. A Ring is safe for concurrent
// use.
//
// A ring that was read once stays in use until a valid one is read: while Secrets Manager is
// unreachable, and while the secret is missing or contains no valid ring.
type Ring struct{ cached[keys] }

// keys are the keys of a ring, at least one.
type keys [][]byte

// Fingerprint returns 12 hexadecimal digits that name a key: the first of its SHA-256. They are of
// no help to guess a random key.
func Fingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:6])
}

// NewRing returns the Ring in a secret, which has a name or an ARN.
func NewRing(client *secretsmanager.Client, secret string) *Ring {
	return &Ring{cached[keys]{
		client: client, secret: secret, doing: "read the key ring " + secret, lock: make(chan struct{}, 1), parse: keysIn,
		unusable: func(why error) error {
			return fmt.Errorf("key ring %s: %w; check KEY_RING_SECRET, or restore the secret or its previous version, as docs/operate.md says", secret, why)
		},
	}}
}

// Current returns the key that seals new tokens, and its fingerprint.
func (r *Ring) Current(ctx context.Context) (fingerprint string, key []byte, err error) {
	known, err := r.get(ctx, func(*keys) bool { return true })
	if known == nil {
		return "", nil, err
	}
	key = (*known)[0]
	return Fingerprint(key), key, nil
}

// Key returns the key with a fingerprint. An error means that the ring could not be read, or did
// not have the key at a read within the last five seconds.
func (r *Ring) Key(ctx context.Context, fingerprint string) ([]byte, error) {
	known, err := r.get(ctx, func(k *keys) bool { return k.find(fingerprint) != nil })
	if known != nil {
		if key := known.find(fingerprint); key != nil {
			return key, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("key ring %s has no key with fingerprint %s: put it back into the ring", r.secret, fingerprint)
	}
	return nil, err
}

// find returns the key with a fingerprint, or nil.
func (k keys) find(fingerprint string) []byte {
	for _, key := range k {
		if Fingerprint(key) == fingerprint {
			return key
		}
	}
	return nil
}

// isKey matches a key: enough random characters of any base64.
var isKey = regexp.MustCompile(`^[A-Za-z0-9+/=_-]{32,}$`)

// keysIn returns the keys in the text of a secret.
func keysIn(text string) (found keys, err error) {
	for i, word := range strings.Fields(text) {
		if !isKey.MatchString(word) {
			return nil, fmt.Errorf("word %d is not a key of 32 or more letters, digits, and + / = - _", i+1)
		}
		found = append(found, []byte(word))
	}
	return found, nil
}
