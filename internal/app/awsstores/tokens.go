package awsstores

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/dynamo"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/secrets"
	"basecamp-mcp/internal/telemetry"
	"basecamp-mcp/internal/tokenstore"
)

// tokens are users' tokens in both places.
type tokens struct {
	secrets *secrets.Store
	keys    envelope.Keys
	sealed  *envelope.Store
	seals   bool
}

func openTokens(c config.AWS, log *slog.Logger, items *dynamo.Table, manager *secretsmanager.Client) tokens {
	stack, keys := strings.TrimSuffix(c.SecretPrefix, "/"), ring(c, manager)
	return tokens{
		secrets: secrets.New(manager, c.SecretPrefix, stack),
		keys:    keys,
		sealed: envelope.New(envelope.Config{
			Keys:    keys,
			Rows:    items.Tokens(),
			Stack:   stack,
			Refused: func(ctx context.Context) { telemetry.TokensRefused(ctx, c.Table) },
			Log:     log,
		}),
		seals: c.SealsTokens,
	}
}

// Tokens returns the store of a provider's tokens.
func (s Stores) Tokens(providerID string) tokenstore.Store {
	kept := s.tokens.secrets.Of(otherThanBasecamp(providerID))
	return tokenstore.New(tokenstore.Config{Secrets: kept, Prompt: kept.Prompt(), Sealed: s.tokens.sealed.Of(providerID), Seals: s.tokens.seals})
}

// Refreshed returns the same for a function that only refreshes tokens.
func (s Stores) Refreshed(providerID string) grant.Store {
	return s.Tokens(providerID).Existing(s.tokens.secrets.Of(otherThanBasecamp(providerID)).Existing())
}

// CheckRing reads the key ring, so that the first call need not. The error says what is wrong with
// it. A deployment without a ring has none.
func (s Stores) CheckRing(ctx context.Context) error {
	if _, none := s.tokens.keys.(noRing); none {
		return nil
	}
	_, err := s.tokens.keys.Current(ctx)
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
