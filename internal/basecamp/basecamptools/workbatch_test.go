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
	"basecamp-mcp/internal/tool/toolanswer"
)

// cardsMade creates cards in a column of a board, and returns their references.
func cardsMade(d *toolEnv, column string, n int) (refs []string) {
	for i := range n {
		made := call[work.ChangedCard](d, "create_card", args{"project": launch, "board": frame, "column": column, "title": fmt.Sprintf("Lug %d", i)})
		refs = append(refs, fmt.Sprintf("card:%d", made.ID))
	}
	return refs
}

// numbered returns texts with the numbers from 0 on.
func numbered(n int, format string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return texts
}

func TestUpdateWork_OfSeveralItems(t *testing.T) {
	const away = "{Todo:Call the insurer about demo rides}"
	lugs := []args{{"title": "Lug 0"}, {"title": "Lug 1"}, {"title": "Lug 2"}}
	cards, move := []string{"card:{0.id}", "card:{1.id}", "card:{2.id}"}, "POST /card_tables/cards/{%d.id}/moves.json"
	toDone := args{"items": cards, "project": launch, "column": "Done"}
	kinds := []string{"todo", "card", "subtask", "todolist", "todolist", "document", "upload", "folder"}
	mine := newTodos(launch, "Parking lot", args{"content": "a", "assignees": []string{"Hanna", "Dele"}}, args{"content": "b", "assignees": "Hanna"}, args{"content": "c"})
	none := func(fact string, in args, paths ...string) row {
		r := row{fact: fact + ", and nothing is written", in: in, fails: fault.InvalidInput, holds: holds{"data.validation.*.path": paths}, says: says{"nothing was written"}, before: []string{
			"PUT /recordings/" + away + "/status/archived.json",
			`PUT /todos/{Todo:Book the photographer for the launch pictures}.json {"content":"` + photographer + `","starts_on":"2031-05-20","due_on":"2031-05-21"}`,
			`POST /todolists/{Todolist:Shops that asked us}/todos.json {"content":"Coast","starts_on":"2031-05-20","due_on":"2031-05-21"}`}}
		return r
	}
	cases(t, "update_work", nil,
		row{fact: "cards move in one call, and keep their order", tool: "create_card", in: args{"project": launch, "board": frame, "column": "Next"}, each: lugs, then: []row{
			{in: toDone, writes: []string{fmt.Sprintf(move, 0), fmt.Sprintf(move, 1), fmt.Sprintf(move, 2)}, holds: holds{"done": 3, "failed": 0, "results.*.item.title": []string{"Lug 0", "Lug 1", "Lug 2"}, "results.*.changed": true,
				"results.*.item.column.name": "Done", "results.*.item.completed": true, "results.*.previous.column.name": "Next", "results.*.previous.completed": false}},
			{tool: "get_board", in: args{"project": launch, "board": frame, "column": "Done"}, holds: holds{"columns.0.cards.0.id": "{0.id}", "columns.0.cards.1.id": "{1.id}", "columns.0.cards.2.id": "{2.id}"}},
			{fact: "again", in: toDone, writes: []string{}, holds: holds{"done": 3, "results.*.changed": false, "results.*.previous": nil}},
			{fact: "back", in: one("card:{0.id}", args{"column": "In review"}), holds: holds{"results.0.item.completed": false, "results.0.previous.column.name": "Done"}},
		}},
		row{fact: "a card comes off hold", setup: func(d *toolEnv) { hold(d, columnNamed(columnsOf(d, frame), "In progress").ID, kickstand) },
			in: one("card:"+kickstand, args{"column": "In progress"}), each: []args{{"project": launch}}, holds: holds{"results.0.changed": true}, then: []row{
				{tool: "get_board", in: args{"project": launch, "board": frame, "column": "In progress"}, holds: holds{"columns.0.on_hold_count": nil}}}},
		row{fact: "of two columns of a name, one is asked for", before: []string{`POST /card_tables/{Kanban::Board:Frame design}/columns.json {"title":"Next"}`},
			in: args{"items": thoseItems("card:" + kickstand), "project": launch, "column": "Next"}, fails: fault.Ambiguous, says: says{"column"}, holds: holds{"data.candidates.#": 2, "data.candidates.*.where": some}},
		row{fact: "items of all kinds change in one call", in: args{"project": launch, "items": []args{
			{"item": richItem, "due_on": "2031-05-20"}, {"item": kickItem, "column": "In review"}, {"item": stepItem, "completed": true}, {"item": "list:Parking lot", "title": "Later"}, {"item": "list:Electrics", "title": "Wires"},
			{"item": "document:Assembly handbook", "title": "Handbook"}, {"item": "upload:launch-budget.csv", "notes": "The old one."}, {"item": "folder:Frame", "title": "Frames"},
		}}, holds: holds{"done": 8, "failed": 0, "not_attempted": nil, "results.*.index": []int{0, 1, 2, 3, 4, 5, 6, 7}, "results.*.item.type": kinds, "results.*.changed": true, "results.*.previous": some}},
		row{fact: "what an item gives wins over what stands beside", tool: "list_todos", in: args{"project_id": launch, "todolist_id": checklist}, then: []row{
			{in: args{"due_on": "2031-05-20", "add_assignees": "me", "items": []args{{"item": "todo:{0.items.0.id}"}, {"item": "todo:{0.items.1.id}", "due_on": "2031-05-21"}, {"item": "todo:{0.items.2.id}", "assignees": "Hanna", "title": "Own title"}}},
				holds: holds{"failed": 0, "results.*.item.due_on": []string{"2031-05-20", "2031-05-21", "2031-05-20"}, "results.2.item.title": "Own title", "results.2.item.assignees.*.name": []string{"Hanna Koivisto"}}},
			{tool: "GET /todos/{0.items.1.id}.json", holds: holds{"due_on": "2031-05-21"}}}},
		row{fact: "assignees are merged into those that each has", tool: "create_todos", in: mine, then: []row{
			{in: args{"items": []any{"{.results.0.item.id}", "todo:{.results.1.item.id}", launchURL + "/todos/{.results.2.item.id}", "Order cartons"}, "project": launch, "add_assignees": []string{"Jonas"}, "remove_assignees": "Hanna", "due_on": "2031-05-20"},
				holds: holds{"done": 4, "failed": 0, "results.*.changed": true, "results.*.item.due_on": "2031-05-20", "results.0.item.assignees.*.name": []string{"Dele Adeyemi", "Jonas Brandt"}, "results.1.item.assignees.*.name": []string{"Jonas Brandt"}, "results.2.item.assignees.*.name": []string{"Jonas Brandt"}}},
			{tool: "GET /todos/{0.results.0.item.id}.json", holds: holds{"assignees.*.name": []string{"Dele Adeyemi", "Jonas Brandt"}}}}},
		none("an item that is missing is named", args{"items": thoseItems[any](richItem, "todo:17", "todo:"+away, "todo:No such title"), "project": launch, "due_on": "today"}, "items[0].due_on", "items[1]", "items[2]", "items[3]"),
		none("an item is named once", args{"items": []string{richItem, " {Todo:Book the photographer for the launch pictures}"}, "add_assignees": "me"}, "items[1]"),
		none("each date is compared", args{"items": thoseItems(richItem, "todo:{Todo:Coast}"), "due_on": "2031-05-19"}, "items[0].due_on", "items[1].due_on"),
		none("each argument fits its item", args{"items": []args{{"item": richItem, "title": "Changed"}, {"item": kickItem, "list": "Parking lot", "starts_on": "today"}, {"item": "todo:{Todo:Coast}"}}}, "items[1].starts_on", "items[1].list", "items[2]"),
		row{fact: "arguments beside are named alone", in: args{"items": thoseItems(richItem), "due_on": "soon", "starts_on": "later"}, fails: fault.InvalidInput, holds: holds{"data.validation.*.path": []string{"due_on", "starts_on"}}},
		row{fact: "people must exist", in: args{"items": thoseItems(richItem, "Order cartons"), "project": launch, "add_assignees": []string{"Zelda", "Zora"}}, fails: fault.NotFound, says: says{"nothing was written"},
			holds: holds{"data.validation.*.path": []string{"add_assignees[0]", "add_assignees[1]"}}},
		row{fact: "the list must exist", in: args{"items": thoseItems(richItem, "Order cartons"), "project": launch, "list": "Nowhere to be found"}, fails: fault.NotFound, says: says{"nothing was written"}},
		row{fact: "a column is for cards", in: args{"items": thoseItems(richItem, kickItem), "column": "Done"}, fails: fault.InvalidInput, says: says{"nothing was written"}},
		row{fact: "the answer for fifteen is short", tool: "list_todos", in: args{"project_id": launch, "todolist_id": checklist, "limit": 15}, then: []row{
			{in: args{"items": thoseItems(numbered(15, "todo:{0.items.%d.id}")...), "due_on": "2031-05-20"}, bytes: 15 * 280}}},
	)
}

