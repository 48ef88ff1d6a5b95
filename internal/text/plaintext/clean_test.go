package plaintext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"basecamp-mcp/internal/text/plaintext"
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

func TestClean_KeepsVisibleText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain text", "Fernhill Bikes, Malmö 🚲\n\tok", "Fernhill Bikes, Malmö 🚲\n\tok"},
		{"zero-width characters", "a\u200bb\u200c\u200dc\ufeffd\u2060", "abcd"},
		{"bidi controls", "\u202eabc\u202c \u2066d\u2069\u200f\u061c", "abc d"},
		{"soft hyphens", "car\u00adgo", "cargo"},
		{"tags", "a\U000E0068\U000E0069\U000E007F", "a"},
		{"fillers", "a\u3164b\u115f\u1160c\uffa0d\u034fe\u17b4\u17b5f", "abcdef"},
		{"ignored characters", "a\U000E0001\U000E0081\U000E01F0\U0001BCA0\U0001D173\ufff0b", "ab"},
		{"selectors of Mongolian", "\u182d\u180b\u180c a\u180b", "\u182d\u180b a"},
		{"line separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"controls", "a\x00\x07\x1b[1m\x7f\u0085b", "a[1mb"},
		{"line breaks of all systems", "a\r\nb\rc\vd\fe", "a\nb\nc d e"},
		{"families", "👨\u200d👩\u200d👧 👩🏽\u200d🔧 ❤\ufe0f\u200d🔥", "👨\u200d👩\u200d👧 👩🏽\u200d🔧 ❤\ufe0f\u200d🔥"},
		{"joiners that separate letters", "می\u200cخواهم نامه\u200cای کتێبەکان\u200cم", "می\u200cخواهم نامه\u200cای کتێبەکان\u200cم"},
		{"joiners that make conjuncts", "ක්\u200dර ශ්\u200dරී ന്\u200d क्\u200cष", "ක්\u200dර ශ්\u200dරී ന്\u200d क्\u200cष"},
		{"joiners that change nothing", "a\u200cb می\u200c\u200cخ می\u200c خ د\u200cر ක\u200dර \u200cab", "ab می\u200cخ می خ در කර ab"},
		{"runs of joiners", "ی" + strings.Repeat("\u200c\u200d", 20) + "خ", "یخ"},
		{"flags of countries", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"},
		{"tags that make no flag", "🏴\U000e0068\U000e0069\U000e007f", "🏴"},
		{"keycaps", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"selectors that carry a text", "a\ufe01\ufe02 é\ufe03\ufe04\U000E0101", "a é\ufe03"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plaintext.Clean(c.text); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}
