package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestEveryTool_NamesTheRightToolForAnIDOfAnotherKind(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo, message := d.sandbox.Find("Todo", "Print the serial number plates"), d.sandbox.FindIn(launch, "Message", colourVote)
		card := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		for _, c := range []struct {
			tool  string
			in    args
			words []string
		}{
			{"get_todo", args{"todo_id": card}, []string{"todo_id: ", "is a card: use get_card"}},
			{"get_card", args{"item": fmt.Sprint(todo)}, []string{"item: ", "is a to-do: use get_todo"}},
			{"get_message", args{"message_id": d.url("messages", todo)}, []string{"message_id: ", "is a to-do: use get_todo"}},
			{"get_todo", args{"todo_id": d.sandbox.ProjectID(launch)}, []string{"todo_id: ", "is a project: use get_project_tools"}},
			{"get_message", args{"message_id": 4812096551}, []string{"message_id: ", "is a comment: use get_by_url with https://3.basecamp.com/"}},
			{"update_work", args{"items": thoseItems(fmt.Sprint("card:", message)), "due_on": "today"}, []string{"items[0]", fmt.Sprint("give it as message:", message)}},
			{"update_document", args{"document": todo, "append": "x"}, []string{"document: ", "is a to-do: use update_work or set_completed"}},
			{"set_completed", args{"item": fmt.Sprint("todo:", card), "completed": true}, []string{"item: ", fmt.Sprint("give it as card:", card)}},
			{"set_completed", args{"item": fmt.Sprint("todo:", message), "completed": true}, []string{"item: ", "is a message: set_completed takes todo, subtask or card"}},
			{"create_comment", args{"item": fmt.Sprint("card:", todo), "body": "Look."}, []string{"item: ", fmt.Sprint("give it as todo:", todo)}},
			{"create_todos", args{"list": todo, "todos": []string{"x"}}, []string{"list: ", "is a to-do, not a to-do list"}},
			{"list_comments", args{"item": "chat_line:4812107184"}, []string{"list_campfire_lines"}},
			{"get_history", args{"item": fmt.Sprint("project:", d.sandbox.ProjectID(launch))}, []string{"get_activity"}},
		} {
			d.fails(fault.InvalidInput, c.tool, c.in, c.words...)
		}
		d.fails(fault.NotFound, "get_todo", args{"todo_id": 12}, "todo_id: Basecamp has no todo 12", "search")
		d.fails(fault.NotFound, "get_by_url", args{"url": d.url("todos", 1)}, "url: ", "search")
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

func TestGetByURL_OfAChatLineNamesTheToolThatReplies(t *testing.T) {
	at(t, func(d *toolEnv) {
		line := call[chatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": 1}).Items[0]
		got := call[struct {
			ReplyTo *replyRef `json:"reply_to"`
		}](d, "get_by_url", args{"url": line.URL})
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
		d.fails(fault.InvalidInput, "create_schedule_entry", args{"project": launch, "summary": "a", "starts_at": "later", "time_zone": "Berlin"}, "starts_at: must be", "time_zone: must be an IANA name")
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
