package basecamptools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/docstest"
)

// maxCalls is the number of calls that all twenty jobs together may take.
const maxCalls = 24

// job is a request of a user, done as a model would do it: only with the words of the request and
// the answers of earlier calls of the same job.
type job struct {
	title string
	asked string
	calls int // maximum
	do    func(w *worker)
}

// worker does a job and records its calls.
type worker struct {
	*toolEnv
	calls []string
}

func use[T any](w *worker, tool string, arguments args) T {
	w.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		w.Fatal(err)
	}
	w.calls = append(w.calls, tool+" "+string(data))
	return call[T](w.toolEnv, tool, arguments)
}

// appURL returns the URL of an item of the launch project, as a browser shows it.
func (w *worker) appURL(path, kind, title string) string {
	return fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/%s/%d", w.sandbox.Account(), w.sandbox.ProjectID(launchProject), path,
		w.sandbox.FindIn(launchProject, kind, title))
}

type record = map[string]any

const launchProject = "Cargo Bike Launch"

// jobs are the sixteen tasks of 37signals' evaluation of its own server, in the data of Fernhill
// Bikes.
var jobs = []job{
	{"Answer a comment and mention a colleague", "Reply to this comment and tell Sam the jig is free: {comment URL}", 1, func(w *worker) {
		comment, parent := someComment(w)
		use[record](w, "create_comment", args{"item": comment, "body": "The jig is free from noon.", "mentions": []string{"Sam"}})
		comments := upstream[[]record](w.toolEnv, fmt.Sprintf("/recordings/%d/comments.json", parent))
		last := comments[len(comments)-1]["content"].(string)
		samo := w.sandbox.Person("Sam Okafor")
		if !strings.Contains(last, "application/vnd.basecamp.mention") || !strings.Contains(last, "Sam") || !strings.Contains(last, "The jig is free") {
			w.Errorf("the comment is %s; it should mention %s", last, samo.Name)
		}
	}},
	{"What is overdue", "What of mine is overdue?", 1, func(w *worker) {
		answer := use[struct {
			Groups []struct {
				Scope string
				Items []record
			}
		}](w, "get_my_work", args{"scope": "overdue"})
		if len(answer.Groups) != 1 || answer.Groups[0].Scope != "overdue" || len(answer.Groups[0].Items) == 0 {
			w.Errorf("got %+v", answer)
		}
	}},
	{"Summarise a week", "What happened in the launch this week?", 1, func(w *worker) {
		answer := use[overview.Activity](w, "get_activity", args{"project": launchProject})
		if len(answer.Projects) != 1 || len(answer.Projects[0].Days) < 5 {
			w.Errorf("got %+v", answer)
		}
	}},
	{"Finish a card", "\"Mudguard stay touches the box on full load\" is solved, move its card to Done.", 1, func(w *worker) {
		use[record](w, "update_work", args{"items": thoseItems("card:Mudguard stay touches the box on full load"), "project": launchProject, "column": "Done"})
		card := upstream[record](w.toolEnv, fmt.Sprintf("/card_tables/cards/%d.json", w.sandbox.Find("Kanban::Card", "Mudguard stay touches the box on full load")))
		if parent := card["parent"].(record); parent["type"] != "Kanban::DoneColumn" || card["completed"] != true {
			w.Errorf("the card is in %v, completed %v", parent["title"], card["completed"])
		}
	}},
	{"Clear out old to-dos", "Trash the launch to-dos that have no assignee.", 2, func(w *worker) {
		stale := use[struct{ Items []struct{ ID int64 } }](w, "list_work", args{"kind": "todo", "state": "unassigned", "project": launchProject})
		var items []string
		for _, item := range stale.Items {
			items = append(items, fmt.Sprintf("todo:%d", item.ID))
		}
		if len(items) == 0 {
			w.Fatal("found no unassigned to-dos")
		}
		use[record](w, "set_item_status", args{"items": items, "status": "trashed"})
		for _, item := range stale.Items {
			if todo := upstream[record](w.toolEnv, fmt.Sprintf("/todos/%d.json", item.ID)); todo["status"] != "trashed" {
				w.Errorf("to-do %d is %v", item.ID, todo["status"])
			}
		}
		for _, r := range w.sandbox.Requests() {
			if r.Method == http.MethodDelete {
				w.Errorf("%s %s: trash never deletes", r.Method, r.Path)
			}
		}
	}},
	{"Post a status update", "Post to the launch board that frames 17 and 18 passed, and let Noémie and Sam know.", 1, func(w *worker) {
		use[record](w, "create_message", args{"project": launchProject, "subject": "Frames 17 and 18 passed",
			"body": "Both are **within 0.3 mm**.\n\n- 17: 0.3\n- 18: 0.2", "notify": []string{"Noemie", "Sam"}})
		post := upstream[record](w.toolEnv, fmt.Sprintf("/messages/%d.json", w.sandbox.Find("Message", "Frames 17 and 18 passed")))
		notified := upstream[struct{ Subscribers []struct{ Name string } }](w.toolEnv, fmt.Sprintf("/recordings/%.0f/subscription.json", post["id"]))
		var names []string
		for _, s := range notified.Subscribers {
			names = append(names, s.Name)
		}
		slices.Sort(names)
		if post["status"] != "active" || !slices.Equal(names, []string{"Ines Albrecht", "Noémie Laurent", "Sam Okafor"}) {
			w.Errorf("the post is %v, subscribers %v", post["status"], names)
		}
	}},
	{"Quote a document", "What does our handbook say about torque?", 2, func(w *worker) {
		found := use[struct {
			Items []struct {
				ID   int64
				Type string
			}
		}](w, "search", args{"query": "torque", "types": []string{"document"}})
		if len(found.Items) == 0 || found.Items[0].Type != "document" {
			w.Fatalf("found %+v", found)
		}
		text := use[struct{ Content string }](w, "get_document", args{"document_id": found.Items[0].ID})
		if !strings.Contains(strings.ToLower(text.Content), "torque") {
			w.Error("the document does not mention torque")
		}
	}},
	{"Who is on a card", "Who is working on the kickstand plate?", 1, func(w *worker) {
		card := use[struct {
			Item struct{ Assignees []struct{ Name string } }
		}](w, "get_item", args{"item": "Kickstand plate", "project": launchProject})
		if len(card.Item.Assignees) != 1 || card.Item.Assignees[0].Name != "Noémie Laurent" {
			w.Errorf("got %+v", card.Item.Assignees)
		}
	}},
	{"Read a check-in", "What did people say they worked on, in the launch?", 1, func(w *worker) {
		asked := use[struct {
			Items []struct {
				LastAnswers []record `json:"last_answers"`
			}
		}](w, "list_checkins", args{"project": launchProject, "question": "What did you work on today?"})
		if said := asked.Items[0].LastAnswers; len(said) < 10 {
			w.Errorf("%d answers", len(said))
		}
	}},
	{"Tick off a to-do", "Done: {to-do URL}", 1, func(w *worker) {
		url := w.appURL("todos", "Todo", "Print the serial number plates")
		use[record](w, "set_completed", args{"item": url, "completed": true})
		todo := upstream[record](w.toolEnv, fmt.Sprintf("/todos/%d.json", w.sandbox.Find("Todo", "Print the serial number plates")))
		if todo["completed"] != true {
			w.Error("it is still open")
		}
	}},
	{"Add a to-do", "Add to the launch checklist: order labels, for Hanna, this Friday.", 1, func(w *worker) {
		use[record](w, "create_todos", args{"project": launchProject, "list": "Launch checklist",
			"todos": []args{{"content": "Order labels", "assignees": []string{"Hanna"}, "due_on": "friday"}}})
		todo := upstream[struct {
			DueOn     string `json:"due_on"`
			Assignees []struct{ Name string }
		}](w.toolEnv, fmt.Sprintf("/todos/%d.json", w.sandbox.Find("Todo", "Order labels")))
		day, err := time.Parse(time.DateOnly, todo.DueOn)
		if err != nil || day.Weekday() != time.Friday || len(todo.Assignees) != 1 || todo.Assignees[0].Name != "Hanna Koivisto" {
			w.Errorf("got %+v", todo)
		}
	}},
	{"Comment on a card", "Note on the matt clear coat card that the sample came.", 2, func(w *worker) {
		use[record](w, "create_comment", args{"item": "card:Matt clear coat", "project": launchProject, "body": "The sample came today."})
		comments := upstream[[]record](w.toolEnv, fmt.Sprintf("/recordings/%d/comments.json", w.sandbox.Find("Kanban::Card", "Matt clear coat")))
		if n := len(comments); n == 0 || !strings.Contains(comments[n-1]["content"].(string), "The sample came today.") {
			w.Errorf("got %v", comments)
		}
	}},
	{"Schedule a meeting", "Schedule a brake review with Priya and Sam tomorrow at ten, an hour.", 1, func(w *worker) {
		tomorrow := time.Now().In(berlin(w)).AddDate(0, 0, 1).Format(time.DateOnly)
		use[record](w, "create_schedule_entry", args{"project": launchProject, "summary": "Brake review",
			"starts_at": tomorrow + "T10:00", "ends_at": tomorrow + "T11:00", "participants": []string{"Priya", "Sam", "me"}})
		entry := upstream[struct {
			StartsAt     time.Time `json:"starts_at"`
			Participants []record
		}](w.toolEnv, fmt.Sprintf("/schedule_entries/%d.json", w.sandbox.Find("Schedule::Entry", "Brake review")))
		if at := entry.StartsAt.In(berlin(w)).Format("2006-01-02 15:04"); at != tomorrow+" 10:00" || len(entry.Participants) != 3 {
			w.Errorf("at %s with %d", at, len(entry.Participants))
		}
	}},
	{"Post to the chat", "Tell the launch chat that the pallet is in.", 1, func(w *worker) {
		use[record](w, "post_chat_line", args{"to": launchProject, "text": "The pallet is in."})
		lines := upstream[[]record](w.toolEnv, fmt.Sprintf("/chats/%d/lines.json?sort=created_at&direction=desc", w.sandbox.ToolID(launchProject, "chat")))
		if lines[0]["content"] != "The pallet is in." || lines[0]["type"] != "Chat::Lines::Text" {
			w.Errorf("got %v", lines[0])
		}
	}},
	{"Who is on a project", "Who is on the courier project?", 1, func(w *worker) {
		people := use[struct{ Items []record }](w, "list_people", args{"project": "Rijnstad Couriers Fleet"})
		if len(people.Items) != 9 {
			w.Errorf("%d people", len(people.Items))
		}
	}},
	{"Read a message", "What does this say? {message URL}", 1, func(w *worker) {
		got := use[struct {
			Type string
			Item struct{ Subject, Content string }
		}](w, "get_item", args{"item": firstMessage(w)})
		if got.Type != "message" || got.Item.Subject == "" || got.Item.Content == "" {
			w.Errorf("got %+v", got)
		}
	}},
}

