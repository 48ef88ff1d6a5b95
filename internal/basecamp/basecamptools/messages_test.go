package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/projects"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

const launch = "Cargo Bike Launch"

func subjects(messages []texts.MessageItem) (subjects []string) {
	for _, m := range messages {
		subjects = append(subjects, m.Subject)
	}
	return subjects
}

func TestListMessages_ReturnsMarkdownAuthorsAndReplies(t *testing.T) {
	at(t, func(d *toolEnv) {
		messages := all[texts.MessageItem](d, "list_messages", args{"project_id": launch})
		replies := 0
		for _, m := range messages {
			if m.ID == 0 || m.Subject == "" || m.Author.Name == "" || m.Project.Name != launch || !strings.HasPrefix(m.URL, "https://3.basecamp.com/") {
				d.Errorf("got %+v", m)
			}
			if strings.Contains(m.Content, "<bc-attachment") || strings.Contains(m.Content, "<div") {
				d.Errorf("%s: HTML in %s", m.Subject, m.Content)
			}
			replies += m.RepliesCount
		}
		if len(messages) < 30 || replies == 0 || distinct(ids(messages, func(m texts.MessageItem) int64 { return m.ID })) != len(messages) {
			d.Errorf("%d messages with %d replies", len(messages), replies)
		}
	})
}

func TestListMessages_CutsLongMessagesInsteadOfDroppingAny(t *testing.T) {
	at(t, func(d *toolEnv) {
		whole := all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "limit": 1})
		cut := 0
		for _, m := range all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "limit": 100}) {
			if m.Truncated {
				cut++
			}
		}
		if cut == 0 {
			d.Error("no message was cut, although one has 60 KB")
		}
		many := all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "limit": 100})
		if !slices.Equal(subjects(whole), subjects(many)) {
			d.Errorf("one at a time: %d, a hundred at a time: %d", len(whole), len(many))
		}
	})
}

func TestListMessages_SortsInTheRequestedOrder(t *testing.T) {
	at(t, func(d *toolEnv) {
		newest := subjects(all[texts.MessageItem](d, "list_messages", args{"project_id": launch}))
		oldest := subjects(all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "sort": "oldest"}))
		slices.Reverse(oldest)
		if !slices.Equal(newest, oldest) {
			d.Errorf("newest first: %v\noldest first: %v", newest, oldest)
		}
		updated := all[texts.MessageItem](d, "list_messages", args{"project_id": launch, "sort": "updated"})
		if !slices.IsSortedFunc(updated, func(a, b texts.MessageItem) int { return b.UpdatedAt.Compare(a.UpdatedAt) }) {
			d.Error("not sorted by the last change")
		}
	})
}

func TestListMessages_WithoutAMessageBoardNamesTheToolAndTheProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		f := d.fails(fault.ToolNotEnabled, "list_messages", args{"project_id": "Frame Testing Lab"}, "Frame Testing Lab", "message board")
		if f.Retryable || f.Data.Code != -31008 {
			d.Errorf("got %+v", f)
		}
		d.fails(fault.ToolNotEnabled, "list_todolists", args{"project_id": "Photo Library"}, "Photo Library", "to-do set")
		d.fails(fault.ToolNotEnabled, "list_documents", args{"project_id": "Newsletter Refresh"}, "Newsletter Refresh", "Docs & Files")
		d.fails(fault.ToolNotEnabled, "list_campfire_lines", args{"project_id": "Photo Library"}, "Photo Library", "chat")
	})
}

func TestGetMessage_ReturnsCommentsAndFilesInFull(t *testing.T) {
	at(t, func(d *toolEnv) {
		var discussed texts.MessageItem
		for _, m := range all[texts.MessageItem](d, "list_messages", args{"project_id": launch}) {
			if m.RepliesCount > discussed.RepliesCount {
				discussed = m
			}
		}
		for _, reference := range []any{discussed.ID, discussed.URL} {
			m := call[texts.Message](d, "get_message", args{"message_id": reference, "project_id": launch})
			if m.Subject != discussed.Subject || m.CommentsCount != discussed.RepliesCount || len(m.Comments) == 0 || m.Status != "active" {
				d.Errorf("got %+v", m)
			}
			if c := m.Comments[0]; c.Content == "" || c.Author.Name == "" || c.CreatedAt.IsZero() || c.Type != "comment" {
				d.Errorf("comment %+v", c)
			}
			if m.MoreComments != (m.CommentsCount > len(m.Comments)) {
				d.Errorf("%d of %d comments, more: %v", len(m.Comments), m.CommentsCount, m.MoreComments)
			}
		}
		without := call[texts.Message](d, "get_message", args{"message_id": discussed.ID, "include_comments": false})
		if len(without.Comments) != 0 || !without.MoreComments {
			d.Errorf("without comments: %+v", without.Discussion)
		}
	})
}

