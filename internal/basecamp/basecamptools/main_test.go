package basecamptools

import (
	"runtime/debug"
	"testing"
)

// TestMain lets the heap grow to five times what is in use. The tests make thousands of short-lived
// companies, and collecting them took a fifth of the processor time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