func berlin(w *worker) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin") // the time zone of Ines
	if err != nil {
		w.Fatal(err)
	}
	return zone
}

// someComment returns the URL of a comment in the launch project, and the id of the item that it is
// on.
func someComment(w *worker) (url string, parent int64) {
	parent = w.sandbox.FindIn(launchProject, "Kanban::Card", "Deck rails: second weld pass underneath")
	comments := upstream[[]struct {
		AppURL string `json:"app_url"`
	}](w.toolEnv, fmt.Sprintf("/recordings/%d/comments.json", parent))
	return comments[0].AppURL, parent
}

func firstMessage(w *worker) string {
	board := w.sandbox.ToolID(launchProject, "message_board")
	return upstream[[]struct {
		AppURL string `json:"app_url"`
	}](w.toolEnv, fmt.Sprintf("/message_boards/%d/messages.json", board))[0].AppURL
}

func TestTwentyJobs_TakeTwentyFourCallsAtMost(t *testing.T) {
	if n := len(jobs) + len(verbRecipes); n != 20 {
		t.Fatalf("%d jobs", n)
	}
	total := 0
	var page strings.Builder
	for _, j := range slices.Concat(jobs, verbRecipes) {
		t.Run(j.title, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(recipeClock)) // in the time of synctest
				w := &worker{toolEnv: newToolEnv(t, sandbox.Options{RateLimit: -1})}
				j.do(w)
				if len(w.calls) > j.calls {
					t.Errorf("took %d calls, of %d: %s", len(w.calls), j.calls, w.calls)
				}
				total += len(w.calls)
				recipe(&page, j, w.calls)
			})
		})
	}
	t.Logf("%d calls", total)
	if total > maxCalls {
		t.Errorf("%d calls, of %d", total, maxCalls)
	}
	docstest.Section(t, "docs/recipes.md", "recipes", page.String())
}

