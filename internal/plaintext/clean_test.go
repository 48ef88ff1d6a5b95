package plaintext_test

import (
	"testing"
	"unicode"

	"basecamp-mcp/internal/plaintext"
)

func TestClean_RemovesEveryCharacterThatUnicodeIgnores(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		ignored := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf) && !unicode.In(r, unicode.Prepended_Concatenation_Mark) &&
			!(r >= 0x13430 && r <= 0x1345f) // joins hieroglyphs
		if got := plaintext.Clean("a" + string(r) + "b"); ignored && got != "ab" {
			t.Errorf("%U: %q", r, got)
		}
	}
}
