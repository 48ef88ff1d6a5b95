package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

// written returns the requests of work that change data.
func (d *toolEnv) written(work func()) []string {
	return writesIn(d.asked(work))
}

// sends calls a tool, and returns its answer and the requests that change data.
func (d *toolEnv) sends(tool string, in args) (text string, written []string) {
	d.Helper()
	written = d.written(func() { text, _ = d.raw(tool, in) })
	return text, written
}

// refuses calls a tool, and checks that it fails with a code and words and writes nothing.
func (d *toolEnv) refuses(code fault.Code, tool string, arguments args, words ...string) (f failed) {
	d.Helper()
	if written := d.written(func() { f = d.fails(code, tool, arguments, words...) }); len(written) > 0 {
		d.Errorf("%s %v: wrote %v", tool, arguments, written)
	}
	return f
}

func todoPath(id int64) string { return fmt.Sprintf("/todos/%d.json", id) }

func newTodos(project, list any, todos ...args) args {
	in := args{"todos": todos}
	if project != nil {
		in["project"] = project
	}
	if list != nil {
		in["list"] = list
	}
	return in
}

func TestCreateTodos(t *testing.T) {
	const lot, electrics = "{Todolist:Parking lot}", "{Todolist:Electrics}"
	const lotURL, setURL = launchURL + "/todolists/" + lot, launchURL + "/todosets/{tool:todoset@Cargo Bike Launch}"
	into := func(list string) []string { return []string{"POST /todolists/" + list + "/todos.json"} }
	of := func(todos ...args) args { return args{"todos": todos} }
	dealers := args{"project": "Dealer Network", "list": "Shops that asked us"}
	cases(t, "create_todos", args{"project": launch, "list": "Parking lot", "todos": []args{{"content": "x"}}},
		row{fact: "they are made in order, with all fields", in: of(
			args{"content": " Grease the gate ", "notes": "Both **hinges**, @Noémie knows", "mentions": []string{"noemie"}, "assignees": []any{"Dele", "me"}, "starts_on": "2031-05-18", "due_on": "2031-05-20"},
			args{"content": "Oil the lock", "assignees": "Sam"}), writes: append(into(lot), into(lot)...), holds: holds{"created": 2, "failed": 0, "list.name": "Parking lot", "group": nil, "project.name": launch, "url": lotURL,
			"results.0": args{"index": 0, "ok": true, "item": args{"id": "{.results.0.item.id}", "title": "Grease the gate", "due_on": "2031-05-20", "starts_on": "2031-05-18"}},
			"results.1": args{"index": 1, "ok": true, "item": args{"id": "{.results.1.item.id}", "title": "Oil the lock"}}}, then: []row{
			{tool: "GET /todos/{0.results.0.item.id}.json", holds: holds{"content": "Grease the gate", "description": has("application/vnd.basecamp.mention"), "assignees.*.name": []string{"Dele Adeyemi", "Ines Albrecht"}}},
			{tool: "list_todos", in: args{"project_id": launch, "todolist_id": "Parking lot"}, holds: holds{"items.*.id": []string{"{0.results.0.item.id}", "{0.results.1.item.id}"}}},
		}},
		row{fact: "a list can be an ID, a name or a URL", each: []args{{"list": lot}, {"project": nil, "list": lot}, {"project": nil, "list": " " + lot}, {"list": "parking LOT"}, {"list": "Parking"}, {"project": nil},
			{"project": nil, "list": lotURL}, {"project": lotURL}, {"project": nil, "list": "todolist:" + lot}}, writes: into(lot), holds: holds{"list.name": "Parking lot", "group": nil}},
		row{fact: "a group is a list", each: []args{{"list": "Electrics"}, {"project": nil, "list": electrics}}, writes: into(electrics), holds: holds{"group.name": "Electrics"}},
		row{fact: "the only list needs no name", in: args{"project": "Winter Kit", "list": nil}, requests: 4, holds: holds{"list.name": "What goes into the box"}},
		row{fact: "the list is asked for among several", in: args{"list": nil}, fails: fault.Ambiguous, says: says{"list", "7 to-do lists"}, holds: holds{"data.candidates.#": 7, "data.candidates.0.name": checklist}},
		invalid("a project without lists needs one", args{"project": "Prototype Two", "list": nil}, "create_todolist"),
		invalid("or takes to-dos in none", args{"project": "Prototype Two", "list": nil}, "todoset_id"),
		invalid("a list or a project is required", args{"project": nil, "list": nil}, "project"),
		row{fact: "the project must have to-dos", in: args{"project": "Photo Library", "list": nil}, fails: fault.ToolNotEnabled, says: says{"to-do set"}},
		row{fact: "a to-do set means no list", in: of(args{"content": "Loose end", "assignees": "me", "due_on": "2031-05-20"}),
			each:   []args{{"list": "{tool:todoset@Cargo Bike Launch}"}, {"project": nil, "list": setURL}, {"list": setURL}, {"project": "{project:Cargo Bike Launch}", "list": " {tool:todoset@Cargo Bike Launch}"}},
			writes: []string{"POST " + launchSet}, holds: holds{"list": nil, "todoset.id": "{tool:todoset@Cargo Bike Launch}", "results.0.item.title": "Loose end", "results.0.item.due_on": "2031-05-20"}},
		invalid("the address of a to-do set must name its project", args{"project": nil, "list": "https://3.basecampapi.com/{account}/todosets/{tool:todoset@Cargo Bike Launch}.json"}, "project"),
		row{fact: "the to-do set must be in the project", in: args{"project": "Winter Kit", "list": setURL}, fails: fault.NotFound, says: says{"list", "to-do set"}},
		row{fact: "the list must be in the project", fails: fault.NotFound, says: says{"list: "},
			each: []args{{"project": "Winter Kit", "list": "{tool:todoset@Cargo Bike Launch}"}, {"list": "{Todolist:What goes into the box}"}, {"list": 12345}}},
		row{fact: "the nearest names are told", in: args{"list": "Launch checklists"}, fails: fault.NotFound, says: says{"list", "nearest", checklist}, holds: holds{"data.nearest": some}},
		invalid("a list in the trash takes none", args{"project": nil, "list": "{Todolist:Duplicate of the checklist}"}, "trashed"),
		invalid("a to-do is not a list", args{"project": nil, "list": "https://3.basecamp.com/{account}/buckets/1/todos/2"}, "get_todo"),
		row{fact: "one invalid to-do means that none is made", in: of(args{"content": "  "}, args{"content": "a", "due_on": "2031-02-30"}, args{"content": "b", "due_on": "2031-05-01", "starts_on": "2031-05-02"},
			args{"content": "c", "assignees": []string{"Sam Lindqvist"}}, args{"content": "d", "notes": "Ask @[Someone](person:77)"}, args{"content": "e", "mentions": []string{"Zacharias Unknown"}}, args{"content": "f", "starts_on": "soon"},
			args{"content": "Good", "due_on": "tomorrow"}), fails: fault.InvalidInput, says: says{"nothing was written"}, holds: holds{"data.validation.*.path": []string{
			"todos[0].content", "todos[1].due_on", "todos[2].due_on", "todos[3].assignees[0]", "todos[4].notes", "todos[5].mentions[0]", "todos[6].starts_on"}}},
		row{fact: "every problem of a to-do is named", in: of(args{"content": "a"}, args{"content": " ", "due_on": "soon", "assignees": []string{"Zelda", "me", "Sam"}, "notes": "x", "mentions": "Zelda"}), each: []args{dealers},
			fails: fault.InvalidInput, says: says{"nothing was written", "Sam Okafor"}, holds: holds{"data.validation.*.path": []string{
				"todos[1].content", "todos[1].due_on", "todos[1].assignees[0]", "todos[1].assignees[2]", "todos[1].mentions[0]"}}},
		row{fact: "a name must fit one assignee", in: of(args{"content": "a"}, args{"content": "b", "assignees": "Sam"}), each: []args{dealers},
			fails: fault.Ambiguous, says: says{"todos[1].assignees[0]: ", "nothing was written"}, holds: holds{"data.candidates.#": 2}},
		row{fact: "twenty are made at once", in: of(slices.Repeat([]args{{"content": "Check the wheel"}}, 20)...), holds: holds{"created": 20}},
		invalid("but not more", of(slices.Repeat([]args{{"content": "Check the wheel"}}, 21)...), "20"),
		invalid("nor none", of([]args{}...), "todos"),
		row{fact: "any number reads the same", in: of(args{"content": "a", "assignees": "Dele"}, args{"content": "b", "mentions": "Priya"}), requests: 5 + 2, then: []row{
			{fact: "warm: the project, its lists and people", in: of(args{"content": "a", "assignees": "Dele"}, args{"content": "b", "mentions": "Priya"}), requests: 3 + 2},
			{fact: "by ID: the list", in: args{"project": nil, "list": lot}, requests: 1 + 1},
		}},
		row{fact: "fifteen are answered in 900 tokens", in: of(slices.Repeat([]args{{"content": "Order the labels for the cartons of the first batch", "assignees": "Dele", "due_on": "2031-05-20",
			"notes": strings.Repeat("As Hanna said in the meeting. ", 20), "notify": true}}, 15)...), bytes: 3300},
		row{fact: "one without an answer is named", faults: faults{{Method: "POST", Drop: true, AfterEffect: true, Times: 1}}, in: of(args{"content": "a"}, args{"content": "b"}),
			holds: holds{"created": 1, "results.0.error.may_have_happened": true, "results.0.error.retryable": nil, "results.1.ok": true}},
	)
}

func TestCreateTodos_ReadsPeopleAndListsInParallel(t *testing.T) {
	for _, todo := range []args{{"content": "a", "assignees": "Dele"}, {"content": "b", "mentions": "Priya"}} {
		at(t, func(d *toolEnv) {
			call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "limit": 1})
			d.sandbox.Inject(sandbox.Fault{Method: "GET", Delay: time.Second})
			start := time.Now()
			call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", todo))
			if took := time.Since(start); took > 1500*time.Millisecond {
				d.Errorf("%v: took %v", todo, took)
			}
		})
	}
}
