package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/report/fault"
)

// What the tests change: a rich to-do, a card, its subtask, and others of the launch.
const (
	richItem     = "todo:{Todo:Book the photographer for the launch pictures}"
	kickItem     = "card:{Kanban::Card:Kickstand plate, 8 mm back}"
	stepItem     = "subtask:{Kanban::Step:Cut two plates to try}"
	listItem     = "todolist:{Todolist:Parking lot}"
	documentItem = "document:{Document:Assembly handbook}"
	fileItem     = "upload:{Upload:launch-budget.csv@Cargo Bike Launch}"
)

// photographer is a to-do with a file, an assignee, a date and people to notify.
const photographer = "Book the photographer for the launch pictures"

// richTodo sets every field of the photographer's to-do, including a mention, unusual markup and
// a start date, and returns its id.
func richTodo(d *toolEnv) int64 {
	id := d.sandbox.Find("Todo", photographer)
	t := upstream[map[string]any](d, todoPath(id))
	hanna, ines, noemie := d.sandbox.Person("Hanna Koivisto").ID, d.sandbox.Person("Ines Albrecht").ID, d.sandbox.Person("Noémie Laurent").ID
	sgid := upstream[struct {
		SGID string `json:"attachable_sgid"`
	}](d, fmt.Sprintf("/people/%d.json", noemie)).SGID
	html := strings.ReplaceAll(t["description"].(string)+`<p>Ask <bc-attachment sgid="`+sgid+`"></bc-attachment>&nbsp;<u>twice</u></p>`, `"`, `\"`)
	d.meanwhile("PUT", todoPath(id), fmt.Sprintf(`{"content":%q,"description":"%s","due_on":"2031-05-20","starts_on":"2031-05-18","assignee_ids":[%d],"completion_subscriber_ids":[%d,%d]}`,
		photographer, html, hanna, ines, noemie))
	return id
}

// thoseItems returns items of a call without changes of their own.
func thoseItems[T any](items ...T) []args {
	all := make([]args, len(items))
	for i, item := range items {
		all[i] = args{"item": fmt.Sprint(item)}
	}
	return all
}

// update changes one item, and returns its result.
func (d *toolEnv) update(item string, in args) work.Outcome {
	d.Helper()
	in = clone(in)
	in["items"] = thoseItems(item)
	got := call[work.ChangedWork](d, "update_work", in)
	if got.Done != 1 || len(got.Results) != 1 {
		d.Fatalf("%v: %+v", in, got)
	}
	return got.Results[0]
}

// one returns a call for one item, with a change of its own.
func one(item any, change args) args {
	entry := clone(change)
	entry["item"] = fmt.Sprint(item)
	return args{"items": []args{entry}}
}

// itemPaths are the paths of the kinds that update_work changes.
var itemPaths = map[string]string{
	"todo": "/todos/%d.json", "card": "/card_tables/cards/%d.json", "subtask": "/subtasks/%d.json", "todolist": "/todolists/%d.json",
	"document": "/documents/%d.json", "upload": "/uploads/%d.json", "folder": "/vaults/%d.json",
}

// kept returns an item from Basecamp.
func (d *toolEnv) kept(item string) record {
	d.Helper()
	kind, id, _ := strings.Cut(item, ":")
	return upstream[record](d, strings.Replace(itemPaths[kind], "%d", id, 1))
}

