package basecamptools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
)

// A URL or a type:id may name an item under the wrong type: a to-do as a message, a message as a
// to-do.
func TestEveryTool_RefusesAnItemOfAnotherKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, message := d.sandbox.Find("Todo", "Print the serial number plates"), d.sandbox.FindIn(launch, "Message", colourVote)
		for _, c := range []struct {
			tool, argument, kind, path string
			id                         int64
			more                       args
		}{
			{"create_comment", "item", "message", "messages", todo, args{"body": "Seen."}},
			{"create_comment", "item", "todo", "todos", message, args{"body": "Seen."}},
			{"create_comment", "item", "card", "card_tables/cards", todo, args{"body": "Seen.", "mentions": "Priya"}},
			{"create_comment", "item", "document", "documents", todo, args{"body": "Seen."}},
			{"create_comment", "item", "upload", "uploads", todo, args{"body": "Seen."}},
			{"create_comment", "item", "todolist", "todolists", todo, args{"body": "Seen."}},
			{"create_comment", "item", "schedule_entry", "schedule_entries", todo, args{"body": "Seen."}},
			{"create_comment", "item", "answer", "question_answers", todo, args{"body": "Seen."}},
			{"create_comment", "item", "comment", "comments", todo, args{"body": "Seen."}},
			{"list_comments", "item", "todo", "todos", message, args{}},
			{"list_comments", "item", "message", "messages", todo, args{}},
			{"change_basecamp", "item", "message", "messages", todo, args{"operation": "follow"}},
			{"change_basecamp", "item", "forward", "inbox_forwards", todo, args{"operation": "unfollow"}},
			{"set_completed", "item", "card", "card_tables/cards", todo, args{"completed": true}},
			{"set_completed", "item", "todo", "todos", message, args{"completed": true}},
			{"set_completed", "item", "subtask", "steps", todo, args{"completed": true}},
			{"add_subtasks", "item", "card", "card_tables/cards", todo, args{"steps": []args{{"title": "Grind"}}}},
			{"update_work", "items", "card", "card_tables/cards", todo, args{"column": "Done"}},
			{"update_work", "items", "subtask", "steps", todo, args{"due_on": "today"}},
			{"update_work", "items", "todo", "todos", message, args{"due_on": "today"}},
			{"edit_text", "message", "message", "messages", todo, args{"subject": "New"}},
			{"edit_text", "document", "document", "documents", todo, args{"title": "New"}},
			{"edit_text", "comment", "comment", "comments", todo, args{"body": "New"}},
			{"update_schedule_entry", "entry", "schedule_entry", "schedule_entries", todo, args{"summary": "New"}},
			{"set_item_status", "items", "message", "messages", todo, args{"status": "trashed"}},
			{"answer_checkin", "question", "question", "questions", todo, args{"body": "Done."}},
			{"create_todos", "list", "todolist", "todolists", todo, args{"todos": []args{{"content": "New"}}}},
			{"create_document", "folder", "folder", "vaults", todo, args{"project": launch, "title": "New", "body": "New"}},
			{"upload_file", "folder", "folder", "vaults", todo, args{"project": launch, "filename": "x.txt", "content_base64": "SGVsbG8="}},
			{"get_message", "message_id", "message", "messages", todo, args{}},
			{"get_todo", "todo_id", "todo", "todos", message, args{}},
			{"get_item", "item", "card", "card_tables/cards", todo, args{}},
			{"get_document", "document_id", "document", "documents", todo, args{}},
			{"get_file", "item", "upload", "uploads", todo, args{}},
			{"list_checkins", "question", "question", "questions", todo, args{}},
			{"list_todos", "todolist_id", "todolist", "todolists", todo, args{"project_id": launch}},
			{"get_item", "url", "", "messages", todo, args{}},
		} {
			given := []string{fmt.Sprintf("%s:%d", c.kind, c.id), d.url(c.path, c.id), strings.Replace(d.url(c.path, c.id), fmt.Sprintf("/buckets/%d", d.sandbox.ProjectID(launch)), "", 1)}
			if c.kind == "" {
				given = given[1:]
			}
			for _, item := range given {
				c.more[c.argument] = item
				if c.argument == "items" {
					c.more["items"] = []string{item}
				}
				is := "to-do"
				if c.id == message {
					is = "message"
				}
				var text string
				var isError bool
				written := d.written(func() { text, isError = d.raw(c.tool, c.more) })
				if !isError || len(written) > 0 || !strings.Contains(text, fmt.Sprint(c.id, " is a ", is)) && !strings.Contains(text, string(fault.NotFound)) {
					d.Errorf("%s %s: wrote %v: %s", c.tool, item, written, text)
				}
			}
		}
	})
}

