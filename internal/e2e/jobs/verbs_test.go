package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What the jobs of everyday verbs may cost together, and the answer to a list of fifteen to-dos.
// Never raise a limit.
const (
	maxVerbCalls     = 39
	maxVerbErrors    = 0
	maxVerbTokens    = 13_000
	maxFifteenTokens = 900
)

// The places of jobs with limits of their own.
const (
	sixCards = 0
	thirty   = 1
	fifteen  = 18
)

var verbJobs = []job{
	{"Put these six cards of the web shop into Testing, for Marguerite too", sixToTesting},
	{"Correct thirty torques in our document, as in this list", thirtyPlaces},
	{"Write under these four things that prices are final", sameComment},
	{"Ask Hanna privately for photos; what does she say?", pingHanna},
	{"Remind me of the demo rides on Monday; church square first up next", remindMe},
	{"Clap for the load test; no, take it back", boostAndBack},
	{"Website texts is now Shop texts, on top, with a group for Dutch", renameList},
	{"Put the hall plan, the survey and Read me first into a folder Forms", fileInFolder},
	{"Here is the new launch budget", newVersion},
	{"Correct what I wrote in the chat and in today's check-in", correctMine},
	{"A stand-up every Monday at nine until spring, with Priya and Jonas", everyMonday},
	{"Let the client see the message on the second year, and pin it", showToClient},
	{"Bring back all that I trashed today", bringBack},
	{"Aoife and Dele join Winter Kit, Tomás leaves it", changePeople},
	{"Copy the dealers' evening to the trade fair, ninety days later", copyList},
	{"Hanna takes over all open work of Sam Lindqvist at the dealers'", takeOver},
	{"Test rides onto the hill chart, suppliers off; a column Blocked in the shop", hillAndColumn},
	{"I worked 90 minutes on the cartons yesterday; out of office at New Year", timeAndAbsence},
	{"Make to-dos of these fifteen notes", fifteenNotes},
	{"Show me first: archive the list Parking lot. Yes, do it", showMeFirst},
}

func TestVerbs_CostNoMoreThanBefore(t *testing.T) {
	if len(verbJobs) != 20 {
		t.Errorf("there are %d jobs", len(verbJobs))
	}
	runs, all := measured(t, verbJobs, "")
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"calls", all.calls, maxVerbCalls},
		{"errors", all.errors, maxVerbErrors},
		{"tokens", all.tokens, maxVerbTokens},
		{"jobs that are not done", len(runs) - all.done, 0},
		{"calls to move six cards", runs[sixCards].calls, 1},
		{"calls to edit thirty places", runs[thirty].calls, 1},
		{"tokens of the answer to fifteen to-dos", runs[fifteen].tokens, maxFifteenTokens},
	} {
		if limit.got > limit.max {
			t.Errorf("%d %s; the limit is %d", limit.got, limit.what, limit.max)
		}
	}
}

func remindMe(r *run) {
	const rides = "Demo rides: what we may say and what we may not"
	r.call("set_reminder", with{"item": "message:" + rides, "project": launch, "on": "monday"})
	r.call("set_up_next", with{"items": []string{"Reserve the church square for the test ride"}, "position": 1})
	r.call("set_up_next", with{"items": []string{"Call the insurer about demo rides"}, "remove": true})
	reminder := r.look("get_notifications", with{"section": "bubbles"}).At("items.0")
	r.check(reminder.String("title") == rides, "the reminder is %v", reminder.Value)
	var next []string
	for _, group := range r.look("get_my_work", nil).List("groups") {
		for _, work := range group.List("items") {
			if work.String("up_next") == "true" {
				next = append(next, work.String("title"))
			}
		}
	}
	r.check(slices.Contains(next, "Reserve the church square for the test ride"), "up next: %q", next)
	r.check(!slices.Contains(next, "Call the insurer about demo rides"), "still up next: %q", next)
}

func boostAndBack(r *run) {
	item := with{"item": "message:Checkout: what the load test showed", "text": "👏"}
	r.call("boost", item)
	boosts := func() int {
		return r.look("get_item", with{"item": item["item"], "project": launch}).Len("item.boosts")
	}
	r.check(boosts() == 1, "there are %d boosts", boosts())
	r.call("boost", with{"item": item["item"], "remove": true})
	r.check(boosts() == 0, "it was not taken back")
}

