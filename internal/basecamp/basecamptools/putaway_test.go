package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestCreateComment_OnAChatLineNamesTheToolThatAnswersIt(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, item := range []string{"chat_line:17", "Chat_Line:17", d.url("chats/5/lines", 17)} {
			asked := d.asked(func() {
				d.fails(fault.InvalidInput, "create_comment", args{"item": item, "body": "x"}, "reply with post_chat_line")
			})
			if len(asked) > 0 {
				d.Errorf("requests: %v", asked)
			}
		}
	})
}

func TestWritesOfText_RefuseInvisibleTexts(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", colourVote)
		item := fmt.Sprintf("message:%d", message)
		mine := call[parts.Comment](d, "create_comment", args{"item": item, "body": "x"}).ID
		for _, blank := range []string{"#", ">", "&nbsp;", "\u200b", " \u2060\n"} {
			for tool, in := range map[string]args{
				"create_message":  {"project": launch, "subject": "x", "body": blank},
				"create_document": {"project": launch, "title": "x", "body": blank},
				"create_comment":  {"item": item, "body": blank},
				"edit_text":       {"comment": mine, "body": blank},
			} {
				d.refuses(fault.InvalidInput, tool, in, "blank")
			}
		}
		for _, blank := range []string{"#", ">", "&nbsp;"} { // fields that accept an empty text
			d.refuses(fault.InvalidInput, "create_card", args{"project": launch, "board": "Frame design", "title": "x", "body": blank}, "body", "blank")
			d.refuses(fault.InvalidInput, "create_todolist", args{"project": launch, "name": "x", "description": blank}, "description", "blank")
		}
		for tool, in := range map[string]args{
			"create_message":  {"subject": "\u200b", "body": "x"},
			"create_document": {"title": "\u200b", "body": "x"},
			"create_card":     {"title": "\u200b", "board": "Frame design"},
			"create_todolist": {"name": "\u200b"},
		} {
			in["project"] = launch
			d.refuses(fault.InvalidInput, tool, in, "blank")
		}
	})
}

func TestWrites_SendPlainTextsClean(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := call[todos.TodolistItem](d, "create_todolist", args{"project": launch, "name": " Af\u200bter "})
		made := upstream[struct{ Name string }](d, fmt.Sprintf("/todolists/%d.json", list.ID))
		post := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "Af\u202eter", "body": "x"})
		said := upstream[struct{ Subject string }](d, fmt.Sprintf("/messages/%d.json", post.ID))
		todos := call[todos.CreatedTodos](d, "create_todos", newTodos(nil, list.ID, args{"content": "Af\u200bter"}))
		done := upstream[struct{ Content string }](d, todoPath(todos.Results[0].Item.ID))
		if made.Name != "After" || said.Subject != "After" || done.Content != "After" {
			d.Errorf("%q, %q, %q", made.Name, said.Subject, done.Content)
		}
		d.update(fmt.Sprint("todo:", todos.Results[0].Item.ID), args{"title": " Be\u200bfore "})
		if done = upstream[struct{ Content string }](d, todoPath(todos.Results[0].Item.ID)); done.Content != "Before" {
			d.Errorf("%q", done.Content)
		}
	})
}

func TestWrites_RefuseTooLongTitles(t *testing.T) {
	at(t, func(d *toolEnv) {
		long := strings.Repeat("x", 1501)
		todo := d.sandbox.Find("Todo", "Call the insurer about demo rides")
		d.refuses(fault.InvalidInput, "create_todolist", args{"project": launch, "name": long}, "name")
		d.refuses(fault.InvalidInput, "update_work", one(fmt.Sprint("todo:", todo), args{"title": long}), "title")
		d.refuses(fault.InvalidInput, "create_todos", newTodos(launch, "Launch checklist", args{"content": long}), "content")
	})
}

func TestEditText_OfAMessageMentionsInReplacementText(t *testing.T) {
	at(t, func(d *toolEnv) {
		post := call[texts.WrittenMessage](d, "create_message", args{"project": launch, "subject": "x", "body": "Who orders the rims?"})
		got := call[anyitem.EditedText](d, "edit_text", args{"message": post.ID, "find": "Who", "replace": "@Priya", "mentions": []string{"Priya Raman"}})
		html := upstream[struct{ Content string }](d, fmt.Sprintf("/messages/%d.json", post.ID)).Content
		if !strings.Contains(html, "<bc-attachment") || !strings.Contains(got.Paragraphs[0], "orders the rims") {
			d.Errorf("%s: %s", got.Paragraphs, html)
		}
	})
}

