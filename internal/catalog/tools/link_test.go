package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

const (
	privateIssue = "fernhill-bikes/frame-drawings#2"
	outsider     = "Lieke van der Meer" // of another company, with a GitHub account
)

// as returns the world of another person.
func (w *world) as(name string) *world {
	other := &world{Client: w.Client, basecamp: w.basecamp, github: w.github}
	other.Caller.Subject, other.Caller.Connection = name, "desk"
	return other
}

// pause lets the rate limit of GitHub's writes pass, on synctest's clock.
func (w *world) pause() { time.Sleep(time.Minute) }

// A pull request that was closed unmerged is not done, and no call merges an open one.
func TestTasks_FollowAPullRequestOnlyOnceItIsMerged(t *testing.T) {
	inWorld(t, func(w *world) {
		states := map[string]bool{}
		for _, number := range []int{3, 10, 17, 24, 38, 52, 59} {
			pull := fmt.Sprint("fernhill-bikes/configurator#", number)
			shown := call[struct {
				State       string
				PullRequest struct{ Merged bool } `json:"pull_request"`
			}](w, "github_get_issue", input{"issue": pull})
			mine := w.task("Wait for " + pull)
			w.link(mine, pull)
			if shown.State == "open" {
				other := w.task("Merge " + pull)
				w.link(other, pull, "follow", false)
				call[taskState](w, "complete_task", input{"task_id": other})
			}
			states[fmt.Sprint(shown.State, shown.PullRequest.Merged)] = true
			list := w.Answer("list_tasks", input{"status": "completed"})
			if done := strings.Contains(list, "Wait for "+pull+`"`); done != shown.PullRequest.Merged {
				t.Errorf("%s: %+v, done %t", pull, shown, done)
			}
			time.Sleep(time.Minute) // synctest's clock
		}
		if day := call[dayAnswer](w, "my_day", nil); len(states) != 3 || len(day.Settle) != 0 {
			t.Errorf("%v, %+v", states, day.Settle)
		}
	})
}

// What a client may not see, a link does not show. Nothing is written there.
func TestLink_StaysInsideTheFence(t *testing.T) {
	inWorld(t, func(w *world) {
		w.link(w.todo(), privateIssue)
		w.pause()
		elsewhere := &fence.Places{Projects: []int64{w.basecamp.ProjectID("Cargo Bike Launch")}, Repos: []string{"fernhill-bikes/configurator"}}
		held := w.as("Ines Albrecht")
		held.Caller.Fence.Read = elsewhere
		if text, _ := held.Raw("undo", input{"last": 1}); strings.Contains(text, "link") || !w.link(w.todo(), privateIssue, "remove", true).Changed {
			t.Errorf("undo: %s", text)
		}
		mine := w.task("Out")
		for name, f := range map[string]fence.Fence{"uses only others": {Read: elsewhere}, "writes only to others": {Write: elsewhere}, "writes nowhere": {Write: &fence.Places{}}} {
			fenced := w.as("Ines Albrecht")
			fenced.Caller.Fence = f
			for tool, in := range map[string]input{
				"link":    {"a": w.todo(), "b": "fernhill-bikes/frame-drawings#3"},
				"promote": {"from": []any{input{"item": mine}}, "to": "github", "repo": "fernhill-bikes/frame-drawings"},
			} {
				if tool == "link" && f.Read == nil {
					continue // a link is a row of the caller's alone
				}
				if text, failed := fenced.Raw(tool, in); !failed || !strings.Contains(text, "outside_fence") || strings.Contains(text, "Long tail") || strings.Contains(text, "Fork crown") {
					t.Errorf("%s: %s: %s", name, tool, text)
				}
				w.pause()
			}
		}
	})
}

func TestHub_WritesNothingReadOnly(t *testing.T) {
	inWorld(t, func(w *world) {
		reader := &world{Client: w.Client}
		reader.Caller.Scopes = []identity.Scope{identity.Read}
		mine := w.task("Photos")
		w.sent = nil
		for tool, in := range map[string]input{
			"link": {"a": mine, "b": hubIssue}, "promote": {"from": []any{input{"item": mine}}, "to": "github", "repo": "fernhill-bikes/configurator"},
			"complete_task": {"task_id": mine, "everywhere": true}, "set_completed": {"item": w.todo(), "completed": true, "everywhere": true},
			"github_update_issue": {"issue": hubIssue, "state": "closed", "everywhere": true},
		} {
			if text, failed := reader.Raw(tool, in); !failed {
				t.Errorf("%s: %s", tool, text)
			}
		}
		if len(w.sent) > 0 {
			t.Errorf("%v", w.sent)
		}
	})
}

func TestListTasks_SaysHowManyLinkedThingsItDidNotRead(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 24 {
			w.link(w.task(fmt.Sprint("Number ", i)), fmt.Sprint("fernhill-bikes/configurator#", i+1))
		}
		time.Sleep(5 * time.Minute) // synctest's clock
		for _, note := range []string{"the state of 4 linked things is not known", ""} {
			if page := call[taskPage](w, "list_tasks", nil); !strings.HasPrefix(page.Note, note) || (page.Note == "") != (note == "") {
				t.Errorf("%q", page.Note)
			}
		}
	})
}
