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
