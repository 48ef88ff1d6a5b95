package sqlite

import (
	"testing"
	"time"

	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/provider"
)

func tokensOf(name string) provider.Tokens {
	return provider.Tokens{Revision: 1, AccessToken: "planted-" + name, RefreshToken: "planted-refresh-" + name, ObtainedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func saveTokens(t *testing.T, g items.Grants, subject, writer string) (version string) {
	t.Helper()
	version, err := g.Save(t.Context(), subject, writer, tokensOf(subject))
	must(t, err)
	return version
}
