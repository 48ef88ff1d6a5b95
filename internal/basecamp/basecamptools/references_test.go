package basecamptools

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
)

// taken is an argument that names an item, with what its tool needs besides.
type taken struct {
	tool, argument string
	inProject      string // the argument that names the project; "" if there is none
	typ, upstream  string
	title          string
	needs          args
}

// takers are all arguments of the catalogue that name an item.
var takers = []taken{
	{"get_message", "message_id", "project_id", "message", "Message", "Rejected: the cup holder", nil},
	{"edit_text", "item", "project", "message", "Message", "Rejected: the cup holder", args{"append": "More."}},
	{"get_todo", "todo_id", "project_id", "todo", "Todo", "Print the serial number plates", nil},
	{"update_work", "items", "project", "todo", "Todo", "Print the serial number plates", args{"due_on": "2031-07-01"}},
	{"get_item", "item", "project", "card", "Kanban::Card", "Matt clear coat", nil},
	{"update_work", "items", "project", "card", "Kanban::Card", "Matt clear coat", args{"column": "Done"}},
	{"get_document", "document_id", "project_id", "document", "Document", "Assembly handbook", nil},
	{"edit_text", "item", "project", "document", "Document", "Assembly handbook", args{"append": "More."}},
	{"get_file", "item", "project", "upload", "Upload", "frame-drawing-rev-f.pdf", nil},
	{"list_checkins", "question", "project", "question", "Question", "What did you work on today?", nil},
	{"answer_checkin", "question", "project", "question", "Question", "What did you work on today?", args{"body": "Bells.", "date": "1999-12-31"}},
	{"update_schedule_entry", "entry", "project", "schedule_entry", "Schedule::Entry", "Photographer", args{"summary": "Photographer"}},
	{"create_todos", "list", "project", "todolist", "Todolist", "Parking lot", args{"todos": []args{{"content": "x"}}}},
	{"set_completed", "item", "project", "todo", "Todo", "Print the serial number plates", args{"completed": true}},
	{"add_subtasks", "item", "project", "card", "Kanban::Card", "Matt clear coat", args{"steps": []args{{"title": "x"}}}},
	{"list_comments", "item", "project", "document", "Document", "Assembly handbook", nil},
	{"create_comment", "item", "project", "message", "Message", "Rejected: the cup holder", args{"body": "x"}},
	{"upload_file", "replaces", "project", "upload", "Upload", "frame-drawing-rev-f.pdf", args{"content": "x"}},
	{"change_basecamp", "item", "project", "schedule_entry", "Schedule::Entry", "Photographer", args{"operation": "follow"}},
	{"set_item_status", "items", "project", "todolist", "Todolist", "Parking lot", args{"status": lookup.Archived}},
	{"get_item", "item", "project", "todo", "Todo", "Print the serial number plates", nil},
	{"get_item", "item", "project", "question", "Question", "What did you work on today?", nil},
}

// inPlace are arguments that name an item in the project that the call must name.
var inPlace = []taken{
	{"list_todos", "todolist_id", "project_id", "todolist", "Todolist", "Parking lot", nil},
	{"update_work", "list", "project", "todolist", "Todolist", "Parking lot", args{"items": thoseItems("todo:Print the serial number plates")}},
	{"update_work", "folder", "project", "folder", "Vault", "Frame", args{"items": thoseItems("document:Assembly handbook")}},
	{"create_document", "folder", "project", "folder", "Vault", "Frame", args{"title": "x", "body": "x"}},
	{"upload_file", "folder", "project", "folder", "Vault", "Frame", args{"filename": "x.txt", "content_base64": "eA=="}},
	{"list_documents", "folder", "project_id", "folder", "Vault", "Frame", nil},
	{"list_attachments", "folder", "project_id", "folder", "Vault", "Frame", nil},
}

// put sets the item of a call.
func (x taken) put(item any) args {
	in := maps.Clone(x.needs)
	if in == nil {
		in = args{}
	}
	in[x.argument] = item
	if x.argument == "items" {
		in["items"] = []any{fmt.Sprint(item)}
	}
	if _, isText := item.(int64); isText && (x.argument == "item" || x.argument == "url") {
		in[x.argument] = fmt.Sprint(item)
	}
	return in
}

