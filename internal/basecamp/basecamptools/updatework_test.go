package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
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

// refNames returns the names of references.
func refNames(refs []lookup.Ref) []string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = r.Name
	}
	return all
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

// aStep returns the reference of a subtask of the kickstand's card.
func aStep(d *toolEnv) string {
	card := upstream[record](d, cardPath(d.sandbox.Find("Kanban::Card", kickstand)))
	return fmt.Sprintf("subtask:%.0f", card["steps"].([]any)[0].(record)["id"])
}

func TestUpdateWork_ChangesOnlyNamedFields(t *testing.T) {
	todo := func(d *toolEnv) string { return fmt.Sprint("todo:", richTodo(d)) }
	card := func(d *toolEnv) string { return fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand)) }
	list := func(d *toolEnv) string { return fmt.Sprint("list:", d.sandbox.TodolistID(launch, "Parking lot")) }
	document := func(d *toolEnv) string {
		return fmt.Sprint("document:", d.sandbox.Find("Document", "Assembly handbook"))
	}
	file := func(d *toolEnv) string {
		return fmt.Sprint("upload:", d.sandbox.FindIn(launch, "Upload", "launch-budget.csv"))
	}
	for _, x := range []struct {
		item func(*toolEnv) string
		in   args
		want string
	}{
		{todo, args{"title": "Book the photographer"}, "content title"},
		{todo, args{"due_on": "2031-06-01"}, "due_on"},
		{todo, args{"due_on": "none"}, "due_on"},
		{todo, args{"title": "Book the printer", "due_on": "", "starts_on": "null", "position": ""}, "content title"},
		{todo, args{"starts_on": "none"}, "starts_on"},
		{todo, args{"starts_on": "2031-05-19", "due_on": "2031-05-19"}, "due_on starts_on"},
		{todo, args{"assignees": []any{}}, "assignees"},
		{todo, args{"title": "Book her", "assignees": nil, "notes": nil, "list": nil, "mentions": nil, "due_on": nil, "starts_on": nil, "completed": nil}, "content title"},
		{todo, args{"assignees": []string{"me", "Sam"}}, "assignees"},
		{todo, args{"add_assignees": "Sam"}, "assignees"},
		{todo, args{"add_assignees": "Hanna"}, ""},
		{todo, args{"remove_assignees": "Hanna"}, "assignees"},
		{todo, args{"remove_assignees": "Sam"}, ""},
		{todo, args{"notes": ""}, "description description_attachments"},
		{todo, args{"notes": "Only this"}, "description"},
		{todo, args{"edits": []args{{"find": "Budget", "replace": "Money"}}}, "description"},
		{todo, args{"position": 1}, "position"},
		{todo, args{"list": "Launch checklist"}, ""},
		{todo, args{"list": "Parking lot"}, "parent position"},
		{todo, args{"completed": true}, "completed position"},
		{todo, args{"completed": false}, ""},
		{card, args{"title": " Kickstand plate "}, "title"},
		{card, args{"notes": "**New**"}, "content description"},
		{card, args{"notes": ""}, "content description"},
		{card, args{"due_on": "2031-05-30"}, "due_on"},
		{card, args{"due_on": "none"}, "due_on"},
		{card, args{"assignees": "none"}, "assignees"},
		{card, args{"column": "In review"}, "parent position"},
		{card, args{"completed": true}, "completed parent position"},
		{aStep, args{"title": "Measure twice"}, "title"},
		{aStep, args{"due_on": "2031-05-30", "assignees": "me"}, "assignees due_on"},
		{aStep, args{"completed": true}, "completed position"},
		{list, args{"title": "Later"}, "name title"},
		{list, args{"notes": "What we **park**."}, "description"},
		{list, args{"position": 1}, "position"},
		{document, args{"title": "Handbook"}, "title"},
		{file, args{"title": "budget.csv"}, "download_url filename title"},
		{file, args{"title": "budget"}, "download_url filename title"},
		{file, args{"notes": "The **old** one."}, "description"},
	} {
		unlimited(t, func(d *toolEnv) {
			item := x.item(d)
			if strings.HasPrefix(item, "list:") {
				item = strings.Replace(item, "list", "todolist", 1)
			}
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

func TestUpdateWork_ShowsWhatIsChangedAndWhatItWas(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richTodo(d)
		got := d.update(fmt.Sprint("todo:", id), args{"title": " Book her ", "due_on": "none", "add_assignees": "me", "list": "Parking lot"})
		item, was := got.Item, got.Previous
		if item.ID != id || item.Type != "todo" || item.Title != "Book her" || item.DueOn != nil || item.StartsOn != nil || item.List.Name != "Parking lot" || item.URL == "" ||
			!slices.Equal(refNames(*item.Assignees), []string{"Hanna Koivisto", "Ines Albrecht"}) {
			d.Errorf("item %+v", item)
		}
		if was.Title != photographer || was.DueOn != "2031-05-20" || was.StartsOn != nil || was.List.Name != "Launch checklist" || !slices.Equal(refNames(*was.Assignees), []string{"Hanna Koivisto"}) {
			d.Errorf("previous %+v", was)
		}
		text, _ := d.raw("update_work", one(fmt.Sprint("todo:", id), args{"due_on": "2031-05-20"}))
		if !strings.Contains(text, `"previous":{"due_on":null}`) {
			d.Error(text)
		}
	})
}

func TestUpdateWork_ShowsTheParagraphsThatChanged(t *testing.T) {
	at(t, func(d *toolEnv) {
		item := fmt.Sprint("card:", call[work.WrittenCard](d, "create_card", args{"project": launch, "board": frame, "title": "Lug", "body": "One is red.\n\nTwo is blue."}).ID)
		got := d.update(item, args{"edits": []args{{"find": "blue", "replace": "green"}}})
		if *got.Item.Notes != "Two is green." || *got.Previous.Notes != "Two is blue." {
			d.Errorf("%q was %q", *got.Item.Notes, *got.Previous.Notes)
		}
		if got = d.update(item, args{"notes": "Three."}); *got.Item.Notes != "Three." || *got.Previous.Notes != "One is red.\n\nTwo is green." {
			d.Errorf("%+v", got)
		}
		if got = d.update(item, args{"notes": ""}); *got.Previous.Notes != "Three." {
			d.Errorf("%+v", got)
		}
	})
}

func TestUpdateWork_NewNotesKeepTheFilesOfTheOld(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, item := range []string{fmt.Sprint("todo:", richTodo(d)), "card:Cable exit at the head tube, sharper radius"} {
			got := call[lookup.Reach](d, "update_work", args{"project": launch, "items": []args{{"item": item, "notes": "Same person, **new** fee. Ask @Priya", "mentions": []string{"Priya"}}}})
			if !slices.Equal(got.Mentioned, []string{"Priya Raman"}) || !slices.Equal(got.Notified, got.Mentioned) {
				d.Errorf("%+v", got)
			}
		}
		todo := d.kept(fmt.Sprint("todo:", d.sandbox.Find("Todo", photographer)))
		hose := d.kept(fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", "Cable exit at the head tube, sharper radius")))
		for text, file := range map[string]string{todo["description"].(string): "launch-budget.csv", hose["content"].(string): "hose-rub.png"} {
			if !strings.Contains(text, "new") || strings.Contains(text, "Budget is in") || !strings.Contains(text, "application/vnd.basecamp.mention") || !strings.Contains(text, file) {
				d.Error(text)
			}
		}
	})
}

