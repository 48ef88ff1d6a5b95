package awsstores

import (
	"context"
	"errors"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/secrets"
	"basecamp-mcp/internal/undo"
)

// tokens are the tokens of one provider, in the place that the operator chose. What a user has in
// the other place, from before a change of that choice, is only deleted.
type tokens struct {
	grant.Store
	other grant.Store
}

// Delete implements grant.Store. It tries both places, whatever the first one answers.
func (t tokens) Delete(ctx context.Context, subject string) error {
	return errors.Join(t.Store.Delete(ctx, subject), t.other.Delete(ctx, subject))
}

// Tokens returns the store of a provider's tokens.
func (s Stores) Tokens(providerID string) grant.Store {
	kept, sealed := s.secrets.Of(otherThanBasecamp(providerID)), s.Items.Grants(providerID)
	if s.ring != nil {
		return tokens{sealed, kept}
	}
	return tokens{kept, sealed}
}

// Refreshed returns the same for a function that only refreshes tokens. It deletes nothing.
func (s Stores) Refreshed(providerID string) grant.Store {
	if s.ring != nil {
		return s.Items.Grants(providerID).Existing()
	}
	return s.secrets.Of(otherThanBasecamp(providerID)).Existing()
}

// CheckRing reads the key ring, if there is one, so that the first call need not. The error says
// what is wrong with it.
func (s Stores) CheckRing(ctx context.Context) error {
	if s.ring == nil {
		return nil
	}
	_, _, err := s.ring.Current(ctx)
	return err
}

// Sealer returns what seals undo records, or nil if the deployment seals no tokens.
func (s Stores) Sealer() undo.Sealer {
	if s.ring == nil {
		return nil
	}
	return undo.Sealed{Keys: ringKeys{s.ring}, Stack: s.stack}
}

// ringKeys are the keys of a key ring.
type ringKeys struct{ *secrets.Ring }

// Secret returns the key with an ID.
func (r ringKeys) Secret(ctx context.Context, id string) ([]byte, error) {
	key, err := r.Key(ctx, id)
	if errors.Is(err, secrets.ErrNoKey) {
		err = undo.ErrNotFound
	}
	return key, err
}
