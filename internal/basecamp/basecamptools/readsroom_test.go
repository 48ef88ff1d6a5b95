package basecamptools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/tool/mcptool"
)

// roomRead is a call of a tool that reads, and the item of the room that its answer shows.
type roomRead struct {
	tool string
	in   args
	id   int64 // of the item in the answer; 0 for the answer itself
}

// reads returns calls that show each item of the room.
func (x roomItems) reads() []roomRead {
	url := func(kind string, id int64) args { return args{"url": fmt.Sprintf("%s:%d", kind, id)} }
	return []roomRead{
		{"list_messages", args{"project_id": fleet}, x.message}, {"get_message", args{"message_id": x.message}, x.message},
		{"list_todolists", args{"project_id": fleet}, x.list}, {"get_todo", args{"todo_id": x.todo}, x.todo},
		{"list_todos", args{"project_id": fleet, "todolist_id": x.list}, x.todo},
		{"list_todos", args{"project_id": fleet}, x.todo},
		{"get_item", args{"item": x.card}, x.card}, {"get_board", args{"project": fleet, "board": x.board}, 0},
		{"list_documents", args{"project_id": fleet, "folder": x.deep}, x.document}, {"get_document", args{"document_id": x.document}, x.document},
		{"list_attachments", args{"project_id": fleet, "folder": x.deep}, x.upload}, {"get_file", args{"item": x.upload}, x.upload},
		{"list_documents", args{"project_id": fleet, "folder": x.folder}, x.deep},
		{"list_checkins", args{"project": fleet}, x.question},
		{"list_schedule_entries", args{"project": fleet, "from": "2026-12-01", "to": "2026-12-02"}, x.entry},
		{"list_comments", args{"item": fmt.Sprintf("todo:%d", x.todo)}, 0},
		{"list_campfire_lines", args{"project_id": fleet, "chat": x.chat}, x.line},
		{"get_item", url("todo", x.todo), x.todo}, {"get_item", url("card", x.card), x.card},
		{"get_item", url("subtask", x.subtask), x.subtask}, {"get_item", url("comment", x.comment), x.comment},
		{"get_item", url("document", x.document), x.document}, {"get_item", url("upload", x.upload), x.upload},
		{"get_item", url("folder", x.deep), x.deep}, {"get_item", url("folder", x.folder), x.folder},
		{"get_item", url("answer", x.answer), x.answer}, {"get_item", url("question", x.question), x.question},
		{"get_item", url("todolist", x.list), x.list}, {"get_item", url("message", x.message), x.message},
		{"get_item", url("schedule_entry", x.entry), x.entry},
	}
}

// withID returns the first object of an answer with an ID.
func withID(v any, id int64) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if v["id"] == json.Number(digits(id)) {
			return v
		}
		for name, field := range v {
			if name == "reply_to" { // the same item in brief
				continue
			}
			if found := withID(field, id); found != nil {
				return found
			}
		}
	case []any:
		for _, item := range v {
			if found := withID(item, id); found != nil {
				return found
			}
		}
	}
	return nil
}

// roomAnswer returns the item that a read shows.
func (d *toolEnv) roomAnswer(read roomRead) (map[string]any, string) {
	d.Helper()
	text, isError := d.raw(read.tool, read.in)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var answer map[string]any
	if err := decoder.Decode(&answer); err != nil || isError {
		d.Errorf("%s %v: %s", read.tool, read.in, text)
	}
	if read.id == 0 {
		return answer, text
	}
	return withID(answer, read.id), text
}

func TestEveryRead_SaysWhetherClientsSeeAnItem(t *testing.T) {
	for _, visible := range []bool{true, false} {
		unlimited(t, func(d *toolEnv) {
			for _, read := range d.room(visible).reads() {
				item, text := d.roomAnswer(read)
				if item == nil {
					d.Errorf("%s %v shows no item %d: %s", read.tool, read.in, read.id, text)
					continue
				}
				if seen := item["clients_see"] == true; seen != visible {
					d.Errorf("%s %v: clients_see is %v of what is visible: %v", read.tool, read.in, item["clients_see"], visible)
				}
			}
		})
	}
}

// showsRoom returns the part of an answer that shows something of the room. The dock of a project
// names its tools to everyone on the project.
func showsRoom(text string) string {
	for _, word := range []string{"list", "group", "to-do", "subtask", "card", "message", "document", "folder", "deep folder", "entry", "question", "answer", "comment", "line"} {
		if i := strings.Index(text, "Room "+word); i >= 0 {
			return text[max(0, i-100):i] + "Room " + word
		}
	}
	if strings.Contains(text, "It is free.") {
		return "the text of the document or the file"
	}
	return ""
}

// Every tool that reads is called as a person of a client, and shows nothing of a hidden room.
func TestAClientsPerson_SeesNothingOfWhatIsHidden(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		hidden := d.room(false)
		d.as("Ines Albrecht").raw("search", args{"query": "Room"})
		client := d.as(lieke)
		for _, read := range hidden.reads() {
			text, _ := client.raw(read.tool, read.in)
			if shown := showsRoom(text); shown != "" {
				d.Errorf("%s %v shows %s", read.tool, read.in, shown)
			}
		}
		calls := typical(d)
		for _, tool := range ofBasecamp() {
			if tool.Effect != mcptool.Reads {
				continue
			}
			for _, in := range []args{calls[tool.Name], {"project": fleet}, {"project_id": fleet}, {"query": "Room"}} {
				text, _ := client.raw(tool.Name, in)
				if shown := showsRoom(text); shown != "" {
					d.Errorf("%s %v shows %s", tool.Name, in, shown)
				}
			}
		}
	})
}

func TestAClientsPerson_SeesWhatIsShownAndWhoElseSeesIt(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		client := d.as(lieke)
		for _, read := range d.room(true).reads() {
			if item, text := client.roomAnswer(read); item == nil || item["clients_see"] != true {
				d.Errorf("%s %v: %s", read.tool, read.in, text)
			}
		}
	})
}
