package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/storetest"
)

func TestBroker(t *testing.T) {
	storetest.Broker(t, func(_ *testing.T, now func() time.Time) authserver.Store { return NewBroker(now) })
}

func TestRecords(t *testing.T) {
	storetest.Records(t, func(*testing.T) grant.Records { return NewRecords() })
}

func TestGrants(t *testing.T) {
	storetest.Grants(t, func(*testing.T) grant.Store { return NewGrants(nil) })
}
