package jobs

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What the jobs about trust may cost together. Never raise a limit.
const (
	maxTrustCalls  = 22
	maxTrustErrors = 2 // a fenced project by its name and by its URL
	maxTrustTokens = 3_300
)

var trustJobs = []job{
	{"Archive the list Parking lot. Put it back", putItBack},
	{"Show me first: plates are due on Friday, for Hanna. No, leave it", showAndLeave},
	{"What did you do today?", whatYouDid},
	{"Five to-dos for the fair. Not the third one", oneOfABatch},
	{"Take back everything of this hour", lastHour},
	{"Comment on the card about the rear light. Take that back", commentAndBack},
	{"Done with my task Call the bank. No, it was another one", taskAndBack},
	{"Take back the new title, unless a colleague has edited it since", colleagueEdited},
	{"Close Translate the cookie notice as not planned. Put it back", issueAndBack},
	{"Show me first: the colour picker to Done. Do it. Put it back", boardAndBack},
	{"What is open in Winter Kit? Who wrote about frost? (held to the launch)", heldToTheLaunch},
}

func TestTrust_CostsNoMoreThanBefore(t *testing.T) {
	if len(trustJobs) != 11 {
		t.Errorf("there are %d jobs", len(trustJobs))
	}
	runs, all := measured(t, trustJobs, "/x/basecamp,github,tasks")
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"calls", all.calls, maxTrustCalls},
		{"errors", all.errors, maxTrustErrors},
		{"tokens", all.tokens, maxTrustTokens},
		{"jobs that are not done", len(runs) - all.done, 0},
	} {
		if limit.got > limit.max {
			t.Errorf("%d %s; the limit is %d", limit.got, limit.what, limit.max)
		}
	}
}

func (r *run) lists() []string {
	r.t.Helper()
	return field(r.lookAll("list_todolists", with{"project_id": launch}), "name")
}

// undo takes a call back, and checks what became of it.
func (r *run) undo(in with, result string) string {
	r.t.Helper()
	a := r.call("undo", in)
	r.check(a.String("undone.0.result") == result, "undo answered %.500s", a.Text)
	return a.Text
}

func putItBack(r *run) {
	code := r.call("set_item_status", with{"items": []string{"todolist:Parking lot"}, "project": launch, "status": "archived"}).String("undo")
	r.check(!slices.Contains(r.lists(), "Parking lot"), "it was not archived")
	r.undo(with{"ids": []string{code}}, "restored")
	r.check(slices.Contains(r.lists(), "Parking lot"), "it is not back")
}

func showAndLeave(r *run) {
	item := with{"item": "todo:Print the serial number plates", "project": launch}
	before := r.look("get_item", item).Text
	shown := r.call("preview", with{"tool": "update_work", "arguments": with{
		"project": launch, "items": []with{{"item": "Print the serial number plates"}}, "due_on": "friday", "assignees": []string{"Hanna"},
	}})
	r.check(strings.Contains(shown.Text, "Hanna Koivisto") && shown.Len("writes") == 1, "the preview shows %s", shown.Text)
	r.check(r.look("get_item", item).Text == before, "the preview changed it")
}

func whatYouDid(r *run) {
	r.look("create_todos", with{"project": launch, "list": "Parking lot", "todos": []with{{"content": "Order gas"}}})
	r.look("update_work", with{"project": launch, "items": []with{{"item": "Print the serial number plates", "title": "Engrave the serial number plates"}}})
	said := r.call("undo", with{})
	for _, want := range []string{"Order gas", "Engrave the serial number plates", "create_todos", "update_work"} {
		r.check(strings.Contains(said.Text, want), "%q is not in %s", want, said.Text)
	}
}

func oneOfABatch(r *run) {
	var todos []with
	for _, text := range []string{"Banner", "Cable drum", "Third thing", "Tape", "Chalk"} {
		todos = append(todos, with{"content": text})
	}
	made := r.call("create_todos", with{"project": launch, "list": "Parking lot", "todos": todos})
	third := made.Find("results", "index", "2").String("item.id")
	if third == "" {
		third = made.String("todos.2.id")
	}
	r.call("set_item_status", with{"items": []string{"todo:" + third}, "status": "trashed"})
	left := field(r.lookAll("list_todos", with{"project_id": launch, "todolist_id": "Parking lot"}), "title")
	r.check(slices.Contains(left, "Tape") && !slices.Contains(left, "Third thing"), "the list has %v", left)
}

