package jobs

import (
	"fmt"
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