func TestUpdateWork_KeepsWhatOthersChangedMeanwhile(t *testing.T) {
	for name, x := range map[string]struct {
		method string
		slow   int           // the to-do whose request is slow
		delay  time.Duration // of it
		change int           // the to-do that a colleague changes meanwhile
	}{
		"while the others are written": {"PUT", 0, 10 * time.Second, 2},
		"while the others are read":    {"GET", 2, 6 * time.Second, 0},
	} {
		at(t, func(d *toolEnv) {
			items := openTodos(d, 3)
			id := idIn(d, items[x.change])
			title := upstream[struct{ Content string }](d, todoPath(id)).Content
			d.sandbox.Inject(sandbox.Fault{Method: x.method, PathPrefix: fmt.Sprintf("/todos/%d", idIn(d, items[x.slow])), Delay: x.delay})
			go func() {
				time.Sleep(x.delay / 2)
				d.meanwhile("PUT", todoPath(id), fmt.Sprintf(`{"content":%q,"description":"<div>Just added</div>"}`, title))
			}()
			call[work.ChangedWork](d, "update_work", args{"items": items, "due_on": "2031-05-20"})
			now := upstream[map[string]any](d, todoPath(id))
			if now["due_on"] != "2031-05-20" || !strings.Contains(now["description"].(string), "Just added") {
				d.Errorf("%s: got %v", name, now)
			}
		})
	}
}

