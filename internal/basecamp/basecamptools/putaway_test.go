package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestWritesOfText_RefuseInvisibleTexts(t *testing.T) {
	const vote = "message:{Message:" + colourVote + "}"
	var rows []row
	blank := func(tool, argument string, in args, texts ...string) {
		r := row{fact: tool + " " + argument, tool: tool, in: in, fails: fault.InvalidInput, says: says{argument, "blank"}}
		for _, text := range texts {
			r.each = append(r.each, args{argument: text})
		}
		rows = append(rows, r)
	}
	all := []string{"#", ">", "&nbsp;", "\u200b", " \u2060\n"}
	blank("create_message", "body", args{"project": launch, "subject": "x"}, all...)
	blank("create_document", "body", args{"project": launch, "title": "x"}, all...)
	blank("create_comment", "body", args{"item": vote}, all...)
	blank("edit_text", "body", args{"comment": "{0.id}"}, all...)
	rows[3] = row{fact: "edit_text body", tool: "create_comment", in: args{"item": vote, "body": "x"}, then: []row{rows[3]}}
	blank("create_card", "body", args{"project": launch, "board": frame, "title": "x"}, all[:3]...)
	blank("create_todolist", "description", args{"project": launch, "name": "x"}, all[:3]...)
	blank("create_message", "subject", args{"project": launch, "body": "x"}, "\u200b")
	blank("create_document", "title", args{"project": launch, "body": "x"}, "\u200b")
	blank("create_card", "title", args{"project": launch, "board": frame}, "\u200b")
	blank("create_todolist", "name", args{"project": launch}, "\u200b")
	cases(t, "", nil, rows...)
}

func TestWrites_SendPlainTextsClean(t *testing.T) {
	long := strings.Repeat("x", 1501)
	clean := func(tool string, in args, path, field, want string) row {
		return row{fact: tool, tool: tool, in: in, then: []row{{tool: "GET " + path, holds: holds{field: want}}}}
	}
	tooLong := func(tool, argument string, in args) row {
		return row{fact: tool + " refuses what is too long", tool: tool, in: in, fails: fault.InvalidInput, says: says{argument}}
	}
	const plates = "{Todo:Print the serial number plates}"
	cases(t, "", nil,
		clean("create_todolist", args{"project": launch, "name": " Af\u200bter "}, "/todolists/{0.id}.json", "name", "After"),
		clean("create_message", args{"project": launch, "subject": "Af\u202eter", "body": "x"}, "/messages/{0.id}.json", "subject", "After"),
		clean("create_todos", newTodos(launch, "Parking lot", args{"content": "Af\u200bter"}), "/todos/{0.results.0.item.id}.json", "content", "After"),
		clean("update_work", one("todo:"+plates, args{"title": " Be\u200bfore "}), "/todos/{0.results.0.item.id}.json", "content", "Before"),
		tooLong("create_todolist", "name", args{"project": launch, "name": long}), tooLong("update_work", "title", one("todo:"+plates, args{"title": long})), tooLong("create_todos", "content", newTodos(launch, checklist, args{"content": long})),
		row{fact: "a comment on a chat line names the tool that answers it", tool: "create_comment", in: args{"body": "x"}, each: []args{{"item": "chat_line:17"}, {"item": "Chat_Line:17"}, {"item": launchURL + "/chats/5/lines/17"}},
			fails: fault.InvalidInput, says: says{"reply with post_chat_line"}},
		row{fact: "a replacement mentions", tool: "create_message", in: args{"project": launch, "subject": "x", "body": "Who orders the rims?"}, then: []row{
			{tool: "edit_text", in: args{"message": "{0.id}", "find": "Who", "replace": "@Priya", "mentions": []string{"Priya Raman"}}, holds: holds{"changed_paragraphs.0": has("orders the rims")}},
			{tool: "GET /messages/{0.id}.json", holds: holds{"content": has("<bc-attachment")}}}},
	)
}

func TestCreateCard_SaysWhichStepsAreMissing(t *testing.T) {
	steps := []args{{"title": "One"}, {"title": "Two"}, {"title": "Three"}}
	lost := func(in []args, broken sandbox.Fault, code fault.Code, words ...string) {
		t.Run(string(code), func(t *testing.T) {
			unlimited(t, func(d *toolEnv) {
				broken.Method, broken.PathPrefix = "POST", "/recordings/"
				d.sandbox.Inject(broken)
				written := d.written(func() {
					d.fails(code, "create_card", args{"project": launch, "board": frame, "title": "x", "steps": in}, words...)
				})
				if len(written) != 2 {
					d.Errorf("wrote %v", written)
				}
			})
		})
	}
	lost(steps[:1], sandbox.Fault{Drop: true, AfterEffect: true}, fault.UpstreamError, "may lack", "get_item", "do not create it again")
	lost(steps, sandbox.Fault{Status: 507}, fault.LimitReached, "lacks", "Three", "not tried")
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

func TestSearch_OfWhatIsPutAway(t *testing.T) {
	tins := func(title string) row {
		return row{setup: passing(time.Minute), tool: "set_item_status", in: args{"items": []string{"todo:" + title}, "project": launch, "status": "archived"}}
	}
	made := newTodos(launch, "Parking lot")
	var aways []row
	for i := range 12 {
		made["todos"] = append(made["todos"].([]args), args{"content": fmt.Sprintf("Tin %d.", i)})
		aways = append(aways, tins(fmt.Sprintf("Tin %d.", i)))
	}
	found := args{"status": "archived", "query": "TIN ", "project": launch, "limit": 7}
	page := args{"status": "archived", "query": "TIN ", "project": launch, "limit": 7, "cursor": "{.next_cursor}"}
	cases(t, "search", nil,
		row{fact: "the newest is first, and pages go on", tool: "create_todos", in: made, then: append(aways,
			row{in: found, holds: holds{"items.#": 7, "items.0.title": "Tin 11.", "items.6.title": "Tin 5."}},
			row{in: page, holds: holds{"items.#": 5, "items.0.title": "Tin 4.", "items.4.title": "Tin 0.", "has_more": nil}},
			row{fact: "of a creator", in: args{"status": "archived", "creator": "Dele", "query": "tin", "project": launch}, holds: holds{"items": nil}})},
		row{fact: "a type is picked", before: []string{`POST /todosets/{tool:todoset@Cargo Bike Launch}/todolists.json {"name":"Empty tins"}`}, tool: "set_item_status", in: args{"items": []string{"todolist:{Todolist:Empty tins}"}, "status": "archived"}, then: []row{
			{in: args{"status": "archived", "types": "todolist", "query": "tins"}, holds: holds{"items.*.id": []string{"{Todolist:Empty tins}"}}}}},
		row{fact: "whole projects too", in: args{"status": "trashed", "types": []string{"project"}}, holds: holds{"items.#": 2, "items.*.type": "project", "items.*.id": some}},
		invalid("a chat is not put away", args{"status": "trashed", "types": "chat"}, "types", "chat"), invalid("a project is found only there", args{"types": "project", "query": "x"}, "types"),
		invalid("words or a status are required", args{"query": " "}, "query", "status"), invalid("there are two statuses", args{"status": "deleted"}, "status"),
	)
}
