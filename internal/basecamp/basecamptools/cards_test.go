package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
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

func TestGetItem_OfACardNamesWhatItDoesNotFind(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		d.fails(fault.NotFound, "get_item", args{"item": id, "project": "Company HQ"}, "item", "project")
		d.fails(fault.NotFound, "get_item", args{"item": 12345})
		d.fails(fault.NotFound, "get_item", args{"item": "Kickstop", "project": launch}, "nearest")
		if f := d.fails(fault.Ambiguous, "get_item", args{"item": "light", "project": launch}); len(f.Data.Candidates) < 2 || f.Data.Candidates[0].Where == "" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestGetItem_OfACardReadsItsHistoryUpToTheLastMove(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.knowsLaunch()
		id := d.sandbox.Find("Kanban::Card", kickstand)
		if without := d.asked(func() { readCard(d, args{"card": id, "include_comments": false}) }); len(without) != 3 {
			d.Errorf("without comments: %v", without)
		}
		for i := range 40 {
			d.meanwhile("PUT", cardPath(id), fmt.Sprintf(`{"title":"Kickstand plate, take %d"}`, i))
		}
		var got work.Card
		if long := d.asked(func() { got = readCard(d, args{"card": id, "include_comments": false}) }); len(long) != 4 || got.LastMove == nil {
			d.Errorf("behind forty changes: %v, last move %v", long, got.LastMove)
		}
	})
}

// readCard reads a card by get_item.
func readCard(d *toolEnv, in args) work.Card {
	d.Helper()
	return call[struct{ Item work.Card }](d, "get_item", in).Item
}

func TestCreateCard_SetsEverythingInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[work.WrittenCard](d, "create_card", args{
			"project": launch, "board": frame, "column": "next", "title": " Bell bracket ", "body": "Ask **Samo**. @Priya knows the size.", "mentions": []string{"Priya"},
			"assignees": []any{"Noémie", "me"}, "due_on": "2031-05-30",
			"steps": []args{{"title": "Draw", "assignees": "Noémie", "due_on": "2031-05-20"}, {"title": "Print"}},
		})
		if got.Type != "card" || got.Title != "Bell bracket" || got.Column.Name != "Next" || got.Project.Name != launch || *got.DueOn != "2031-05-30" || got.StepsTotal != 2 {
			d.Errorf("got %+v", got)
		}
		if diff := cmp.Diff([]string{"Noémie Laurent", "Ines Albrecht"}, personNames(got.Assignees)); diff != "" {
			d.Error(diff)
		}
		kept := upstream[record](d, cardPath(got.ID))
		content, steps := kept["content"].(string), kept["steps"].([]any)
		if !strings.Contains(content, "<strong>Samo</strong>") || !strings.Contains(content, "application/vnd.basecamp.mention") {
			d.Errorf("content %s", content)
		}
		first := steps[0].(record)
		if len(steps) != 2 || first["title"] != "Draw" || first["due_on"] != "2031-05-20" || len(first["assignees"].([]any)) != 1 || steps[1].(record)["title"] != "Print" {
			d.Errorf("steps %v", steps)
		}
		if next := columnNamed(columnsOf(d, frame), "Next"); next.CardsCount != 4 {
			d.Errorf("got %+v", next)
		}
	})
}

func TestCreateCard_GoesToTriageByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		got, asked := costing[work.WrittenCard](d, "create_card", args{"project": "Workshop & Tools", "title": "Chuck key is gone"})
		if got.Column.Name != "Triage" || len(got.Assignees) != 0 || got.DueOn != nil || got.Content != "" {
			d.Errorf("got %+v", got)
		}
		if len(asked) != 4 { // two pages of projects, the card table, the card
			d.Errorf("cold: %v", asked)
		}
		everything := args{"project": "Workshop & Tools", "title": "x", "assignees": "me", "steps": []args{{"title": "a"}, {"title": "b", "assignees": "Samo"}}}
		if asked := d.asked(func() { d.raw("create_card", everything) }); len(asked) > 7 {
			d.Errorf("with all: %v", asked)
		}
	})
}

