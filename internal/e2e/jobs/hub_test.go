package jobs

import (
	"slices"
	"strings"
	"testing"
)

// What the jobs across systems may cost together. Never raise a limit.
const (
	maxHubCalls  = 13
	maxHubErrors = 0
)

var hubJobs = []job{
	{"Plan three steps, make to-dos of them; finish them there", planAndPromote},
	{"Close here what is closed on GitHub", closeHere},
	{"File an issue for this to-do, and link both", fileIssueForTodo},
	{"What did I miss since Thursday, everywhere?", missed},
	{"Who waits for me?", whoWaits},
	{"Remind me on Thursday to ring the courier", remindThursday},
	{"I am done with the photographer, everywhere", doneEverywhere},
	{"Done, also the issue that a colleague wrote below it by hand", doneAsAColleagueWrote},
	{"Show the team that this to-do is that issue", showTheTeam},
}

func TestHubJobs_CostNoMoreThanBefore(t *testing.T) {
	runs, all := measured(t, hubJobs, "/x/basecamp,github,tasks,todolist,hub")
	if all.calls > maxHubCalls || all.errors > maxHubErrors || all.done < len(runs) {
		t.Errorf("%d calls, %d errors, %d done; the limits are %d, %d and %d", all.calls, all.errors, all.done, maxHubCalls, maxHubErrors, len(runs))
	}
}

const (
	bookPhotographer = "Book the photographer for the launch pictures"
	checklistOfTodos = "Launch checklist"
	firstIssue       = configurator + "#1"
)

func planAndPromote(r *run) {
	var todos, from []with
	for _, step := range []string{"Measure the shed", "Order the shelves", "Move the parts"} {
		todos = append(todos, with{"content": step, "status": "pending", "activeForm": step})
		from = append(from, with{"content": step})
	}
	list := r.call("todolist__set", with{"todos": todos}).String("list_id")
	for i := range from {
		from[i]["list_id"] = list
	}
	made := field(r.call("promote", with{"from": from, "to": "basecamp", "project": launch, "list": checklistOfTodos}).List("results"), "item.ref")
	r.call("set_completed", with{"items": made, "completed": true})
	promoted := r.call("todolist__get", with{"list_id": list}).List("promoted")
	r.check(len(made) == 3 && len(promoted) == 3, "made %q, promoted %d", made, len(promoted))
	for _, ref := range made {
		r.check(r.look("get_item", with{"item": ref}).String("item.completed") == "true", "%s is open", ref)
	}
}

func closeHere(r *run) {
	r.look("link", with{"a": "todo:" + bookPhotographer, "b": firstIssue})
	r.look("github_update_issue", with{"issue": firstIssue, "state": "closed"})
	settle := r.call("my_day", nil).At("settle.0.settle")
	arguments, _ := settle.At("arguments").Value.(map[string]any)
	r.call(settle.String("tool"), arguments)
	r.check(r.look("get_item", with{"item": "todo:" + bookPhotographer}).String("item.completed") == "true", "it is open")
}

func fileIssueForTodo(r *run) {
	made := r.call("promote", with{"from": []with{{"item": "todo:" + bookPhotographer}}, "to": "github", "repo": configurator}).At("results.0.item")
	issue := r.look("github_get_issue", with{"issue": made.String("ref")})
	r.check(issue.String("title") == bookPhotographer, "made %v", made.Value)
	r.check(r.look("link", with{"a": "todo:" + bookPhotographer, "b": made.String("ref")}).String("changed") == "false", "not linked")
}

func missed(r *run) {
	day := r.call("my_day", with{"since": "thursday"})
	r.check(day.Len("since.items") > 0 && day.Len("coverage") == 0, "%v", day.Value)
}

func whoWaits(r *run) {
	waiting := r.call("get_waiting", nil)
	for _, section := range []string{"to_answer", "waits_for"} {
		for _, item := range waiting.List(section + ".items") {
			r.check(item.String("by")+item.String("due_on") != "" && item.String("answer.tool") != "", "%v", item.Value)
		}
	}
	r.check(waiting.Len("to_answer.items") > 0, "%v", waiting.Value)
}

func remindThursday(r *run) {
	due := r.call("add_task", with{"title": "Ring the courier", "due_on": "thursday"}).String("due_on")
	day := r.look("my_day", with{"date": due})
	r.check(slices.Contains(field(day.List("today.items"), "title"), "Ring the courier"), "%v", day.Value)
}

func doneEverywhere(r *run) {
	r.look("link", with{"a": "todo:" + bookPhotographer, "b": firstIssue})
	r.call("set_completed", with{"item": "todo:" + bookPhotographer, "completed": true, "everywhere": true})
	r.check(r.look("github_get_issue", with{"issue": firstIssue}).String("state") == "closed", "the issue is open")
}

func doneAsAColleagueWrote(r *run) {
	r.as("jonas", "edit_text", with{"item": "todo:" + bookPhotographer, "append": "GitHub: " + firstIssue})
	r.look("link", with{"a": "person:Jonas Brandt", "b": "@jonas-brandt"})
	r.call("set_completed", with{"item": "todo:" + bookPhotographer, "completed": true, "everywhere": true})
	r.check(r.look("github_get_issue", with{"issue": firstIssue}).String("state") == "closed", "the issue is open")
}

func showTheTeam(r *run) {
	made := r.call("link", with{"a": "todo:" + bookPhotographer, "b": firstIssue, "visible": true})
	notes := r.as("jonas", "get_item", with{"item": "todo:" + bookPhotographer}).String("item.description")
	r.check(strings.HasSuffix(notes, "GitHub: "+firstIssue), "%q, %v", notes, made.Value)
}
