package basecamptools

import (
	"net/http"
	"slices"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/report/fault"
)

const launch = "Cargo Bike Launch"

func subjects(messages []texts.MessageItem) (subjects []string) {
	for _, m := range messages {
		subjects = append(subjects, m.Subject)
	}
	return subjects
}

func TestListMessages_SortsInTheRequestedOrderAndDropsNone(t *testing.T) {
	at(t, func(d *toolEnv) {
		newest := subjects(all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "limit": 1}))
		many := all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "limit": 100})
		oldest := subjects(all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "sort": "oldest"}))
		slices.Reverse(oldest)
		if len(newest) < 30 || !slices.Equal(newest, subjects(many)) || !slices.Equal(newest, oldest) || !slices.ContainsFunc(many, func(m texts.MessageItem) bool { return m.Truncated }) {
			d.Errorf("newest first: %v\noldest first: %v", newest, oldest)
		}
		updated := all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "sort": "updated"})
		if !slices.IsSortedFunc(updated, func(a, b texts.MessageItem) int { return b.UpdatedAt.Compare(a.UpdatedAt) }) {
			d.Error("not sorted by the last change")
		}
	})
}

func TestMessages(t *testing.T) {
	const loadTest, weeks = "{Message:Checkout: what the load test showed}", "{Message:Where we are, seven weeks before the launch}"
	off := func(tool, project, words string) row {
		return row{fact: "the project has no " + words, tool: tool, in: args{"project_id": project}, fails: fault.ToolNotEnabled, says: says{project, words}, holds: holds{"retryable": nil, "data.code": -31008}}
	}
	elsewhere := func(in args) row {
		return row{fact: "it is in another project", tool: "get_todo", in: in, fails: fault.NotFound, says: says{"todo_id"}}
	}
	const photoURL = launchURL + "/todos/{Todo:Book the photographer for the launch pictures}"
	cases(t, "get_message", args{"project_id": launch},
		row{fact: "a list has Markdown, authors and how many replies there are", tool: "list_messages", in: args{"project_id": launch}, misses: []string{"<bc-attachment", `\u003cdiv`, "<div"}, holds: holds{
			"items.0": some, "items.*.project.name": launch, "items.*.author.name": some, "items.*.url": has("https://3.basecamp.com/"), "items.0.replies_count": 3, "items.0.category.name": "Heartbeat"}},
		row{fact: "a message has its comments", each: []args{{"message_id": weeks}, {"message_id": launchURL + "/messages/" + weeks}}, holds: holds{"status": "active", "comments_count": 3, "comments.#": 3, "more_comments": nil,
			"comments.*.content": some, "comments.*.author.name": some, "comments.*.created_at": some, "comments.*.type": "comment"}},
		row{fact: "or only says that it has some", in: args{"message_id": weeks, "include_comments": false}, holds: holds{"comments": nil, "comments_count": 3, "more_comments": true}},
		row{fact: "the beginning of a subject is enough in its project", in: args{"message_id": "checkout: what the load TEST"}, holds: holds{"subject": "Checkout: what the load test showed"}},
		row{fact: "the nearest subjects are told", each: []args{{"message_id": "abc", "project_id": nil}, {"message_id": "Checkout: no such thing"}}, fails: fault.NotFound, says: says{"message_id", "nearest"}},
		row{fact: "the message must be in the project", in: args{"message_id": loadTest, "project_id": "Company HQ"}, fails: fault.NotFound, says: says{"message_id", "project"}},
		elsewhere(args{"todo_id": "{Todo:Book the photographer for the launch pictures}", "project_id": "Company HQ"}), elsewhere(args{"todo_id": photoURL, "project_id": "Company HQ"}),
		elsewhere(args{"todo_id": "https://3.basecamp.com/{account}/buckets/{project:Company HQ}/todos/{Todo:Book the photographer for the launch pictures}"}),
		row{fact: "another account is told", tool: "list_messages", in: args{"project_id": launch, "message_board_id": "https://3.basecamp.com/999/buckets/1/message_boards/2"}, fails: fault.InvalidInput, says: says{"another Basecamp account"}},
		row{fact: "another kind is told", in: args{"message_id": photoURL, "project_id": nil}, fails: fault.InvalidInput, says: says{"message_id", "a to-do; get_todo reads it"}},
		off("list_messages", "Frame Testing Lab", "message board"), off("list_todolists", "Photo Library", "to-do set"), off("list_documents", "Newsletter Refresh", "Docs & Files"), off("list_campfire_lines", "Photo Library", "chat"),
		row{fact: "a colleague does not see what was read for others", tool: "list_messages", in: args{"project_id": "Payroll & Contracts"}, then: []row{
			{as: "Sam Okafor", tool: "list_messages", each: []args{{"project_id": "{project:Payroll & Contracts}"}, {"project_id": "Payroll & Contracts"}}, fails: fault.NotFound}}},
		row{fact: "nor what was not there", tool: "list_campfire_lines", each: []args{{"project_id": "{project:Payroll & Contracts}"}, {"project_id": "Payroll & Contracts"}}, fails: fault.ToolNotEnabled, then: []row{
			{as: "Sam Okafor", tool: "list_campfire_lines", each: []args{{"project_id": "{project:Payroll & Contracts}"}, {"project_id": "Payroll & Contracts"}}, fails: fault.NotFound}}},
		row{fact: "a short wait of Basecamp is waited for", faults: faults{{Status: 429, Header: http.Header{"Retry-After": {"3"}}, Times: 1}}, tool: "get_me", then: []row{
			{fact: "a long one told", faults: faults{{Status: 429, Header: http.Header{"Retry-After": {"90"}}, Times: 1}}, tool: "list_projects", fails: fault.RateLimited, holds: holds{"retryable": true, "retry_after_seconds": least(60)}}}},
	)
}

func TestTools_HideWhatACallerMayNotSee(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Checkout: what the load test showed")
		call[texts.Message](d, "get_message", args{"message_id": id})
		stranger := d.as(d.sandbox.Stranger().Name)
		stranger.fails(fault.NotFound, "get_message", args{"message_id": id})
		stranger.fails(fault.NotFound, "list_messages", args{"project_id": d.sandbox.ProjectID(launch)})
		stranger.fails(fault.NotFound, "list_messages", args{"project_id": launch})
		if projects := all[projects.ProjectItem](stranger, "list_projects", args{"status": "all"}); len(projects) != 1 {
			d.Errorf("the stranger sees %v", names(projects))
		}
	})
}
