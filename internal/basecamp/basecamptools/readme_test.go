package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/docstest"
)

// The first screen of the README shows an answer in words. The tool must return the same facts.
func TestREADME_ShowsAnAnswerThatTheToolsReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(recipeClock)) // synctest's clock
		d := newToolEnv(t, sandbox.Options{})
		answer := call[struct {
			Items []struct {
				Title string
				DueOn string `json:"due_on"`
			}
		}](d, "list_work", args{"project": launchProject, "state": "overdue", "assignee": "Priya"})
		var b strings.Builder
		fmt.Fprintf(&b, "> %d things are overdue:\n", len(answer.Items))
		for _, item := range answer.Items {
			due, err := time.Parse(time.DateOnly, item.DueOn)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "> * %s (due %s)\n", item.Title, due.Format("2 January"))
		}
		docstest.Section(t, "README.md", "example", b.String())
	})
}