func TestEveryTool_TakesEveryReferenceToAnItem(t *testing.T) {
	for _, x := range takers {
		t.Run(x.tool+" "+x.typ, func(t *testing.T) {
			t.Parallel()
			at(t, func(d *toolEnv) {
				for i, reference := range d.references(x) {
					in := x.put(reference)
					for j := range 2 {
						if x.tool == "answer_checkin" { // one answer a day
							n := 10 + 2*i + j
							in["date"] = fmt.Sprintf("%d days ago", 1+n/5*7+n%5) // on weekdays, after the question was made
						}
						if text, failed := d.raw(x.tool, in); failed || !strings.Contains(text, fmt.Sprint(d.references(x)[0])) {
							d.Errorf("%v: %s", in, text)
						}
						if x.argument == "items" {
							d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/active.json", d.references(x)[0]), "")
						}
						if x.inProject != "" {
							in[x.inProject] = launch
						}
					}
				}
			})
		})
	}
}

func TestEveryTool_TakesEveryReferenceInAProject(t *testing.T) {
	for _, x := range inPlace {
		t.Run(x.tool+" "+x.argument, func(t *testing.T) {
			t.Parallel()
			at(t, func(d *toolEnv) {
				id := d.sandbox.ProjectID(launch)
				for _, item := range d.references(x) {
					for _, project := range []any{launch, id, fmt.Sprintf("project:%d", id), "project:" + launch} {
						in := x.put(item)
						in[x.inProject] = project
						if text, failed := d.raw(x.tool, in); failed {
							d.Errorf("%v: %s", in, text)
						}
					}
				}
			})
		})
	}
}

// references returns all ways to refer to an item.
func (d *toolEnv) references(x taken) []any {
	id := d.sandbox.FindIn(launch, x.upstream, x.title)
	return []any{id, fmt.Sprintf("%s:%d", x.typ, id), d.url(lookup.KindOf(x.upstream).Links[0], id), x.title, strings.ToUpper(x.title), x.typ + ":" + x.title}
}

func TestEveryTool_TakesTypedReferencesToPlacesAndPeople(t *testing.T) {
	at(t, func(d *toolEnv) {
		priya := d.sandbox.Person("Priya Raman").ID
		dock := func(kind string) string { return fmt.Sprintf("%s:%d", kind, d.sandbox.ToolID(launch, kind)) }
		column := columnsOf(d, frame).Columns[0].ID
		for tool, calls := range map[string][]args{
			"list_messages":         {{"project_id": launch, "message_board_id": dock("message_board")}},
			"list_todolists":        {{"project_id": launch, "todoset_id": dock("todoset")}},
			"list_campfire_lines":   {{"project_id": launch, "chat": dock("chat")}},
			"get_board":             {{"project": launch, "board": dock("kanban_board")}, {"project": launch, "board": strings.Replace(dock("kanban_board"), "kanban_board", "board", 1)}, {"project": launch, "column": fmt.Sprint("column:", column)}, {"project": launch, "board": frame, "assignee": fmt.Sprint("person:", priya)}},
			"create_todos":          {{"project": launch, "list": dock("todoset"), "todos": []args{{"content": "x", "assignees": fmt.Sprint("person:", priya)}}}},
			"create_schedule_entry": {{"project": launch, "schedule": dock("schedule"), "summary": "x", "starts_at": "today", "participants": "person:Priya"}},
			"get_activity":          {{"project": "project:" + launch, "person": fmt.Sprint("person:", priya)}},
			"create_comment":        {{"item": d.references(takers[0])[0], "body": "x", "mentions": fmt.Sprint("person:", priya)}},
			"get_item":              {{"url": fmt.Sprint("person:", priya)}, {"url": dock("chat")}, {"url": fmt.Sprint("column:", column)}, {"url": strings.Replace(dock("kanban_board"), "kanban_board", "board", 1)}, {"url": fmt.Sprint("project:", d.sandbox.ProjectID(launch))}, {"url": "project:" + launch}},
		} {
			for _, in := range calls {
				if tool == "create_comment" {
					in["item"] = fmt.Sprint(in["item"])
				}
				if text, failed := d.raw(tool, in); failed {
					d.Errorf("%s %v: %s", tool, in, text)
				}
			}
		}
		d.fails(fault.InvalidInput, "list_messages", args{"project_id": "todo:7"}, `project_id: must be a project; "todo:7" is a to-do; get_todo reads it`)
		d.fails(fault.InvalidInput, "get_activity", args{"person": "project:7"}, "person: must be a person")
		d.fails(fault.InvalidInput, "get_message", args{"message_id": "card:7"}, `message_id: must be a message; "card:7" is a card; get_item reads it`)
	})
}

