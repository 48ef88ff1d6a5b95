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

func TestConnections(t *testing.T) {
	storetest.Connections(t, func(*testing.T) grant.Connections { return NewConnections() })
}

func TestGrants(t *testing.T) {
	storetest.Grants(t, func(*testing.T) grant.Store { return NewGrants(nil) })
}
