package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
)

func TestMyDay_ShowsWhatIsLinkedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Helper()
		before := call[dayAnswer](w, "my_day", nil)
		if before.Overdue == nil || len(before.Coverage) != 0 || before.Date != "2000-01-01" || before.TimeZone != "Europe/Berlin" {
			t.Fatalf("%+v", before)
		}
		if m := before.Meetings; m == nil || m.Items[0].At != "09:15–09:30" {
			t.Errorf("the meetings: %+v", m)
		}
		first := before.Overdue.Items[0]
		mine := call[personalTask](w, "add_task", input{"title": "The same", "due_on": "today"})
		late := call[personalTask](w, "add_task", input{"title": "Late", "due_on": "1999-12-30"})
		w.task("Some day")
		w.link("task:"+mine.ID, first.Ref)
		call[map[string]any](w, "todolist__set", input{"todos": []any{input{"content": "Run", "status": "in_progress", "activeForm": "Running"}}})
		got := call[dayAnswer](w, "my_day", input{"since": "1999-12-25"})
		if got.Overdue.Count != before.Overdue.Count+1 || got.Tasks.Count != 1 || got.InProgress.Items[0].Title != "Running" || got.Since == nil {
			t.Errorf("%+v", got)
		}
		for _, item := range got.Today.Items {
			if item.Ref == "task:"+mine.ID {
				t.Errorf("shown twice: %+v", item)
			}
		}
		if len(got.Overdue.Items[0].Linked) != 1 {
			t.Errorf("%+v", got.Overdue)
		}
		call[taskState](w, "complete_task", input{"task_id": late.ID})
		call[taskState](w, "complete_task", input{"task_id": mine.ID})
		if got = call[dayAnswer](w, "my_day", nil); len(got.Settle) != 1 || got.Settle[0].Open != first.Ref || got.Settle[0].Settle.Tool != "set_completed" {
			t.Fatalf("%+v", got.Settle)
		}
		call[map[string]any](w, got.Settle[0].Settle.Tool, got.Settle[0].Settle.Arguments)
		if got = call[dayAnswer](w, "my_day", nil); len(got.Settle) != 0 || got.Overdue.Count != before.Overdue.Count-1 {
			t.Errorf("%+v", got)
		}
	})
}

// A day shows nothing from outside the client's fence, and no text of an outsider under lockdown.
func TestMyDay_StaysInsideTheFence(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, issue := range []string{privateIssue, hubIssue} {
			call[map[string]any](w, "github_update_issue", input{"issue": issue, "add_assignees": []string{"me"}})
			w.pause()
		}
		made := call[struct{ Ref string }](w.as(outsider), "github_create_issue", input{"repo": "fernhill-bikes/configurator", "title": "Obey me, @ines-albrecht", "body": "@ines-albrecht"}).Ref
		w.pause()
		in := input{"sources": []string{"github"}, "since": "1999-12-25"}
		open, _ := w.Raw("my_day", in)
		w.Caller.Fence = fence.Fence{Read: &fence.Places{Repos: []string{"fernhill-bikes/configurator"}}, Lockdown: true}
		fenced, _ := w.Raw("my_day", in)
		for text, shown := range map[string]bool{privateIssue: false, hubIssue: true, made: true, "Obey me": false} {
			if !strings.Contains(open, text) || strings.Contains(fenced, text) != shown {
				t.Errorf("%s: %s, fenced %s", text, open, fenced)
			}
		}
	})
}

// What has no room is counted, and what could not be read is named.
func TestMyDay_SaysWhatItLeavesOut(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 24 { // of which some are closed
			if i%7 == 2 {
				continue // a pull request
			}
			mine := w.task(fmt.Sprint("Number ", i))
			w.link(mine, fmt.Sprint("fernhill-bikes/configurator#", i+1), "follow", false)
			call[taskState](w, "complete_task", input{"task_id": mine})
		}
		time.Sleep(5 * time.Minute) // synctest's clock
		if got := call[dayAnswer](w, "my_day", nil); len(got.Settle) != 10 || got.SettleCount < 11 || len(got.Coverage) != 0 {
			t.Errorf("%d of %d, %+v", len(got.Settle), got.SettleCount, got.Coverage)
		}
		time.Sleep(5 * time.Minute)
		w.unlinked = true
		got := call[dayAnswer](w, "my_day", input{"sources": []string{"tasks"}})
		if len(got.Settle) != 0 || len(got.Coverage) != 1 || got.Coverage[0].Source != "links" || got.Coverage[0].Code != fault.LimitReached {
			t.Errorf("%+v", got)
		}
	})
}

func TestMyDay_WaitsFourSecondsForWhatIsSilent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.task("Some day")
		for _, parts := range [][]string{
			{"assignments", "readings", "upcoming"}, {"basecamp"}, {"profile", "readings"}, {"readings", "api.github"}, {"question_reminders", "type=Comment", "boosts"},
		} {
			clear(w.silent)
			for _, part := range parts {
				w.silent[part] = true
			}
			began := time.Now()
			got := call[dayAnswer](w, "my_day", nil)
			if took := time.Since(began); took > 4500*time.Millisecond || len(got.Coverage) == 0 || got.Tasks == nil {
				t.Errorf("%v: %s, %+v", parts, took, got)
			}
			time.Sleep(5 * time.Minute) // synctest's clock
		}
	})
}

func TestMyDay_CostsFewRequestsAndTokens(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 12 {
			mine := w.task(fmt.Sprint("Something long that has to be done some day, before the winter ", i))
			if i < 5 {
				w.link(mine, w.todo())
			} else if i < 9 {
				w.link(mine, fmt.Sprint("fernhill-bikes/configurator#", i))
			}
		}
		var answer string
		for _, in := range []input{nil, {"since": "1999-12-25"}} {
			time.Sleep(5 * time.Minute) // synctest's clock
			w.sent, w.delay = nil, 100*time.Millisecond
			began := time.Now()
			answer = w.Answer("my_day", in)
			if trips := time.Since(began) / w.delay; len(w.sent) > 24 || trips > 3 {
				t.Errorf("%v: %d requests in %d round trips: %v", in, len(w.sent), trips, w.sent)
			}
			w.delay = 0
		}
		text, _ := w.Raw("my_day", nil)
		if len(text) > dayBytes {
			t.Errorf("%d bytes: %s", len(text), answer)
		}
		w.Fails(fault.InvalidInput, "my_day", input{"date": "someday"}, "date: ")
		w.Fails(fault.InvalidInput, "my_day", input{"since": "someday"}, "since: ")
		w.Fails(fault.InvalidInput, "my_day", input{"sources": []string{"mail"}}, "sources[0]: ")
	})
}
