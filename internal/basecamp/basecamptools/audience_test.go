package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/tool/mcptool"
)

const (
	fleet = "Rijnstad Couriers Fleet" // a project with a client
	lieke = "Lieke van der Meer"
)

// room is a project with one item of each kind that the client sees, and one that she does not.
type roomItems struct {
	list, group, todo, subtask, card, message, document, folder, deep, upload, entry, question, answer, comment, chat, line, board int64
}

// show sets whether clients see what is visible by itself.
func (d *toolEnv) show(id int64, visible bool) {
	d.Helper()
	d.meanwhile(http.MethodPut, fmt.Sprintf("/recordings/%d/client_visibility.json", id), fmt.Sprintf(`{"visible_to_clients":%v}`, visible))
}

// make creates something in Basecamp and returns its ID.
func (d *toolEnv) make(path, body string) int64 {
	d.Helper()
	made := d.post(path, "application/json", body)
	if made.ID == 0 {
		d.Fatalf("%s has no ID", path)
	}
	return made.ID
}

// made is what Basecamp answers to a POST.
type made struct {
	ID   int64
	SGID string `json:"attachable_sgid"`
}

// post sends something to Basecamp.
func (d *toolEnv) post(path, contentType, body string) made {
	d.Helper()
	return decode[made](d, d.ask(d.ines(), http.MethodPost, path, contentType, body))
}

// room makes one item of each kind in the fleet's project. What can be shown to clients is shown if
// visible is set, and the others inherit it.
func (d *toolEnv) room(visible bool) (x roomItems) {
	d.Helper()
	shown := fmt.Sprintf(`,"visible_to_clients":%v}`, visible)
	project := d.sandbox.ProjectID(fleet)
	tool := func(name string) int64 { return d.sandbox.ToolID(fleet, name) }
	x.list = d.make(fmt.Sprintf("/todosets/%d/todolists.json", tool("todoset")), `{"name":"Room list"`+shown)
	x.group = d.make(fmt.Sprintf("/todolists/%d/groups.json", x.list), `{"name":"Room group"}`)
	x.todo = d.make(fmt.Sprintf("/todolists/%d/todos.json", x.group), `{"content":"Room to-do"}`)
	x.subtask = d.make(fmt.Sprintf("/recordings/%d/subtasks.json", x.todo), `{"title":"Room subtask"}`)
	x.message = d.make(fmt.Sprintf("/message_boards/%d/messages.json", tool("message_board")), `{"subject":"Room message","content":"Text.","status":"active"`+shown)
	x.comment = d.make(fmt.Sprintf("/recordings/%d/comments.json", x.todo), `{"content":"Room comment"}`)
	x.folder = d.make(fmt.Sprintf("/vaults/%d/vaults.json", tool("vault")), `{"title":"Room folder"}`)
	x.deep = d.make(fmt.Sprintf("/vaults/%d/vaults.json", x.folder), `{"title":"Room deep folder"}`)
	x.document = d.make(fmt.Sprintf("/vaults/%d/documents.json", x.deep), `{"title":"Room document","content":"It is free.","status":"active"}`)
	x.entry = d.make(fmt.Sprintf("/schedules/%d/entries.json", tool("schedule")), `{"summary":"Room entry","starts_at":"2026-12-01T10:00:00Z","ends_at":"2026-12-01T11:00:00Z"`+shown)
	x.chat = d.make(fmt.Sprintf("/buckets/%d/dock/tools.json", project), `{"tool_type":"Chat::Transcript","title":"Room chat"`+shown)
	x.board = d.make(fmt.Sprintf("/buckets/%d/dock/tools.json", project), `{"tool_type":"Kanban::Board","title":"Room board"`+shown)
	table := upstream[basecamp.CardTable](d, fmt.Sprintf("/card_tables/%d.json", x.board))
	x.card = d.make(fmt.Sprintf("/card_tables/lists/%d/cards.json", table.Columns[0].ID), `{"title":"Room card"}`)
	asked := d.make(fmt.Sprintf("/buckets/%d/dock/tools.json", project), `{"tool_type":"Questionnaire","title":"Room check-ins"}`)
	x.question = d.make(fmt.Sprintf("/questionnaires/%d/questions.json", asked), `{"title":"Room question","schedule":{"frequency":"every_day","days":["6"],"hour":0,"minute":0}`+shown)
	x.answer = d.make(fmt.Sprintf("/questions/%d/answers.json", x.question), `{"content":"Room answer","group_on":"1999-12-30"}`)
	x.line = d.make(fmt.Sprintf("/chats/%d/lines.json", x.chat), `{"content":"Room line"}`)
	file := d.post("/attachments.json?name=room.txt", "text/plain", "It is free.").SGID
	x.upload = d.make(fmt.Sprintf("/vaults/%d/uploads.json", x.deep), fmt.Sprintf(`{"attachable_sgid":%q,"base_name":"room"}`, file))
	d.show(x.folder, visible)
	return x
}

