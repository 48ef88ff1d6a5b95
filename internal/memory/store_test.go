package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/storetest"
)

func TestAuthStore(t *testing.T) {
	storetest.AuthStore(t, func(_ *testing.T, now func() time.Time) authserver.Store {
		return authserver.NewStore(NewAuthStore(now))
	})
}

func TestAuthStore_WebPagesDisplaceNoConnection(t *testing.T) {
	storetest.Floods(t, func(_ *testing.T, now func() time.Time) (authserver.Store, storetest.Flood) {
		s := NewAuthStore(now)
		return authserver.NewStore(s), s.flood
	})
}

func (b *AuthStore) flood(t *testing.T, clients []authserver.Client, states []authserver.LoginState) {
	for _, c := range clients {
		must(t, b.SaveClient(t.Context(), c))
	}
	for _, s := range states {
		must(t, b.AddLoginState(t.Context(), s))
	}
}

func TestRecords(t *testing.T) {
	storetest.Records(t, func(*testing.T) grant.Records { return NewRecords() })
}

func TestGrants(t *testing.T) {
	storetest.Grants(t, func(*testing.T) grant.Store { return NewGrants(nil) })
}

func TestStoresOfTwoProviders_AreSeparate(t *testing.T) {
	storetest.SeparateRecords(t, func(*testing.T, string) grant.Records { return NewRecords() })
	storetest.SeparateGrants(t, func(*testing.T, string) grant.Store { return NewGrants(nil) })
}
