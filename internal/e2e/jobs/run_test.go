package jobs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/e2e/agent"
)

// A job is one request of a user, and what an agent does for it that knows only tools/list.
type job struct {
	ask string
	do  func(*run)
}

// How far an agent got with a job.
const (
	done = "done"
	not  = "not"
)

// run is one job at work, on a server of its own.
type run struct {
	t      testing.TB
	url    string
	client *agent.Client
	now    time.Time // in the user's time zone

	calls, errors, tokens int
	outcome, reason       string
}

// start starts a server and connects the agent to a path below its endpoint.
func start(t testing.TB, path string) *run {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin") // of Ines
	if err != nil {
		t.Fatal(err)
	}
	url := agent.Start(t) + path
	return &run{t: t, url: url, client: agent.Connect(t, url, agent.Ines), now: time.Now().In(zone), outcome: done}
}

// with is the arguments of a call.
type with = map[string]any

// call calls a tool as the agent and counts it.
func (r *run) call(tool string, arguments with) agent.Answer {
	r.t.Helper()
	a := r.client.Call(tool, arguments)
	r.calls++
	r.tokens += agent.Tokens(r.t, a.Text)
	if a.Failed {
		r.errors++
		r.t.Logf("%s %v: %.400s", tool, arguments, a.Text)
	}
	return a
}

// all calls a list tool until the list ends, and returns the items of all pages.
func (r *run) all(tool string, arguments with) (items []agent.Answer) {
	r.t.Helper()
	for range 20 {
		page := r.call(tool, arguments)
		items = append(items, page.List("items")...)
		cursor := page.String("next_cursor")
		if cursor == "" {
			return items
		}
		arguments["cursor"] = cursor
	}
	r.fail("%s did not end after 20 pages", tool)
	return items
}

// look calls a tool for a check or to prepare a job. It is not counted, and must succeed.
func (r *run) look(tool string, arguments with) agent.Answer {
	r.t.Helper()
	return look(r.t, r.client, tool, arguments)
}

// lookAll returns the items of all pages of a list, without counting the calls.
func (r *run) lookAll(tool string, arguments with) (items []agent.Answer) {
	r.t.Helper()
	arguments["limit"] = 100
	for range 20 {
		page := r.look(tool, arguments)
		items = append(items, page.List("items")...)
		cursor := page.String("next_cursor")
		if cursor == "" {
			break
		}
		arguments["cursor"] = cursor
	}
	return items
}

// as calls a tool as another person, to prepare or check a job.
func (r *run) as(person, tool string, arguments with) agent.Answer {
	r.t.Helper()
	return look(r.t, agent.Connect(r.t, r.url, "sandbox-"+person), tool, arguments)
}

func look(t testing.TB, c *agent.Client, tool string, arguments with) agent.Answer {
	t.Helper()
	a := c.Call(tool, arguments)
	if a.Failed {
		t.Fatalf("check with %s %v: %.400s", tool, arguments, a.Text)
	}
	return a
}

// check records that the job is not done unless ok.
func (r *run) check(ok bool, format string, arguments ...any) {
	if !ok {
		r.fail(format, arguments...)
	}
}

func (r *run) fail(format string, arguments ...any) {
	if r.outcome != not {
		r.outcome, r.reason = not, fmt.Sprintf(format, arguments...)
	}
}

// day returns the date that many days from today, in the user's time zone.
func (r *run) day(offset int) string { return r.now.AddDate(0, 0, offset).Format(time.DateOnly) }

// field returns one field of all items.
func field(items []agent.Answer, name string) []string {
	values := make([]string, len(items))
	for i, item := range items {
		values[i] = item.String(name)
	}
	return values
}

// weeklyReport is the number of the job whose tokens have a limit of their own.
const weeklyReport = 27

var jobs = []job{
	{"What is overdue in the launch?", overdue},
	{"Who is on the courier project, and who of them is a client?", people},
	{"What happened in the last 3 days, everywhere?", lastDays},
	{"What do I have to do this week, in order?", week},
	{"Post that the jig is free, mention Priya and Noémie, quietly", post},
	{"Correct the typo in my message", typo},
	{"Reply to the newest comment that mentions me", replyToMention},
	{"Make a list with five to-dos, with assignees and dates", listOfFive},
	{"Complete final prices, serial plates, displays; reopen Order cartons", completeThree},
	{"Move the rear light card to In review and tell its assignee", moveCard},
	{"Add three steps to the to-do; the first is done", steps},
	{"What did Sam Okafor do yesterday?", personYesterday},
	{"Add a sentence to our document on range in winter", appendToDocument},
	{"Replace a sentence in our document on travel costs", replaceSentence},
	{"Plan a meeting tomorrow at 3 with Priya and Sam; then an hour later", meeting},
	{"Answer today's check-in", checkin},
	{"Show unread notifications, open the first, mark all as read", notifications},
	{"Upload this text as a file, and read it back", upload},
	{"Look at the picture on the card about the cable exit", image},
	{"Find everything on brakes", keyword},
	{"Archive the list Website texts, then restore it", archiveList},
	{"Put the message about the cup holder in the trash", trashMessage},
	{"Who changed the to-do about the serial number plates?", whoChanged},
	{"What was said in the chat since yesterday? Say thanks", chat},
	{"Move the serial number plates to Test rides, on top", moveTodo},
	{"Give Hanna's overdue launch to-dos to Jonas", reassign},
	{"Write the weekly report", report},
	{"Keep a six-step checklist; find it again in another session", checklist},
	{"Remember three tasks for me", tasks},
	{"What is this comment about? Reply to it: {URL}", commentURL},
}

// reportTokens is what one report may cost at most, in any form and of any period.
const reportTokens = 12_000

func TestReport_StaysWithinItsTokensOnAllProjects(t *testing.T) {
	client := agent.Connect(t, agent.Start(t), agent.Ines)
	for _, since := range []string{"last_7_days", "last_12_months"} {
		for _, format := range []string{"markdown", "structured"} {
			report := client.Call("get_report", with{"since": since, "format": format})
			projects := report.Len("projects") + strings.Count(report.String("markdown"), "\n## ")
			tokens := agent.Tokens(t, report.Text)
			t.Logf("%s, %s: %d tokens of %d projects", since, format, tokens, projects)
			if report.Failed || tokens > reportTokens || projects < 15 {
				t.Errorf("%s, %s: %d tokens of %d projects: %.300s", since, format, tokens, projects, report.Text)
			}
		}
	}
}
