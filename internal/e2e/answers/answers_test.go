// Package answers measures how many tokens the definitions of the tools take, and the answers of
// lists: in full, compact, and as Markdown.
package answers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
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

// definitionTokens is how many tokens of every conversation the tools of the default endpoint may
// take, each as an object with its name, description and input schema. Lower it when they get
// shorter; never raise it above 9,220. Some clients also show the titles to their model.
const definitionTokens = 10_300

func TestDefinitions_StayWithinTheirTokens(t *testing.T) {
	tools := agent.Connect(t, agent.Start(t), agent.Ines).Tools
	sizes, all, titles := map[string]int{}, 0, 0
	for name, tool := range tools {
		definition, err := json.Marshal(map[string]any{
			"name": name, "description": tool.Description, "inputSchema": json.RawMessage(tool.InputSchema.JSON),
		})
		if err != nil {
			t.Fatal(err)
		}
		sizes[name] = agent.Tokens(t, string(definition))
		all, titles = all+sizes[name], titles+agent.Tokens(t, tool.Title)
	}
	largest := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b))
	})
	var table strings.Builder
	fmt.Fprintf(&table, "%-36s %6d\n", fmt.Sprintf("definitions of %d tools", len(tools)), all)
	fmt.Fprintf(&table, "%-36s %6d\n", "titles", titles)
	for _, name := range largest[:10] {
		fmt.Fprintf(&table, "%-36s %6d\n", name, sizes[name])
	}
	t.Log("\n" + strings.TrimSuffix(table.String(), "\n"))
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("which take %d,%d00 tokens", all/1000, (all%1000+50)/100); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say: %s", want)
	}
	if all > definitionTokens {
		t.Errorf("the definitions take %d tokens; the limit is %d", all, definitionTokens)
	}
}

// gitHubTokens is how many tokens the definitions of GitHub's tools may take. Never raise it.
const gitHubTokens = 3_400

func TestDefinitions_OfGitHubStayWithinTheirTokens(t *testing.T) {
	all := 0
	for name, tool := range agent.Connect(t, agent.Start(t)+"/x/basecamp,github", agent.Ines).Tools {
		if !strings.HasPrefix(name, "github_") {
			continue
		}
		definition, err := json.Marshal(map[string]any{
			"name": name, "description": tool.Description, "inputSchema": json.RawMessage(tool.InputSchema.JSON),
		})
		if err != nil {
			t.Fatal(err)
		}
		tokens := agent.Tokens(t, string(definition))
		t.Logf("%-36s %6d", name, tokens)
		all += tokens
	}
	if t.Logf("%-36s %6d", "all", all); all == 0 || all > gitHubTokens {
		t.Errorf("the definitions of GitHub's tools take %d tokens; the limit is %d", all, gitHubTokens)
	}
}
