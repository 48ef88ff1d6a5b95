package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/e2e/agent"
)

const (
	launch   = "Cargo Bike Launch"
	couriers = "Rijnstad Couriers Fleet"
	shop     = "Web shop" // a board of the launch
)

func overdue(r *run) {
	got := r.all("list_work", with{"project": launch, "state": "overdue"})
	titles := field(got, "title")
	for _, todo := range r.lookAll("list_todos", with{"project_id": launch}) {
		late := todo.String("due_on") != "" && todo.String("due_on") < r.day(0)
		r.check(late == slices.Contains(titles, todo.String("title")), "%q is told wrongly", todo.String("title"))
	}
	r.check(slices.Contains(titles, "VAT number check"), "an overdue card is missing")
}

func people(r *run) {
	got := r.all("list_people", with{"project": couriers})
	var clients []string
	for _, person := range got {
		if person.String("client") == "true" {
			clients = append(clients, person.String("name"))
		}
	}
	r.check(len(got) == 9, "it has %d people", len(got))
	r.check(slices.Equal(clients, []string{"Lieke van der Meer"}), "clients: %v", clients)
}

func lastDays(r *run) {
	events := r.activity(with{"since": "3 days ago"})
	told := map[string]bool{}
	for _, event := range events {
		told[event.String("day")+event.String("at")+event.String("what")+event.String("title")] = true
	}
	r.check(len(told) > 50, "only %d things happened", len(told))
	for _, item := range r.lookAll("get_activity", with{"since": r.day(-3), "detail": "full"}) {
		at, err := time.Parse(time.RFC3339, item.String("at"))
		r.check(err == nil, "no time: %s", item.String("at"))
		_, verb, _ := strings.Cut(item.String("what"), ". ")
		event := at.Format(time.DateOnly+"15:04") + verb + item.String("title")
		r.check(told[event], "%s is missing", event)
	}
}

// activity returns the events of all pages of get_activity, each with the day that it is under.
func (r *run) activity(arguments with) (events []agent.Answer) {
	r.t.Helper()
	for range 20 {
		page := r.call("get_activity", arguments)
		for _, project := range page.List("projects") {
			for _, day := range project.List("days") {
				for _, event := range day.List("items") {
					event.Value.(map[string]any)["day"] = day.String("day")
					events = append(events, event)
				}
			}
		}
		if page.String("next_cursor") == "" {
			return events
		}
		arguments["cursor"] = page.String("next_cursor")
	}
	r.fail("get_activity did not end after 20 pages")
	return events
}

func week(r *run) {
	work := r.call("get_my_work", with{"scope": []string{"overdue", "this_week"}})
	coming := r.call("get_upcoming", with{"mine_only": true, "to": "sunday"})
	var titles, days []string
	for _, group := range work.List("groups") {
		titles = append(titles, field(group.List("items"), "title")...)
		days = append(days, field(group.List("items"), "due_on")...)
	}
	r.check(slices.IsSorted(days), "not in order: %v", days)
	r.check(!coming.Failed, "no schedule")
	sunday := r.day((7 - int(r.now.Weekday())) % 7)
	for _, item := range r.lookAll("list_work", with{"assignee": "me"}) {
		due := item.String("due_on")
		if due != "" && due <= sunday && !slices.Contains(titles, item.String("title")) {
			r.fail("%q, due on %s, is missing", item.String("title"), due)
		}
	}
}

func personYesterday(r *run) {
	events := r.activity(with{"person": "Sam Okafor", "since": "yesterday", "until": "yesterday"})
	r.check(len(events) > 0, "nothing was told of yesterday")
	for _, event := range events {
		r.check(event.String("day") == r.day(-1), "%s is told", event.String("day"))
		r.check(event.String("who") == "Sam Okafor", "%s is told", event.String("who"))
	}
	var yesterday int
	for _, item := range r.lookAll("get_activity", with{"person": "Sam Okafor", "since": r.day(-3), "detail": "full"}) {
		if strings.HasPrefix(item.String("at"), r.day(-1)) {
			yesterday++
		}
	}
	r.check(len(events) == yesterday, "%d things of %d", len(events), yesterday)
}