func TestCreateCard_WritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		with := func(more args) args {
			in := args{"project": launch, "board": frame, "title": "Bell bracket"}
			maps.Copy(in, more)
			return in
		}
		d.refuses(fault.InvalidInput, "create_card", with(args{"title": "  "}), "title", "blank")
		d.refuses(fault.InvalidInput, "create_card", with(args{"title": ""}), "title")
		d.refuses(fault.NotFound, "create_card", with(args{"column": "Nxet"}), "column", "Next")
		d.refuses(fault.Ambiguous, "create_card", with(args{"column": "in"}), "column")
		d.refuses(fault.Ambiguous, "create_card", args{"project": launch, "title": "Bell bracket"}, "board")
		d.refuses(fault.NotFound, "create_card", with(args{"assignees": []string{"Noémie", "Zelda"}}), "assignees[1]", "Zelda")
		d.refuses(fault.InvalidInput, "create_card", with(args{"due_on": "soon"}), "due_on")
		d.refuses(fault.NotFound, "create_card", with(args{"body": "Hm", "mentions": "Zelda"}), "mentions")
		d.refuses(fault.InvalidInput, "create_card", with(args{"mentions": "Noémie"}), "mentions", "body")
		d.refuses(fault.InvalidInput, "create_card", with(args{"steps": []args{{"title": "Draw"}, {"title": " "}}}), "steps[1].title")
		d.refuses(fault.NotFound, "create_card", with(args{"steps": []args{{"title": "Draw", "assignees": "Zelda"}}}), "steps[0].assignees[0]")
		d.refuses(fault.InvalidInput, "create_card", with(args{"steps": []args{{"title": "Draw", "due_on": "never"}}}), "steps[0].due_on")
		d.refuses(fault.InvalidInput, "create_card", with(args{"steps": make([]args, 21)}), "steps")
		d.refuses(fault.ToolNotEnabled, "create_card", args{"project": "Photo Library", "title": "x"}, "card table")
	})
}

func TestCreateCard_ReportsAnUnfinishedCard(t *testing.T) {
	in := args{"project": launch, "board": frame, "title": "Bell bracket", "assignees": "Noémie", "steps": []args{{"title": "Draw"}, {"title": "Print"}}}
	for name, x := range map[string]struct {
		fault         sandbox.Fault
		says, saysNot string
		steps         int
	}{
		"no assignees": {sandbox.Fault{Method: "PUT", Status: http.StatusForbidden}, "its assignees", "step", 2},
		"no step":      {sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Status: http.StatusForbidden, Times: 1}, `its step "Draw"`, "assignees (", 1},
		"a lost step":  {sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Drop: true, Times: 1}, `its step "Draw" (Basecamp may have done this`, "Print", 1},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(d *toolEnv) {
				d.sandbox.Inject(x.fault)
				text, isError := d.raw("create_card", in)
				id := d.sandbox.Find("Kanban::Card", "Bell bracket")
				for _, word := range []string{x.says, fmt.Sprintf("card:%d", id), "/card_tables/cards/", "do not create it again", `"may_have_happened":true`, `"retryable":false`} {
					if !isError || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), word) {
						d.Errorf("%q is not in %s", word, text)
					}
				}
				if strings.Contains(text, x.saysNot) || len(upstream[record](d, cardPath(id))["steps"].([]any)) != x.steps {
					d.Errorf("says %s", text)
				}
			})
		})
	}
}

func TestCreateCard_StartsNoStepWithoutEnoughTime(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Delay: 4 * time.Second})
		steps := make([]args, 10)
		for i := range steps {
			steps[i] = args{"title": fmt.Sprintf("Part %d", i)}
		}
		text, isError := d.raw("create_card", args{"project": launch, "board": frame, "title": "Bell bracket", "steps": steps})
		added := stepTitles(d, cardPath(d.sandbox.Find("Kanban::Card", "Bell bracket")))
		if !isError || len(added) == 0 || strings.Contains(text, "may have done") || strings.Count(text, "ran out of time") != len(steps)-len(added) {
			d.Errorf("%d steps added, says %s", len(added), text)
		}
	})
}
