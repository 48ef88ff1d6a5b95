package envelope_test

import (
	"testing"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/storetest"
)

func TestTokens_AreAGrantStore(t *testing.T) {
	store := envelope.New(envelope.Config{Keys: envelopetest.NewRing(), Rows: envelopetest.NewRows(), Stack: "fernhill"})
	storetest.Grants(t, func(*testing.T) grant.Store { return store.Of("orchard") })
	storetest.SeparateGrants(t, func(_ *testing.T, provider string) grant.Store { return store.Of(provider) })
}
