package plaintext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

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

func TestLabel_IsOneLineOfVisibleCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"":                                 "",
		"Claude Code (basecamp)":           "Claude Code (basecamp)",
		" two\n\tlines \u00a0 here ":       "two lines here",
		"bell\x07 null\x00":                "bell null",
		"\u202eedualC\u202c":               "edualC",
		"two  blanks":                      "two blanks",
		" before":                          "before",
		"after ":                           "after",
		" ":                                "",
		"del\x7fete":                       "delete",
		strings.Repeat("y", 100):           strings.Repeat("y", 100),
		"zero\u200b\u200c\u200d\ufeffwide": "zerowide",
		"می\u200cخواهم ශ්\u200dරී 👨\u200d👩": "می\u200cخواهم ශ්\u200dරී 👨👩",
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
