package richtext

import (
	"testing"

	"basecamp-mcp/internal/plaintext"
)

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

func TestMarkdown_ShowsNoInvisibleCharacters(t *testing.T) {
	check(t, []example{
		{"in text", "a\u200bb &#x202e;c", "ab c"},
		{"in code", "<pre>a\u200bb</pre>", "```\nab\n```"},
		{"in names and targets", "<bc-attachment filename='a\u202egpj.exe'></bc-attachment><a href='https://x.example/\u200b'>x</a>", "[Attachment: agpj.exe]\n\n[x](https://x.example/)"},
		{"families stay whole", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
	})
}
