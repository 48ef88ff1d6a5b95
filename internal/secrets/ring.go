package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// ErrNoKey means that the key ring does not have a key.
var ErrNoKey = errors.New("the key ring does not have the key")

// Ring reads the key ring of a deployment from a secret. The secret holds keys with white space
// between them. The first key seals; every key opens what it sealed. A Ring is safe for concurrent
// use.
//
// A ring that was read once stays in use until a valid one is read: while Secrets Manager is
// unreachable, and while the secret is missing or contains no valid ring.
type Ring struct {
	client *secretsmanager.Client
	name   string
	cached *cached[keys]
}

// keys are the keys of a ring, at least one.
type keys [][]byte

// Fingerprint returns 12 hexadecimal digits that name a key: the first of its SHA-256. They are of
// no help to guess a random key.
func Fingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:6])
}

const readRing = "read the key ring"

// NewRing returns the Ring in a secret, which has a name or an ARN.
func NewRing(client *secretsmanager.Client, secret string) *Ring {
	r := &Ring{client: client, name: secret}
	r.cached = newCached(readRing, r.read)
	return r
}

// Current returns the key that seals new tokens, and its fingerprint.
func (r *Ring) Current(ctx context.Context) (fingerprint string, key []byte, err error) {
	known, err := r.cached.get(ctx, func(*keys) bool { return true })
	if known == nil {
		return "", nil, err
	}
	key = (*known)[0]
	return Fingerprint(key), key, nil
}

// Key returns the key with a fingerprint. It returns ErrNoKey if the ring did not have the
// key at a read within the last five seconds. Every other error means that the ring could not be
// read.
func (r *Ring) Key(ctx context.Context, fingerprint string) ([]byte, error) {
	known, err := r.cached.get(ctx, func(k *keys) bool { return k.find(fingerprint) != nil })
	if known != nil {
		if key := known.find(fingerprint); key != nil {
			return key, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("key ring %s: %w with fingerprint %s: put it back into the ring", r.name, ErrNoKey, fingerprint)
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

func (r *Ring) read(ctx context.Context) (keys, error) {
	text, err := textOf(ctx, r.client, r.name, readRing+" "+r.name)
	if errors.Is(err, errMissing) {
		return nil, fmt.Errorf("key ring %s: %w; check KEY_RING_SECRET, and restore the secret if its deletion is scheduled", r.name, err)
	}
	if err != nil {
		return nil, err
	}
	found, err := keysIn(text)
	if err != nil {
		return nil, fmt.Errorf("key ring %s: %w; store its previous version again, as docs/operate.md says", r.name, err)
	}
	return found, nil
}

// isKey matches a key: enough random characters of any base64.
var isKey = regexp.MustCompile(`^[A-Za-z0-9+/=_-]{32,}$`)

// keysIn returns the keys in the text of a secret. Its errors contain nothing of the text.
func keysIn(text string) (keys, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("is empty")
	}
	found := make(keys, len(words))
	for i, word := range words {
		if !isKey.MatchString(word) {
			return nil, fmt.Errorf("word %d is not a key of 32 or more letters, digits, and + / = - _", i+1)
		}
		found[i] = []byte(word)
	}
	return found, nil
}