func TestUpdateWork_RemovesTheAssignedOneOfTwoSams(t *testing.T) {
	at(t, func(d *toolEnv) {
		const dealers = "Dealer Network"
		list := d.sandbox.TodolistID(dealers, "Shops that asked us")
		todo := call[todos.CreatedTodos](d, "create_todos", newTodos(nil, list, args{"content": "Ring the bell", "assignees": []string{"Sam Okafor", "me", "Hanna"}})).Results[0].Item.ID
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(dealers)), `{"tool_type":"Kanban::Board","title":"Visits"}`)
		card := call[work.WrittenCard](d, "create_card", args{"project": dealers, "title": "Visit the coast", "assignees": []string{"Sam Lindqvist", "me", "Hanna"}}).ID
		for _, item := range []string{fmt.Sprint("todo:", todo), fmt.Sprint("card:", card)} {
			if got := d.update(item, args{"remove_assignees": []string{"Sam", "me"}}); !slices.Equal(refNames(*got.Item.Assignees), []string{"Hanna Koivisto"}) {
				d.Errorf("left are %+v", got.Item.Assignees)
			}
			d.refuses(fault.Ambiguous, "update_work", one(item, args{"add_assignees": "Sam"}), "add_assignees[0]")
		}
	})
}

func TestUpdateWork_SaysWhatWasDoneWhenALaterPartFails(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", photographer)
		item := fmt.Sprint("todo:", id)
		d.sandbox.Inject(sandbox.Fault{Method: "PUT", PathPrefix: fmt.Sprintf("/todos/%d/position", id), Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "update_work", one(item, args{"title": "Book her", "position": 1}), "other changes were made", "moving it failed")
		if title := d.kept(item)["title"]; title != "Book her" {
			d.Errorf("its title is %q", title)
		}
		if f := d.fails(fault.PermissionDenied, "update_work", one(item, args{"position": 1})); strings.Contains(f.Message, "other changes") {
			d.Error(f.Message)
		}
	})
}

