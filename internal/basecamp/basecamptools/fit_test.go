package basecamptools

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
)

func texts(count, characters int) []documentItem {
	items := make([]documentItem, count)
	for i := range items {
		items[i].Content = strings.TrimSpace(strings.Repeat("word ", characters/5))
	}
	return items
}

func TestFit_CutsTextsBeforeItLeavesOutItems(t *testing.T) {
	for _, test := range []struct{ count, characters, room, left int }{
		{10, 3000, 10, 3000}, // all fit without a cut
		{5, 20_000, 5, 4000}, // ten thousand characters each are too many
		{20, 20_000, 20, 2000},
		{60, 20_000, 60, 500},
		{100, 20_000, 66, 500},  // even 500 characters are too many: 66 items fit
		{1, 200_000, 1, 10_000}, // one item always fits
	} {
		items := texts(test.count, test.characters)
		room := listing.Fit[documentItem, *documentItem](items, listing.MaxAnswer)
		longest := len(items[0].Content)
		if room != test.room || longest > test.left || longest < test.left*9/10 {
			t.Errorf("%d of %d characters: %d fit, of %d characters", test.count, test.characters, room, longest)
		}
		if items[0].Truncated != (test.left < test.characters) {
			t.Errorf("%d of %d characters: truncated %v", test.count, test.characters, items[0].Truncated)
		}
		if room > 1 && listing.Weigh(items[:room]) > listing.MaxAnswer {
			t.Errorf("%d of %d characters: %d bytes", test.count, test.characters, listing.Weigh(items[:room]))
		}
	}
}

func TestFit_AlwaysKeepsOneItem(t *testing.T) {
	items := texts(3, 20_000)
	if room := listing.Fit[documentItem, *documentItem](items, 100); room != 1 {
		t.Errorf("%d fit", room)
	}
}

func TestViewPerson_OmitsARedactedAddress(t *testing.T) {
	if p := lookup.ViewPerson(basecamp.Person{ID: 1, Name: "Ines\u200b", Email: "i••••@fernhill.example"}); p.Email != "" || p.Name != "Ines" {
		t.Errorf("got %+v", p)
	}
}
