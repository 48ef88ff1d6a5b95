package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/storetest"
)

func TestAuthStore(t *testing.T) {
	storetest.AuthStore(t, func(_ *testing.T, now func() time.Time) authserver.Store { return NewAuthStore(now) })
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
