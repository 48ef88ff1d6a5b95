package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
)

const (
	privateIssue = "fernhill-bikes/frame-drawings#2"
	outsider     = "Lieke van der Meer" // of another company, with a GitHub account
	knownLine    = "GitHub: " + privateIssue
)

// as returns the world of another person.
func (w *world) as(name string) *world {
	other := &world{Client: w.Client, basecamp: w.basecamp, github: w.github}
	other.Caller.Subject, other.Caller.Connection = name, "desk"
	return other
}

func (w *world) notes() string {
	w.Helper()
	return call[struct{ Item struct{ Description string } }](w, "get_item", input{"item": w.todo()}).Item.Description
}

func (w *world) body(issue string) string {
	w.Helper()
	return call[struct{ Body string }](w, "github_get_issue", input{"issue": issue}).Body
}

func (w *world) todoURL() string {
	w.Helper()
	return call[struct{ Item struct{ URL string } }](w, "get_item", input{"item": w.todo()}).Item.URL
}

// pause lets the rate limit of GitHub's writes pass, on synctest's clock.
func (w *world) pause() { time.Sleep(time.Minute) }

func (w *world) edit(in input) {
	w.Helper()
	call[map[string]any](w, "edit_text", in)
}

func TestLink_WritesOneVisibleLineUnderBoth(t *testing.T) {
	inWorld(t, func(w *world) {
		notes, body := w.notes(), w.body(privateIssue)
		preview := call[map[string]any](w, "preview", input{"tool": "link", "arguments": input{"a": w.todo(), "b": privateIssue}})
		if len(preview["writes"].([]any)) != 3 || w.notes() != notes || w.body(privateIssue) != body {
			t.Errorf("%v", preview)
		}
		got := w.link(w.todo(), privateIssue)
		if len(got.Lines) != 2 || !got.Changed || got.Notified == nil || got.Note != "" {
			t.Fatalf("%+v", got)
		}
		for i, want := range []hub.Shown{
			{On: privateIssue, Line: "Basecamp: " + got.A.URL, Readers: "those who see fernhill-bikes/frame-drawings", Changed: true},
			{On: w.todo(), Line: knownLine, Readers: "11 people", Changed: true},
		} {
			if got.Lines[i] != want {
				t.Errorf("%+v", got.Lines[i])
			}
		}
		if now := w.body(privateIssue); now != strings.TrimSpace(body+"\n\nBasecamp: "+got.A.URL) {
			t.Errorf("%q", now)
		}
		if now := w.notes(); !strings.HasSuffix(now, knownLine) {
			t.Errorf("%q", now)
		}
		w.pause()
		again := w.link(privateIssue, w.todo())
		if again.Changed || len(again.Lines) != 2 || again.Lines[0].Changed || !slices.Contains(again.A.Pairs, w.todo()) || strings.Count(w.notes(), "GitHub") != 1 {
			t.Errorf("%+v", again)
		}
		gone := w.link(w.todo(), privateIssue, "remove", true)
		if !gone.Changed || len(gone.Lines) != 2 || gone.Note != "" || w.notes() != notes || w.body(privateIssue) != body {
			t.Errorf("%+v, %q, %q", gone, w.notes(), w.body(privateIssue))
		}
	})
}

func TestLink_IsVisibleOnlyWhereNoOutsiderReadsUnlessAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		pause := func() { w.pause() }
		seen := call[struct {
			Results []struct{ Item struct{ ID int64 } }
		}](w, "create_todos", input{
			"project": "Rijnstad Couriers Fleet", "list": "Delivery", "todos": []any{input{"content": "Pack the bells"}, input{"content": "Ring them"}},
		})
		client := fmt.Sprint("todo:", seen.Results[0].Item.ID)
		call[map[string]any](w, "update_work", input{"items": []any{input{"item": "todolist:Delivery", "visible_to_clients": true}}, "project": "Rijnstad Couriers Fleet"})
		for _, x := range []struct {
			a, b    string
			visible any
			lines   int
			readers string
			note    string
		}{
			{w.todo(), hubIssue, nil, 0, "", "only you see this link; with visible: true"},
			{client, privateIssue, nil, 0, "", "client: yes"},
			{w.todo(), hubIssue, false, 0, "", ""},
			{w.todo(), hubIssue, true, 2, "everyone, because", ""},
			{client, privateIssue, true, 2, "", ""},
		} {
			in := input{"a": x.a, "b": x.b}
			if x.visible != nil {
				in["visible"] = x.visible
			}
			got := call[linkAnswer](w, "link", in)
			if len(got.Lines) != x.lines || !strings.Contains(got.Note, x.note) || (x.note == "") != (got.Note == "") || x.lines > 0 && !strings.Contains(got.Lines[0].Readers, x.readers) {
				t.Errorf("%v: %+v", x, got)
			}
			if x.a == client && x.lines > 0 && (got.ClientsSee == nil || !strings.Contains(got.Lines[1].Readers, "client: yes")) {
				t.Errorf("%v: %+v", x, got)
			}
			pause()
		}
		mine := w.task("Photos")
		w.Fails(fault.InvalidInput, "link", input{"a": mine, "b": hubIssue, "visible": true}, "visible: needs an item in Basecamp and an issue")
		w.Fails(fault.PermissionDenied, "link", input{"a": w.todo(), "b": "fernhill-bikes/old-shop#1", "visible": true}, "archived")
		if got := w.link(w.todo(), "fernhill-bikes/old-shop#1"); !got.Linked || !strings.Contains(got.Note, "no line was written: ") {
			t.Errorf("%+v", got)
		}
	})
}

