package awsstores

import (
	"context"
	"errors"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/undo"
)

// Sealer returns what seals undo records, or nil if the deployment seals no tokens.
func (s Stores) Sealer() undo.Sealer {
	if !s.tokens.seals {
		return nil
	}
	return undo.Sealed{Keys: ringKeys{s.tokens.keys}, Stack: s.tokens.stack}
}

// ringKeys are the keys of a key ring.
type ringKeys struct{ ring envelope.Keys }

// Current returns the key for new records.
func (r ringKeys) Current(ctx context.Context) (id string, secret []byte, err error) {
	key, err := r.ring.Current(ctx)
	return key.ID, key.Secret, err
}

// Secret returns the key with an ID.
func (r ringKeys) Secret(ctx context.Context, id string) ([]byte, error) {
	key, err := r.ring.Key(ctx, id)
	if errors.Is(err, envelope.ErrNoKey) {
		err = undo.ErrNotFound
	}
	return key.Secret, err
}
