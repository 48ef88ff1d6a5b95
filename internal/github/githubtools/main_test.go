package githubtools

import (
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use, because most of it is soon garbage.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
