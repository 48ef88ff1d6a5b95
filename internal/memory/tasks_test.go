package memory

import (
	"testing"

	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/task"
)

func TestTasks(t *testing.T) {
	storetest.Tasks(t, func(*testing.T) task.Store { return NewTasks() })
}
