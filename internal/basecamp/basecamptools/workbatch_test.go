package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolanswer"
)

// cardsMade creates cards in a column of a board, and returns their references.
func cardsMade(d *toolEnv, column string, n int) (refs []string) {
	for i := range n {
		made := call[work.ChangedCard](d, "create_card", args{"project": launch, "board": frame, "column": column, "title": fmt.Sprintf("Lug %d", i)})
		refs = append(refs, fmt.Sprintf("card:%d", made.ID))
	}
	return refs
}

func TestUpdateWork_MovesSeveralCardsInOneCallAndKeepsTheirOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		cards := cardsMade(d, "Next", 6)
		in := args{"items": cards, "project": launch, "column": "Done"}
		asked := d.asked(func() {
			got := call[work.ChangedWork](d, "update_work", in)
			if got.Done != 6 || got.Failed != 0 || len(got.Results) != 6 {
				d.Errorf("%+v", got)
			}
			for i, r := range got.Results {
				if !r.OK || !r.Changed || r.Item.Title != fmt.Sprintf("Lug %d", i) || r.Item.Column.Name != "Done" || !*r.Item.Completed || r.Previous.Column.Name != "Next" || *r.Previous.Completed {
					d.Errorf("%d: %+v", i, r.Item)
				}
			}
		})
		if len(writesIn(asked)) != 6 {
			d.Errorf("%v", writesIn(asked))
		}
		shown := call[work.Board](d, "get_board", args{"project": launch, "board": frame, "column": "Done"})
		var top []string
		for _, c := range shown.Columns[0].Cards[:6] {
			top = append(top, fmt.Sprintf("card:%d", c.ID))
		}
		if !slices.Equal(top, cards) {
			d.Errorf("the top of the column is %v, want %v", top, cards)
		}
		if again := d.written(func() {
			if got := call[work.ChangedWork](d, "update_work", in); got.Done != 6 || got.Results[0].Changed || got.Results[0].Previous != nil {
				d.Errorf("again: %+v", got.Results[0])
			}
		}); len(again) > 0 {
			d.Errorf("again: %v", again)
		}
		if got := d.update(cards[0], args{"column": "In review"}); *got.Item.Completed || got.Previous.Column.Name != "Done" {
			d.Errorf("%+v", got)
		}
	})
}

func TestUpdateWork_TakesACardOffHold(t *testing.T) {
	at(t, func(d *toolEnv) {
		hold(d, columnNamed(columnsOf(d, frame), "In progress").ID, kickstand)
		got := d.update("card:"+kickstand, args{"project": launch, "column": "In progress"})
		if !got.Changed || *columnNamed(columnsOf(d, frame), "In progress").OnHold != 0 {
			d.Errorf("got %+v", got)
		}
	})
}

func TestUpdateWork_AsksWhichOfTwoColumns(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("POST", fmt.Sprintf("/card_tables/%d/columns.json", columnsOf(d, frame).ID), `{"title":"Next"}`)
		f := d.refuses(fault.Ambiguous, "update_work", args{"items": thoseItems("card:" + kickstand), "project": launch, "column": "Next"}, "column")
		if len(f.Data.Candidates) != 2 || f.Data.Candidates[0].Where == "" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestUpdateWork_ChangesItemsOfAllKindsInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := []args{
			{"item": "todo:" + photographer, "due_on": "2031-05-20"}, {"item": "card:" + kickstand, "column": "In review"}, {"item": aStep(d), "completed": true},
			{"item": "list:Parking lot", "title": "Later"}, {"item": "list:Electrics", "title": "Wires"}, {"item": "document:Assembly handbook", "title": "Handbook"},
			{"item": "upload:launch-budget.csv", "notes": "The old one."}, {"item": "folder:Frame", "title": "Frames"},
		}
		got := call[work.ChangedWork](d, "update_work", args{"items": items, "project": launch})
		if got.Done != len(items) || got.Failed > 0 || len(got.NotAttempted) > 0 {
			d.Fatalf("got %+v", got)
		}
		for i, want := range []string{"todo", "card", "subtask", "todolist", "todolist", "document", "upload", "folder"} {
			if r := got.Results[i]; r.Index != i || r.Item.Type != want || !r.Changed || r.Previous == nil {
				d.Errorf("%d: %+v", i, r)
			}
		}
	})
}

func TestUpdateWork_WhatAnItemGivesWinsOverWhatStandsBeside(t *testing.T) {
	at(t, func(d *toolEnv) {
		todos := openTodos(d, 3)
		got := call[work.ChangedWork](d, "update_work", args{"due_on": "2031-05-20", "add_assignees": "me", "items": []args{
			{"item": todos[0]}, {"item": todos[1], "due_on": "2031-05-21"}, {"item": todos[2], "assignees": "Hanna", "title": "Own title"},
		}})
		days := []string{"2031-05-20", "2031-05-21", "2031-05-20"}
		if got.Failed > 0 {
			d.Fatalf("%+v", got.Results)
		}
		for i, r := range got.Results {
			if day := upstream[record](d, todoPath(idIn(d, todos[i])))["due_on"]; day != days[i] {
				d.Errorf("%d: %v, %+v", i, day, r.Item)
			}
		}
		if last := got.Results[2].Item; last.Title != "Own title" || !slices.Equal(refNames(*last.Assignees), []string{"Hanna Koivisto"}) {
			d.Errorf("%+v", last)
		}
	})
}

