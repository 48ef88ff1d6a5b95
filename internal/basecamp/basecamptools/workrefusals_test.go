package basecamptools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/fault"
)

func TestUpdateWork_FindsItemsByIDURLTypeAndTitle(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), id)
		for i, in := range []args{
			{"items": []any{id}}, {"items": []any{args{"item": id}}}, {"items": []any{fmt.Sprint("todo:", id)}}, {"items": url}, {"item": fmt.Sprint(id)}, {"todo": id}, {"todo_id": id},
			{"items": []any{"book the PHOTOGRAPHER for the launch pictures"}, "project": launch}, {"items": []any{url}, "project": launch}, {"items": []any{photographer}},
			{"todos": []any{id}}, {"items": fmt.Sprintf(`[{"item":"todo:%d"}]`, id)}, {"items": args{"item": url}},
		} {
			in["due_on"] = fmt.Sprintf("2031-07-%02d", i+1)
			if got := call[work.ChangedWork](d, "update_work", in); got.Results[0].Item.ID != id || got.Results[0].Item.DueOn != in["due_on"] {
				d.Errorf("%v: got %+v", in, got.Results[0].Item)
			}
			time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
		}
		title := args{"title": "x"}
		d.refuses(fault.NotFound, "update_work", one("todo:Book the brass band", title), "items[0]", "nearest")
		d.refuses(fault.NotFound, "update_work", args{"items": []args{{"item": fmt.Sprint("todo:", id), "title": "x"}}, "project": "Winter Kit"}, "items[0]")
		d.refuses(fault.NotFound, "update_work", one("todo:12345", title))
		time.Sleep(10 * time.Second)
		f := d.refuses(fault.Ambiguous, "update_work", args{"items": []args{{"item": "todo:the", "title": "x"}}, "project": launch}, "items[0]")
		if len(f.Data.Candidates) < 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

// A title alone is looked for among the kinds that the arguments fit.
func TestUpdateWork_ATitleMeansAnItemThatTheArgumentsFit(t *testing.T) {
	at(t, func(d *toolEnv) {
		call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", args{"content": kickstand}))
		got := call[work.ChangedWork](d, "update_work", args{"items": []string{kickstand}, "project": launch, "column": "In review"})
		if item := got.Results[0].Item; item.Type != "card" || item.Column.Name != "In review" {
			d.Errorf("%+v", item)
		}
		d.refuses(fault.Ambiguous, "update_work", args{"items": []string{kickstand}, "project": launch, "due_on": "today"}, "items[0]")
	})
}

