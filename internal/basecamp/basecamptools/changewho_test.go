package basecamptools

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
	requests "basecamp-mcp/internal/wire/upstream"
)

// news returns what happened since a cursor: "what on title".
func (d *toolEnv) news(cursor string) (all []string) {
	d.Helper()
	items, _ := d.told(cursor)
	for _, item := range items {
		all = append(all, item.What+" on "+item.Title)
	}
	return all
}

// audited makes calls stand in the audit trail.
func (d *toolEnv) audited() {
	log := slog.New(slog.DiscardHandler)
	d.server = mcptool.NewServer(New(d.client, nil, nil).Toolsets(), mcptool.Options{
		Name: "test", Version: "1", Log: log, Meter: requests.Meter, Calls: calls.New(memory.New(nil), log, nil),
	})
	d.who.Connection = "one"
}

func TestGetChanges_LeavesOutWhatAnyToolWrote(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.audited()
		for _, tool := range ofBasecamp() {
			if tool.Effect == mcptool.Reads {
				continue
			}
			cursor := d.changes(args{"since": "now", "kinds": []string{"todo", "card", "comment", "message", "answer", "document", "upload", "todolist", "schedule_entry", "subtask", "folder", "question", "chat"}}).Cursor
			call[any](d, tool.Name, typical(d)[tool.Name])
			time.Sleep(listsLate)
			if got := d.news(cursor); got != nil {
				t.Errorf("%s: %q", tool.Name, got)
			}
		}
	})
}

func TestGetChanges_LeavesOutWhatTheConnectionWrote(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.audited()
		without, with := d.changes(args{"since": "now"}).Cursor, d.changes(args{"since": "now", "exclude_me": false}).Cursor
		nothing := d.changes(args{"since": "now", "exclude_person": true}).Cursor
		const title = "Print the serial number plates"
		todo := fmt.Sprint("todo:", d.sandbox.Find("Todo", title))
		call[any](d, "create_comment", args{"item": todo, "body": "Started."})
		call[any](d, "set_completed", args{"items": []string{todo}, "completed": true})
		call[any](d, "create_document", args{"project": launchProject, "title": "Plates", "body": "Made."})
		time.Sleep(time.Minute)
		d.meanwhile("DELETE", fmt.Sprintf("/todos/%s/completion.json", strings.TrimPrefix(todo, "todo:")), "")
		d.meanwhile("POST", fmt.Sprintf("/recordings/%s/comments.json", strings.TrimPrefix(todo, "todo:")), `{"content":"<div>By hand.</div>"}`)
		time.Sleep(listsLate)
		if got := strings.Join(d.news(without), "; "); got != "commented on "+title+"; changed on "+title && got != "commented, changed on "+title && got != "commented on "+title {
			t.Errorf("without the connection's own: %s", got)
		}
		if got := strings.Join(d.news(with), "; "); !strings.Contains(got, "commented 2 times on "+title) || !strings.Contains(got, "created on Plates") {
			t.Errorf("with them: %s", got)
		}
		a := d.changes(args{"cursor": nothing})
		if len(a.Projects) > 0 && strings.Contains(fmt.Sprint(a.Projects), "commented") || a.Excluded < 3 || !slices.Contains(a.NotCovered, "edits_who") {
			t.Errorf("without the person's own: %d excluded, %v", a.Excluded, a.Projects)
		}
		other := *d
		other.who.Connection = "another"
		if got := other.news(other.changes(args{"since": "1 hour ago"}).Cursor); got != nil {
			t.Errorf("a second time: %v", got)
		}
	})
}

func TestGetChanges_KeepsToWhatIsAskedFor(t *testing.T) {
	at(t, func(d *toolEnv) {
		todo := d.sandbox.Find("Todo", "Print the serial number plates") // assigned to Sam
		sam, fenced := d.as("Sam Okafor"), d.as("Ines Albrecht")
		fenced.who.Fence = fence.Fence{Read: &fence.Places{Projects: []int64{d.sandbox.ProjectID("Company HQ")}}}
		cursors := map[string]string{
			"sam's":  sam.changes(args{"since": "now", "mine": true}).Cursor,
			"pings":  sam.changes(args{"since": "now", "kinds": []string{"ping"}}).Cursor,
			"chats":  d.changes(args{"since": "now", "kinds": []string{"chat"}}).Cursor,
			"fenced": fenced.changes(args{"since": "now"}).Cursor,
			"trash":  d.changes(args{"since": "now", "kinds": []string{"message"}}).Cursor,
		}
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", todo), `{"content":"<div>Sam, now.</div>"}`)
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", todo), "")
		d.meanwhile("POST", fmt.Sprintf("/chats/%d/lines.json", d.sandbox.ToolID(launchProject, "chat")), `{"content":"Plates are done."}`)
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/trashed.json", d.sandbox.Find("Message", colourVote)), "")
		call[any](d, "post_chat_line", args{"to": "Sam Okafor", "text": "Thank you."})
		time.Sleep(listsLate)
		for name, want := range map[string]string{
			"sam's":  "completed",
			"pings":  "chatted",
			"chats":  "chatted on Chat",
			"fenced": "",
			"trash":  "trashed on " + colourVote,
		} {
			who := map[string]*toolEnv{"sam's": sam, "pings": sam, "fenced": fenced}[name]
			if who == nil {
				who = d
			}
			got := strings.Join(who.news(cursors[name]), "; ")
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	})
}