func TestUpdateWork_MergesAssigneesIntoWhatEachHas(t *testing.T) {
	at(t, func(d *toolEnv) {
		made := call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot",
			args{"content": "a", "assignees": []string{"Hanna", "Dele"}}, args{"content": "b", "assignees": "Hanna"}, args{"content": "c"}))
		got := call[work.ChangedWork](d, "update_work", args{
			"items":   []any{made.Results[0].Item.ID, fmt.Sprintf("todo:%d", made.Results[1].Item.ID), d.url("todos", made.Results[2].Item.ID), "Order cartons"},
			"project": launch, "add_assignees": []string{"Jonas"}, "remove_assignees": "Hanna", "due_on": "2031-05-20",
		})
		if got.Done != 4 || got.Failed != 0 {
			d.Fatalf("got %+v", got)
		}
		for i, want := range [][]string{{"Dele Adeyemi", "Jonas Brandt"}, {"Jonas Brandt"}, {"Jonas Brandt"}} {
			item := got.Results[i].Item
			if !slices.Equal(refNames(*item.Assignees), want) || item.DueOn != "2031-05-20" || !got.Results[i].Changed {
				d.Errorf("got %+v", item)
			}
			if kept := upstream[struct{ Assignees []struct{ Name string } }](d, todoPath(item.ID)).Assignees; len(kept) != len(want) {
				d.Errorf("Basecamp has %+v", kept)
			}
		}
	})
}

func TestUpdateWork_OneProblemMeansThatNothingIsChanged(t *testing.T) {
	at(t, func(d *toolEnv) {
		good := fmt.Sprint("todo:", d.sandbox.Find("Todo", photographer))
		dealer := fmt.Sprint("todo:", call[todos.CreatedTodos](d, "create_todos", newTodos("Dealer Network", "Shops that asked us", args{"content": "a", "starts_on": "2031-05-20", "due_on": "2031-05-21"})).Results[0].Item.ID)
		away := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", away), "")
		d.meanwhile("PUT", todoPath(idIn(d, good)), fmt.Sprintf(`{"content":%q,"starts_on":"2031-05-20","due_on":"2031-05-21"}`, photographer))
		card := fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
		for _, x := range []struct {
			code  fault.Code
			in    args
			paths []string
		}{
			{fault.InvalidInput, args{"items": thoseItems[any](good, "todo:17", fmt.Sprint("todo:", away), "todo:No such title"), "project": launch, "due_on": "today"}, []string{"items[0].due_on", "items[1]", "items[2]", "items[3]"}},
			{fault.InvalidInput, args{"items": []string{good, strings.TrimPrefix(good, "todo:")}, "add_assignees": "me"}, []string{"items[1]"}},
			{fault.InvalidInput, args{"items": thoseItems(good, dealer), "due_on": "2031-05-19"}, []string{"items[0].due_on", "items[1].due_on"}},
			{fault.NotFound, args{"items": thoseItems(good, "Order cartons"), "project": launch, "add_assignees": []string{"Zelda", "Zora"}}, []string{"add_assignees[0]", "add_assignees[1]"}},
			{fault.NotFound, args{"items": thoseItems(good, "Order cartons"), "project": launch, "list": "Nowhere to be found"}, nil},
			{fault.InvalidInput, args{"items": thoseItems(good), "due_on": "soon", "starts_on": "later"}, []string{"due_on", "starts_on"}},
			{fault.InvalidInput, args{"items": thoseItems(good, card), "column": "Done"}, nil},
			{fault.InvalidInput, args{"items": []args{{"item": good, "title": "Changed"}, {"item": card, "list": "Parking lot", "starts_on": "today"}, {"item": dealer}}}, []string{"items[1].starts_on", "items[1].list", "items[2]"}},
		} {
			f := d.refuses(x.code, "update_work", x.in)
			if x.paths != nil {
				d.problems(f, x.paths...)
			}
			if items, ok := x.in["items"].([]args); ok && len(items) > 1 && !strings.Contains(f.Message, "nothing was written") {
				d.Error(f.Message)
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
	})
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

func TestUpdateWork_OfManyItemsStaysShort(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 15)
		text, isError := d.raw("update_work", args{"items": thoseItems(items...), "due_on": "2031-05-20"})
		if isError || len(text) > 15*280 {
			d.Errorf("%d bytes: %s", len(text), text)
		}
	})
}
