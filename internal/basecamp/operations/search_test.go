package operations

import (
	"strings"
	"testing"
)

// Comparing takes time in proportion to both lengths, and the name comes from the caller.
func TestNearest_ComparesNoNameThatIsMuchLonger(t *testing.T) {
	Nearest(strings.Repeat("brake lever ", 8000), func(a, _ string) int {
		t.Fatalf("compared with %s", a)
		return 0
	}, Those(func(*Row) bool { return true }))
}
