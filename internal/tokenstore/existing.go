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
	seal := func() (string, error) { return e.sealed.Save(ctx, subject, writer, t) }
	store := func() (string, error) { return saveSecret(ctx, e.store.Config, e.secrets, subject, writer, t) }
	first, second := seal, store
	if !e.store.Seals {
		first, second = store, seal
	}
	version, err := first()
	if isNone(err) {
		return second()
	}
	return version, err
}

// isNone reports whether a place has no tokens of a user to which a version can be added.
func isNone(err error) bool {
	return errors.Is(err, envelope.ErrNone) || errors.Is(err, grant.ErrNone)
}

// Delete does nothing: the function that ends sign-ins deletes the record of a grant before its
// tokens.
func (Existing) Delete(context.Context, string) error { return nil }