func image(r *run) {
	card := r.call("get_item", with{"item": "Cable exit at the head tube, sharper radius", "project": launch})
	got := r.call("get_file", with{"item": card.String("item.content_attachments.0.download_url")})
	r.check(got.Image && got.String("filename") == card.String("item.content_attachments.0.filename"), "get_file does not show the picture")
}

func keyword(r *run) {
	items := r.all("search", with{"query": "brake", "limit": 100})
	var titles []string
	for _, item := range items {
		titles = append(titles, item.String("title"))
	}
	for _, title := range []string{
		"Confirm brake supplier can deliver 120 sets before the first batch", "Notes from the call with the brake people",
		"Brakes: yes or no", "brake-prices.csv", "brake-letter-signed.pdf", "Brakes and wheels", "Who makes what",
	} {
		r.check(slices.Contains(titles, title), "%q is missing", title)
	}
}

func whoChanged(r *run) {
	r.as("samo", "update_work", with{"items": []with{{"item": "todo:Print the serial number plates"}}, "project": launch, "due_on": r.day(9)})
	got := r.call("get_history", with{"item": "todo:Print the serial number plates", "project": launch})
	who := slices.Concat(got.People("items.0.who"), got.People("all_items.who"))
	r.check(slices.Equal(who, []string{"Sam Okafor"}), "the newest change is by %q", who)
}

// report asks for the weekly report on everything, and then on the project that the user cares
// about most, because the first counts what it does not show.
func report(r *run) {
	everything := r.call("get_report", with{})
	r.wantsCounts(everything)
	r.wantsReport(r.call("get_report", with{"project": launch}).String("markdown"))
}

// wantsCounts checks that a report counts what other tools list.
func (r *run) wantsCounts(report agent.Answer) {
	r.t.Helper()
	for section, want := range map[string]int{
		"completed": len(r.lookAll("list_work", with{"state": "completed", "since": report.String("from")})),
		"overdue":   len(r.lookAll("list_work", with{"state": "overdue"})),
		"upcoming":  len(r.lookAll("get_upcoming", with{"to": r.day(7)})),
	} {
		r.check(report.String("counts."+section) == fmt.Sprint(want), "%s: %s, want %d", section, report.String("counts."+section), want)
	}
	r.check(report.Len("left_out") == 0, "left out: %s", report.Text)
}

// wantsReport checks that a report on the launch has the items of every section in their order,
// nothing else, and the number of those that it does not show.
func (r *run) wantsReport(page string) {
	r.t.Helper()
	_, page, found := strings.Cut(page, "## "+launch+"\n")
	r.check(found, "the launch is missing")
	for _, section := range []struct {
		name string
		want []string
	}{
		{"Completed", r.titles("title", r.lookAll("list_work", with{"project": launch, "state": "completed", "since": r.day(-7)}))},
		{"Overdue", r.titles("title", r.lookAll("list_work", with{"project": launch, "state": "overdue"}))},
		{"Upcoming", r.titles("title", r.lookAll("get_upcoming", with{"project": launch, "to": r.day(7)}))},
		{"Messages", r.postedSince(r.day(-7))},
	} {
		_, lines, _ := strings.Cut("\n"+page, "\n"+section.name+":\n")
		var told []string
		more := 0
		for line := range strings.Lines(lines) {
			if !strings.HasPrefix(line, "- ") {
				break
			}
			if _, err := fmt.Sscanf(line, "- and %d more\n", &more); err == nil {
				break
			}
			title, _, _ := strings.Cut(line[2:], " (")
			told = append(told, title)
		}
		r.check(len(told) > 0 && len(told)+more == len(section.want), "%s: %d and %d more, want %d", section.name, len(told), more, len(section.want))
		r.check(slices.Equal(told, section.want[:min(len(told), len(section.want))]), "%s: %q, want %q", section.name, told, section.want)
	}
}

