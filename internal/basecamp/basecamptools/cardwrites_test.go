package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestCreateCard_SetsEverythingInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[writtenCard](d, "create_card", args{
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
		if next := columnsOf(d, frame).column("Next"); next.CardsCount != 4 {
			d.Errorf("got %+v", next)
		}
	})
}

func TestCreateCard_GoesToTriageByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		var got writtenCard
		asked := d.asked(func() {
			got = call[writtenCard](d, "create_card", args{"project": "Workshop & Tools", "title": "Chuck key is gone"})
		})
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

func TestCreateCard_CutsALongTextOnlyInItsAnswer(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[writtenCard](d, "create_card", args{"project": launch, "board": frame, "title": "Bell", "body": strings.Repeat("Ring it. ", 500)})
		if !got.Truncated || len([]rune(got.Content)) > maxWritten+1 {
			d.Errorf("%d characters", len(got.Content))
		}
	})
}

func TestCardWrites_AreSentOnceAndSayThatTheyMayHaveHappened(t *testing.T) {
	for name, failure := range map[string]sandbox.Fault{
		"lost":    {Method: "POST", Drop: true, AfterEffect: true},
		"hanging": {Method: "POST", Hang: true},
		"broken":  {Method: "POST", Status: http.StatusInternalServerError},
	} {
		for tool, in := range map[string]args{
			"create_card": {"project": launch, "board": frame, "title": "Once only", "assignees": "me"},
			"update_work": {"items": thoseItems("card:" + kickstand), "project": launch, "column": "Done"},
		} {
			t.Run(tool+" "+name, func(t *testing.T) {
				at(t, func(d *toolEnv) {
					d.sandbox.Inject(failure)
					var text string
					written := d.written(func() { text, _ = d.raw(tool, in) })
					if len(written) != 1 || !strings.Contains(text, `"may_have_happened":true`) || !strings.Contains(text, `"retryable":false`) {
						d.Errorf("wrote %v, got %s", written, text)
					}
				})
			})
		}
	}
}
