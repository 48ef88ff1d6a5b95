package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// What an earlier call learned only says what to ask for: the answer is always of now.
func TestHints_DoNotMakeAnAnswerOld(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Todo", "Print the serial number plates")
		before := call[todo](d, "get_todo", args{"todo_id": id})
		other := d.sandbox.FindIn(launch, "Todolist", "Test rides")
		d.meanwhile(http.MethodPut, fmt.Sprintf("/todos/%d/position.json", id), fmt.Sprintf(`{"position":1,"parent_id":%d}`, other))
		if after := call[todo](d, "get_todo", args{"todo_id": id}); after.List == nil || after.List.ID != other || before.List.ID == other {
			d.Errorf("the to-do was in %+v, is in %+v, want %d", before.List, after.List, other)
		}
		frame := args{"project": launch, "board": frame}
		shown := call[board](d, "get_board", frame)
		var full []int // columns with cards
		for i, c := range shown.Columns {
			if len(c.Cards) > 0 {
				full = append(full, i)
			}
		}
		from, into := full[0], full[1]
		moved, to := shown.Columns[from].Cards[0].ID, shown.Columns[into].ID
		d.meanwhile(http.MethodPost, fmt.Sprintf("/card_tables/cards/%d/moves.json", moved), fmt.Sprintf(`{"column_id":%d,"position":1}`, to))
		now := call[board](d, "get_board", frame)
		if cards := now.Columns[into].Cards; len(cards) == 0 || cards[0].ID != moved || slices.ContainsFunc(now.Columns[from].Cards, func(c cardItem) bool { return c.ID == moved }) {
			d.Errorf("card %d is not in column %d: %+v", moved, to, now.Columns)
		}
	})
}

// A read that was started before it was known to be needed fails without a trace.
func TestAhead_ItsFailureDoesNotMatterIfItWasNotNeeded(t *testing.T) {
	for name, f := range map[string]sandbox.Fault{"404": {Status: 404}, "500": {Status: 500}, "401": {Status: 401}, "hanging": {Hang: true}} {
		at(t, func(d *toolEnv) {
			f.PathPrefix = "/recordings/"
			d.sandbox.Inject(f)
			id := d.sandbox.FindIn(launch, "Todo", "Print the serial number plates") // it has no comments
			if got := call[todo](d, "get_todo", args{"todo_id": id}); got.Title == "" || len(got.LeftOut) > 0 {
				d.Errorf("%s: got %+v", name, got)
			}
			d.fails(fault.NotFound, "get_message", args{"message_id": 1}, "message 1")
		})
	}
}

// A project that the call names by ID is read together with the list that it filters.
func TestProjectFilter_OfAProjectThatDoesNotExistIsAnError(t *testing.T) {
	for _, tool := range []string{"get_activity", "list_work", "search", "get_upcoming"} {
		at(t, func(d *toolEnv) {
			in := args{"project": 77}
			if tool == "search" {
				in["query"] = "brake"
			}
			d.fails(fault.NotFound, tool, in, "project 77")
		})
	}
}

func TestListTodos_OfAListAsksForItsGroupsAndToDosAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t, sandbox.Options{RateLimit: -1})
		id := d.sandbox.FindIn(launch, "Todolist", "Launch checklist")
		made, requests := d.chain("list_todos", args{"project_id": d.sandbox.ProjectID(launch), "todolist_id": id, "limit": 100})
		if made.length > 3 { // the list, then its second page and its groups, then their second pages
			t.Errorf("a chain of %d: %s", made.length, strings.Join(requests, "; "))
		}
	})
}
