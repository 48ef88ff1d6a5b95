// Package answers measures how many tokens the answers of lists take, in full and compact.
package answers

import (
	"fmt"
	"maps"
	"os"
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

func TestLists_TakeHalfTheTokensWhenCompact(t *testing.T) {
	c := agent.Connect(t, agent.Start(t), agent.Ines)
	t.Logf("%-36s %-20s %6s %7s %5s", "question", "tool", "full", "compact", "saved")
	for _, q := range questions {
		full := maps.Clone(q.arguments)
		full["detail"] = "full"
		before, after := c.Call(q.tool, full), c.Call(q.tool, q.arguments)
		if before.Failed || after.Failed {
			t.Fatalf("%s: %s %s", q.tool, before.Text, after.Text)
		}
		b, a := agent.Tokens(t, before.Text), agent.Tokens(t, after.Text)
		t.Logf("%-36s %-20s %6d %7d %4d%%", q.words, q.tool, b, a, 100-100*a/b)
		if os.Getenv("SHOW") != "" {
			fmt.Println(after.Text)
		}
	}
}
