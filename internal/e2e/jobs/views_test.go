package jobs

import "testing"

// What the jobs with a view in the chat may cost together. Never raise a limit.
const (
	maxViewCalls  = 8
	maxViewErrors = 0
)

// What the user does in a view is a tools/call of the same client that costs the agent nothing: it
// is made with look, with the arguments of the view's script.
var viewJobs = []job{
	{"Plan this in a checklist; I tick as I go. What is left?", tickInView},
	{"Show the frame board; I move what is ready. What is in review?", moveInView},
	{"Show my day; I tick what is done. What is still due?", tickDayInView},
	{"Show my board on GitHub; I move what I begin. What is in progress?", moveOnGitHubInView},
}

func TestViewJobs_CostNoMoreThanBefore(t *testing.T) {
	runs, all := measured(t, viewJobs, "/x/basecamp,github,tasks,todolist,hub")
	if all.calls > maxViewCalls || all.errors > maxViewErrors || all.done < len(runs) {
		t.Errorf("%d calls, %d errors, %d done; the limits are %d, %d and %d", all.calls, all.errors, all.done, maxViewCalls, maxViewErrors, len(runs))
	}
}

func tickInView(r *run) {
	plan := []with{}
	for _, step := range []string{"Measure the shed", "Order the shelves"} {
		plan = append(plan, with{"content": step, "status": "pending", "activeForm": step})
	}
	set := r.call("todolist__set", with{"todos": plan})
	list := set.String("list_id")
	plan[0]["status"] = "completed"
	r.look("todolist__set", with{"todos": plan, "list_id": list, "if_revision": set.At("revision").Value})
	read := r.call("todolist__get", with{"list_id": list})
	r.check(read.String("todos.0.status") == "completed" && read.String("todos.1.status") == "pending" && read.String("revision") == "2", "%v", read.Value)
}

func moveInView(r *run) {
	const board, card, column = "Frame design", "Rear light where the lift button is", "In review"
	shown := r.call("get_board", with{"project": launch, "board": board})
	id := shown.Find("columns", "name", "In progress").Find("cards", "title", card).String("id")
	r.look("update_work", with{"items": []with{{"item": "card:" + id, "column": shown.Find("columns", "name", column).String("id")}}})
	read := r.call("get_board", with{"project": launch, "board": board, "column": column})
	r.check(read.Find("columns", "name", column).Find("cards", "title", card).String("id") == id, "%v", read.Value)
}

func tickDayInView(r *run) {
	task := r.look("add_task", with{"title": "Ring the courier", "due_on": "today"}).String("id")
	day := r.call("my_day", nil)
	overdue := day.At("overdue.items.0").String("ref")
	r.look("update_work", with{"items": []with{{"item": overdue, "completed": true}}})
	r.look("complete_task", with{"task_id": task})
	read := r.call("my_day", nil)
	r.check(overdue != "" && read.At("overdue.items.0").String("ref") != overdue && read.Find("today.items", "ref", "task:"+task).Value == nil, "%v", read.Value)
}

func moveOnGitHubInView(r *run) {
	board := with{"project": "ines-albrecht/1"}
	card := r.call("github_list_project_items", board).Find("items", "title", "Pack for Utrecht").String("id")
	r.look("github_set_field_value", with{"project": "ines-albrecht/1", "item": card, "field": "Status", "value": "In Progress"})
	read := r.call("github_list_project_items", with{"project": "ines-albrecht/1", "status": "In Progress"})
	r.check(read.Find("items", "id", card).Value != nil, "%v", read.Value)
}
