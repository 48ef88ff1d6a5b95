package plaintext_test

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/plaintext"
)

func TestQuote_IsOneLineThatANameCannotLeave(t *testing.T) {
	for name, want := range map[string]string{
		"":                                   `""`,
		"Zoë 🚲":                              `"Zoë 🚲"`,
		" blanks ":                           `" blanks "`,
		`a "quoted" \ name`:                  `"a \"quoted\" \\ name"`,
		"two\r\nlines\tand\u2028three\u0085": `"two lines and three"`,
		"zero\u200bwidth\u202e\x00\x1b[31m":  `"zerowidth[31m"`,
		`\`:                                  `"\\"`,
		strings.Repeat("ä", 100):             `"` + strings.Repeat("ä", 100) + `"`,
		strings.Repeat("x", 10_000):          `"` + strings.Repeat("x", 100) + `…"`,
		strings.Repeat("x", 99) + "👨\u200d👩": `"` + strings.Repeat("x", 99) + `…"`,
		"bad \xff bytes": "\"bad \ufffd bytes\"",
	} {
		if got := plaintext.Quote(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestQuoteAll_KeepsNamesApart(t *testing.T) {
	if got := plaintext.QuoteAll([]string{`a", "b`, "c"}); got != `"a\", \"b", "c"` {
		t.Errorf("got %s", got)
	}
}
