package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/undo"
)

func TestUndo(t *testing.T) {
	storetest.Undo(t, func(_ *testing.T, now func() time.Time) undo.Store { return NewUndo(now) })
}