func changePeople(r *run) {
	const kit = "Winter Kit"
	r.call("change_project", with{"project": kit, "add_people": []string{"Aoife", "Dele"}, "remove_people": []string{"Tomás"}})
	names := field(r.lookAll("list_people", with{"project": kit}), "name")
	for name, on := range map[string]bool{"Aoife Brennan": true, "Dele Adeyemi": true, "Tomás Herrera": false} {
		r.check(slices.Contains(names, name) == on, "on the project are %q", names)
	}
}

// operation finds the operation for a task, as an agent must that does not know it, and returns its
// name.
func (r *run) operation(words, kind string) string {
	r.t.Helper()
	return r.call("find_operation", with{"words": words, "kind": kind}).String("operations.0.operation")
}

func hillAndColumn(r *run) {
	r.call("change_basecamp", with{"operation": r.operation("put to-do lists on the hill chart", "change"), "arguments": with{
		"project": launch, "track": []string{"Test rides"}, "untrack": []string{"Supplier follow-ups"},
	}})
	r.call("change_basecamp", with{
		"operation": r.operation("add a column to a board", "change"), "arguments": with{"project": launch, "board": shop, "title": "Blocked"},
	})
	dots := field(r.look("read_basecamp", with{"operation": "get_hill_chart", "arguments": with{"project": launch}}).List("items.0.dots"), "label")
	r.check(slices.Contains(dots, "Test rides") && !slices.Contains(dots, "Supplier follow-ups"), "on the hill are %q", dots)
	columns := field(r.look("get_board", with{"project": launch, "board": shop}).List("columns"), "name")
	r.check(slices.Contains(columns, "Blocked"), "the columns are %q", columns)
}

func timeAndAbsence(r *run) {
	r.call("change_basecamp", with{
		"operation": r.operation("log time", "change"), "arguments": with{"item": "todo:Order cartons", "project": launch, "hours": "1:30", "date": "yesterday"},
	})
	r.call("change_basecamp", with{
		"operation": r.operation("out of office", "change"), "arguments": with{"from": "december 28", "to": "january 3"},
	})
	logged := r.look("read_basecamp", with{"operation": "list_time", "arguments": with{"item": "todo:Order cartons", "project": launch}}).At("items.0")
	r.check(logged.String("hours") == "1:30" && logged.String("date") == r.day(-1), "the time is %v", logged.Value)
	away := r.look("read_basecamp", with{"operation": "get_out_of_office"})
	r.check(away.String("items.0.enabled") == "true" && away.String("items.0.start_date") != "", "away: %s", away.Text)
}

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

func thirtyPlaces(r *run) {
	const title = "Torques of the rear end"
	text := func(lead, unit string, more int) string {
		lines := make([]string, 30)
		for i := range lines {
			lines[i] = fmt.Sprintf("- %s %d: **%d** %s", lead, i+1, 4+i%7+more, unit)
		}
		return "Ask [@Mateusz] before you change a number.\n\n" + strings.Join(lines, "\n")
	}
	r.look("create_document", with{"project": launch, "title": title, "body": text("Bolt", "Nm", 0)})
	edits := make([]with, 30)
	for i := range edits {
		edits[i] = with{"find": fmt.Sprintf("Bolt %d: **%d** Nm", i+1, 4+i%7), "replace": fmt.Sprintf("Screw %d: **%d** newton metres", i+1, 5+i%7)}
	}
	r.call("edit_text", with{"item": "document:" + title, "project": launch, "edits": edits})
	got := r.look("get_document", with{"document_id": title, "project_id": launch}).String("content")
	r.check(got == text("Screw", "newton metres", 1), "it says %q", got)
}

func sameComment(r *run) {
	const says = "Prices are final since this morning."
	items := []string{"todo:Order cartons", "todo:Print the serial number plates", "card:Gift voucher", "document:Price list, Long Tail"}
	r.call("create_comment", with{"items": items, "project": launch, "body": says})
	for _, item := range items {
		comments := field(r.lookAll("list_comments", with{"item": item, "project": launch}), "content")
		r.check(slices.Contains(comments, says), "%s has no such comment", item)
	}
}