// recipeClock is the time of every recipe: a Wednesday morning in Berlin. docs/recipes.md and
// README.md name the day.
var recipeClock = time.Date(2026, time.November, 18, 9, 0, 0, 0, time.UTC)

// recipe writes a job with its calls.
func recipe(b *strings.Builder, j job, calls []string) {
	fmt.Fprintf(b, "\n### %s\n\n> %s\n\n", j.title, j.asked)
	for _, c := range calls {
		tool, arguments, _ := strings.Cut(c, " ")
		fmt.Fprintf(b, "* `%s` `%s`\n", tool, arguments)
	}
}

// verbRecipes are requests beyond those of 37signals' evaluation.
var verbRecipes = []job{
	{"Ping a colleague", "Ask Hanna privately whether she can take the photos on Thursday.", 1, func(w *worker) {
		sent := use[struct{ ID int64 }](w, "post_chat_line", args{"to": []string{"Hanna"}, "text": "Can you take the photos on Thursday?"})
		read := call[struct {
			Item struct{ Items []struct{ ID int64 } }
		}](w.as("Hanna Koivisto"), "get_item", args{"item": "ping:Ines"})
		if len(read.Item.Items) == 0 || read.Item.Items[0].ID != sent.ID {
			w.Errorf("Hanna reads %+v", read)
		}
	}},
	{"Be reminded", "Remind me of this on Monday: {message URL}", 2, func(w *worker) {
		found := use[operationtools.OperationsFound](w, "find_operation", args{"words": "remind me on Monday"}).Operations[0]
		use[record](w, found.Tool, operation(found.Operation, args{"item": firstMessage(w), "on": "monday"}))
		shown := call[struct{ Items []overview.Notification }](w.toolEnv, "get_notifications", args{"section": "bubbles"}).Items
		if day, err := time.Parse(time.DateOnly, *shown[0].RemindOn); err != nil || day.Weekday() != time.Monday {
			w.Errorf("the reminder is on %q", *shown[0].RemindOn)
		}
	}},
	{"Move cards together", "In the web shop, the gift voucher and the waiting list go to Testing.", 1, func(w *worker) {
		cards := []string{"Gift voucher", "Waiting list for batch two"}
		use[record](w, "update_work", args{"items": thoseItems("card:"+cards[0], "card:"+cards[1]), "project": launchProject, "column": "Testing"})
		for _, title := range cards {
			card := upstream[record](w.toolEnv, fmt.Sprintf("/card_tables/cards/%d.json", w.sandbox.Find("Kanban::Card", title)))
			if parent := card["parent"].(record); parent["title"] != "Testing" {
				w.Errorf("%s is in %v", title, parent["title"])
			}
		}
	}},
	{"Do what has no tool", "I spent an hour and a half on the cartons for the launch yesterday: log it.", 2, func(w *worker) {
		found := use[operationtools.OperationsFound](w, "find_operation", args{"words": "log time", "kind": "change"}).Operations[0]
		use[record](w, found.Tool, args{
			"operation": found.Operation, "arguments": args{"item": "todo:Order cartons", "project": launchProject, "hours": "1:30", "date": "yesterday"},
		})
		logged := upstream[[]record](w.toolEnv, fmt.Sprintf("/recordings/%d/timesheet.json", w.sandbox.Find("Todo", "Order cartons")))
		if len(logged) != 1 || logged[0]["hours"] != "1:30" {
			w.Errorf("logged are %v", logged)
		}
	}},
}

// The first screen of the README shows an answer in words. The tool must return the same facts.
func TestREADME_ShowsAnAnswerThatTheToolsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(recipeClock)) // synctest's clock
		d := newToolEnv(t, sandbox.Options{})
		answer := call[struct {
			Items []struct {
				Title string
				DueOn string `json:"due_on"`
			}
		}](d, "list_work", args{"project": launchProject, "state": "overdue", "assignee": "Priya"})
		var b strings.Builder
		fmt.Fprintf(&b, "> %d things are overdue:\n", len(answer.Items))
		for _, item := range answer.Items {
			due, err := time.Parse(time.DateOnly, item.DueOn)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "> * %s (due %s)\n", item.Title, due.Format("2 January"))
		}
		docstest.Section(t, "README.md", "example", b.String())
	})
}
