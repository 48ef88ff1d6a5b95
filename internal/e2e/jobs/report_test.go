package jobs

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

// reportTokens is what one report may cost at most, in any form and of any period.
const reportTokens = 12_000

func TestReport_StaysWithinItsTokensOnAllProjects(t *testing.T) {
	client := agent.Connect(t, agent.Start(t), agent.Ines)
	for _, since := range []string{"last_7_days", "last_12_months"} {
		for _, format := range []string{"markdown", "structured"} {
			report := client.Call("get_report", with{"since": since, "format": format})
			projects := report.Len("projects") + strings.Count(report.String("markdown"), "\n## ")
			tokens := agent.Tokens(t, report.Text)
			t.Logf("%s, %s: %d tokens of %d projects", since, format, tokens, projects)
			if report.Failed || tokens > reportTokens || projects < 15 {
				t.Errorf("%s, %s: %d tokens of %d projects: %.300s", since, format, tokens, projects, report.Text)
			}
		}
	}
}