// changedFields returns the fields of an item that differ, except for the time of the change, the
// parent's steps and addresses.
func changedFields(before, after record) (names []string) {
	for name := range before {
		if !slices.Contains([]string{"updated_at", "app_url", "url", "bookmark_url", "steps", "app_download_url"}, name) && !cmp.Equal(before[name], after[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestUpdateWork_ChangesOnlyNamedFields(t *testing.T) {
	for _, x := range []struct {
		item string
		in   args
		want string
	}{
		{richItem, args{"title": "Book the photographer"}, "content title"},
		{richItem, args{"due_on": "2031-06-01"}, "due_on"},
		{richItem, args{"due_on": "none"}, "due_on"},
		{richItem, args{"title": "Book the printer", "due_on": "", "starts_on": "null", "position": ""}, "content title"},
		{richItem, args{"starts_on": "none"}, "starts_on"},
		{richItem, args{"starts_on": "2031-05-19", "due_on": "2031-05-19"}, "due_on starts_on"},
		{richItem, args{"assignees": []any{}}, "assignees"},
		{richItem, args{"title": "Book her", "assignees": nil, "notes": nil, "list": nil, "mentions": nil, "due_on": nil, "starts_on": nil, "completed": nil}, "content title"},
		{richItem, args{"assignees": []string{"me", "Sam"}}, "assignees"},
		{richItem, args{"add_assignees": "Sam"}, "assignees"},
		{richItem, args{"add_assignees": "Hanna"}, ""},
		{richItem, args{"remove_assignees": "Hanna"}, "assignees"},
		{richItem, args{"remove_assignees": "Sam"}, ""},
		{richItem, args{"notes": ""}, "description description_attachments"},
		{richItem, args{"notes": "Only this"}, "description"},
		{richItem, args{"edits": []args{{"find": "Budget", "replace": "Money"}}}, "description"},
		{richItem, args{"position": 1}, "position"},
		{richItem, args{"list": "Launch checklist"}, ""},
		{richItem, args{"list": "Parking lot"}, "parent position"},
		{richItem, args{"completed": true}, "completed position"},
		{richItem, args{"completed": false}, ""},
		{kickItem, args{"title": " Kickstand plate "}, "title"},
		{kickItem, args{"notes": "**New**"}, "content description"},
		{kickItem, args{"notes": ""}, "content description"},
		{kickItem, args{"due_on": "2031-05-30"}, "due_on"},
		{kickItem, args{"due_on": "none"}, "due_on"},
		{kickItem, args{"assignees": "none"}, "assignees"},
		{kickItem, args{"column": "In review"}, "parent position"},
		{kickItem, args{"completed": true}, "completed parent position"},
		{stepItem, args{"title": "Measure twice"}, "title"},
		{stepItem, args{"due_on": "2031-05-30", "assignees": "me"}, "assignees due_on"},
		{stepItem, args{"completed": true}, "completed position"},
		{listItem, args{"title": "Later"}, "name title"},
		{listItem, args{"notes": "What we **park**."}, "description"},
		{listItem, args{"position": 1}, "position"},
		{documentItem, args{"title": "Handbook"}, "title"},
		{fileItem, args{"title": "budget.csv"}, "download_url filename title"},
		{fileItem, args{"title": "budget"}, "download_url filename title"},
		{fileItem, args{"notes": "The **old** one."}, "description"},
	} {
		unlimited(t, func(d *toolEnv) {
			_ = richTodo(d)
			item := (&caseRun{toolEnv: d}).fill(x.item)
			before := d.kept(item)
			var got work.Outcome
			written := d.written(func() { got = d.update(item, x.in) })
			changed := strings.Join(changedFields(before, d.kept(item)), " ")
			if changed == strings.TrimSuffix(x.want, " position") { // it may be the first already
				changed = x.want
			}
			if changed != x.want || got.Changed != (x.want != "") || got.Changed != (got.Previous != nil) || len(written) != min(1, len(x.want)) {
				t.Errorf("%s %v changed %q, wrote %v, answered %+v", item, x.in, changed, written, got)
			}
			if x.in["position"] != nil || x.in["edits"] != nil {
				return
			}
			if again := d.written(func() { d.update(item, x.in) }); len(again) > 0 {
				t.Errorf("%s %v: repeated, it wrote %v", item, x.in, again)
			}
		})
	}
}

func TestUpdateWork(t *testing.T) {
	rich := func(d *toolEnv) { _ = richTodo(d) }
	const cableCard = "card:{Kanban::Card:Cable exit at the head tube, sharper radius}"
	const todoPUT, positionPUT = "PUT /todos/{Todo:Book the photographer for the launch pictures}.json", "PUT /todos/{Todo:Book the photographer for the launch pictures}/position.json"
	newNotes := row{in: args{"notes": "Same person, **new** fee. Ask @Priya", "mentions": []string{"Priya"}}, setup: rich, holds: holds{"mentioned": []string{"Priya Raman"}, "notified": []string{"Priya Raman"}}}
	keeps := func(item, path, file string) row {
		r := newNotes
		r.fact, r.each = "new notes keep the file "+file, []args{{"items": []string{item}}}
		r.then = []row{{tool: "GET " + path, says: says{"new", "application/vnd.basecamp.mention", file}, misses: []string{"Budget is in"}}}
		return r
	}
	cost := func(item string, requests int, change args) row {
		return row{fact: fmt.Sprint(change), in: one(item, change), requests: requests}
	}
	two := args{"items": []string{"todo:{0.results.0.item.id}", "card:{1.id}"}}
	cases(t, "update_work", nil,
		row{fact: "it shows what changed and what it was", setup: rich, in: one(richItem, args{"title": " Book her ", "due_on": "none", "add_assignees": "me", "list": "Parking lot"}), holds: holds{
			"results.0.item.title": "Book her", "results.0.item.type": "todo", "results.0.item.due_on": nil, "results.0.item.starts_on": nil, "results.0.item.list.name": "Parking lot", "results.0.item.url": some,
			"results.0.item.assignees.*.name": []string{"Hanna Koivisto", "Ines Albrecht"}, "results.0.previous.title": photographer, "results.0.previous.due_on": "2031-05-20", "results.0.previous.starts_on": nil,
			"results.0.previous.list.name": checklist, "results.0.previous.assignees.*.name": []string{"Hanna Koivisto"}}, then: []row{
			{in: one("todo:{0.results.0.item.id}", args{"due_on": "2031-05-20"}), says: says{`"previous":{"due_on":null}`}}}},
		row{fact: "it shows the paragraphs that changed", tool: "create_card", in: args{"project": launch, "board": frame, "title": "Lug", "body": "One is red.\n\nTwo is blue."}, then: []row{
			{in: one("card:{0.id}", args{"edits": []args{{"find": "blue", "replace": "green"}}}), holds: holds{"results.0.item.notes": "Two is green.", "results.0.previous.notes": "Two is blue."}},
			{in: one("card:{0.id}", args{"notes": "Three."}), holds: holds{"results.0.item.notes": "Three.", "results.0.previous.notes": "One is red.\n\nTwo is green."}},
			{in: one("card:{0.id}", args{"notes": ""}), holds: holds{"results.0.previous.notes": "Three."}},
		}},
		keeps(richItem, "/todos/{Todo:Book the photographer for the launch pictures}.json", "launch-budget.csv"),
		keeps(cableCard, "/card_tables/cards/{Kanban::Card:Cable exit at the head tube, sharper radius}.json", "hose-rub.png"),
		row{fact: "of two people of one name, the assigned one goes", before: []string{`POST /buckets/{project:Dealer Network}/dock/tools.json {"tool_type":"Kanban::Board","title":"Visits"}`},
			tool: "create_todos", in: newTodos("Dealer Network", "Shops that asked us", args{"content": "Ring the bell", "assignees": []string{"Sam Okafor", "me", "Hanna"}}), then: []row{
				{tool: "create_card", in: args{"project": "Dealer Network", "title": "Visit the coast", "assignees": []string{"Sam Lindqvist", "me", "Hanna"}}},
				{in: args{"remove_assignees": []string{"Sam", "me"}}, each: []args{two}, holds: holds{"results.0.item.assignees.*.name": []string{"Hanna Koivisto"}, "results.1.item.assignees.*.name": []string{"Hanna Koivisto"}}},
				{in: args{"add_assignees": "Sam"}, each: []args{two}, fails: fault.Ambiguous, says: says{"add_assignees[0]"}},
			}},
		row{fact: "it says what was done if a later part fails", faults: faults{{Method: "PUT", PathPrefix: "/todos/{Todo:Book the photographer for the launch pictures}/position", Status: http.StatusForbidden}},
			in: one(richItem, args{"due_on": "2031-05-20", "position": 1}), fails: fault.PermissionDenied, says: says{"other changes were made", "moving it failed"}, writes: []string{todoPUT, positionPUT}, then: []row{
				{in: one(richItem, args{"position": 1}), fails: fault.PermissionDenied, misses: []string{"other changes"}, writes: []string{positionPUT}}}},
		row{fact: "it reads a to-do once, and writes it once", setup: (*toolEnv).knowsLaunch, in: one(richItem, args{"due_on": "2031-01-02"}), requests: 2, then: []row{
			cost(richItem, 4, args{"add_assignees": "Sam"}), // and the people on the project and in the account
			cost(richItem, 3, args{"list": "{Todolist:Parking lot}"}),
			cost(richItem, 2, args{"list": "{Todolist:Parking lot}"}), // it is there already
			cost(richItem, 3, args{"list": "{Todolist:Parking lot}", "due_on": "2031-01-01"}),
			cost(kickItem, 2, args{"due_on": "2031-05-30", "notes": "New"}),
			cost(kickItem, 4, args{"column": "Next"}), // the project and the column
			cost(kickItem, 4, args{"column": "Done"}), // the card, both tables, the move
		}},
		row{fact: "a to-do in no list stays there", before: []string{looseTodo}, in: one("todo:"+spareKey, args{"due_on": "2031-05-20"}), writes: []string{"PUT /todos/{Todo:Find the spare key}.json"}, then: []row{
			{fact: "until it is moved", in: one("todo:"+spareKey, args{"list": "Parking lot"}), holds: holds{"results.0.item.list.name": "Parking lot",
				"results.0.previous.todoset.id": "{tool:todoset@Cargo Bike Launch}", "results.0.previous.list": nil}},
			{fact: "not back", in: one("todo:"+spareKey, args{"list": launchURL + "/todosets/{tool:todoset@Cargo Bike Launch}"}), fails: fault.InvalidInput, says: says{"a to-do set"}},
		}},
		row{fact: "the address of a subtask means the subtask", tool: "GET /subtasks/{Kanban::Step:Cut two plates to try}.json", then: []row{
			{in: one("{0.app_url}", args{"title": "Measure"}), holds: holds{"results.0.item.type": "subtask", "results.0.item.title": "Measure"}}}},
	)
}