func TestCreateCard_SaysWhichStepsAreMissing(t *testing.T) {
	steps := []args{{"title": "One"}, {"title": "Two"}, {"title": "Three"}}
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Drop: true, AfterEffect: true})
		d.fails(fault.UpstreamError, "create_card", args{"project": launch, "board": "Frame design", "title": "x", "steps": steps[:1]}, "may lack", "get_item", "do not create it again")
	})
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "POST", PathPrefix: "/recordings/", Status: 507})
		written := d.written(func() {
			d.fails(fault.LimitReached, "create_card", args{"project": launch, "board": "Frame design", "title": "x", "steps": steps}, "lacks", "Three", "not tried")
		})
		if len(written) != 2 {
			d.Errorf("wrote %v", written)
		}
	})
}

func TestSearch_BringsBackWhatWasTrashedInTwoCalls(t *testing.T) {
	at(t, func(d *toolEnv) {
		var trashed []string
		for kind, title := range map[string]string{"todo": "Print the serial number plates", "card": "Matt clear coat", "document": "Assembly handbook", "upload": "launch-budget.csv", "message": "Rejected: the cup holder"} {
			types := map[string]string{"todo": "Todo", "card": "Kanban::Card", "document": "Document", "upload": "Upload", "message": "Message"}
			trashed = append(trashed, fmt.Sprintf("%s:%d", kind, d.sandbox.FindIn(launch, types[kind], title)))
		}
		time.Sleep(time.Hour)
		call[anyitem.StatusResults](d, "set_item_status", args{"items": trashed, "status": "trashed"})
		sent := d.asked(func() {
			found := call[overview.FoundList](d, "search", args{"status": "trashed", "project": d.sandbox.ProjectID(launch), "since": "today"})
			var items []string
			for _, f := range found.Items {
				items = append(items, fmt.Sprintf("%s:%d", f.Type, f.ID))
			}
			if slices.Sort(items); !slices.Equal(items, sorted(trashed)) {
				d.Errorf("found %v, want %v", items, trashed)
			}
			call[anyitem.StatusResults](d, "set_item_status", args{"items": items, "status": "active"})
		})
		lists := slices.DeleteFunc(sent, func(r string) bool { return !strings.Contains(r, "/projects/recordings.json") })
		if len(lists) != overview.UsualPutAway {
			d.Errorf("%d lists: %v", len(lists), lists)
		}
		if left := call[overview.FoundList](d, "search", args{"status": "trashed", "project": launch, "since": "today"}); len(left.Items) > 0 {
			d.Errorf("left are %+v", left.Items)
		}
	})
}

func sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }

func TestSearch_ListsTheTrashNewestFirstByTypeTitleAndPage(t *testing.T) {
	at(t, func(d *toolEnv) {
		for i := range 20 {
			made := call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", args{"content": fmt.Sprintf("Tin %d", i)}))
			time.Sleep(time.Minute)
			call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("todo:", made.Results[0].Item.ID)}, "status": "archived"})
		}
		list := call[todos.TodolistItem](d, "create_todolist", args{"project": launch, "name": "Empty tins"})
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("todolist:", list.ID)}, "status": "archived"})
		found := all[overview.FoundItem](d, "search", args{"status": "archived", "query": "TIN ", "project": launch, "limit": 6})
		if len(found) != 20 || found[0].Title != "Tin 19" || found[19].Title != "Tin 0" {
			d.Errorf("found %d: %+v", len(found), found)
		}
		if lists := all[overview.FoundItem](d, "search", args{"status": "archived", "types": "todolist", "query": "tins"}); len(lists) != 1 || lists[0].ID != list.ID {
			d.Errorf("found %+v", lists)
		}
		if projects := all[overview.FoundItem](d, "search", args{"status": "trashed", "types": []string{"project"}}); len(projects) != 2 || projects[0].Type != "project" || projects[0].ID == 0 {
			d.Errorf("found %+v", projects)
		}
		if mine := all[overview.FoundItem](d, "search", args{"status": "archived", "creator": "Dele", "query": "tin", "project": launch}); len(mine) != 0 {
			d.Errorf("found %+v", mine)
		}
		d.fails(fault.InvalidInput, "search", args{"status": "trashed", "types": "chat"}, "types", "chat")
		d.fails(fault.InvalidInput, "search", args{"types": "project", "query": "x"}, "types")
		d.fails(fault.InvalidInput, "search", args{"query": " "}, "query", "status")
		d.fails(fault.InvalidInput, "search", args{"status": "deleted"}, "status")
	})
}
