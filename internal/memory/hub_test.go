package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/storetest"
)

func TestHub(t *testing.T) {
	storetest.Hub(t, func(_ *testing.T, now func() time.Time) hub.Store { return NewHub(now) })
}
