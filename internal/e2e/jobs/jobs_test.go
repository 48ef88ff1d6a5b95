// Package jobs measures what thirty requests of users cost an agent that knows only tools/list:
// calls, errors and tokens. A job counts as done only if another tool confirms it.
package jobs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"basecamp-mcp/internal/e2e/agent"
)

func TestMain(m *testing.M) { os.Exit(agent.Main(m)) }

// What the thirty jobs may cost together. Lower a limit when the tools get better; never raise one.
// Tokens and pages depend a little on the day and the hour, because the sandbox's content is as old
// as they say.
const (
	maxCalls        = 57
	maxErrors       = 1
	maxTokens       = 42_000
	maxReportTokens = 12_000
	minDone         = 30
)

var targets = []struct {
	what   string
	target int
}{
	{"calls", 60},
	{"errors", 4},
	{"done", 30},
	{"tokens of the weekly report", 12_000},
}

func TestJobs_CostNoMoreThanBefore(t *testing.T) {
	runs := make([]*run, len(jobs))
	t.Run("job", func(t *testing.T) {
		for i, job := range jobs {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				runs[i] = start(t)
				job.do(runs[i])
			})
		}
	})
	if t.Failed() {
		return
	}
	var calls, errors, tokens, finished int
	var table strings.Builder
	fmt.Fprintf(&table, "%2s  %-67s %5s %6s %6s  %s\n", "", "job", "calls", "errors", "tokens", "outcome")
	for i, r := range runs {
		calls, errors, tokens = calls+r.calls, errors+r.errors, tokens+r.tokens
		if r.outcome == done {
			finished++
		}
		fmt.Fprintf(&table, "%2d  %-67s %5d %6d %6d  %s\n", i+1, jobs[i].ask, r.calls, r.errors, r.tokens,
			strings.TrimSuffix(r.outcome+": "+r.reason, ": "))
	}
	report := runs[weeklyReport-1].tokens
	fmt.Fprintf(&table, "%2s  %-67s %5d %6d %6d  %d of %d done\n", "", "all", calls, errors, tokens, finished, len(runs))
	fmt.Fprintf(&table, "targets:")
	for _, goal := range targets {
		fmt.Fprintf(&table, " %d %s;", goal.target, goal.what)
	}
	t.Log("\n" + strings.TrimSuffix(table.String(), ";"))

	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"calls", calls, maxCalls},
		{"errors", errors, maxErrors},
		{"tokens", tokens, maxTokens},
		{"tokens of the weekly report", report, maxReportTokens},
		{"jobs that are not done", len(runs) - finished, len(runs) - minDone},
	} {
		if limit.got > limit.max {
			t.Errorf("%d %s; the limit is %d", limit.got, limit.what, limit.max)
		}
	}
}

func TestJobs_AreThirty(t *testing.T) {
	if len(jobs) != 30 {
		t.Errorf("there are %d jobs", len(jobs))
	}
}
