// Package tokenstore joins the two places for users' tokens: a secret for each user, and sealed
// rows in the table. New tokens go to the place that the operator chose. The name of a version says
// which place has it. So tokens in the other place stay readable, and instances with different
// configurations can run side by side.
//
// A read moves nothing. A sign-in stores tokens in the chosen place, and so does a refresh if the
// user has some there; grant.Keeper.Move moves the rest.
package tokenstore

import (
	"context"
	"errors"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Config holds the parts of a Store. All are required.
type Config struct {
	Secrets grant.Store
	// Prompt is Secrets, without waiting for a secret that was created a moment ago.
	Prompt grant.Store
	Sealed *envelope.Tokens
	Seals  bool // whether new tokens are sealed
}

// Store is the grant.Store of one provider. It is safe for concurrent use.
type Store struct{ Config }

var (
	_ grant.Store  = Store{}
	_ grant.Places = Store{}
)

// New returns a Store.
func New(c Config) Store { return Store{c} }

// Load implements grant.Store. A place that cannot be reached is an error, unless the tokens are
// known to be in the other.
func (s Store) Load(ctx context.Context, subject, version string) (provider.Tokens, error) {
	switch {
	case version == "":
		return s.newest(ctx, subject)
	case envelope.IsVersion(version):
		return s.Sealed.Load(ctx, subject, version)
	}
	return s.Secrets.Load(ctx, subject, version)
}

// newest returns the newest tokens of both places.
func (s Store) newest(ctx context.Context, subject string) (provider.Tokens, error) {
	known, err := s.Sealed.Summary(ctx, subject)
	switch {
	case err != nil:
		return provider.Tokens{}, err
	case !known.Known:
		return s.Secrets.Load(ctx, subject, "")
	}
	sealed, sealedErr := s.Sealed.Load(ctx, subject, "")
	if s.Seals && !known.Elsewhere {
		return sealed, sealedErr
	}
	secret, err := s.Prompt.Load(ctx, subject, "")
	switch {
	case errors.Is(err, grant.ErrNotFound):
		return sealed, sealedErr
	case err != nil:
		return provider.Tokens{}, err
	case sealedErr == nil:
		return s.newer(secret, sealed), nil
	case errors.Is(sealedErr, grant.ErrNotFound) || secret.Revision >= known.Revision:
		return secret, nil
	}
	return provider.Tokens{}, sealedErr
}

// newer returns the tokens that were obtained later. Revisions do not decide: they start again if a
// user disconnects and signs in again, and what was stored before may still be in the other place.
func (s Store) newer(secret, sealed provider.Tokens) provider.Tokens {
	switch secret.ObtainedAt.Compare(sealed.ObtainedAt) {
	case 1:
		return secret
	case -1:
		return sealed
	}
	if secret.Revision > sealed.Revision || secret.Revision == sealed.Revision && !s.Seals {
		return secret
	}
	return sealed
}

// Save implements grant.Store.
func (s Store) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	if s.Seals {
		return s.Sealed.Save(ctx, subject, writer, t)
	}
	return saveSecret(ctx, s.Config, s.Secrets, subject, writer, t)
}

// saveSecret saves tokens in secrets. Before that, it notes in the rows that there may be a secret:
// otherwise, an instance that seals tokens does not ask for it.
func saveSecret(ctx context.Context, c Config, secrets grant.Store, subject, writer string, t provider.Tokens) (string, error) {
	if err := c.Sealed.SetElsewhere(ctx, subject, true); err != nil {
		return "", err
	}
	return secrets.Save(ctx, subject, writer, t)
}

// Delete implements grant.Store. It tries both places, whatever the first one answers.
func (s Store) Delete(ctx context.Context, subject string) error {
	return errors.Join(s.Secrets.Delete(ctx, subject), s.Sealed.Delete(ctx, subject))
}

// Current implements grant.Places.
func (s Store) Current(ctx context.Context, version string) (bool, error) {
	if !s.Seals || !envelope.IsVersion(version) {
		return s.Seals == envelope.IsVersion(version), nil
	}
	return s.Sealed.Current(ctx, version)
}

// Remains implements grant.Places.
func (s Store) Remains(ctx context.Context, subject string) (bool, error) {
	known, err := s.Sealed.Summary(ctx, subject)
	if err != nil {
		return false, err
	}
	return known.Known && (!s.Seals || known.Elsewhere || !known.OneKey), nil
}

// Leftover implements grant.Places.
func (s Store) Leftover(ctx context.Context, subject string) (grant.Leftover, error) {
	return s.Sealed.Leftover(ctx, subject)
}

// Discard implements grant.Places. A secret stays: a sign-in may be storing tokens in it at that
// moment.
func (s Store) Discard(ctx context.Context, subject string, l grant.Leftover) error {
	return s.Sealed.Discard(ctx, subject, l)
}

// Clear implements grant.Places. The rows keep saying that there are secrets until those are gone.
func (s Store) Clear(ctx context.Context, subject, version string) error {
	if !s.Seals {
		return s.Sealed.Delete(ctx, subject)
	}
	if err := s.Secrets.Delete(ctx, subject); err != nil {
		return err
	}
	if err := s.Sealed.SetElsewhere(ctx, subject, false); err != nil {
		return err
	}
	_, err := s.Sealed.Prune(ctx, subject, version)
	return err
}