func TestUpdateWork_RefusesBadInputBeforeItWrites(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, card, step := fmt.Sprint("todo:", richTodo(d)), fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand)), aStep(d)
		group := fmt.Sprint("todolist:", d.sandbox.TodolistID(launch, "Electrics"))
		list := fmt.Sprint("todolist:", d.sandbox.TodolistID(launch, "Parking lot"))
		document := fmt.Sprint("document:", d.sandbox.Find("Document", "Assembly handbook"))
		message := fmt.Sprint("message:", d.sandbox.FindIn(launch, "Message", colourVote))
		for _, x := range []struct {
			code  fault.Code
			item  string
			in    args
			words []string
		}{
			{fault.InvalidInput, todo, args{}, []string{"nothing to change", "add_assignees", "position"}},
			{fault.InvalidInput, todo, args{"title": "  "}, []string{"title", "blank"}},
			{fault.InvalidInput, todo, args{"title": nil}, []string{"nothing to change"}},
			{fault.InvalidInput, todo, args{"due_on": "2031-02-30"}, []string{"due_on"}},
			{fault.InvalidInput, todo, args{"due_on": "2031-05-17"}, []string{"due_on", "starts_on", "2031-05-18"}},
			{fault.InvalidInput, todo, args{"starts_on": "2031-05-21"}, []string{"starts_on", "2031-05-20"}},
			{fault.InvalidInput, todo, args{"starts_on": "whenever"}, []string{"starts_on"}},
			{fault.InvalidInput, todo, args{"assignees": []string{"Hanna"}, "add_assignees": []string{"Sam"}}, []string{"assignees", "do not combine"}},
			{fault.InvalidInput, todo, args{"assignees": []string{}, "remove_assignees": []string{"Hanna"}}, []string{"assignees"}},
			{fault.InvalidInput, todo, args{"add_assignees": "Sam Lindqvist", "title": "x"}, []string{"items[0].add_assignees[0]", "not on the project"}},
			{fault.NotFound, todo, args{"remove_assignees": "Zacharias Unknown"}, []string{"remove_assignees[0]"}},
			{fault.InvalidInput, todo, args{"add_assignees": []string{"me", "Hanna"}, "remove_assignees": "Hanna"}, []string{"remove_assignees[0]"}},
			{fault.InvalidInput, todo, args{"title": "x", "mentions": "Priya"}, []string{"mentions", "notes"}},
			{fault.InvalidInput, todo, args{"notes": "for @[Someone](person:77)"}, []string{"notes"}},
			{fault.InvalidInput, todo, args{"notes": "x", "edits": []args{{"find": "a", "replace": "b"}}}, []string{"edits", "not both"}},
			{fault.InvalidInput, todo, args{"edits": []args{{"find": "not a word of it", "replace": "b"}}}, []string{"items[0].edits[0].find", "not in the text"}},
			{fault.InvalidInput, todo, args{"position": 0}, []string{"position"}},
			{fault.InvalidInput, todo, args{"position": 6.4e9}, []string{"position", "between 1 and 10000"}},
			{fault.NotFound, todo, args{"list": "Nowhere to be found", "title": "x"}, []string{"items[0].list"}},
			{fault.NotFound, todo, args{"list": d.sandbox.TodolistID("Winter Kit", "What goes into the box"), "title": "x"}, []string{"list"}},
			{fault.InvalidInput, todo, args{"list": d.sandbox.TodolistID(launch, "Ideas for later")}, []string{"list", "archived"}},
			{fault.InvalidInput, todo, args{"column": "Done"}, []string{"items[0].column", "which is a to-do; it fits card"}},
			{fault.InvalidInput, todo, args{"folder": "Contracts"}, []string{"items[0].folder", "document, upload or folder"}},
			{fault.InvalidInput, card, args{"list": "Parking lot"}, []string{"items[0].list", "which is a card; it fits todo"}},
			{fault.InvalidInput, card, args{"starts_on": "today"}, []string{"items[0].starts_on"}},
			{fault.InvalidInput, card, args{"column": "Next", "completed": true}, []string{"completed", "moving it to Done"}},
			{fault.NotFound, card, args{"column": "Nowhere"}, []string{"items[0].column"}},
			{fault.NotFound, card, args{"column": columnNamed(columnsOf(d, "Web shop"), "Doing").ID}, []string{"column"}},
			{fault.InvalidInput, card, args{"column": columnsOf(d, frame).URL}, []string{"must be the URL of a column"}},
			{fault.InvalidInput, step, args{"notes": "x"}, []string{"items[0].notes", "which is a subtask"}},
			{fault.InvalidInput, step, args{"list": "Parking lot"}, []string{"items[0].list"}},
			{fault.InvalidInput, group, args{"list": "Parking lot"}, []string{"items[0].list", "a group, which stays in its list"}},
			{fault.InvalidInput, list, args{"due_on": "today", "completed": true}, []string{"items[0].due_on", "which is a to-do list"}},
			{fault.InvalidInput, document, args{"notes": "x"}, []string{"items[0].notes", "which is a document"}},
			{fault.InvalidInput, message, args{"title": "x"}, []string{"items[0].title", "which is a message"}},
			{fault.InvalidInput, fmt.Sprint("comment:", 17), args{"title": "x"}, []string{"items[0]", "must be of type todo, card"}},
			{fault.InvalidInput, columnsOf(d, frame).URL, args{"title": "x"}, []string{"items[0]"}},
			{fault.InvalidInput, fmt.Sprint("folder:", d.sandbox.ToolID(launch, "vault")), args{"title": "x"}, []string{"top folder"}},
		} {
			d.refuses(x.code, "update_work", one(x.item, x.in), x.words...)
			time.Sleep(5 * time.Second) // synctest's clock, for the rate limit
		}
		for _, entry := range []args{{"item": todo, "title": " "}, {"item": todo, "column": "Done"}, {"item": "todo:7", "title": "x"}} {
			d.fails(fault.InvalidInput, "update_work", args{"items": []args{entry}, "project": launch, "due_on": "2031-02-30"}, "items[0]", "due_on: ")
		}
		for word, in := range map[string]args{
			"at least one item": {"items": []any{}, "due_on": "today"}, "not both": {"items": thoseItems(todo), "of": args{"assignee": "Sam"}, "due_on": "today"},
			"each item its own": {"items": thoseItems(todo, card), "title": "x"}, "confirms a call with of": {"items": thoseItems(todo), "due_on": "today", "confirm_count": 3},
			"at most 50": {"items": slices.Repeat(thoseItems(todo), 51), "due_on": "today"},
		} {
			d.refuses(fault.InvalidInput, "update_work", in, word)
		}
	})
}
