package basecamptools

import (
	"strings"
	"testing"
)

func TestPreviousText_HasTheParagraphsThatAreGone(t *testing.T) {
	long := strings.Repeat("x", 600)
	for _, test := range []struct{ old, now, want string }{
		{"a\n\nb\n\nc", "a\n\nB\n\nc", "b"},
		{"a\n\nb\n\nc", "a\n\nb\n\nc\n\nd", ""},
		{"a\n\na", "a", "a"},
		{"a\n\nb", "", "a\n\nb"},
		{"", "a", ""},
		{long, "a", long[:500] + "…"},
	} {
		if got := previousText(test.old, test.now); got != test.want {
			t.Errorf("%q to %q: %q", test.old, test.now, got)
		}
	}
}
