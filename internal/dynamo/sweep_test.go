package dynamo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/sweep"
)

// allGrants returns the grants of all pages, and the number of pages.
func allGrants(t *testing.T, table *Table) (all []sweep.Grant, pages int) {
	t.Helper()
	for place := ""; pages == 0 || place != ""; pages++ {
		page, err := table.Grants(t.Context(), place)
		if err != nil || page.Units <= 0 || pages > 100 {
			t.Fatalf("page %d: %v units, %v", pages, page.Units, err)
		}
		all, place = append(all, page.Grants...), page.Next
	}
	return all, pages
}

func TestGrants_ListsEveryGrantOnceAmongAllOtherItems(t *testing.T) {
	client, name := integration(t)
	table := New(client, name, nil)
	begin(t, table) // items of a login: a family, its tokens and its index entry
	var want []sweep.Grant
	for i := range 2*mostScanned + 1 {
		g := sweep.Grant{Subject: fmt.Sprintf("37s:%04d", i), Provider: []string{"37signals", "orchard"}[i%2]}
		if _, err := table.Records(g.Provider).SaveRecord(t.Context(), grant.Record{Subject: g.Subject}); err != nil {
			t.Fatal(err)
		}
		want = append(want, g)
	}
	for _, revision := range []int64{1, 2} {
		if _, err := sealedIn(table).Save(t.Context(), ines.Subject, "w", basecampTokens(revision)); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.SaveSweptTo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := table.EndCodes(t.Context(), "37s:0001", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	got, pages := allGrants(t, table)
	slices.SortFunc(got, func(a, b sweep.Grant) int { return strings.Compare(a.Subject, b.Subject) })
	if diff := cmp.Diff(want, got); diff != "" || pages != 3 {
		t.Errorf("%d pages, %s", pages, diff)
	}
}

// A place stays valid after its item was removed: the sweep itself removes records.
func TestGrants_ContinuesAfterAnItemThatIsGone(t *testing.T) {
	api, name := integration(t)
	table := New(api, name, nil)
	for i := range mostScanned + 10 {
		if _, err := table.Records("orchard").SaveRecord(t.Context(), grant.Record{Subject: fmt.Sprintf("or:%04d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := table.Grants(t.Context(), "")
	if err != nil || first.Next == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	at, err := placeOf(first.Next)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.remove(t.Context(), "test", keyOf(at)); err != nil {
		t.Fatal(err)
	}
	second, err := table.Grants(t.Context(), first.Next)
	if err != nil || second.Next != "" || len(second.Grants) != 10 {
		t.Errorf("%+v, %v", second, err)
	}
}

func TestSweptTo_ReturnsThePlaceThatWasSavedLast(t *testing.T) {
	client, name := integration(t)
	table := New(client, name, nil)
	for i, place := range []string{"", `["UR#37s:1","P#37signals"]`, ""} {
		if i > 0 {
			if err := table.SaveSweptTo(t.Context(), place); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := table.SweptTo(t.Context()); err != nil || got != place {
			t.Errorf("%s, %v, want %s", got, err, place)
		}
	}
}

func TestSweptTo_ReturnsTheStartIfThePlaceIsUnreadable(t *testing.T) {
	for _, stored := range []string{`x`, `[]`, `["UR#37s:1"]`, `["",""]`, `{"pk":"UR#1"}`, `[1,2]`} {
		answer := fmt.Sprintf(`{"Item": {"pk": {"S": "SW#place"}, "sk": {"S": "M"}, "place": {"S": %q}}}`, stored)
		if got, err := wired(answers(says(200, answer))).SweptTo(t.Context()); err != nil || got != "" {
			t.Errorf("%s: %s, %v", stored, got, err)
		}
	}
}
