package awsstores

import (
	"context"
	"errors"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/store/items"
	"basecamp-mcp/internal/store/secrets"
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
	kept, sealed := secrets.New(s.manager, s.stack, providerID), s.Items.Grants(providerID)
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
	return secrets.New(s.manager, s.stack, providerID).Existing()
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

// applicationKeys has the client secret of the application at 37signals as its only key, whose ID
// is the client ID. A deployment without a key ring seals with it what undoes calls.
type applicationKeys Credentials

var _ items.Keys = (applicationKeys)(nil)

// Current returns the client secret.
func (k applicationKeys) Current(ctx context.Context) (id string, key []byte, err error) {
	id, secret, err := k(ctx)
	return id, []byte(secret), err
}

// Key returns the client secret of the application with an ID. A changed secret opens nothing.
func (k applicationKeys) Key(ctx context.Context, id string) ([]byte, error) {
	now, key, err := k.Current(ctx)
	if err != nil || now != id {
		return nil, err
	}
	return key, nil
}
