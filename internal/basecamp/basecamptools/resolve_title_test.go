package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/toolargs"
)

func TestTitle_APartOfExactlyOneIsEnoughToChangeIt(t *testing.T) {
	at(t, func(d *toolEnv) {
		for tool, in := range map[string]args{
			"update_work":    {"items": thoseItems("card:matt CLEAR"), "project": launch, "column": "Done"},
			"set_completed":  {"item": "card:clear coat", "project": launch, "completed": true},
			"create_comment": {"item": "clear coat", "project": launch, "body": "Seen."},
		} {
			if got, failed := d.raw(tool, in); failed || !strings.Contains(got, `"Matt clear coat"`) {
				d.Errorf("%s: %s", tool, got)
			}
		}
		got := call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{"card:Matt"}, "status": "archived", "project": launch})
		if got.Changed != 1 || got.Results[0].Item.Title != "Matt clear coat" {
			d.Errorf("got %+v", got)
		}
		f := d.refuses(fault.Ambiguous, "update_work", args{"items": thoseItems("light"), "project": launch, "column": "Done"}, "items[0]")
		if c := f.Data.Candidates; len(c) < 2 || c[0].Type != "card" || c[0].Where == "" {
			d.Errorf("candidates %+v", c)
		}
		d.refuses(fault.Ambiguous, "set_item_status", args{"items": []string{"project:Winter"}, "status": "trashed"}, "only part of a name")
		// A letter or two inside a word name nothing, for a read as for a write.
		d.refuses(fault.NotFound, "create_todos", args{"project": launch, "list": "x", "todos": []args{{"content": "Bell"}}}, "list")
		d.refuses(fault.NotFound, "list_todos", args{"project_id": launch, "todolist_id": "ea"}, "todolist_id")
		d.refuses(fault.NotFound, "list_messages", args{"project_id": "go"}, "project_id")
	})
}

func TestTitle_IsFoundWithoutItsQuotesAndDots(t *testing.T) {
	at(t, func(d *toolEnv) {
		const title = `Print "Ride on" in 2.5 cm, don't bend. Fin.`
		d.meanwhile("POST", fmt.Sprintf("/todolists/%d/todos.json", d.sandbox.TodolistID(launch, "Launch checklist")), fmt.Sprintf(`{"content":%q}`, title))
		for _, named := range []string{"print ride on in 25 cm, dont bend fin", "Print “Ride on” in 2.5 cm, don’t bend… Fin"} {
			for _, in := range []args{{"todo_id": named, "project_id": launch}, {"todo_id": named}} {
				if got, failed := d.raw("get_todo", in); failed || !strings.Contains(got, "Ride on") {
					d.Errorf("%v: %s", in, got)
				}
			}
			call[record](d, "set_completed", args{"item": named, "project": launch, "completed": true})
		}
		d.refuses(fault.NotFound, "get_todo", args{"todo_id": "…", "project_id": launch}, "todo_id")
	})
}

// A repeated call must not find another item by a part of the title of the one that it put away.
func TestTitle_OfAnItemPutAwayIsNoPartOfAnother(t *testing.T) {
	for _, status := range []string{lookup.Trashed, lookup.Archived} {
		at(t, func(d *toolEnv) {
			list := d.sandbox.TodolistID(launch, "Launch checklist")
			for _, title := range []string{"Stock count", "Stock count of the spares"} {
				d.meanwhile("POST", fmt.Sprintf("/todolists/%d/todos.json", list), fmt.Sprintf(`{"content":%q}`, title))
			}
			in := args{"items": []string{"todo:Stock count"}, "project": launch, "status": status}
			if got := call[anyitem.StatusResults](d, "set_item_status", in); got.Results[0].Item.Title != "Stock count" {
				d.Errorf("got %+v", got)
			}
			if status == lookup.Archived {
				in["status"] = lookup.Trashed
			}
			d.refuses(fault.NotFound, "set_item_status", in, "has this title, and is "+status)
			f := d.refuses(fault.NotFound, "set_completed", args{"item": "stock count", "project": launch, "completed": true}, "has this title, and is "+status)
			if len(f.Data.Nearest) != 1 || f.Data.Nearest[0].Name != "Stock count of the spares" {
				d.Errorf("nearest %+v", f.Data.Nearest)
			}
			if got := call[todos.Todo](d, "get_todo", args{"todo_id": "stock count", "project_id": launch}); got.Title != "Stock count of the spares" {
				d.Errorf("read %q", got.Title)
			}
		})
	}
}

