package secrets

import (
	"context"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

var _ grant.Store = Existing{}

// Existing is the Store of a function that may read secrets and add versions to them, but may
// neither create nor delete them. It asks for nothing else, so that no request of it is denied.
type Existing struct{ store *Store }

// Existing returns the same secrets for a function that only refreshes tokens.
func (s *Store) Existing() Existing { return Existing{s} }

// Load implements grant.Store.
func (e Existing) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	return e.store.Load(ctx, subject, version)
}

// Save adds a version to the user's secret. It fails if the secret does not exist, because
// the user has disconnected, and if it takes no more versions: the next sign-in replaces it.
func (e Existing) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	v, err := e.store.version(subject, writer, t)
	if err != nil {
		return "", err
	}
	err = e.store.put(ctx, v)
	if err != nil {
		return "", &failure{"save tokens", err}
	}
	return v.id, nil
}

// Delete leaves the secret to the function that ends sign-ins, and does nothing. That function
// deletes the record of a grant before the secret. So what a refresh added to the secret in between
// is deleted with it, and afterwards Save finds no secret.
func (Existing) Delete(context.Context, string) error { return nil }
