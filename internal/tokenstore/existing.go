package tokenstore

import (
	"context"
	"errors"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Existing is the Store of a function that may only refresh what users have: it creates neither
// secrets nor rows for a user who has none of that kind, and deletes nothing. It saves in the
// chosen place if the user has tokens there, and otherwise where they are.
type Existing struct {
	store   Store
	secrets grant.Store
	sealed  grant.Store
}

var _ grant.Store = Existing{}

// Existing returns the same tokens for a function that only refreshes them. secrets is the Store
// of such a function for users' secrets.
func (s Store) Existing(secrets grant.Store) Existing {
	return Existing{store: s, secrets: secrets, sealed: s.Sealed.Existing()}
}

// Load implements grant.Store.
func (e Existing) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	return e.store.Load(ctx, subject, version)
}

// Save implements grant.Store. It is an error if the user has no tokens any more.
func (e Existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if e.store.Seals {
		version, err := e.sealed.Save(ctx, subject, writer, t)
		if errors.Is(err, envelope.ErrNone) {
			return e.secrets.Save(ctx, subject, writer, t)
		}
		return version, err
	}
	version, err := saveSecret(ctx, e.store.Config, e.secrets, subject, writer, t)
	if !errors.Is(err, grant.ErrNone) {
		return version, err
	}
	known, unknown := e.store.Sealed.Summary(ctx, subject)
	if unknown != nil || !known.Known {
		return "", errors.Join(err, unknown)
	}
	return e.sealed.Save(ctx, subject, writer, t)
}

// Delete does nothing: the function that ends sign-ins deletes the record of a grant before its
// tokens.
func (Existing) Delete(context.Context, string) error { return nil }