func TestChanges_RefuseAnItemThatIsPutAway(t *testing.T) {
	for _, status := range []string{lookup.Archived, lookup.Trashed} {
		at(t, func(d *toolEnv) {
			todo, card := d.sandbox.Find("Todo", photographer), d.sandbox.Find("Kanban::Card", kickstand)
			vote := d.sandbox.FindIn(launch, "Message", colourVote)
			comment := int64(commentsOn(d, vote)[0]["id"].(float64))
			document, entry := d.sandbox.Find("Document", "Assembly handbook"), d.sandbox.FindIn(launch, "Schedule::Entry", "Photographer")
			board, folder := d.sandbox.ToolIDs(launch, "kanban_board")[1], d.sandbox.FindIn(launch, "Vault", "Frame")
			call[projects.ProjectTools](d, "get_project_tools", args{"project_id": launch})
			for _, id := range []int64{comment, todo, card, vote, document, entry, board, folder} {
				d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/%s.json", id, status), "")
			}
			for _, x := range []struct {
				tool, path string
				in         args
			}{
				{"create_card", "board", args{"project": launch, "board": "Web shop", "title": "x"}},
				{"update_work", "items[0]", args{"items": thoseItems(fmt.Sprint("todo:", todo)), "due_on": "friday"}},
				{"set_completed", "item", args{"item": fmt.Sprint("todo:", todo), "completed": true}},
				{"update_work", "items[0]", args{"items": thoseItems(fmt.Sprint("card:", card)), "column": "Done"}},
				{"edit_text", "item", args{"message": vote, "append": "Moss."}},
				{"edit_text", "item", args{"comment": comment, "append": "Moss."}},
				{"edit_text", "item", args{"document": document, "append": "Moss."}},
				{"update_schedule_entry", "entry", args{"entry": entry, "summary": "Photographer, both days"}},
				{"create_document", "folder", args{"project": launch, "folder": folder, "title": "x", "body": "x"}},
				{"upload_file", "folder", args{"project": launch, "folder": folder, "filename": "x.txt", "content": "x"}},
				{"add_subtasks", "item", args{"item": fmt.Sprint("todo:", todo), "steps": []args{{"title": "x"}}}},
				{"create_comment", "item", args{"item": fmt.Sprint("message:", vote), "body": "x", "mentions": "me"}},
			} {
				d.refuses(fault.InvalidInput, x.tool, x.in, x.path+": ", "is "+status, "restore it first")
				time.Sleep(10 * time.Second) // synctest's clock, for the rate limit
			}
		})
	}
}

func TestPlace_RefusesItemsOfAnotherKind(t *testing.T) {
	for _, c := range []struct {
		kind lookup.Kind
		is   string
		says string
	}{
		{lookup.MessageKind, "Todo", "7 is a to-do, not a message; give it as todo:7"},
		{lookup.TodoKind, "Kanban::Card", "7 is a card, not a to-do; give it as card:7"},
		{lookup.TodoKind, "Todo", ""},
		{lookup.SubtaskKind, "step", ""},
		{lookup.TodoKind, "Todo::Of::Tomorrow", ""}, // an unknown type
		{parts.ReplyKind, "Inbox::Reply", ""},
		{lookup.MessageKind, "", ""},
	} {
		err := lookup.Place{}.Holds(basecamp.Recording{ID: 7, Type: c.is}, c.kind)
		if (err != nil) != (c.says != "") || err != nil && (!fault.Is(err, fault.InvalidInput) || !strings.Contains(fault.From(err).Message, c.says)) {
			t.Errorf("%s as %s: %v", c.is, c.kind.One, err)
		}
	}
}

