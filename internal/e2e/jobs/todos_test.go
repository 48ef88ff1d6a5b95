package jobs

import (
	"slices"
	"time"

	"basecamp-mcp/internal/e2e/agent"
)

func listOfFive(r *run) {
	r.call("create_todolist", with{"project": launch, "name": "Photo day"})
	december := time.Date(r.now.Year(), time.December, 7, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	if december < r.day(0) {
		december = time.Date(r.now.Year()+1, time.December, 7, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	wanted := []struct{ content, assignee, said, due string }{
		{"Wash the bikes", "Dele", "tomorrow", r.day(1)},
		{"Book a van", "Sam Okafor", "in 3 days", r.day(3)},
		{"Choose the jackets", "Hanna", "in 2 weeks", r.day(14)},
		{"Print the release forms", "Aoife", "December 7", december},
		{"Order lunch", "me", "today", r.day(0)},
	}
	said := make([]with, len(wanted))
	for i, todo := range wanted {
		said[i] = with{"content": todo.content, "assignees": []string{todo.assignee}, "due_on": todo.said}
	}
	r.call("create_todos", with{"project": launch, "list": "Photo day", "todos": said})
	todos := r.look("list_todos", with{"project_id": launch, "todolist_id": "Photo day"})
	r.check(todos.Len("items") == len(wanted), "there are %d to-dos", todos.Len("items"))
	for _, todo := range wanted {
		got := todos.Find("items", "title", todo.content)
		r.check(got.String("due_on") == todo.due && got.Len("assignees") == 1, "%q is due on %q", todo.content, got.String("due_on"))
	}
}

func completeThree(r *run) {
	finished := []string{
		"Put final prices into the price list", "Print the serial number plates", "Count the spare displays in the warehouse",
	}
	r.call("set_completed", with{"items": []string{"final prices", "serial number plates", "spare displays"}, "project": launch, "completed": true})
	r.call("set_completed", with{"item": "Order cartons", "project": launch, "completed": false})
	open := field(r.lookAll("list_todos", with{"project_id": launch, "todolist_id": "Launch checklist"}), "title")
	for _, title := range finished {
		r.check(!slices.Contains(open, title), "%q is open", title)
	}
	r.check(slices.Contains(open, "Order cartons"), "the fourth is not open")
}

func moveCard(r *run) {
	const card = "Rear light where the lift button is"
	moved := r.call("update_work", with{"items": []with{{"item": "card:rear light"}}, "project": launch, "column": "In review"})
	assignee := moved.String("results.0.item.assignees.0.name")
	r.call("create_comment", with{
		"item": "card:" + moved.String("results.0.item.id"), "body": "It is in review now.", "mentions": []string{assignee},
	})
	got := r.look("get_card", with{"item": card, "project": launch})
	r.check(got.String("column.name") == "In review", "it is in %q", got.String("column.name"))
	r.mentioned("noemie", card)
}

func steps(r *run) {
	added := r.call("add_subtasks", with{
		"item": "Print the serial number plates", "project": launch,
		"steps": []with{{"title": "Find the stamp"}, {"title": "Cut the plates"}, {"title": "Print them"}},
	})
	r.call("set_completed", with{"item": "subtask:" + added.String("results.0.item.id"), "completed": true})
	todo := r.look("get_todo", with{"todo_id": "Print the serial number plates", "project_id": launch})
	var finished []string
	for _, step := range todo.List("subtasks") {
		finished = append(finished, step.String("completed"))
	}
	r.check(slices.Equal(finished, []string{"true", "false", "false"}), "completed: %v", finished)
}

func moveTodo(r *run) {
	const todo = "Print the serial number plates"
	r.call("update_work", with{"items": []with{{"item": "serial number plates"}}, "project": launch, "list": "Test rides", "position": 1})
	first := r.look("list_todos", with{"project_id": launch, "todolist_id": "Test rides", "limit": 1})
	r.check(first.String("items.0.title") == todo, "first is %q", first.String("items.0.title"))
}

func reassign(r *run) {
	late := r.all("list_work", with{"project": launch, "state": "overdue", "kind": "todo", "assignee": "Hanna"})
	r.check(len(late) == 4, "%d to-dos are overdue", len(late))
	items := []with{}
	for _, id := range field(late, "id") {
		items = append(items, with{"item": "todo:" + id})
	}
	r.call("update_work", with{
		"items": items, "remove_assignees": []string{"Hanna"}, "add_assignees": []string{"Jonas"},
	})
	still := r.look("list_work", with{"project": launch, "state": "overdue", "kind": "todo", "assignee": "Hanna"})
	r.check(still.Len("items") == 0, "%d are still Hanna's", still.Len("items"))
	given := field(r.look("list_work", with{"project": launch, "state": "overdue", "kind": "todo", "assignee": "Jonas"}).List("items"), "id")
	for _, todo := range late {
		r.check(slices.Contains(given, todo.String("id")), "%q is not with Jonas", todo.String("title"))
	}
}

func archiveList(r *run) {
	const list = "Website texts"
	lists := func(status string) []string {
		return field(r.lookAll("list_todolists", with{"project_id": launch, "status": status}), "name")
	}
	archived := r.call("set_item_status", with{"items": []string{"todolist:" + list}, "project": launch, "status": "archived"})
	r.check(slices.Contains(lists("archived"), list) && !slices.Contains(lists("active"), list), "it was not archived")
	item := archived.String("results.0.item.url")
	if item == "" {
		item = "todolist:" + list
	}
	r.call("set_item_status", with{"items": []string{item}, "project": launch, "status": "active"})
	r.check(slices.Contains(lists("active"), list), "it was not restored")
}

func tasks(r *run) {
	titles := []string{"Call Mrs Pohl", "Buy a cake", "Sign the letter"}
	for _, title := range titles {
		r.call("add_task", with{"title": title})
	}
	got := field(r.look("list_tasks", with{"status": "pending"}).List("tasks"), "title")
	slices.Reverse(got) // newest first
	r.check(slices.Equal(got, titles), "the tasks are %q", got)
}

func checklist(r *run) {
	plan := make([]with, 6)
	for i, step := range []string{"Read", "Ask", "Draft", "Check", "Send", "File"} {
		plan[i] = with{"content": step, "status": "pending", "activeForm": step + "ing"}
	}
	r.call("todolist__set", with{"todos": plan})
	r.client = agent.Connect(r.t, r.url, agent.Ines)
	lists := r.call("todolist__lists", nil)
	id := lists.String("items.0.list_id")
	found := r.call("todolist__get", with{"list_id": id})
	r.check(found.Len("todos") == 6 && found.String("todos.5.content") == "File", "the list found has %d steps", found.Len("todos"))
	plan[0]["status"] = "completed"
	r.call("todolist__set", with{"list_id": id, "todos": plan})
	r.check(r.look("todolist__get", with{"list_id": id}).String("todos.0.status") == "completed", "the first step is not completed")
}
