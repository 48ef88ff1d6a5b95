package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// frame is a view in the page of a host.
type frame struct {
	*dialogue
	at *server // the endpoint of the host's client
}

// framed is what a view shows, and what its host has seen.
type framed struct {
	Text, Status, Focus, Ink string
	Boxes, Ticked            int
	Wide, Hidden             int // pixels: the width of the page, and how much of its height is not seen
	Undo                     bool
	Injected                 int // elements that a text has made
	Violations               []string
	Problems                 []string
	Failed                   string
	Seen                     struct {
		Calls []struct {
			Name      string
			Arguments map[string]any
		}
		Contexts, Links []string
		Said            []string // the methods of the view's messages
		Heights         []int
		Refused         int
		Answered        bool
	}
}

// opened is how a host opens a view.
type opened struct {
	Tool         string            `json:"tool"`
	Arguments    map[string]any    `json:"arguments,omitempty"`
	Path         string            `json:"path,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	Plain        bool              `json:"plain,omitempty"`
	Prefers      string            `json:"prefers,omitempty"`
	Width        int               `json:"width,omitempty"`
	Capabilities map[string]any    `json:"capabilities,omitempty"`
	Context      map[string]any    `json:"context,omitempty"`
	Clock        bool              `json:"clock,omitempty"`
	Notes        [][2]any          `json:"notes,omitzero"`
}

func frames(t *testing.T, s *server) frame {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v; run make integration, which installs it", err)
	}
	at := &server{url: s.at("/mcp/x/basecamp,github,todolist,tasks,hub")}
	return frame{talk(t, "views.mjs", at.url, ines, chromium), at}
}

func (f frame) does(command string, argument any) (seen framed) {
	f.t.Helper()
	asked := fmt.Sprintf("%.100s", fmt.Sprint(argument))
	if err := f.ask(map[string]any{command: argument}, &seen); err != nil || seen.Failed != "" {
		f.t.Fatalf("%s %s: %v %s; %q %.500q", command, asked, err, seen.Failed, seen.Status, seen.Text)
	}
	if len(seen.Violations) > 0 || len(seen.Problems) > 0 || seen.Injected > 0 || seen.Hidden > 0 {
		f.t.Errorf("%s %s: %v %v, %d elements of a text, %d pixels hidden", command, asked, seen.Violations, seen.Problems, seen.Injected, seen.Hidden)
	}
	return seen
}

// hostile is a title that tries to become a part of the page.
const hostile = `</script><img src=x onerror="parent.postMessage('x','*')"><b>Wheel</b>`

func checklistOf(contents ...string) map[string]any {
	var todos []map[string]any
	for _, content := range contents {
		todos = append(todos, map[string]any{"content": content, "status": "pending", "activeForm": content})
	}
	return map[string]any{"todos": todos}
}

// framedView is a view, and what a user changes in it.
type framedView struct {
	name   string
	open   opened
	reach  string // the element that the tab key leads to
	keys   []string
	says   string
	did    string // of the message to the model
	calls  string // the tool of the change
	back   string // the tool that takes it back
	failed map[string]any
	empty  string                     // what it shows without items
	of     func(n int) map[string]any // an answer with n hostile items
}

func framedViews() []framedView {
	const moved = "Somewhere to hang a helmet"
	list := checklistOf("Grease the chain", hostile)
	title := func(i int) string { return fmt.Sprintf("%d %s %s", i, strings.Repeat("Wheel", 20), hostile) }
	items := func(n int, item func(title string, i int) map[string]any) []map[string]any {
		all := make([]map[string]any, n)
		for i := range all {
			all[i] = item(title(i), i)
		}
		return all
	}
	gone := map[string]any{"project": "Nothing of the kind"}
	return []framedView{
		{
			name: "day", open: opened{Tool: "my_day"},
			reach: "Call the insurer about demo rides", keys: []string{"Space"}, says: "“Call the insurer about demo rides” is done.",
			did: `completed todo:\d+, which somebody titled "Call the insurer about demo rides"`, calls: "update_work", back: "undo",
			failed: map[string]any{"date": "no day"}, empty: "Nothing is due.",
			of: func(n int) map[string]any {
				return map[string]any{"date": "2026-11-26", "today": map[string]any{"count": n, "items": items(n, func(title string, i int) map[string]any {
					return map[string]any{"ref": fmt.Sprintf("todo:%d", i+1), "title": title, "in": title, "says": hostile}
				})}}
			},
		},
		{
			name: "checklist", open: opened{Tool: "todolist__set", Arguments: list},
			reach: "Grease the chain", keys: []string{"Space"}, says: "“Grease the chain” is done.",
			did: `set item 1 of the checklist to completed, which somebody titled "Grease the chain"`, calls: "todolist__set", back: "todolist__set",
			failed: map[string]any{"todos": []any{}, "list_id": "nothing of the kind"}, empty: "The list is empty.",
			of: func(n int) map[string]any {
				return map[string]any{"revision": 1, "todos": items(n, func(title string, _ int) map[string]any {
					return map[string]any{"content": title, "status": "pending", "activeForm": title}
				})}
			},
		},
		{
			name: "board", open: opened{Tool: "get_board", Arguments: map[string]any{"project": "Cargo Bike Launch", "board": "Frame design"}},
			reach: "Move " + moved, keys: []string{"Enter", "Tab", "Tab", "Enter"}, says: "“" + moved + "” is in Next.",
			did: `moved card:\d+, which somebody titled "` + moved + `", to the column \d+, which somebody titled "Next"`, calls: "update_work", back: "undo",
			failed: gone, empty: "Frame (0)",
			of: func(n int) map[string]any {
				return map[string]any{"title": hostile, "columns": []any{map[string]any{"id": 1, "name": "Frame", "cards_count": n, "cards": items(n, func(title string, i int) map[string]any {
					return map[string]any{"id": i + 1, "title": title, "assignees": []any{hostile}}
				})}}}
			},
		},
		{
			name: "github", open: opened{Tool: "github_list_project_items", Arguments: map[string]any{"project": "ines-albrecht/1"}},
			reach: "Move Pack for Utrecht", keys: []string{"Enter", "Tab", "Tab", "Enter"}, says: "“Pack for Utrecht” is in Done.",
			did: `moved \S+, which somebody titled "Pack for Utrecht", to the column, which somebody titled "Done"`, calls: "github_set_field_value", back: "undo",
			failed: gone, empty: "The board is empty.",
			of: func(n int) map[string]any {
				return map[string]any{"items": items(n, func(title string, i int) map[string]any {
					return map[string]any{"id": fmt.Sprint(i), "title": title, "fields": []any{map[string]any{"name": "Status", "value": hostile + fmt.Sprint(i%3)}}}
				})}
			},
		},
	}
}

// answered returns the notification of an answer that the server has not made.
func answered(answer map[string]any) [2]any {
	return [2]any{"ui/notifications/tool-result", map[string]any{"content": []any{}, "structuredContent": answer}}
}

// told returns the lines of what the model was told last.
func (f framed) told() []string {
	return strings.Split(strings.Join(f.Seen.Contexts[max(0, len(f.Seen.Contexts)-1):], ""), "\n")
}

// tells reports whether the lines match the beginning that all messages to the model have, and then
// what was done.
func tells(lines []string, did ...string) bool {
	return regexp.MustCompile(`^In the view, the user did this:\n` + strings.Join(did, `\n`) + `$`).MatchString(strings.Join(lines, "\n"))
}

// called returns the tools that the view called, from the one with that index on.
func (f framed) called(from int) (names []string) {
	for _, c := range f.Seen.Calls[from:] {
		names = append(names, c.Name)
	}
	return names
}

// change does with the keyboard alone what a user changes in a view.
func (f frame) change(v framedView) framed {
	f.t.Helper()
	f.does("tab", v.reach)
	for _, key := range v.keys {
		f.does("press", key)
	}
	return f.does("say", v.says)
}
