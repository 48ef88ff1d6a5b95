package awsstores

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/secrets"
	"basecamp-mcp/internal/undo"
)

// Tokens are the tokens of one provider, in the place that the operator chose. What a user has in
// the other place, from before a change of that choice, is only deleted.
type Tokens struct {
	grant.Store
	Sealed grant.Sealed // is Store, if that seals; otherwise nil
	Other  grant.Store  // the place that was not chosen
}

// Delete implements grant.Store. It tries both places, whatever the first one answers.
func (t Tokens) Delete(ctx context.Context, subject string) error {
	return errors.Join(t.Store.Delete(ctx, subject), t.Other.Delete(ctx, subject))
}

// Tokens returns the store of a provider's tokens.
func (s Stores) Tokens(providerID string) Tokens {
	kept, sealed := s.secrets.Of(otherThanBasecamp(providerID)), s.sealed.Of(providerID)
	if s.seals {
		return Tokens{sealed, sealed, kept.Prompt()}
	}
	return Tokens{kept, nil, sealed}
}

// Refreshed returns the same for a function that only refreshes tokens. It deletes nothing.
func (s Stores) Refreshed(providerID string) grant.Store {
	if s.seals {
		return s.sealed.Of(providerID).Existing()
	}
	return s.secrets.Of(otherThanBasecamp(providerID)).Existing()
}

// CheckRing reads the key ring, so that the first call need not. The error says what is wrong with
// it. A deployment without a ring has none.
func (s Stores) CheckRing(ctx context.Context) error {
	if _, none := s.keys.(noRing); none {
		return nil
	}
	_, err := s.keys.Current(ctx)
	return err
}

func ring(c config.AWS, manager *secretsmanager.Client) envelope.Keys {
	if c.KeyRing == "" {
		return noRing{}
	}
	return secrets.NewRing(manager, c.KeyRing)
}

// noRing is the key ring of a deployment that has none.
type noRing struct{}

var errNoRing = errors.New("tokens are sealed, and KEY_RING_SECRET does not name the key ring: deploy with the parameter KeyRing, as docs/operate.md says")

func (noRing) Current(context.Context) (envelope.Key, error) { return envelope.Key{}, errNoRing }

func (noRing) Key(context.Context, string) (envelope.Key, error) { return envelope.Key{}, errNoRing }

// Sealer returns what seals undo records, or nil if the deployment seals no tokens.
func (s Stores) Sealer() undo.Sealer {
	if !s.seals {
		return nil
	}
	return undo.Sealed{Keys: ringKeys{s.keys}, Stack: s.stack}
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