// titles returns the titles of items up to their first bracket, as a report tells them.
func (r *run) titles(name string, items []agent.Answer) []string {
	titles := field(items, name)
	for i, title := range titles {
		titles[i], _, _ = strings.Cut(title, " (")
	}
	return titles
}

// postedSince returns the subjects of the launch's messages since a day, the newest first.
func (r *run) postedSince(day string) []string {
	var posted []agent.Answer
	for _, message := range r.lookAll("list_messages", with{"project_id": launch}) {
		at, err := time.Parse(time.RFC3339, message.String("created_at"))
		r.check(err == nil, "no time: %s", message.String("created_at"))
		if at.In(r.now.Location()).Format(time.DateOnly) >= day {
			posted = append(posted, message)
		}
	}
	return r.titles("subject", posted)
}

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

// What the jobs of a user with two accounts may cost together. Never raise a limit.
const (
	maxAccountCalls  = 5
	maxAccountErrors = 0
)

var accountJobs = []job{
	{"What do I owe, everywhere?", owedEverywhere},
	{"The choir has sent its bank statements: tick that off", oneTitleInTwo},
	{"What is this about? {URL of the other account}", urlOfTheOther},
	{"We want the bookkeepers' list here, too", copiedAcross},
}

const books = "Brennan Bookkeeping"

func TestAccountJobs_CostNoMoreThanBefore(t *testing.T) {
	runs, all := measured(t, accountJobs, "")
	if all.calls > maxAccountCalls || all.errors > maxAccountErrors || all.done < len(runs) {
		t.Errorf("%d calls, %d errors, %d done; the limits are %d, %d and %d", all.calls, all.errors, all.done, maxAccountCalls, maxAccountErrors, len(runs))
	}
}

// inBoth lets the run go on as the bookkeeper, who has two accounts.
func (r *run) inBoth() { r.client = agent.Connect(r.t, r.url, "sandbox-aoife") }

func owedEverywhere(r *run) {
	r.inBoth()
	r.look("update_work", with{"items": []with{{"item": "Ask the choir for its bank statements", "assignees": []string{"me"}}}})
	owed := r.call("get_my_work", with{"scope": []string{"overdue"}}).Find("groups", "scope", "overdue")
	r.check(owed.Find("items", "account", books).String("title") == "Ask the choir for its bank statements" &&
		owed.Find("items", "account", "Fernhill Bikes").Value != nil, "%v", owed.Value)
}

// oneTitleInTwo completes the to-do of the other account: the default account has its title too.
func oneTitleInTwo(r *run) {
	r.inBoth()
	const title = "Ask the choir for its bank statements"
	r.look("create_todos", with{"project": "Company HQ", "list": "Numbers", "todos": []with{{"content": title}}})
	found := r.call("search", with{"query": title, "account": "all"})
	item := found.Find("items", "account", books)
	done := r.call("set_completed", with{"item": "todo:" + item.String("id") + "@" + books, "completed": true})
	r.check(done.String("account") == books && strings.Contains(r.look("get_item", with{"item": title, "project": "Company HQ"}).Text, `"completed":false`), "%v", done.Value)
}

func urlOfTheOther(r *run) {
	r.inBoth()
	url := r.look("list_todos", with{"project": "Year-end Accounts", "detail": "full"}).String("items.0.url")
	page := r.call("get_item", with{"item": url})
	r.check(url != "" && page.String("account") == books && page.String("item.url") == url, "%v", page.Value)
}

func copiedAcross(r *run) {
	r.inBoth()
	source := r.look("list_todolists", with{"project_id": "Year-end Accounts", "detail": "full"}).Find("items", "type", "todolist")
	made := r.call("create_todolist", with{"project": "Company HQ", "copy_of": source.String("url")})
	copied := r.look("list_todos", with{"project_id": "Company HQ", "todolist_id": made.String("id")})
	r.check(made.String("id") != "" && copied.String("items.0.title") != "" && made.Value != nil, "%v", made.Value)
}
