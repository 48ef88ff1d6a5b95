package tools

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

func TestEverywhere_CompletesAllThatIsLinked(t *testing.T) {
	for tool, arguments := range map[string]func(w *world, mine string) input{
		"complete_task": func(_ *world, mine string) input { return input{"task_id": mine} },
		"set_completed": func(w *world, _ string) input { return input{"item": w.todo(), "completed": true} },
		"update_work": func(w *world, _ string) input {
			return input{"items": []any{input{"item": w.todo(), "completed": true}}}
		},
		"github_update_issue": func(*world, string) input { return input{"issue": hubIssue, "state": "closed"} },
	} {
		t.Run(tool, func(t *testing.T) {
			inWorld(t, func(w *world) {
				mine := w.task("Photos")
				w.link(mine, w.todo())
				w.link(w.todo(), hubIssue)
				in := arguments(w, mine)
				for _, everywhere := range []bool{false, true, true} {
					in["everywhere"] = everywhere
					got := call[struct{ Everywhere []hub.Finished }](w, tool, in).Everywhere
					if want := map[bool]int{true: 2}[everywhere]; len(got) != want {
						t.Fatalf("%v: %+v", everywhere, got)
					}
					for _, one := range got {
						if !one.OK || one.Title == "" {
							t.Errorf("%+v", one)
						}
					}
				}
				seen := w.link(mine, w.todo())
				if issue := w.link(w.todo(), hubIssue); seen.A.State != hub.Done || seen.B.State != hub.Done || issue.B.State != hub.Done {
					t.Errorf("%+v, %+v", seen, issue)
				}
			})
		})
	}
}

func TestEverywhere_SaysThatNothingIsLinked(t *testing.T) {
	inWorld(t, func(w *world) {
		const address = "https://github.com/fernhill-bikes/configurator/issues/1"
		mine := call[taskState](w, "add_task", input{"title": "Read it", "description": address}).ID
		for _, x := range []struct {
			tool string
			in   input
			says string
		}{
			{"complete_task", input{"task_id": mine}, address},
			{"set_completed", input{"item": w.todo(), "completed": true}, "nothing is linked"},
			{"update_work", input{"items": []input{{"item": w.todo()}}, "completed": true}, "nothing is linked"},
			{"github_update_issue", input{"issue": hubIssue, "state": "closed"}, "nothing is linked"},
		} {
			x.in["everywhere"] = true
			if got := call[hub.Everywhere](w, x.tool, x.in); got.Finished == nil || len(*got.Finished) > 0 || !strings.Contains(got.None, x.says) {
				t.Errorf("%s: %+v", x.tool, got)
			}
		}
	})
}

func TestEverywhere_IsShownWhereLinksAreServed(t *testing.T) {
	server := mcptool.NewServer(Catalog(Sources{GitHub: new(github.Client)}), mcptool.Options{Name: "test", Version: "1"})
	of := []string{"basecamp", "github", Tasks}
	for _, x := range []struct {
		toolsets []string
		times    int
	}{{of, 0}, {append(of, Hub), 4}} {
		if n := strings.Count(string(server.Definitions(mcptool.Selection{Toolsets: x.toolsets})), `"everywhere":{`); n != x.times {
			t.Errorf("%v: %d tools show it", x.toolsets, n)
		}
	}
}

func TestEverywhere_NeedsACompletion(t *testing.T) {
	inWorld(t, func(w *world) {
		for tool, in := range map[string]input{
			"set_completed":       {"item": w.todo(), "completed": false},
			"update_work":         {"items": []any{input{"item": w.todo(), "title": "New"}}},
			"github_update_issue": {"issue": hubIssue, "state_reason": "not_planned"},
		} {
			in["everywhere"] = true
			w.Fails(fault.InvalidInput, tool, in, "everywhere: ")
		}
		mine := w.task("Photos")
		w.link(mine, hubIssue)
		w.unlinked = true
		got := call[taskState](w, "complete_task", input{"task_id": mine, "everywhere": true})
		if also := *got.Finished; len(also) != 1 || also[0].OK || also[0].Error.Code != fault.NotLinked || !got.Completed {
			t.Errorf("%+v", got)
		}
	})
}
