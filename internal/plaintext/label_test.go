package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"basecamp-mcp/internal/plaintext"
)

func TestLabel_IsOneLineOfVisibleCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"":                                    "",
		"Claude Code (basecamp)":              "Claude Code (basecamp)",
		" two\n\tlines \u00a0 here ":          "two lines here",
		"bell\x07 null\x00":                   "bell null",
		"\u202eedualC\u202c":                  "edualC",
		"two  blanks":                         "two blanks",
		" before":                             "before",
		"after ":                              "after",
		" ":                                   "",
		"del\x7fete":                          "delete",
		strings.Repeat("y", 100):              strings.Repeat("y", 100),
		"zero\u200b\u200c\u200d\ufeffwide":    "zerowide",
		"bad \xff bytes":                      "bad bytes",
		"tag\U000e0041s \ufe0f\U000e0101":     "tags",
		"Zo\u00eb \U0001f6b2":                 "Zo\u00eb \U0001f6b2",
		strings.Repeat("\u00e4", 101):         strings.Repeat("\u00e4", 100),
		strings.Repeat("x", 99) + " yz":       strings.Repeat("x", 99),
		strings.Repeat("\u200b", 200) + "end": "end",
	} {
		got := plaintext.Label(name, 100)
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
		if again := plaintext.Label(got, 100); again != got || utf8.RuneCountInString(got) > 100 {
			t.Errorf("%q is not stable: %q", got, again)
		}
	}
}