func TestGetMessage_IsFoundBySubjectWithinItsProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		const subject = "Checkout: what the load test showed"
		if got := call[texts.Message](d, "get_message", args{"message_id": "checkout: what the load TEST", "project_id": launch}); got.Subject != subject {
			d.Errorf("got %q", got.Subject)
		}
		d.fails(fault.NotFound, "get_message", args{"message_id": "abc"}, "message_id", `"abc"`, "nearest", "project")
		d.fails(fault.NotFound, "get_message", args{"message_id": "Checkout: no such thing", "project_id": launch}, "message_id", "nearest")
	})
}

func TestGetMessage_InAnotherProjectIsNotFound(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Checkout: what the load test showed")
		d.fails(fault.NotFound, "get_message", args{"message_id": id, "project_id": "Company HQ"}, "message_id", "project")
		todo := d.sandbox.FindIn(launch, "Todo", "Book the photographer for the launch pictures")
		d.fails(fault.NotFound, "get_todo", args{"todo_id": todo, "project_id": "Company HQ"}, "todo_id")
		url := call[todos.TodoItem](d, "get_todo", args{"todo_id": todo}).URL
		d.fails(fault.NotFound, "get_todo", args{"todo_id": strings.Replace(url, fmt.Sprint(d.sandbox.ProjectID(launch)), fmt.Sprint(d.sandbox.ProjectID("Company HQ")), 1)}, "todo_id")
		d.fails(fault.NotFound, "get_todo", args{"todo_id": url, "project_id": "Company HQ"}, "todo_id")
		d.fails(fault.InvalidInput, "list_messages", args{"project_id": launch, "message_board_id": "https://3.basecamp.com/999/buckets/1/message_boards/2"}, "another Basecamp account")
		d.fails(fault.InvalidInput, "get_message", args{"message_id": url}, "message_id", "a to-do; get_todo reads it")
	})
}

func TestTools_HideWhatACallerMayNotSee(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Message", "Checkout: what the load test showed")
		call[texts.Message](d, "get_message", args{"message_id": id})
		call[projects.ProjectTools](d, "get_project_tools", args{"project_id": launch})
		stranger := d.as(d.sandbox.Stranger().Name)
		stranger.fails(fault.NotFound, "get_message", args{"message_id": id})
		stranger.fails(fault.NotFound, "list_messages", args{"project_id": d.sandbox.ProjectID(launch)})
		stranger.fails(fault.NotFound, "list_messages", args{"project_id": launch})
		if projects := all[projects.ProjectItem](stranger, "list_projects", args{"status": "all"}); len(projects) != 1 {
			d.Errorf("the stranger sees %v", names(projects))
		}
		// A colleague who is not on a project cannot read it, even if Ines has just read it.
		call[listing.Page[texts.MessageItem]](d, "list_messages", args{"project_id": "Payroll & Contracts"})
		colleague := d.as("Sam Okafor")
		colleague.fails(fault.NotFound, "list_messages", args{"project_id": d.sandbox.ProjectID("Payroll & Contracts")})
		colleague.fails(fault.NotFound, "list_messages", args{"project_id": "Payroll & Contracts"})
	})
}

func TestTools_DoNotShareCachedDataBetweenCallers(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.ProjectID("Payroll & Contracts")
		for _, reference := range []any{id, "Payroll & Contracts"} {
			d.fails(fault.ToolNotEnabled, "list_campfire_lines", args{"project_id": reference})
			d.as("Sam Okafor").fails(fault.NotFound, "list_campfire_lines", args{"project_id": reference})
		}
	})
}

func TestTools_WaitForAShortRetryAfterAndReportALongOne(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Status: 429, Header: map[string][]string{"Retry-After": {"3"}}, Times: 1})
		call[projects.Me](d, "get_me", args{})
		d.sandbox.Inject(sandbox.Fault{Status: 429, Header: map[string][]string{"Retry-After": {"90"}}, Times: 1})
		f := d.fails(fault.RateLimited, "list_projects", args{})
		if !f.Retryable || f.RetryAfterSeconds < 60 {
			d.Errorf("got %+v", f)
		}
	})
}
