package plaintext

import (
	"strings"
	"testing"
)

func TestAround_ShowsTheChangeAtAnyPlace(t *testing.T) {
	long := strings.Repeat("one two three ", 20)
	for _, c := range []struct{ old, now, words string }{
		{"short", "shorter", "shorter"},
		{long + "end", long + "end, and more", "and more"},
		{long + "x" + long, long + "changed" + long, "changed"},
		{long + long, long + "ADDED " + long, "ADDED"},
		{"x" + long, "y" + long, "yone"},
		{long + "gone" + long, long + long, "three"},
		{"", "Ä" + long, "Äone"},
	} {
		got, cut := Around(c.old, c.now, 60)
		if !strings.Contains(got, c.words) || len([]rune(got)) > 60 || cut != (len([]rune(c.now)) > 60) {
			t.Errorf("%q: %v", got, cut)
		}
	}
}

func TestOnlyIn_ShowsALongParagraphAroundWhatDiffers(t *testing.T) {
	item := func(i int) string { return "- item " + strings.Repeat("x", i) + "\n" }
	var list strings.Builder
	for i := range 60 {
		list.WriteString(item(i))
	}
	old := "One.\n\n" + list.String() + "- bell\n" + list.String() + "\nTwo."
	now := strings.ReplaceAll(strings.Replace(old, "bell", "horn", 1), "Two.", "2.")
	shown := OnlyIn(now, old)
	if len(shown) != 2 || !strings.Contains(shown[0], "- horn") || !strings.HasSuffix(shown[0], "…") || shown[1] != "2." || len(shown[0]) > maxDroppedParagraph+20 {
		t.Errorf("%q", shown)
	}
	if was := Dropped(old, now); !strings.Contains(was, "- bell") {
		t.Errorf("it was %s", was)
	}
}
