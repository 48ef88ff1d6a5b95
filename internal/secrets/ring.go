package secrets

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/envelope"
)

var _ envelope.Keys = (*Ring)(nil)

// Ring reads the key ring of a deployment from a secret of the form {"current": "k1", "k1": "..."}.
// It is safe for concurrent use.
//
// A ring that was read once stays in use until a valid one is read: while Secrets Manager is
// unreachable, and while the secret is missing or contains no valid ring.
type Ring struct {
	client *secretsmanager.Client
	name   string
	cached *cached[ringText]
}

const readRing = "read the key ring"

// NewRing returns the Ring in a secret, which has a name or an ARN.
func NewRing(client *secretsmanager.Client, secret string) *Ring {
	r := &Ring{client: client, name: secret}
	never := func(error) bool { return false }
	r.cached = newCached(readRing, r.read, never)
	return r
}

// Current returns the key that seals new tokens.
func (r *Ring) Current(ctx context.Context) (envelope.Key, error) {
	ring, err := r.cached.get(ctx, func(*ringText) bool { return true })
	if ring == nil {
		return envelope.Key{}, err
	}
	return ring.key(ring.current), nil
}

// Key returns the key with an ID. It returns envelope.ErrNoKey if the ring did not have the key at
// a read within the last five seconds. Every other error means that the ring could not be read.
func (r *Ring) Key(ctx context.Context, id string) (envelope.Key, error) {
	ring, err := r.cached.get(ctx, func(known *ringText) bool { return known.has(id) })
	switch {
	case ring != nil && ring.has(id):
		return ring.key(id), nil
	case err != nil:
		return envelope.Key{}, err
	}
	return envelope.Key{}, fmt.Errorf("key ring %s: %w", r.name, envelope.ErrNoKey)
}

func (r *Ring) read(ctx context.Context) (ringText, error) {
	text, err := textOf(ctx, r.client, r.name, readRing+" "+r.name)
	if errors.Is(err, errMissing) {
		return ringText{}, fmt.Errorf("key ring %s: %w; check KEY_RING_SECRET, and restore the secret if its deletion is scheduled", r.name, err)
	}
	if err != nil {
		return ringText{}, err
	}
	ring, err := parseRing(text)
	if err != nil {
		return ringText{}, invalidRing(r.name, err)
	}
	return ring, nil
}

// invalidRing returns an error that says what is wrong with a secret, and what to do.
func invalidRing(name string, why error) error {
	return fmt.Errorf("key ring %s: %w; store its previous version again, as docs/operate.md says", name, why)
}
