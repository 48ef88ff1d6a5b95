package docstest

import (
	"strings"
	"testing"
)

func TestReplace_ChangesOnlyOneSection(t *testing.T) {
	const document = "# A\n<!-- one: made -->\nold\n<!-- end of one -->\nrest\n<!-- two: made -->\nstays\n<!-- end of two -->\n"
	got, err := replace(document, "one", "new $1\n")
	want := "# A\n<!-- one: made -->\n\nnew $1\n\n<!-- end of one -->\nrest\n<!-- two: made -->\nstays\n<!-- end of two -->\n"
	if err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	again, err := replace(got, "one", "new $1\n")
	if err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
}

func TestReplace_NamesTheMissingMark(t *testing.T) {
	for document, want := range map[string]string{
		"nothing":                          "found 0",
		"<!-- one: made -->\nno end\n":     "has no line <!-- end of one -->",
		"<!-- one: -->\n<!-- one: -->\n\n": "found 2",
	} {
		if _, err := replace(document, "one", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", document, err)
		}
	}
}
