package basecamptools

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
)

const kickstand = "Kickstand plate, 8 mm back"

func cardPath(id int64) string { return fmt.Sprintf("/card_tables/cards/%d.json", id) }

func personNames(people []lookup.Person) (names []string) {
	for _, p := range people {
		names = append(names, p.Name)
	}
	return names
}

func TestGetItem_OfACardReturnsStepsColumnCommentsAndTheLastMove(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := readCard(d, args{"card": "kickstand PLATE", "project": launch})
		if got.Type != "card" || got.Title != kickstand || got.Column.Name != "In progress" || got.Project.Name != launch || got.DueOn == nil || got.Completed || got.Status != "active" {
			d.Errorf("got %+v", got)
		}
		if len(got.Steps) != 3 || got.StepsDone != 1 || len(got.Comments) != 1 || got.MoreComments || got.Author.Name == "" || !strings.Contains(got.Content, "size 48") {
			d.Errorf("got %+v", got)
		}
		if diff := cmp.Diff([]string{"Noémie Laurent"}, personNames(got.Assignees)); diff != "" {
			d.Error(diff)
		}
		if m := got.LastMove; m == nil || m.From != "Triage" || m.To != "In progress" || m.By.Name == "" || m.At.Before(got.CreatedAt) {
			d.Errorf("last move %+v", got.LastMove)
		}
		done := readCard(d, args{"card": d.sandbox.Find("Kanban::Card", "Chain line, revision E")})
		if !done.Completed || done.CompletedAt == nil || done.Column.Name != "Done" {
			d.Errorf("got %+v", done)
		}
		if still := readCard(d, args{"card": "Somewhere to hang a helmet", "project": launch}); still.LastMove != nil || len(still.Steps) != 0 {
			d.Errorf("got %+v", still)
		}
	})
}

func TestGetItem_OfACardFindsACardByIDURLOrTitle(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		url := readCard(d, args{"card": id}).URL
		for _, reference := range []any{fmt.Sprint(id), fmt.Sprintf("card:%d", id), url, strings.Replace(url, "3.basecamp.com", "app.basecamp.com", 1), "card:" + kickstand} {
			if got := readCard(d, args{"card": reference}); got.ID != id {
				d.Errorf("%v: %+v", reference, got)
			}
			if got := readCard(d, args{"card": reference, "project": launch}); got.ID != id {
				d.Errorf("%v: %+v", reference, got)
			}
		}
		d.fails(fault.NotFound, "get_item", args{"item": id, "project": "Company HQ"}, "item", "project")
		d.fails(fault.NotFound, "get_item", args{"item": 12345})
		d.fails(fault.NotFound, "get_item", args{"item": "Kickstop", "project": launch}, "nearest")
		if f := d.fails(fault.Ambiguous, "get_item", args{"item": "light", "project": launch}); len(f.Data.Candidates) < 2 || f.Data.Candidates[0].Where == "" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestGetItem_OfACardSendsFourRequests(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.knowsLaunch()
		id := d.sandbox.Find("Kanban::Card", kickstand)
		if cold := d.asked(func() { readCard(d, args{"card": id}) }); len(cold) != 4 {
			d.Errorf("cold: %v", cold)
		}
		if without := d.asked(func() { readCard(d, args{"card": id, "include_comments": false}) }); len(without) != 3 {
			d.Errorf("without comments: %v", without)
		}
		if named := d.asked(func() { readCard(d, args{"card": kickstand, "project": launch}) }); len(named) > 9 {
			d.Errorf("by title: %v", named)
		}
		for i := range 40 {
			d.meanwhile("PUT", cardPath(id), fmt.Sprintf(`{"title":"Kickstand plate, take %d"}`, i))
		}
		var got card
		if long := d.asked(func() { got = readCard(d, args{"card": id, "include_comments": false}) }); len(long) != 4 || got.LastMove == nil {
			d.Errorf("behind forty changes: %v, last move %v", long, got.LastMove)
		}
	})
}

func TestGetItem_OfACardSplitsALongText(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		d.meanwhile("PUT", cardPath(id), `{"content":"<div>`+strings.Repeat("Spoke by spoke. ", 4000)+`</div>"}`)
		first := readCard(d, args{"card": id})
		if !first.Truncated || first.NextOffset == 0 {
			d.Fatalf("got %+v", first)
		}
		rest := readCard(d, args{"card": id, "offset": first.NextOffset})
		if text := first.Content + rest.Content; rest.Truncated || len(rest.Comments) > 0 || strings.Count(text, "Spoke by spoke.") != 4000 {
			d.Errorf("%d characters", len(text))
		}
	})
}

func TestShowCard_MatchesGetCard(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.Find("Kanban::Card", kickstand)
		want := readCard(d, args{"card": id})
		got, err := rs.showCard(ctx, id, commentsInput{IncludeComments: true})
		if err != nil || !reflect.DeepEqual(got, want) {
			d.Errorf("%v, got %+v, want %+v", err, got, want)
		}
	})
}

// readCard reads a card by get_item.
func readCard(d *toolEnv, in args) card {
	d.Helper()
	return call[struct{ Item card }](d, "get_item", in).Item
}