func TestUpdateWork_ReadsOnceAndWritesOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.knowsLaunch()
		todo, lot := fmt.Sprint("todo:", d.sandbox.Find("Todo", photographer)), d.sandbox.TodolistID(launch, "Parking lot")
		card := fmt.Sprint("card:", d.sandbox.Find("Kanban::Card", kickstand))
		for _, x := range []struct {
			item string
			in   args
			want int
		}{
			{todo, args{"title": "x"}, 2},
			{todo, args{"add_assignees": "Sam"}, 4}, // and the people on the project and in the account
			{todo, args{"list": lot}, 3},            // the to-do, the list, the move
			{todo, args{"list": lot}, 2},            // it is there already
			{todo, args{"list": lot, "due_on": "2031-01-01"}, 3},
			{card, args{"title": "x", "due_on": "2031-05-30", "notes": "New"}, 2},
			{card, args{"column": "Next"}, 5}, // two pages of projects may tell its board
			{card, args{"column": "Done"}, 4}, // the card, both tables, the move
		} {
			if got := d.asked(func() { d.update(x.item, x.in) }); len(got) > x.want {
				d.Errorf("%v: %v", x.in, got)
			}
		}
	})
}

func TestUpdateWork_InNoListStaysThereUntilMoved(t *testing.T) {
	at(t, func(d *toolEnv) {
		set := d.sandbox.ToolID(launch, "todoset")
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/todosets/%d/todos.json", d.sandbox.ProjectID(launch), set), `{"content":"Find the spare key"}`)
		item := fmt.Sprint("todo:", d.sandbox.Find("Todo", "Find the spare key"))
		if written := d.written(func() { d.update(item, args{"due_on": "2031-05-20"}) }); len(written) != 1 {
			d.Errorf("wrote %v", written)
		}
		if got := d.update(item, args{"list": "Parking lot"}); got.Item.List.Name != "Parking lot" || got.Previous.Todoset.ID != set || got.Previous.List != nil {
			d.Errorf("got %+v, previous %+v", got.Item, got.Previous)
		}
		d.fails(fault.InvalidInput, "update_work", one(item, args{"list": d.url("todosets", set)}), "a to-do set")
	})
}

func TestUpdateWork_TheAddressOfASubtaskMeansTheSubtask(t *testing.T) {
	at(t, func(d *toolEnv) {
		step := d.kept(aStep(d))
		if got := d.update(step["app_url"].(string), args{"title": "Measure"}); got.Item.Type != "subtask" || got.Item.Title != "Measure" {
			d.Errorf("got %+v", got.Item)
		}
	})
}
