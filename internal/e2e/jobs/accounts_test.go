package jobs

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

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