func pingHanna(r *run) {
	const question, answer = "Can you take the photos on Thursday?", "Only after lunch."
	r.call("post_chat_line", with{"to": []string{"Hanna"}, "text": question})
	asked := r.as("hanna", "get_item", with{"item": "ping:Ines"})
	r.check(asked.String("item.items.0.content") == question, "Hanna reads %s", asked.Text)
	r.as("hanna", "post_chat_line", with{"to": []string{"Ines"}, "text": answer})
	got := r.call("get_item", with{"item": "ping:Hanna"})
	r.check(got.String("item.items.0.content") == answer, "the ping says %s", got.Text)
}

func correctMine(r *run) {
	r.look("post_chat_line", with{"to": []string{launch}, "text": "The braks are here."})
	r.look("answer_checkin", with{"question": "What did you work on today?", "project": launch, "date": "today", "body": "Counted braks."})
	edits := []with{{"find": "braks", "replace": "brakes"}}
	said := r.call("list_campfire_lines", with{"project_id": launch, "limit": 10}).Find("items", "content", "The braks are here.")
	r.call("edit_text", with{"item": "chat_line:" + said.String("id"), "edits": edits})
	answered := r.call("list_checkin_answers", with{"question": "What did you work on today?", "project": launch, "person": "me", "limit": 1})
	r.call("edit_text", with{"item": "answer:" + answered.String("items.0.id"), "edits": edits})
	line := r.look("list_campfire_lines", with{"project_id": launch, "limit": 1}).String("items.0.content")
	r.check(line == "The brakes are here.", "the line says %q", line)
	answer := r.look("list_checkin_answers", with{"question": "What did you work on today?", "project": launch, "person": "me"}).String("items.0.content")
	r.check(answer == "Counted brakes.", "the answer says %q", answer)
}

func newVersion(r *run) {
	const file, now = "launch-budget.csv", "what,euros\ncake,90\n"
	before := r.look("get_file", with{"item": file, "project": launch})
	r.call("upload_file", with{"replaces": file, "project": launch, "filename": file, "content": now})
	after := r.look("get_file", with{"item": file, "project": launch})
	r.check(before.String("id") != "" && after.String("id") == before.String("id"), "it is another file")
	r.check(strings.Contains(after.Text, "cake,90"), "it says %s", after.Text)
}

func fileInFolder(r *run) {
	r.call("create_folder", with{"project": launch, "title": "Forms"})
	r.call("update_work", with{
		"items":   []with{{"item": "upload:hall-plan.pdf"}, {"item": "upload:rider-survey-summary.txt"}, {"item": "document:Read me first"}},
		"project": launch, "folder": "Forms",
	})
	in := with{"project_id": launch, "folder": "Forms"}
	r.check(slices.Equal(field(r.look("list_documents", in).List("items"), "title"), []string{"Read me first"}), "the document is not in it")
	files := field(r.look("list_attachments", in).List("items"), "filename")
	slices.Sort(files)
	r.check(slices.Equal(files, []string{"hall-plan.pdf", "rider-survey-summary.txt"}), "the files in it are %q", files)
}

func showToClient(r *run) {
	const message = "Internal: price of the second year"
	r.call("update_work", with{"items": []with{{"item": "message:" + message}}, "project": couriers, "visible_to_clients": true})
	pinned := r.call("edit_text", with{"item": "message:" + message, "project": couriers, "pin": true})
	seen := r.as("lieke", "list_messages", with{"project_id": couriers})
	r.check(slices.Contains(field(seen.List("items"), "subject"), message), "the client does not see it")
	r.check(pinned.String("pinned") == "true", "it is not pinned: %s", pinned.Text) // Basecamp does not return this later
}

func everyMonday(r *run) {
	r.call("create_schedule_entry", with{
		"project": launch, "summary": "Stand-up", "starts_at": "monday 9:00", "ends_at": "9:15",
		"repeats": "every monday until march 20", "participants": []string{"Priya", "Jonas"},
	})
	var times int
	for _, entry := range r.lookAll("list_schedule_entries", with{"project": launch, "to": r.day(21)}) {
		if entry.String("summary") != "Stand-up" {
			continue
		}
		starts, err := time.Parse(time.RFC3339, entry.String("starts_at"))
		in := starts.In(r.now.Location())
		r.check(err == nil && in.Weekday() == time.Monday && in.Hour() == 9, "one is at %s", entry.String("starts_at"))
		times++
	}
	r.check(times == 3, "there are %d in three weeks", times)
}