// writes returns a call of each tool that writes, on an item of the room.
func (x roomItems) writes() map[string]args {
	return map[string]args{
		"create_message":        {"project": fleet, "subject": "Hello", "body": "Text."},
		"edit_text":             {"message": x.message, "append": "More."},
		"create_comment":        {"item": fmt.Sprintf("todo:%d", x.todo), "body": "Seen."},
		"create_todolist":       {"project": fleet, "name": "Another list"},
		"create_todos":          {"project": fleet, "list": x.group, "todos": []args{{"content": "One"}, {"content": "Two"}}},
		"update_work":           {"items": thoseItems(fmt.Sprint("todo:", x.todo), fmt.Sprint("card:", x.card)), "due_on": "2031-05-20"},
		"set_completed":         {"item": fmt.Sprintf("subtask:%d", x.subtask), "completed": true},
		"create_card":           {"project": fleet, "board": x.board, "title": "Bell"},
		"add_subtasks":          {"item": fmt.Sprintf("card:%d", x.card), "steps": []args{{"title": "Grind"}}},
		"create_document":       {"project": fleet, "folder": x.deep, "title": "Plan", "body": "Text."},
		"upload_file":           {"project": fleet, "folder": "Room folder", "filename": "a.txt", "content_base64": "SGVsbG8="},
		"change_project":        {"project": fleet, "description": "40 bikes."},
		"post_chat_line":        {"to": fleet, "chat": x.chat, "text": "Hello."},
		"boost":                 {"item": fmt.Sprintf("card:%d", x.card)},
		"create_schedule_entry": {"project": fleet, "summary": "Talk", "starts_at": "2026-12-01T10:00"},
		"update_schedule_entry": {"entry": x.entry, "summary": "Talk again"},
		"answer_checkin":        {"question": x.question, "body": "Brakes.", "date": "2000-01-01"},
		"change_basecamp":       {"operation": "update_column", "arguments": args{"project": fleet, "board": x.board, "column": "Triage", "description": "New"}},
		"administer_basecamp":   {"operation": "rename_tool", "arguments": args{"project": fleet, "tool": x.board, "title": "Rooms"}},
		"set_item_status":       {"items": []string{fmt.Sprintf("answer:%d", x.answer), fmt.Sprintf("todo:%d", x.todo)}, "status": "trashed"},
	}
}

// ownVisibility are the tools that make what is visible by itself: Basecamp hides it, because no
// tool asks for anything else.
var ownVisibility = []string{"create_message", "create_todolist", "create_schedule_entry"}

func TestEveryWrite_NamesTheClientsWhoSeeIt(t *testing.T) {
	for _, tool := range ofBasecamp() {
		if tool.Effect == mcptool.Reads {
			continue
		}
		for _, visible := range []bool{true, false} {
			unlimited(t, func(d *toolEnv) {
				in := d.room(visible).writes()[tool.Name]
				if in == nil {
					d.Fatalf("%s has no call on an item that a client can see", tool.Name)
				}
				got := call[record](d, tool.Name, in)
				var want any
				if (visible || tool.Name == "change_project") && !slices.Contains(ownVisibility, tool.Name) {
					want = []any{lieke}
				}
				if diff := cmp.Diff(want, got["clients_see"]); diff != "" || got["left_out"] != nil {
					d.Errorf("%s, visible %v: %s; left out: %v", tool.Name, visible, diff, got["left_out"])
				}
			})
		}
	}
}

func TestWrites_DoNotCountTheFlagOfWhatInherits(t *testing.T) {
	cases(t, "create_todos", nil, row{fact: "a client's own to-do in a list that is hidden", as: lieke, setup: func(d *toolEnv) { d.room(true) }, in: args{"list": "{Todolist:Room list@" + fleet + "}", "todos": []args{{"content": "A client's own"}}}, then: []row{
		{tool: "GET /todos/{0.results.0.item.id}.json", holds: holds{"visible_to_clients": true}},
		{as: "Ines Albrecht", tool: "create_comment", before: []string{"PUT /recordings/{Todolist:Room list@" + fleet + `}/client_visibility.json {"visible_to_clients":false}`},
			in: args{"item": "todo:{0.results.0.item.id}", "body": "Hush, @Lieke."}, holds: holds{"clients_see": nil, "notified": nil}}}})
}

func TestWritesOfAClient_NameThePeopleOfClients(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		x, client := d.room(true), d.as(lieke)
		for _, tool := range []string{"create_message", "create_comment", "create_todos", "add_subtasks", "update_work"} {
			if got := call[record](client, tool, x.writes()[tool]); !cmp.Equal(got["clients_see"], any([]any{lieke})) || got["left_out"] != nil {
				d.Errorf("%s: %v, left out %v", tool, got["clients_see"], got["left_out"])
			}
		}
		hidden := d.room(false)
		client.fails("NOT_FOUND", "create_comment", args{"item": fmt.Sprintf("todo:%d", hidden.todo), "body": "x"})
		client.fails("NOT_FOUND", "get_item", args{"item": hidden.card})
	})
}

// knowsLaunch makes a call after which it is known that no clients are on the launch.
func (d *toolEnv) knowsLaunch() {
	d.Helper()
	d.raw("list_todolists", args{"project_id": d.sandbox.ProjectID(launch)})
}

func TestGetReport_ForAnAudienceLeavesOutWhatItsMembersCannotSee(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		got := call[overview.Report](d, "get_report", args{"audience": fleet, "format": "structured"})
		if len(got.Projects) == 0 || len(got.LeftOut) == 0 {
			d.Fatalf("%d projects, left out %v", len(got.Projects), got.LeftOut)
		}
		for _, p := range got.Projects {
			if p.Project.Name != fleet || p.SeenBy != "9 people, client: yes" {
				d.Errorf("%s, seen by %s", p.Project.Name, p.SeenBy)
			}
			for _, s := range []*overview.ReportSection{p.Completed, p.Overdue, p.Upcoming, p.Messages} {
				for i := 0; s != nil && i < len(s.Items); i++ {
					id := strings.Split(s.Items[i].Item, ":")
					if text, isError := d.as(lieke).raw("read_basecamp", operation("get_history", args{"item": strings.Join(id, ":")})); isError {
						d.Errorf("%s: %s", s.Items[i].Title, text)
					}
				}
			}
		}
		d.fails("INVALID_INPUT", "get_report", args{"audience": "project"}, "audience", "project")
		d.fails("NOT_FOUND", "get_report", args{"audience": "client"}, "audience: found no project", "give the project whose members, clients among them")
	})
}