// The edits of a text that a colleague changed meanwhile apply to what it is then.
func TestUpdateWork_EditsTheTextThatIsThereMeanwhile(t *testing.T) {
	at(t, func(d *toolEnv) {
		cards := cardsMade(d, "Next", 2)
		for _, card := range cards {
			d.update(card, args{"notes": "Red lug."})
		}
		time.Sleep(time.Minute) // synctest's clock, for the rate limit
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", PathPrefix: "/card_tables/cards/" + strings.TrimPrefix(cards[0], "card:"), Delay: 6 * time.Second})
		go func() {
			time.Sleep(3 * time.Second)
			d.meanwhile("PUT", cardPath(idIn(d, cards[1])), `{"content":"<div>Red lug, small.</div>"}`)
		}()
		call[work.ChangedWork](d, "update_work", args{"items": []args{
			{"item": cards[0], "edits": []args{{"find": "Red", "replace": "Blue"}}}, {"item": cards[1], "edits": []args{{"find": "Red", "replace": "Blue"}}},
		}})
		if text := d.kept(cards[1])["content"].(string); !strings.Contains(text, "Blue lug, small.") {
			d.Error(text)
		}
	})
}

// batched is the answer of a tool that changes several items.
type batched struct {
	Done, Failed int
	Results      []struct{ Error *toolanswer.ItemError }
	NotAttempted []string `json:"not_attempted"`
	HowToGoOn    string   `json:"how_to_go_on"`
}

// batches are the tools that change several to-dos, with their changes and the method of a write.
var batches = map[string]struct {
	change args
	method string
}{"update_work": {args{"due_on": "2031-05-20"}, "PUT"}, "set_completed": {args{"completed": true}, "POST"}}