func TestTitle_OfATrashedItemRestoresIt(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, item := range []string{"card:Matt clear coat", "todo:Name the bike's colours properly", "project:Winter Kit"} {
			in := args{"items": []string{item}, "project": launch, "status": "trashed"}
			if item == "project:Winter Kit" {
				in["confirm_title"] = "Winter Kit"
			} else {
				d.refuses(fault.InvalidInput, "set_item_status", args{"items": []string{item}, "project": launch, "status": "trashed", "confirm_title": "Bell"}, "confirm_title: is for whole projects")
			}
			call[anyitem.StatusResults](d, "set_item_status", in)
			if again := d.written(func() { d.raw("set_item_status", in) }); len(again) > 0 {
				d.Errorf("%s, repeated: wrote %v", item, again)
			}
			in["status"] = "active"
			if got := call[anyitem.StatusResults](d, "set_item_status", in); got.Changed != 1 || got.Results[0].Item.Status != "active" {
				d.Errorf("%s: %+v", item, got.Results)
			}
		}
	})
}

func TestTitle_OfTwoItemsMeansTheOpenOneOnlyInReads(t *testing.T) {
	at(t, func(d *toolEnv) {
		list := d.sandbox.TodolistID(launch, "Launch checklist")
		for range 2 {
			d.meanwhile("POST", fmt.Sprintf("/todolists/%d/todos.json", list), `{"content":"Weekly stock count"}`)
		}
		twins := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": list})
		var ids []int64
		for _, todo := range twins {
			if todo.Title == "Weekly stock count" {
				ids = append(ids, todo.ID)
			}
		}
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", ids[0]), "")
		if got := call[todos.Todo](d, "get_todo", args{"todo_id": "weekly stock count", "project_id": launch}); got.ID != ids[1] {
			d.Errorf("read %d of %v", got.ID, ids)
		}
		f := d.refuses(fault.Ambiguous, "set_completed", args{"item": "todo:Weekly stock count", "project": launch, "completed": false})
		if len(f.Data.Candidates) != 2 || !strings.Contains(fmt.Sprint(f.Data.Candidates), ", completed") {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
	})
}

func TestTitle_IsLookedUpOnceForManyAndAgainForNewItems(t *testing.T) {
	at(t, func(d *toolEnv) {
		asked := d.asked(func() {
			call[anyitem.StatusResults](d, "set_item_status", args{"project": launch, "status": "archived",
				"items": []string{"card:Matt clear coat", "card:Folding handlebar", "card:Suspension fork"}})
		})
		pages := 0
		for _, line := range asked {
			if strings.Contains(line, "/projects/recordings.json") {
				pages++
			}
		}
		if pages > 9 { // three pages, read by three concurrent calls
			d.Errorf("%d pages: %v", pages, asked)
		}
		made := call[work.WrittenCard](d, "create_card", args{"project": launch, "board": "Frame design", "title": "Bell bracket"})
		if got := readCard(d, args{"card": "Bell bracket", "project": launch}); got.ID != made.ID {
			d.Errorf("found %d, want %d", got.ID, made.ID)
		}
	})
}

func TestProject_RefusesNewContentIfArchived(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.refuses(fault.InvalidInput, "create_message", args{"project": "Prototype Two", "subject": "Hello", "body": "Hello?"}, "archived")
		d.refuses(fault.InvalidInput, "post_chat_line", args{"to": "Prototype Two", "text": "Hello"}, "archived")
		call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": "Prototype Two"})
	})
}

func TestPerson_APartialNameMustStartAWord(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.ProjectID(launch)
		if p, err := rs.Person(ctx, "mentions", toolargs.Ref{Name: "ann"}, id); err == nil {
			t.Errorf("ann is %s", p.Name)
		}
		for _, name := range []string{"Koiv", "hanna", "Hanna K"} {
			if p, err := rs.Person(ctx, "mentions", toolargs.Ref{Name: name}, id); err != nil || p.Name != "Hanna Koivisto" {
				t.Errorf("%s is %s, %v", name, p.Name, err)
			}
		}
	})
}

func TestPerson_IsFoundSoonAfterBeingAdded(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		id := d.sandbox.ProjectID(launch)
		lindqvist := toolargs.Ref{Name: "Sam Lindqvist"}
		if _, err := rs.Person(ctx, "mentions", lindqvist, id); !fault.Is(err, fault.InvalidInput) {
			t.Fatal(err)
		}
		d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", id), `{"grant":[3140027751]}`)
		for range 15 {
			d.meanwhile("PUT", fmt.Sprintf("/projects/%d/people/users.json", id), `{"grant":[3140027751]}`) // takes a second
		}
		if p, err := rs.Person(ctx, "mentions", lindqvist, id); err != nil || p.ID != 3140027751 {
			t.Errorf("%v, %v", p.Name, err)
		}
		if _, err := rs.Person(ctx, "mentions", toolargs.Ref{Name: "Sam"}, id); !fault.Is(err, fault.Ambiguous) {
			t.Errorf("with two people called Sam: %v", err)
		}
	})
}
