// Package jobs measures what requests of users cost an agent that knows only tools/list: calls,
// errors and tokens. Thirty are about Basecamp, ten about GitHub. A job counts as done only if
// another call confirms it.
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
	maxCalls        = 56
	maxErrors       = 1
	maxTokens       = 40_000
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

// sums are what some jobs cost together.
type sums struct{ calls, errors, tokens, done int }

// measured does the jobs and prints what each costs. Each has a server of its own.
func measured(t *testing.T, jobs []job, path string) (runs []*run, all sums) {
	t.Helper()
	runs = make([]*run, len(jobs))
	t.Run("job", func(t *testing.T) {
		for i, job := range jobs {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				runs[i] = start(t, path)
				job.do(runs[i])
			})
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%2s  %-67s %5s %6s %6s  %s\n", "", "job", "calls", "errors", "tokens", "outcome")
	for i, r := range runs {
		all = sums{all.calls + r.calls, all.errors + r.errors, all.tokens + r.tokens, all.done}
		if r.outcome == done {
			all.done++
		}
		fmt.Fprintf(&table, "%2d  %-67s %5d %6d %6d  %s\n", i+1, jobs[i].ask, r.calls, r.errors, r.tokens,
			strings.TrimSuffix(r.outcome+": "+r.reason, ": "))
	}
	fmt.Fprintf(&table, "%2s  %-67s %5d %6d %6d  %d of %d done", "", "all", all.calls, all.errors, all.tokens, all.done, len(runs))
	t.Log("\n" + table.String())
	return runs, all
}

func TestJobs_CostNoMoreThanBefore(t *testing.T) {
	runs, all := measured(t, jobs, "")
	goals := make([]string, len(targets))
	for i, goal := range targets {
		goals[i] = fmt.Sprintf("%d %s", goal.target, goal.what)
	}
	t.Log("\ntargets: " + strings.Join(goals, "; "))
	report := runs[weeklyReport-1].tokens
	for _, limit := range []struct {
		what     string
		got, max int
	}{
		{"calls", all.calls, maxCalls},
		{"errors", all.errors, maxErrors},
		{"tokens", all.tokens, maxTokens},
		{"tokens of the weekly report", report, maxReportTokens},
		{"jobs that are not done", len(runs) - all.done, len(runs) - minDone},
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
