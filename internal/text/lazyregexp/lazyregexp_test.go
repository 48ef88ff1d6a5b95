package lazyregexp_test

import (
	"testing"

	"basecamp-mcp/internal/text/lazyregexp"
)

func TestNew_CompilesAtTheFirstUse(t *testing.T) {
	invalid := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression does not panic when it is used")
		}
	}()
	invalid.MatchString("x")
}