func lastHour(r *run) {
	before := r.lists()
	r.look("create_todolist", with{"project": launch, "name": "One"})
	r.look("set_item_status", with{"items": []string{"todolist:Website texts"}, "project": launch, "status": "archived"})
	r.look("create_todolist", with{"project": launch, "name": "Two"})
	text := r.undo(with{"since": r.now.Add(-time.Hour).Format(time.RFC3339)}, "restored")
	r.check(strings.Count(text, `"result":"restored"`) == 6, "undo answered %s", text) // three calls with one write each
	r.check(slices.Equal(before, r.lists()), "the lists are %v, and were %v", r.lists(), before)
}

func commentAndBack(r *run) {
	const card = "card:Rear light where the lift button is"
	count := func() string {
		return r.look("get_item", with{"item": card, "project": launch}).At("comments_count").Text
	}
	before := count()
	code := r.call("create_comment", with{"item": card, "project": launch, "body": "I take care of it."}).String("undo")
	r.undo(with{"ids": []string{code}}, "restored")
	r.check(count() == before, "there are %s comments, and were %s", count(), before)
}

func taskAndBack(r *run) {
	id := r.look("add_task", with{"title": "Call the bank"}).String("id")
	r.call("complete_task", with{"task_id": id})
	r.undo(with{"last": 1}, "restored")
	r.check(r.look("list_tasks", with{}).Find("tasks", "title", "Call the bank").String("status") != "completed", "it is still completed")
}

func colleagueEdited(r *run) {
	r.look("create_message", with{"project": launch, "subject": "Doors at ten", "body": "Come early."})
	code := r.call("edit_text", with{"item": "message:Doors at ten", "project": launch, "title": "Doors at nine"}).String("undo")
	r.as("priya", "edit_text", with{"item": "message:Doors at nine", "project": launch, "title": "Doors at eight"})
	text := r.undo(with{"ids": []string{code}}, "refused")
	r.check(strings.Contains(text, "Doors at eight") && strings.Contains(text, "Doors at nine") && strings.Contains(text, "Priya Raman"), "undo does not say who wrote what: %s", text)
	r.check(r.look("get_item", with{"item": "message:Doors at eight", "project": launch}).Text != "", "the colleague's title is gone")
}

func issueAndBack(r *run) {
	const title = "Translate the cookie notice"
	closed := r.call("github_update_issue", with{"repo": configurator, "issue": title, "state_reason": "not_planned"})
	r.undo(with{"ids": []string{closed.String("undo")}}, "restored")
	r.check(r.look("github_get_issue", with{"issue": closed.String("ref")}).String("state") == "open", "it is not open")
}

func boardAndBack(r *run) {
	const title = "Frame colour picker forgets the choice"
	in := onBoard(with{"item": title, "field": "Status", "value": "Done"})
	before := r.value(title, "Status")
	shown := r.call("preview", with{"tool": "github_set_field_value", "arguments": in})
	r.check(strings.Contains(shown.Text, before) && r.value(title, "Status") == before, "the preview shows %s", shown.Text)
	code := r.call("github_set_field_value", in).String("undo")
	r.check(r.value(title, "Status") == "Done", "it is not done")
	r.undo(with{"ids": []string{code}}, "restored")
	r.check(r.value(title, "Status") == before, "it is not as before")
}

func heldToTheLaunch(r *run) {
	projects := r.lookAll("list_projects", with{})
	var kit string
	for _, p := range projects {
		switch p.String("name") {
		case launch:
			r.client.Projects = p.String("id")
		case "Winter Kit":
			kit = p.String("id")
		}
	}
	for _, project := range []string{"Winter Kit", "https://3.basecamp.com/5094412/projects/" + kit} {
		a := r.call("list_todos", with{"project": project})
		r.check(strings.Contains(a.Text, "outside_fence") && strings.Contains(a.Text, "/account"), "%s: %.400s", project, a.Text)
	}
	found := r.call("search", with{"query": "frost", "limit": 3})
	r.check(!strings.Contains(found.Text, kit), "the search found %.400s", found.Text)
	r.check(r.call("search", with{"query": "brake", "limit": 3}).Len("items") > 0, "the search found nothing in the launch")
}
