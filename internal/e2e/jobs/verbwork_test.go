package jobs

import (
	"fmt"
	"slices"
	"time"
)

func sixToTesting(r *run) {
	titles := []string{
		"Waiting list for batch two", "Gift voucher", "Order status page", "VAT number check", "Colour switch on the product page", "Text for empty search",
	}
	items := make([]with, len(titles))
	for i, title := range titles {
		items[i] = with{"item": "card:" + title}
	}
	r.call("update_work", with{"items": items, "project": launch, "column": "Testing", "add_assignees": []string{"Marguerite"}})
	testing := r.look("get_board", with{"project": launch, "board": shop, "column": "Testing", "per_column": 50}).Find("columns", "name", "Testing")
	for _, title := range titles {
		card := testing.Find("cards", "title", title)
		r.check(slices.Contains(card.People("assignees"), "Marguerite Osei"), "%q is not there, or not for Marguerite", title)
	}
}

func renameList(r *run) {
	r.call("update_work", with{"items": []with{{"item": "todolist:Website texts", "title": "Shop texts"}}, "project": launch, "position": 1})
	r.call("create_todolist", with{"project": launch, "group_of": "Shop texts", "name": "In Dutch"})
	first := r.look("list_todolists", with{"project_id": launch}).At("items.0")
	r.check(first.String("name") == "Shop texts" && first.String("groups.0.name") == "In Dutch", "the first list is %v", first.Value)
}

func copyList(r *run) {
	const days, fair = 90, "Spring Trade Fair"
	r.call("create_todolist", with{"copy_of": "Dealers' evening", "project": fair, "shift_days": days})
	copies := r.lookAll("list_todos", with{"project_id": fair, "todolist_id": "Dealers' evening"})
	originals := r.lookAll("list_todos", with{"project_id": launch, "todolist_id": "Dealers' evening"})
	r.check(len(originals) > 5, "there are only %d to-dos to copy", len(originals))
	for _, todo := range originals {
		i := slices.Index(field(copies, "title"), todo.String("title"))
		if i < 0 {
			r.fail("%q was not copied", todo.String("title"))
			continue
		}
		due, want := copies[i].String("due_on"), todo.String("due_on")
		if day, err := time.Parse(time.DateOnly, want); err == nil {
			want = day.AddDate(0, 0, days).Format(time.DateOnly)
		}
		r.check(due == want, "%q is due on %q, want %q", todo.String("title"), due, want)
	}
}

func takeOver(r *run) {
	const dealers = "Dealer Network"
	before := r.lookAll("list_work", with{"project": dealers, "assignee": "Sam Lindqvist"})
	in := with{
		"of": with{"assignee": "Sam Lindqvist", "project": dealers}, "add_assignees": []string{"Hanna"}, "remove_assignees": []string{"Sam Lindqvist"},
	}
	in["confirm_count"] = r.call("update_work", in).At("count").Value
	r.call("update_work", in)
	r.check(r.look("list_work", with{"project": dealers, "assignee": "Sam Lindqvist"}).Len("items") == 0, "some work is still Sam's")
	now := field(r.lookAll("list_work", with{"project": dealers, "assignee": "Hanna"}), "id")
	for _, work := range before {
		r.check(slices.Contains(now, work.String("id")), "%q is not Hanna's", work.String("title"))
	}
}

func fifteenNotes(r *run) {
	todos := make([]with, 15)
	for i, note := range []string{
		"Ask the printer for a proof of the leaflet", "Borrow two tents", "Book the brass band", "Write to the neighbours", "Count the helmets",
		"Charge all batteries the evening before", "Find a ramp for the stage", "Print the route", "Order soup for sixty", "Call the first-aiders",
		"Hang up the banner", "Test the microphone", "Bring chalk", "Make name tags", "Thank the parish office",
	} {
		todos[i] = with{"content": note, "due_on": fmt.Sprintf("in %d days", i+2), "assignees": []string{[]string{"Dele", "Hanna", "me"}[i%3]}}
	}
	r.call("create_todos", with{"project": launch, "list": "Parking lot", "todos": todos})
	made := r.lookAll("list_todos", with{"project_id": launch, "todolist_id": "Parking lot"})
	r.check(len(made) == len(todos), "there are %d to-dos", len(made))
	for i, todo := range todos {
		at := slices.Index(field(made, "title"), todo["content"].(string))
		r.check(at >= 0 && made[at].String("due_on") == r.day(i+2) && made[at].Len("assignees") == 1, "%q is wrong or missing", todo["content"])
	}
}

func showMeFirst(r *run) {
	lists := func() []string { return field(r.lookAll("list_todolists", with{"project_id": launch}), "name") }
	in := with{"items": []string{"todolist:Parking lot"}, "project": launch, "status": "archived"}
	shown := r.call("preview", with{"tool": "set_item_status", "arguments": in})
	r.check(shown.String("writes.0.on.title") == "Parking lot" && shown.Len("writes") == 1, "the preview shows %s", shown.Text)
	r.check(slices.Contains(lists(), "Parking lot"), "the preview archived it")
	r.call("set_item_status", in)
	r.check(!slices.Contains(lists(), "Parking lot"), "it is not archived")
}

func bringBack(r *run) {
	gone := []string{"todo:Order cartons", "message:Rejected: the cup holder", "document:Questions riders ask"}
	var ids []string
	for _, result := range r.look("set_item_status", with{"items": gone, "project": launch, "status": "trashed"}).List("results") {
		ids = append(ids, result.String("item.id"))
	}
	found := r.call("search", with{"status": "trashed", "since": "today"})
	r.call("set_item_status", with{"items": field(found.List("items"), "url"), "status": "active"})
	left := field(r.lookAll("search", with{"status": "trashed"}), "id")
	for _, id := range ids {
		r.check(!slices.Contains(left, id), "%s is still in the trash", id)
	}
	r.check(len(ids) == 3 && r.look("get_item", with{"item": gone[0], "project": launch}).String("item.status") != "trashed", "the to-do is not back")
}
