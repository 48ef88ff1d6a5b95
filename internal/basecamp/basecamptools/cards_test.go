package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

const (
	kickstand   = "Kickstand plate, 8 mm back"
	kickstandID = "{Kanban::Card:" + kickstand + "}"
)

func cardPath(id int64) string { return fmt.Sprintf("/card_tables/cards/%d.json", id) }

// readCard reads a card by get_item.
func readCard(d *toolEnv, in args) work.Card {
	d.Helper()
	return call[struct{ Item work.Card }](d, "get_item", in).Item
}

func TestGetItem_OfACard(t *testing.T) {
	var changes []string
	for i := range 40 {
		changes = append(changes, fmt.Sprintf(`PUT /card_tables/cards/%s.json {"due_on":"20%d-05-20"}`, kickstandID, 30+i))
	}
	cases(t, "get_item", args{"project": launch},
		row{fact: "it has its column, subtasks, comments and last move", in: args{"item": "card:kickstand PLATE"}, holds: holds{
			"item.type": "card", "item.title": kickstand, "item.column.name": "In progress", "item.project.name": launch, "item.due_on": some, "item.completed": nil, "item.status": "active",
			"item.steps.#": 3, "item.steps_done": 1, "item.comments.#": 1, "item.more_comments": nil, "item.author.name": some, "item.content": has("size 48"), "item.assignees.*.name": says{"Noémie Laurent"},
			"item.last_move.from": "Triage", "item.last_move.to": "In progress", "item.last_move.by.name": some, "item.last_move.at": "1999-12-21T08:00:00Z", "item.created_at": "1999-12-16T00:00:00Z",
		}},
		row{fact: "a completed one is in Done", in: args{"item": "card:Chain line, revision E"}, holds: holds{"item.completed": true, "item.completed_at": some, "item.column.name": "Done"}},
		row{fact: "one may not have moved", in: args{"item": "Somewhere to hang a helmet"}, holds: holds{"item.last_move": nil, "item.steps.#": 0}},
		row{fact: "the nearest titles are told", in: args{"item": "Kickstop"}, fails: fault.NotFound, says: says{"nearest"}},
		row{fact: "part of a title must fit one", in: args{"item": "light"}, fails: fault.Ambiguous, holds: holds{"data.candidates.#": least(2), "data.candidates.0.where": some}},
		row{fact: "it must be in the project", in: args{"item": kickstandID, "project": "Company HQ"}, fails: fault.NotFound, says: says{"item", "project"}},
		row{fact: "its history is read only up to the last move", setup: (*toolEnv).knowsLaunch, in: args{"item": "card:" + kickstandID, "include_comments": false, "project": nil}, requests: 3},
		row{fact: "however long ago that was", setup: (*toolEnv).knowsLaunch, before: changes, in: args{"item": "card:" + kickstandID, "include_comments": false, "project": nil}, requests: 4, holds: holds{"item.last_move": some}},
	)
}