func TestBatches_ListWhatTheTimeDidNotReach(t *testing.T) {
	for tool, x := range batches {
		at(t, func(d *toolEnv) {
			items, in := openTodos(d, 30), clone(x.change)
			in["items"] = items
			d.sandbox.Inject(sandbox.Fault{Method: x.method, Delay: 3 * time.Second})
			var got batched
			written := d.written(func() { got = call[batched](d, tool, in) })
			done := len(got.Results)
			if done == 0 || done == len(items) || got.Done != done || got.Failed != 0 || !slices.Equal(got.NotAttempted, items[done:]) ||
				!strings.Contains(got.HowToGoOn, "call again with items = not_attempted") || !strings.Contains(got.HowToGoOn, "time") {
				d.Fatalf("%s: %+v", tool, got)
			}
			for i, item := range items {
				if now := upstream[record](d, todoPath(idIn(d, item))); (now["completed"] == true || now["due_on"] == "2031-05-20") != (i < done) {
					d.Errorf("%s: %s is changed: %v", tool, item, i >= done)
				}
			}
			d.sandbox.ClearFaults()
			time.Sleep(time.Minute) // synctest's clock, for the rate limit
			in["items"] = got.NotAttempted
			written = append(written, d.written(func() {
				if rest := call[batched](d, tool, in); rest.Done != len(items)-done || rest.NotAttempted != nil {
					d.Errorf("%s: then %+v", tool, rest)
				}
			})...)
			slices.Sort(written)
			if len(written) != len(items) || len(slices.Compact(written)) != len(items) {
				d.Errorf("%s: wrote %v", tool, written)
			}
		})
	}
}

func TestBatches_ReportWhatBasecampRefusesByItem(t *testing.T) {
	for name, x := range map[string]struct {
		fault     sandbox.Fault
		want      fault.Code
		attempted int
		doubt     bool // whether the to-do may have been changed
	}{
		"403":     {sandbox.Fault{Status: http.StatusForbidden}, fault.PermissionDenied, 3, false},
		"404":     {sandbox.Fault{Status: http.StatusNotFound}, fault.NotFound, 3, false},
		"422":     {sandbox.Fault{Status: http.StatusUnprocessableEntity}, fault.InvalidInput, 3, false},
		"500":     {sandbox.Fault{Status: http.StatusInternalServerError}, fault.UpstreamError, 3, true},
		"429":     {sandbox.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}}, fault.RateLimited, 2, false},
		"401":     {sandbox.Fault{Status: http.StatusUnauthorized}, fault.TokenExpired, 2, false},
		"lost":    {sandbox.Fault{Drop: true, AfterEffect: true}, fault.UpstreamError, 3, true},
		"garbage": {sandbox.Fault{Garbage: true}, fault.UpstreamError, 3, true},
		"hangs":   {sandbox.Fault{Hang: true}, fault.UpstreamError, 2, true},
	} {
		for tool, batch := range batches {
			if name == "garbage" && tool == "set_completed" { // its answer is not read
				continue
			}
			at(t, func(d *toolEnv) {
				items, in := openTodos(d, 3), clone(batch.change)
				in["items"] = items
				broken := x.fault
				broken.Method, broken.PathPrefix = batch.method, fmt.Sprintf("/todos/%d", idIn(d, items[1]))
				d.sandbox.Inject(broken)
				got := call[batched](d, tool, in)
				if got.Failed != 1 || got.Done != x.attempted-1 || len(got.Results) != x.attempted || !slices.Equal(got.NotAttempted, items[x.attempted:]) {
					d.Fatalf("%s, %s: %+v", tool, name, got)
				}
				if e := got.Results[1].Error; e == nil || e.Code != x.want || e.MayHaveHappened != x.doubt {
					d.Errorf("%s, %s: %+v", tool, name, e)
				}
				if (len(got.NotAttempted) > 0) != (got.HowToGoOn != "") {
					d.Errorf("%s, %s: %q with %v", tool, name, got.HowToGoOn, got.NotAttempted)
				}
			})
		}
	}
}
