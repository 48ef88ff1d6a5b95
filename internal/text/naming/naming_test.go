package naming

import (
	"fmt"
	"strings"
	"testing"
)

func TestLikeliest_OfALongListAreTwoHundred(t *testing.T) {
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("spoke %d", i)
	}
	names[4321] = "brake lever"
	same := func(name string) string { return name }
	if found := Likeliest(names, "brake levers", same); len(found) != 200 || found[0] != "brake lever" {
		t.Errorf("%d, first %q", len(found), found[0])
	}
	if found := Likeliest(names[:200], "brake levers", same); len(found) != 200 || found[0] != "spoke 0" {
		t.Errorf("%d, first %q", len(found), found[0])
	}
}

func TestNames_FindTheLongestNameAtTheStartOfAText(t *testing.T) {
	names := NamesOf([]string{"Ann Lund", "Ann Lee", "Victor Lund", "Zoë", "Ann-Marie Otto"}, strings.Clone)
	for text, want := range map[string]string{
		"Ann Lee's": "Ann Lee", "Ann": "Ann Lund, Ann Lee", "ann.": "Ann Lund, Ann Lee", "Ann-Marie": "Ann-Marie Otto", "Anna": "", "Victor lund": "Victor Lund",
		"victorious": "", "Zoe\u0308": "Zoë", "": "", "Lund": "",
	} {
		found, length := names.Begin(text)
		if got := strings.Join(found, ", "); got != want || (length > 0) != (want != "") {
			t.Errorf("%q: %q with %d bytes, want %q", text, got, length, want)
		}
	}
}

func TestFold_MakesFormsOfANameEqual(t *testing.T) {
	for _, name := range []string{"o'brien-lund zoe", "O’Brien‑Lund  ZOË", " O‘BRIEN-Lund Zoe\u0308"} {
		if got := Fold(name); got != "o'brien-lund zoe" {
			t.Errorf("%q: %q", name, got)
		}
	}
}
