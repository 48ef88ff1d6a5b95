package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// asKept returns a card from Basecamp, without updated_at and the fields named.
func asKept(d *toolEnv, id int64, without ...string) record {
	d.Helper()
	kept := upstream[record](d, cardPath(id))
	for _, field := range append(without, "updated_at") {
		delete(kept, field)
	}
	return kept
}

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

func TestUpdateCard_MeIsNeverAPartOfAName(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"card": "RC-04: second flat this month", "project": "Rijnstad Couriers Fleet", "add_assignees": []string{"Lieke van der Meer", "me"}}
		call[writtenCard](d, "update_card", in)
		delete(in, "add_assignees")
		in["remove_assignees"] = "me"
		if diff := cmp.Diff([]string{"Tomás Herrera", "Lieke van der Meer"}, personNames(call[writtenCard](d, "update_card", in).Assignees)); diff != "" {
			d.Error(diff)
		}
	})
}

func TestUpdateCard_RemovesTheAssignedOneOfTwoSams(t *testing.T) {
	at(t, func(d *toolEnv) {
		const dealers = "Dealer Network"
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(dealers)), `{"tool_type":"Kanban::Board","title":"Visits"}`)
		made := call[writtenCard](d, "create_card", args{"project": dealers, "title": "Visit the coast", "assignees": []string{"Sam Lindqvist", "me"}})
		d.refuses(fault.Ambiguous, "update_card", args{"card": made.ID, "add_assignees": "Sam"}, "add_assignees[0]")
		got := call[writtenCard](d, "update_card", args{"card": made.ID, "remove_assignees": "Sam"})
		if diff := cmp.Diff([]string{"Ines Albrecht"}, personNames(got.Assignees)); diff != "" {
			d.Error(diff)
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
			"move_card":   {"card": kickstand, "project": launch, "column": "Done"},
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

func TestCardWrites_ReportFailuresOfBasecamp(t *testing.T) {
	for status, want := range map[int]fault.Code{
		http.StatusUnauthorized: fault.TokenExpired, http.StatusForbidden: fault.PermissionDenied, http.StatusNotFound: fault.NotFound,
		http.StatusUnprocessableEntity: fault.InvalidInput, http.StatusTooManyRequests: fault.RateLimited, http.StatusInsufficientStorage: fault.LimitReached,
	} {
		for tool, in := range map[string]args{
			"create_card": {"project": launch, "board": frame, "title": "Bell bracket"},
			"move_card":   {"card": kickstand, "project": launch, "column": "Done"},
			"update_card": {"card": kickstand, "project": launch, "title": "Kickstand plate"},
		} {
			synctest.Test(t, func(t *testing.T) {
				d := newToolEnv(t, sandbox.Options{})
				before := asKept(d, d.sandbox.Find("Kanban::Card", kickstand))
				for _, method := range []string{"POST", "PUT"} {
					d.sandbox.Inject(sandbox.Fault{Method: method, Status: status, Header: http.Header{"Retry-After": {"60"}}})
				}
				d.fails(want, tool, in)
				if diff := cmp.Diff(before, asKept(d, d.sandbox.Find("Kanban::Card", kickstand))); diff != "" {
					d.Errorf("%s, %d: %s", tool, status, diff)
				}
			})
		}
	}
}

func TestUpdateCard_ChangesOnlyNamedFields(t *testing.T) {
	for name, x := range map[string]struct {
		in      args
		changed []string
		check   func(record) bool
	}{
		"title":      {args{"title": " Kickstand plate "}, []string{"title"}, func(c record) bool { return c["title"] == "Kickstand plate" }},
		"body":       {args{"body": "**New**"}, []string{"content", "description"}, func(c record) bool { return strings.Contains(c["content"].(string), "<strong>New</strong>") }},
		"no body":    {args{"body": ""}, []string{"content", "description"}, func(c record) bool { return c["content"] == nil }},
		"due":        {args{"due_on": "2031-05-30"}, []string{"due_on"}, func(c record) bool { return c["due_on"] == "2031-05-30" }},
		"undated":    {args{"due_on": "none"}, []string{"due_on"}, func(c record) bool { return c["due_on"] == nil }},
		"unassigned": {args{"assignees": []any{}}, []string{"assignees"}, func(c record) bool { return len(c["assignees"].([]any)) == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(d *toolEnv) {
				id := d.sandbox.Find("Kanban::Card", kickstand)
				before := asKept(d, id, x.changed...)
				x.in["card"] = id
				written := d.written(func() { call[writtenCard](d, "update_card", x.in) })
				after := upstream[record](d, cardPath(id))
				if !x.check(after) || len(written) != 1 {
					d.Errorf("wrote %v: %v", written, after)
				}
				before["steps"], after["steps"] = nil, nil // steps contain the title of the card
				for _, field := range append(x.changed, "updated_at") {
					delete(after, field)
				}
				if diff := cmp.Diff(before, after); diff != "" {
					d.Error(diff)
				}
			})
		})
	}
}

func TestUpdateCard_AddsAndRemovesAssignees(t *testing.T) {
	at(t, func(d *toolEnv) {
		assign := func(in args) []string {
			in["card"], in["project"] = "Deck rails: second weld pass underneath", launch
			return personNames(call[writtenCard](d, "update_card", in).Assignees)
		}
		for _, x := range []struct {
			in   args
			want []string
		}{
			{args{"add_assignees": "me"}, []string{"Mateusz Wójcik", "Noémie Laurent", "Ines Albrecht"}},
			{args{"add_assignees": []string{"Noémie", "Sam Okafor"}, "remove_assignees": "Mateusz"}, []string{"Noémie Laurent", "Ines Albrecht", "Sam Okafor"}},
			{args{"remove_assignees": []any{"me", "Sam", "Mateusz"}}, []string{"Noémie Laurent"}},
			{args{"assignees": []string{"Priya", "Jonas"}}, []string{"Priya Raman", "Jonas Brandt"}},
		} {
			if diff := cmp.Diff(x.want, assign(x.in)); diff != "" {
				d.Errorf("%v: %s", x.in, diff)
			}
		}
	})
}

func TestUpdateCard_KeepsFilesInAReplacedText(t *testing.T) {
	at(t, func(d *toolEnv) {
		const hose = "Cable exit at the head tube, sharper radius"
		got := call[writtenCard](d, "update_card", args{"card": hose, "project": launch, "body": "Solved, @Tomás.", "mentions": "Tomás"})
		kept := upstream[record](d, cardPath(got.ID))
		if content := kept["content"].(string); !strings.Contains(content, "hose-rub.png") || !strings.Contains(content, "vnd.basecamp.mention") {
			d.Errorf("content %s", content)
		}
	})
}

func TestUpdateCard_WritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		with := func(more args) args {
			more["card"], more["project"] = kickstand, launch
			return more
		}
		d.refuses(fault.InvalidInput, "update_card", with(args{}), "title", "due_on", "assignees")
		d.refuses(fault.InvalidInput, "update_card", with(args{"title": " "}), "title", "blank")
		d.refuses(fault.InvalidInput, "update_card", with(args{"mentions": "Noémie"}), "mentions", "body")
		d.refuses(fault.InvalidInput, "update_card", with(args{"title": "x", "mentions": "Noémie"}), "mentions", "body")
		d.refuses(fault.InvalidInput, "update_card", with(args{"title": "x", "due_on": "soon"}), "due_on")
		d.refuses(fault.NotFound, "update_card", with(args{"body": "x", "mentions": "Zelda"}), "mentions[0]")
		d.refuses(fault.NotFound, "update_card", with(args{"assignees": "Zelda"}), "assignees[0]", "Zelda")
		d.refuses(fault.InvalidInput, "update_card", with(args{"assignees": "Noémie", "add_assignees": "Priya"}), "assignees", "do not combine")
		d.refuses(fault.InvalidInput, "update_card", with(args{"add_assignees": "Priya", "remove_assignees": "Priya"}), "remove_assignees[0]")
		d.refuses(fault.NotFound, "update_card", with(args{"remove_assignees": "Zelda"}), "remove_assignees[0]")
		d.refuses(fault.NotFound, "update_card", args{"card": d.sandbox.Find("Kanban::Card", kickstand), "project": "Company HQ", "title": "x"}, "card")
		d.refuses(fault.InvalidInput, "update_card", args{"card": columnsOf(d, frame).URL, "title": "x"}, "card")
	})
}

func TestUpdateCard_ReadsOnceAndWritesOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := args{"card": d.sandbox.Find("Kanban::Card", kickstand), "title": "Kickstand plate", "due_on": "2031-05-30", "body": "New"}
		readCard(d, args{"card": in["card"], "project": launch}) // the project has no clients
		if asked := d.asked(func() { call[writtenCard](d, "update_card", in) }); len(asked) != 2 {
			d.Errorf("asked %v", asked)
		}
	})
}