func TestEveryTool_NamesTheArgumentWithAnUnknownID(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", colourVote)
		d.fails(fault.InvalidInput, "list_comments", args{"item": "chat_line:4812107184"}, "list_campfire_lines")
		d.fails(fault.NotFound, "update_work", args{"items": thoseItems(fmt.Sprint("card:", message)), "due_on": "today"}, "items[0]", "search")
		d.fails(fault.NotFound, "get_todo", args{"todo_id": 12}, "todo_id: Basecamp has no todo 12", "search")
		d.fails(fault.NotFound, "get_todo", args{"todo_id": json.RawMessage("6.4e9")}, "todo_id: Basecamp has no todo 6400000000", "search")
		d.fails(fault.NotFound, "get_item", args{"url": d.url("todos", 1)}, "item: ", "search")
	})
}

func TestWhereID_FindsTheOneArgumentThatRefersToAnID(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"item":"todo:12"}`:                           "item",
		`{"item":12,"limit":1}`:                        "item",
		`{"items":["card:1","todo:12"]}`:               "items[1]",
		`{"a":{"b":[" 12 "]}}`:                         "a.b[0]",
		`{"url":"https://x/buckets/2/todos/12"}`:       "url",
		`{"url":"https://x/1/todos/3#__recording_12"}`: "url",
		`{"body":"see todo:12 please"}`:                "",
		`{"item":"12","todo":"todo:12"}`:               "",
		`{"item":"todo:123"}`:                          "",
		`{"item":"120"}`:                               "",
		`[12]`:                                         "",
	} {
		if got := whereID([]byte(arguments), "12"); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

func TestGetItem_OfAChatLineNamesTheToolThatReplies(t *testing.T) {
	at(t, func(d *toolEnv) {
		line := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": 1}).Items[0]
		got := call[struct {
			ReplyTo *parts.ReplyRef `json:"reply_to"`
		}](d, "get_item", args{"url": line.URL})
		if r := got.ReplyTo; r == nil || r.Tool != "post_chat_line" || r.Type != "chat" || strings.Contains(r.URL, "@") {
			t.Fatalf("got %+v", got.ReplyTo)
		}
		if text, isError := d.raw("post_chat_line", args{"to": got.ReplyTo.URL, "chat": got.ReplyTo.URL, "text": "Seen."}); isError {
			t.Error(text)
		}
	})
}

func TestTools_TellWrongDatesTogetherWithOtherMistakes(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.InvalidInput, "create_todos", args{"project": launch, "lst": 1, "todos": []args{{"content": "a", "due_on": "soon"}, {"notes": "b"}}},
			"lst: is not an argument; the nearest is list", `todos[0].due_on: must be a date or a time such as 2026-01-31, tomorrow or friday 10:00, got "soon"`, "todos[1].content: is required")
		d.fails(fault.InvalidInput, "search", args{"query": "", "types": []string{"comment", "file"}, "since": "whenever"},
			`types[1]: must be one of message, todo`, `since: must be a date`)
		d.fails(fault.InvalidInput, "create_schedule_entry", args{"project": launch, "summary": "a", "starts_at": "later", "time_zone": "Nowhere"}, "starts_at: must be", "time_zone: must be an IANA name")
	})
}

func TestMayBeDate_DoubtsOnlyWhatNoToolReads(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "none": true, "Friday": true, "next friday": true, "in 2 weeks": true, "end of month": true, "12.5.": true, "12.5": false, "3pm": true, "noon": true,
		"December": false, "last-week": true, "last_7_days": true, "midnight": true, "2026-02-30": true, "soon": false, "ASAP": false, "later": false, "whenever you like": false,
	} {
		if mayBeDate(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