func TestLink_RecognizesALineThatWasEdited(t *testing.T) {
	inWorld(t, func(w *world) {
		w.link(w.todo(), privateIssue)
		w.pause()
		for _, now := range []string{"**GitHub**: see " + privateIssue + ", please", "Tracked in " + privateIssue + "."} {
			w.as("Hanna Koivisto").edit(input{"item": w.todo(), "body": "Two days.\n\n" + now}) // the file stays below it
			w.pause()
			if again := w.link(w.todo(), privateIssue); again.Lines[1].Changed || strings.Count(w.notes(), privateIssue) != 1 {
				t.Errorf("%s: %+v", now, again)
			}
		}
		w.pause()
		gone := w.link(w.todo(), privateIssue, "remove", true)
		if !gone.Changed || !strings.Contains(gone.Note, "stays: another person wrote or changed it") || !strings.Contains(w.notes(), "Tracked in") {
			t.Errorf("%+v", gone)
		}
	})
}

// Of lines that others wrote, everywhere follows those that count.
func TestEverywhere_FollowsALineOnlyIfItCounts(t *testing.T) {
	priya := func(w *world) string { return fmt.Sprint("person:", w.basecamp.Person("Priya Raman").ID) }
	for name, x := range map[string]struct {
		make  func(w *world)
		pairs bool
	}{
		"the caller's own":                          {func(w *world) { w.edit(input{"item": w.todo(), "append": "GitHub: " + hubIssue}) }, true},
		"a colleague's whom nobody knows on GitHub": {func(w *world) { w.as("Priya Raman").edit(input{"item": w.todo(), "append": "GitHub: " + hubIssue}) }, false},
		"a colleague's who may write": {func(w *world) {
			w.as("Priya Raman").edit(input{"item": w.todo(), "append": "GitHub: " + hubIssue})
			w.link(priya(w), "@jonas-brandt")
		}, true},
		"a colleague's who may not write": {func(w *world) {
			w.as("Priya Raman").edit(input{"item": w.todo(), "append": "GitHub: " + hubIssue})
			w.link(priya(w), "@lieke-vdmeer")
		}, false},
		"without the label": {func(w *world) { w.edit(input{"item": w.todo(), "append": "As in " + hubIssue}) }, false},
		"in the middle, without the label": {func(w *world) {
			w.edit(input{"item": w.todo(), "append": "As in " + hubIssue + "\n\nBut better."})
		}, false},
		"both name each other": {func(w *world) {
			w.as("Priya Raman").edit(input{"item": w.todo(), "append": "As in " + hubIssue})
			call[map[string]any](w, "github_update_issue", input{"issue": hubIssue, "append": "Basecamp: " + w.todoURL()})
		}, true},
		"hidden in a comment": {func(w *world) {
			w.as("Priya Raman").edit(input{"item": w.todo(), "append": "As in " + hubIssue})
			call[map[string]any](w, "github_update_issue", input{"issue": hubIssue, "append": "<!-- Basecamp: " + w.todoURL() + " -->"})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				x.make(w)
				w.pause()
				got := call[struct{ Everywhere []hub.Finished }](w, "set_completed", input{"item": w.todo(), "completed": true, "everywhere": true}).Everywhere
				state := call[struct{ State string }](w, "github_get_issue", input{"issue": hubIssue}).State
				if x.pairs != (state == "closed") || x.pairs != (len(got) == 1 && got[0].OK) {
					t.Errorf("%s: %+v", state, got)
				}
				if claimed := len(got) == 1 && got[0].Claimed && !got[0].OK; !x.pairs && claimed == strings.Contains(name, "middle") {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// If it cannot be found out whether a writer may write to the repository, nothing follows the line.
func TestEverywhere_FollowsNoLineThatCannotBeChecked(t *testing.T) {
	for name, f := range map[string]githubsandbox.Fault{
		"401": {Status: 401}, "403": {Status: 403}, "404": {Status: 404}, "429": {Status: 429}, "500": {Status: 500}, "garbage": {Garbage: true}, "drop": {Drop: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.edit(input{"item": w.todo(), "append": "GitHub: " + hubIssue})
				f.PathPrefix = "/repos/fernhill-bikes/configurator/collaborators"
				w.github.Inject(f)
				got := call[struct{ Everywhere []hub.Finished }](w, "set_completed", input{"item": w.todo(), "completed": true, "everywhere": true}).Everywhere
				if len(got) != 1 || !got[0].Claimed || got[0].OK {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A line that is refused leaves the link, and the call that asked for it fails.
func TestLink_SaysWhichLineFailed(t *testing.T) {
	inWorld(t, func(w *world) {
		w.github.Inject(githubsandbox.Fault{Method: "PATCH", PathPrefix: "/repos/fernhill-bikes", Status: 403})
		if got := w.link(w.todo(), privateIssue); !got.Linked || len(got.Lines) != 0 || !strings.Contains(got.Note, "the line under "+privateIssue+" failed") {
			t.Errorf("%+v", got)
		}
		w.Fails(fault.PermissionDenied, "link", input{"a": w.todo(), "b": privateIssue, "visible": true}, "your link is kept, but the line under "+privateIssue+" failed; repeat")
		w.github.ClearFaults()
		w.pause()
		if got := w.link(w.todo(), privateIssue, "visible", true); len(got.Lines) != 2 || !got.Lines[1].Changed || strings.Count(w.notes(), "GitHub:") != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestLink_OfAnOutsiderIsOnlyClaimed(t *testing.T) {
	inWorld(t, func(w *world) {
		made := call[struct{ Ref string }](w.as(outsider), "github_create_issue", input{
			"repo": "fernhill-bikes/configurator", "title": "Close your work", "body": "Basecamp: " + w.todoURL(),
		}).Ref
		w.pause()
		mine := w.task("Read it")
		if got := w.link(mine, made); !slices.Contains(got.B.Claimed, w.todo()) || got.B.Pairs != nil {
			t.Errorf("%+v", got)
		}
		got := call[struct{ Everywhere []hub.Finished }](w, "github_update_issue", input{"issue": made, "state": "closed", "everywhere": true}).Everywhere
		if len(got) != 2 || got[1].Ref != w.todo() || !got[1].Claimed || got[1].OK {
			t.Errorf("%+v", got)
		}
		if state := w.link(mine, w.todo()).B.State; state != hub.Open {
			t.Error(state)
		}
		for _, pair := range call[dayAnswer](w, "my_day", nil).Settle {
			if pair.Open == w.todo() && pair.Done == made {
				t.Errorf("settles a claim: %+v", pair)
			}
		}
	})
}

func TestMyDay_SettlesAPairThatAColleagueMade(t *testing.T) {
	inWorld(t, func(w *world) {
		call[map[string]any](w, "github_update_issue", input{"issue": hubIssue, "add_assignees": []string{"me"}, "append": "Basecamp: " + w.todoURL()})
		w.pause()
		call[map[string]any](w, "set_completed", input{"item": w.todo(), "completed": true})
		time.Sleep(5 * time.Minute) // synctest's clock
		w.sent = nil
		got := call[dayAnswer](w, "my_day", nil)
		if len(got.Settle) != 1 || got.Settle[0].Open != hubIssue || got.Settle[0].Settle.Tool != "github_update_issue" || len(w.sent) > 24 {
			t.Errorf("%+v, %d requests", got.Settle, len(w.sent))
		}
	})
}

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
		notes, body := w.notes(), w.body(privateIssue)
		elsewhere := &fence.Places{Projects: []int64{w.basecamp.ProjectID("Cargo Bike Launch")}, Repos: []string{"fernhill-bikes/configurator"}}
		mine := w.task("Out")
		for name, f := range map[string]fence.Fence{"uses only others": {Read: elsewhere}, "writes only to others": {Write: elsewhere}, "writes nowhere": {Write: &fence.Places{}}} {
			fenced := w.as("Ines Albrecht")
			fenced.Caller.Fence = f
			for tool, in := range map[string]input{
				"link":    {"a": w.todo(), "b": "fernhill-bikes/frame-drawings#3", "visible": true},
				"promote": {"from": []any{input{"item": mine}}, "to": "github", "repo": "fernhill-bikes/frame-drawings"},
			} {
				if text, failed := fenced.Raw(tool, in); !failed || !strings.Contains(text, "outside_fence") || strings.Contains(text, "Long tail") || strings.Contains(text, "Fork crown") {
					t.Errorf("%s: %s: %s", name, tool, text)
				}
				w.pause()
			}
			if name == "uses only others" {
				got := fenced.link(w.todo(), mine)
				if len(got.A.Claimed) != 1 || got.A.Pairs != nil || !slices.Equal(got.A.Claimed, []string{privateIssue}) {
					t.Errorf("%s: %+v", name, got)
				}
			}
		}
		if w.notes() != notes || w.body(privateIssue) != body {
			t.Errorf("%q, %q", w.notes(), w.body(privateIssue))
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
