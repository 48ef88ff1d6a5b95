package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// frame is a view in the page of a host.
type frame struct{ *dialogue }

// framed is what a view shows, and what its host has seen.
type framed struct {
	Text, Status, Ink string
	Boxes, Wide       int
	Undo              bool
	Injected          int // elements that a text has made
	Violations        []string
	Problems          []string
	Failed            string
	Seen              struct {
		Calls []struct {
			Name      string
			Arguments map[string]any
		}
		Contexts, Links []string
		Heights         []int
		Refused         int
	}
}

// opened is how a host opens a view.
type opened struct {
	Tool         string         `json:"tool"`
	Arguments    map[string]any `json:"arguments,omitempty"`
	Plain        bool           `json:"plain,omitempty"`
	Theme        string         `json:"theme,omitempty"`
	Width        int            `json:"width,omitempty"`
	Capabilities map[string]any `json:"capabilities,omitempty"`
	Notes        [][2]any       `json:"notes,omitzero"`
}

func frames(t *testing.T, s *server) frame {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v; run make integration, which installs it", err)
	}
	return frame{talk(t, "views.mjs", s.at("/mcp/x/basecamp,github,todolist,tasks"), "sandbox-ines", chromium)}
}

func (f frame) does(command string, argument any) (seen framed) {
	f.t.Helper()
	if err := f.ask(map[string]any{command: argument}, &seen); err != nil || seen.Failed != "" {
		f.t.Fatalf("%s %v: %v %s", command, argument, err, seen.Failed)
	}
	if len(seen.Violations) > 0 || len(seen.Problems) > 0 || seen.Injected > 0 {
		f.t.Errorf("%s %v: %v %v, %d elements of a text", command, argument, seen.Violations, seen.Problems, seen.Injected)
	}
	return seen
}

// hostile is a title that tries to become a part of the page.
const hostile = `</script><img src=x onerror="parent.postMessage('x','*')"><b>Wheel</b>`

var framedBoard = opened{Tool: "get_board", Arguments: map[string]any{"project": "Cargo Bike Launch", "board": "Frame design"}}

func checklistOf(contents ...string) map[string]any {
	var todos []map[string]any
	for _, content := range contents {
		todos = append(todos, map[string]any{"content": content, "status": "pending", "activeForm": content})
	}
	return map[string]any{"todos": todos}
}

func TestViews_AChecklistIsTickedAndTakenBack(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, plain := range []bool{false, true} {
		f := frames(t, s)
		shown := f.does("open", opened{Tool: "todolist__set", Arguments: checklistOf("Grease the chain", hostile), Plain: plain, Width: 320})
		if shown.Boxes != 2 || !strings.Contains(shown.Text, hostile) || shown.Wide > 320 || len(shown.Seen.Heights) == 0 {
			t.Fatalf("%+v", shown)
		}
		ticked := f.does("check", "Grease the chain")
		if !ticked.Undo || ticked.Status != "“Grease the chain” is done." || len(ticked.Seen.Contexts) != 1 || len(ticked.Seen.Calls) != 1 || ticked.Seen.Calls[0].Arguments["if_revision"] != 1.0 {
			t.Errorf("%+v", ticked)
		}
		if back := f.does("click", "Undo"); back.Undo || back.Status != "Taken back." || back.Seen.Calls[1].Arguments["if_revision"] != 2.0 {
			t.Errorf("%+v", back)
		}
		if f.does("ask", "ui/unknown").Seen.Refused != -32601 && plain {
			t.Error("an unknown request is not refused")
		}
	}
}

func TestViews_AConflictShowsTheListAsItIs(t *testing.T) {
	t.Parallel()
	s := start(t)
	f := frames(t, s)
	set := checklistOf("Grease the chain")
	f.does("open", opened{Tool: "todolist__set", Arguments: set, Notes: [][2]any{
		{"ui/notifications/tool-result", map[string]any{"content": []any{}, "structuredContent": map[string]any{
			"todos": set["todos"], "revision": 7, "summary": map[string]any{},
		}}}, // before the arguments, which never come
	}})
	f.does("click", "Grease the chain")
	if seen := f.does("read", "changed meanwhile"); seen.Undo {
		t.Errorf("%+v", seen)
	}
}