func TestCreateCard(t *testing.T) {
	const posted = "POST /recordings/{Kanban::Card:Bell bracket}/subtasks.json"
	unfinished := says{"card:{Kanban::Card:Bell bracket}", "/card_tables/cards/", "do not create it again"}
	twoSteps := args{"title": "Bell bracket", "column": "Next", "assignees": "Noémie", "steps": []args{{"title": "Draw"}, {"title": "Print"}}}
	tried := says{"POST /card_tables/lists/{Kanban::Column:Next@Cargo Bike Launch}/cards.json", "PUT /card_tables/cards/{Kanban::Card:Bell bracket}.json", posted, posted}
	left := func(fact string, f sandbox.Fault, step int, code fault.Code, words string, not ...string) row {
		return row{fact: fact, in: twoSteps, faults: faults{f}, fails: code, says: append(slices.Clone(unfinished), words), misses: not, writes: tried,
			holds: holds{"data.may_have_happened": true, "retryable": false}, then: []row{{tool: "GET /card_tables/cards/{Kanban::Card:Bell bracket}.json", holds: holds{"steps.#": step}}}}
	}
	cases(t, "create_card", args{"project": launch, "board": frame, "title": " Bell bracket "},
		row{fact: "one call sets everything", in: args{
			"column": "next", "body": "Ask **Samo**. @Priya knows the size.", "mentions": says{"Priya"}, "assignees": says{"Noémie", "me"}, "due_on": "2031-05-30",
			"steps": []args{{"title": "Draw", "assignees": "Noémie", "due_on": "2031-05-20"}, {"title": "Print"}},
		}, holds: holds{"type": "card", "title": "Bell bracket", "column.name": "Next", "project.name": launch, "due_on": "2031-05-30", "steps_total": 2, "assignees.*.name": says{"Noémie Laurent", "Ines Albrecht"}}, then: []row{
			{tool: "GET /card_tables/cards/{.id}.json", holds: holds{"content": has("<strong>Samo</strong>"), "steps.*.title": says{"Draw", "Print"}, "steps.0.due_on": "2031-05-20", "steps.0.assignees.#": 1, "steps.1.assignees": nil, "parent.title": "Next"}},
			{tool: "GET /card_tables/cards/{0.id}.json", holds: holds{"content": has("application/vnd.basecamp.mention")}},
		}},
		row{fact: "it goes to Triage by default", in: args{"project": "Workshop & Tools", "board": nil, "title": "Chuck key is gone"}, requests: 4,
			holds: holds{"column.name": "Triage", "assignees.#": 0, "due_on": nil, "content": ""}, then: []row{
				{fact: "with all", in: args{"project": "Workshop & Tools", "board": nil, "assignees": "me", "steps": []args{{"title": "a"}, {"title": "b", "assignees": "Sam Okafor"}}}, requests: 8},
			}},
		row{fact: "a title is required", each: []args{{"title": "  "}, {"title": ""}}, fails: fault.InvalidInput, says: says{"title"}},
		row{fact: "the nearest columns are told", in: args{"column": "Nxet"}, fails: fault.NotFound, says: says{"column", "Next"}},
		row{fact: "a column must fit one", in: args{"column": "in"}, fails: fault.Ambiguous, says: says{"column"}},
		row{fact: "one of several boards is named", in: args{"board": nil}, fails: fault.Ambiguous, says: says{"board"}},
		row{fact: "each assignee must exist", in: args{"assignees": says{"Noémie", "Zelda"}}, fails: fault.NotFound, says: says{"assignees[1]", "Zelda"}},
		row{fact: "a day must be understood", in: args{"due_on": "soon"}, fails: fault.InvalidInput, says: says{"due_on"}},
		row{fact: "whom it mentions must exist", in: args{"body": "Hm", "mentions": "Zelda"}, fails: fault.NotFound, says: says{"mentions"}},
		row{fact: "mentions need a text", in: args{"mentions": "Noémie"}, fails: fault.InvalidInput, says: says{"mentions", "body"}},
		row{fact: "each step has a title", in: args{"steps": []args{{"title": "Draw"}, {"title": " "}}}, fails: fault.InvalidInput, says: says{"steps[1].title"}},
		row{fact: "the assignees of a step must exist", in: args{"steps": []args{{"title": "Draw", "assignees": "Zelda"}}}, fails: fault.NotFound, says: says{"steps[0].assignees[0]"}},
		row{fact: "the day of a step must be understood", in: args{"steps": []args{{"title": "Draw", "due_on": "never"}}}, fails: fault.InvalidInput, says: says{"steps[0].due_on"}},
		row{fact: "there are at most 20 steps", in: args{"steps": make([]args, 21)}, fails: fault.InvalidInput, says: says{"steps"}},
		row{fact: "the project must have a board", in: args{"project": "Photo Library", "board": nil}, fails: fault.ToolNotEnabled, says: says{"card table"}},
		left("one without its assignees says so", sandbox.Fault{Method: "PUT", Status: http.StatusForbidden}, 2, fault.PermissionDenied, "its assignees", "step"),
		left("one without a step says so", sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Status: http.StatusForbidden, Times: 1}, 1, fault.PermissionDenied, `its step "Draw"`, "assignees ("),
		left("a step that is lost may be there", sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Drop: true, Times: 1}, 1, fault.UpstreamError, `its step "Draw" (Basecamp may have done this`, "Print"),
	)
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