func TestGetItem_OpensWhatSearchFinds(t *testing.T) {
	at(t, func(d *toolEnv) {
		opened := map[string]bool{}
		for _, f := range all[overview.FoundItem](d, "search", args{"query": "frame", "limit": 100}) {
			if f.ID == 0 || opened[f.Type] {
				continue
			}
			opened[f.Type] = true
			got := call[struct {
				Type string
				Item struct{ ID int64 }
			}](d, "get_item", args{"url": fmt.Sprintf("%s:%d", f.Type, f.ID)})
			if got.Type != f.Type || got.Item.ID != f.ID {
				d.Errorf("%s:%d opens %+v", f.Type, f.ID, got)
			}
		}
		if len(opened) < 7 {
			d.Errorf("opened %v", opened)
		}
	})
}

func TestTitle_WithoutAProject(t *testing.T) {
	bells := func(list, title string) string {
		return `POST /todolists/{Todolist:` + list + `}/todos.json {"content":"` + title + `"}`
	}
	two := func(tool string, in args) row {
		return row{tool: tool, in: in, fails: fault.Ambiguous, holds: holds{"data.candidates.#": 2, "data.candidates.*.type": "todo"}}
	}
	where := two("get_todo", args{"todo_id": "order bells"})
	where.fact, where.before = "must be of one item", []string{bells("What goes into the box", "Order bells"), bells("Parking lot", "Order bells")}
	where.holds["data.candidates"] = has("Winter Kit, What goes into the box")
	where.then = []row{
		two("update_work", args{"items": thoseItems("Order bells"), "due_on": "2031-07-01"}), two("set_completed", args{"item": "Order bells", "completed": true}),
		{tool: "get_todo", in: args{"todo_id": "Order bells", "project_id": "Winter Kit"}, holds: holds{"project.name": "Winter Kit"}}}
	cases(t, "set_item_status", args{"items": []string{"card:Matt clear coat"}}, where,
		row{fact: "has near ones", tool: "update_work", in: args{"items": thoseItems("todo:Print the seriel number plates"), "due_on": "2031-07-01"}, fails: fault.NotFound, says: says{"nearest: "},
			holds: holds{"data.nearest.0.name": "Print the serial number plates", "data.nearest.0.where": has(launch)}},
		row{fact: "is one of a trashed item too", in: args{"status": "trashed"}, then: []row{
			{in: args{"status": "active"}, holds: holds{"changed": 1, "results.0.item.status": "active"}},
			{in: args{"status": "active", "items": []string{"Matt clear coat"}}, fails: fault.InvalidInput, says: says{"give type:title, or project"}}}},
	)
}

// Search and lists may be older than the item.
func TestTitle_WithoutAProjectIsReadAgain(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.Find("Todo", "Print the serial number plates")
		found, err := basecamp.ItemAt[basecamp.Listed]("todo").Get(ctx, rs.BC, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []string{"", "renamed", "trashed"} {
			switch change {
			case "renamed":
				d.meanwhile("PUT", fmt.Sprintf("/todos/%d.json", id), `{"content":"Another name"}`)
			case "trashed":
				d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", id), "")
			}
			still, err := rs.StillSo(ctx, []basecamp.Listed{found})
			if err != nil || (len(still) == 1) != (change == "") {
				t.Errorf("%s: %+v, %v", change, still, err)
			}
			if change != "" {
				d.refuses(fault.NotFound, "set_completed", args{"item": "todo:Print the serial number plates", "completed": true})
			}
			d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/active.json", id), "")
			d.meanwhile("PUT", fmt.Sprintf("/todos/%d.json", id), `{"content":"Print the serial number plates"}`)
		}
	})
}
