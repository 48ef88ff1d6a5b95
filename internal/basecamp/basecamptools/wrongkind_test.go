package basecamptools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
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
	items := []string{richItem, kickItem, "message:{Message:" + colourVote + "}", documentItem, "entry:{Schedule::Entry:Photographer@Cargo Bike Launch}", "board:{tool:kanban_board 1@Cargo Bike Launch}", "folder:" + frameID}
	var rows []row
	refused := func(tool, path string, in args) {
		for _, status := range []string{lookup.Archived, lookup.Trashed} {
			r := row{fact: tool + " of what is " + status, tool: tool, in: in, fails: fault.InvalidInput, says: says{path + ": ", "is " + status, "restore it first"}}
			for _, item := range items {
				_, id, _ := strings.Cut(item, ":")
				r.before = append(r.before, "PUT /recordings/"+id+"/status/"+status+".json")
			}
			rows = append(rows, row{fact: r.fact, tool: "get_project_tools", in: args{"project_id": launch}, then: []row{r}})
		}
	}
	const vote = "{Message:" + colourVote + "}"
	refused("create_card", "board", args{"project": launch, "board": "Web shop", "title": "x"})
	refused("update_work", "items[0]", args{"items": thoseItems(richItem), "due_on": "friday"})
	refused("set_completed", "item", args{"item": richItem, "completed": true})
	refused("update_work", "items[0]", args{"items": thoseItems(kickItem), "column": "Done"})
	refused("edit_text", "item", args{"message": vote, "append": "Moss."})
	refused("edit_text", "item", args{"item": documentItem, "append": "Moss."})
	refused("update_schedule_entry", "entry", args{"entry": "{Schedule::Entry:Photographer@Cargo Bike Launch}", "summary": "Photographer, both days"})
	refused("create_document", "folder", args{"project": launch, "folder": frameID, "title": "x", "body": "x"})
	refused("upload_file", "folder", args{"project": launch, "folder": frameID, "filename": "x.txt", "content": "x"})
	refused("add_subtasks", "item", args{"item": richItem, "steps": []args{{"title": "x"}}})
	refused("create_comment", "item", args{"item": "message:" + vote, "body": "x", "mentions": "me"})
	cases(t, "", nil, rows...)
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

func TestTools_TellWhatIsWrong(t *testing.T) {
	lost := func(tool string, in args, words ...string) row {
		return row{fact: words[0], tool: tool, in: in, fails: fault.NotFound, says: append(words, "search")}
	}
	wrong := func(tool string, in args, words ...string) row {
		return row{fact: words[0], tool: tool, in: in, fails: fault.InvalidInput, says: words}
	}
	cases(t, "", nil,
		wrong("list_comments", args{"item": "chat_line:4812107184"}, "list_campfire_lines"),
		lost("update_work", args{"items": thoseItems("card:{Message:" + colourVote + "}"), "due_on": "today"}, "items[0]"), lost("get_todo", args{"todo_id": 12}, "todo_id: Basecamp has no todo 12"),
		lost("get_todo", args{"todo_id": json.RawMessage("6.4e9")}, "todo_id: Basecamp has no todo 6400000000"), lost("get_item", args{"url": launchURL + "/todos/1"}, "item: "),
		wrong("create_todos", args{"project": launch, "lst": 1, "todos": []args{{"content": "a", "due_on": "soon"}, {"notes": "b"}}},
			"lst: is not an argument; the nearest is list", `todos[0].due_on: must be a date or a time such as 2026-01-31, tomorrow or friday 10:00, got "soon"`, "todos[1].content: is required"),
		wrong("search", args{"query": "", "types": []string{"comment", "file"}, "since": "whenever"}, `types[1]: must be one of message, todo`, `since: must be a date`),
		wrong("create_schedule_entry", args{"project": launch, "summary": "a", "starts_at": "later", "time_zone": "Nowhere"}, "starts_at: must be", "time_zone: must be an IANA name"),
		row{fact: "a chat line names the tool that replies", tool: "list_campfire_lines", in: args{"project_id": launch, "limit": 1}, then: []row{
			{tool: "get_item", in: args{"url": "{0.items.0.url}"}, holds: holds{"reply_to.tool": "post_chat_line", "reply_to.type": "chat", "reply_to.url": has("/chats/{tool:chat@Cargo Bike Launch}")}},
			{tool: "post_chat_line", in: args{"to": "{1.reply_to.url}", "chat": "{1.reply_to.url}", "text": "Seen."}}}},
	)
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
