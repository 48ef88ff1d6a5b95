package tokenstore

import (
	"context"
	"errors"

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

// Save implements grant.Store. It is an error if the user has no tokens any more. Tokens of a user
// who has only a secret are saved without a key: the provider may already have ended the old ones.
func (e Existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if e.store.Seals {
		version, err := e.sealed.Save(ctx, subject, writer, t)
		if err == nil || !e.lacksRows(ctx, subject) {
			return version, err
		}
		return e.secrets.Save(ctx, subject, writer, t)
	}
	version, err := saveSecret(ctx, e.store.Config, e.secrets, subject, writer, t)
	if !errors.Is(err, grant.ErrNone) || e.lacksRows(ctx, subject) {
		return version, err
	}
	return e.sealed.Save(ctx, subject, writer, t)
}

// lacksRows reports whether it is certain that a user has no sealed tokens.
func (e Existing) lacksRows(ctx context.Context, subject string) bool {
	known, err := e.store.Sealed.Summary(ctx, subject)
	return err == nil && !known.Known
}

// Delete does nothing: the function that ends sign-ins deletes the record of a grant before its
// tokens.
func (Existing) Delete(context.Context, string) error { return nil }
