// Package answers measures how many tokens the definitions of the tools take, and the answers of
// lists: in full, compact, and as Markdown.
package answers

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

func TestMain(m *testing.M) { os.Exit(agent.Main(m)) }

const project = "Cargo Bike Launch"

// questions are what people ask, and the call that answers it.
var questions = []struct {
	words, tool string
	arguments   map[string]any
}{
	{"What is overdue?", "list_work", map[string]any{"state": "overdue"}},
	{"What is open anywhere?", "list_work", map[string]any{}},
	{"What is open in the project?", "list_work", map[string]any{"project": project}},
	{"Which open work is mine?", "list_work", map[string]any{"assignee": "me"}},
	{"Which cards are open?", "list_work", map[string]any{"kind": "card"}},
	{"Which to-dos does the project have?", "list_todos", map[string]any{"project_id": project}},
	{"Which to-dos are done?", "list_todos", map[string]any{"project_id": project, "completed": true}},
	{"What happened recently?", "get_activity", map[string]any{}},
	{"What happened in the project?", "get_activity", map[string]any{"project": project}},
	{"What do I have to do?", "get_my_work", map[string]any{}},
	{"What is coming up?", "get_upcoming", map[string]any{}},
	{"What mentions brakes?", "search", map[string]any{"query": "brake"}},
	{"How does the board look?", "get_board", map[string]any{"project": project, "board": "Frame design"}},
	{"What was posted?", "list_messages", map[string]any{"project_id": project}},
	{"Which lists are there?", "list_todolists", map[string]any{"project_id": project}},
	{"Who is on the project?", "list_people", map[string]any{"project": project}},
	{"What did the chat say?", "list_campfire_lines", map[string]any{"project_id": project, "limit": 50}},
	{"Which projects are there?", "list_projects", map[string]any{}},
	{"What is new for me?", "get_notifications", map[string]any{"include_read": true}},
}

// What the answers of a tool must save at least, in percent of their tokens with detail full.
var minSaved = map[string]int{"list_work": 45, "list_todos": 45, "get_activity": 45}

func TestLists_TakeHalfTheTokensWhenCompact(t *testing.T) {
	url := agent.Start(t)
	c := agent.Connect(t, url, agent.Ines)
	var table strings.Builder
	fmt.Fprintf(&table, "%-36s %-20s %6s %6s %6s\n", "question", "tool", "before", "after", "saved")
	before, after := map[string]int{}, map[string]int{}
	for _, q := range questions {
		full := maps.Clone(q.arguments)
		full["detail"] = "full"
		b, a := tokens(t, c, q.tool, full), tokens(t, c, q.tool, q.arguments)
		before[q.tool], after[q.tool] = before[q.tool]+b, after[q.tool]+a
		fmt.Fprintf(&table, "%-36s %-20s %6d %6d %5d%%\n", q.words, q.tool, b, a, 100-100*a/b)
	}
	t.Log("\n" + strings.TrimSuffix(table.String(), "\n"))
	for tool, least := range minSaved {
		if saved := 100 - 100*after[tool]/before[tool]; saved < least {
			t.Errorf("%s saves %d%% of its tokens, not %d%%", tool, saved, least)
		}
	}
}

func tokens(t *testing.T, c *agent.Client, tool string, arguments map[string]any) int {
	t.Helper()
	answer := c.Call(tool, arguments)
	if answer.Failed {
		t.Fatalf("%s: %s", tool, answer.Text)
	}
	return agent.Tokens(t, answer.Text)
}