func TestViews_ACardIsMovedByKeyboardAndByDragging(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, plain := range []bool{false, true} {
		f, open := frames(t, s), framedBoard
		open.Plain = plain
		f.does("open", open)
		f.does("choose", []string{"Move Somewhere to hang a helmet", "Next"})
		f.does("read", "is in Next")
		if moved := f.does("read", "Next (4)"); !moved.Undo || !strings.HasPrefix(moved.Status, "“Somewhere to hang a helmet”") {
			t.Errorf("%+v", moved)
		}
		f.does("click", "Undo")
		if back := f.does("read", "Triage (5)"); back.Status != "Taken back." {
			t.Errorf("%+v", back)
		}
	}
	f := frames(t, s)
	f.does("open", framedBoard)
	f.does("drag", []string{"Bottle cage", "Next (3)"})
	if moved := f.does("read", "Next (4)"); moved.Seen.Calls[0].Name != "update_work" {
		t.Errorf("%+v", moved)
	}
	link := f.does("click", "Frame design")
	if len(link.Seen.Links) != 1 || !strings.HasPrefix(link.Seen.Links[0], "https://3.basecamp.com/") {
		t.Errorf("%+v", link.Seen.Links)
	}
	on := f.does("open", opened{Tool: "github_list_project_items", Arguments: map[string]any{"project": "ines-albrecht/1"}})
	if !strings.Contains(on.Text, "Todo (3)") {
		t.Errorf("%+v", on)
	}
	f.does("choose", []string{"Move Pack for Utrecht", "In Progress"})
	f.does("read", "In Progress (2)")
}

func TestViews_TheirOtherStates(t *testing.T) {
	t.Parallel()
	s := start(t)
	f := frames(t, s)
	open := framedBoard
	open.Capabilities = map[string]any{"logging": map[string]any{}}
	if shown := f.does("open", open); shown.Boxes != 0 || !strings.Contains(shown.Text, "Triage (5)") {
		t.Errorf("without serverTools: %+v", shown)
	}
	light, dark := framedBoard, framedBoard
	light.Theme, dark.Theme = "light", "dark"
	if a, b := f.does("open", light).Ink, f.does("open", dark).Ink; a == b {
		t.Errorf("both themes have the ink %s", a)
	}
	if changed := f.does("notify", []any{"ui/notifications/host-context-changed", map[string]any{"theme": "light"}}); changed.Ink != f.does("open", light).Ink {
		t.Errorf("a changed theme: %s", changed.Ink)
	}
	open = framedBoard
	open.Arguments = map[string]any{"project": "Nothing of the kind"}
	if shown := f.does("open", open); !strings.Contains(shown.Text, "Nothing of the kind") || shown.Status != "The call failed." {
		t.Errorf("an error: %+v", shown)
	}
	open = framedBoard
	open.Notes = [][2]any{}
	if shown := f.does("open", open); shown.Status != "Loading…" && shown.Text != "" {
		t.Errorf("loading: %+v", shown)
	}
	if shown := f.does("open", opened{Tool: "todolist__get"}); !strings.Contains(shown.Text, "empty") {
		t.Errorf("empty: %+v", shown)
	}
	open.Notes = [][2]any{{"ui/notifications/tool-cancelled", map[string]any{"reason": "stop"}}}
	if shown := f.does("open", open); shown.Status != "The call was cancelled." {
		t.Errorf("cancelled: %+v", shown)
	}
	many := make([]string, 200)
	for i := range many {
		many[i] = strings.Repeat("Wheel ", i%7+1)
	}
	if shown := f.does("open", opened{Tool: "todolist__set", Arguments: checklistOf(many...), Width: 320}); shown.Boxes != 200 || shown.Wide > 320 {
		t.Errorf("200 items: %d boxes, %d wide", shown.Boxes, shown.Wide)
	}
}
