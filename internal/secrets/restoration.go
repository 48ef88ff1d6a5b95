package secrets

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/envelope"
)

// Restoration is a way back to the previous version of a key ring.
type Restoration struct {
	// Useful reports whether the version in use is not valid, or lacks keys of the previous one.
	Useful bool
	// Lost are the keys that the previous version does not have, or has with another secret.
	Lost []envelope.Key

	secret ringSecret
	old    string // the ID of the version in use
	text   string // of the previous one
}

// ReadRestoration compares the version of a key ring that is in use with the one before. It is an
// error if the one before is not valid.
func ReadRestoration(ctx context.Context, client *secretsmanager.Client, name string) (*Restoration, error) {
	secret := ringSecret{client, name}
	old, err := secret.version(ctx, inUse)
	if err != nil {
		return nil, err
	}
	next, err := secret.version(ctx, replaced)
	if err != nil {
		return nil, err
	}
	previous, err := parseRing(next.text)
	if err != nil {
		return nil, fmt.Errorf("the previous version of key ring %s: %w", name, err)
	}
	r := &Restoration{Useful: true, secret: secret, old: old.id, text: next.text}
	if now, err := parseRing(old.text); err == nil {
		r.Useful = len(previous.without(now)) > 0
		r.Lost = now.without(previous)
	}
	return r, nil
}

// Save stores the previous version again. It returns ErrRingChanged if the ring has changed since
// it was read. It makes a new version, because the time of its storage says when functions know the
// ring: until then, no key may become current or be dropped.
func (r *Restoration) Save(ctx context.Context) error {
	return r.secret.store(ctx, r.old, r.text)
}

// without returns the keys that the other ring does not have, the oldest first.
func (r *ringText) without(other ringText) (keys []envelope.Key) {
	for _, id := range r.ids() {
		if other.keys[id] != r.keys[id] {
			keys = append(keys, r.key(id))
		}
	}
	return keys
}
