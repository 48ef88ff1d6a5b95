package githubtools

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

// dated returns what the tools share, on Sunday, 22 November 2026, at 21:40 UTC.
func dated() *kit {
	return &kit{Kit: &boards.Kit{Kit: &parts.Kit{Now: func() time.Time { return time.Date(2026, 11, 22, 22, 40, 5, 0, time.FixedZone("", 3600)) }}}}
}

func TestDay_ReadsDaysAsPeopleWriteThemInUTC(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-24": "2026-12-24", "today": "2026-11-22", " Tomorrow ": "2026-11-23", "friday": "2026-11-27",
		"in 2 weeks": "2026-12-06", "December 7": "2026-12-07", "end of month": "2026-11-30", "2026-1-1": "2026-01-01",
		"a week on friday": "2026-12-04", "last friday of november": "2026-11-27", "24.12.": "2026-12-24",
	} {
		if day, err := dated().DayOrNone("due_on", text); err != nil || day != want {
			t.Errorf("%q: %s, %v", text, day, err)
		}
	}
	for text, words := range map[string]string{
		"soon": "must be a date such as 2026-11-22", "2026-02-30": "2026-02-30", "tomorrow 9:30": "without a time",
		"3/4": "2027-03-04", "next week": "2026-11-23 or 2026-11-27", "eow": "2026-11-20 or 2026-11-22",
	} {
		if day, err := dated().DayOrNone("due_on", text); !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %s, %v", text, day, err)
		}
	}
}

func TestIssueQuestion_AsksTheSameOnEveryPageOfASpan(t *testing.T) {
	repo := github.Repo{Owner: "fernhill-bikes", Name: "configurator"}
	at := func(hour int) github.IssueFilter {
		return github.IssueFilter{State: "open", Since: time.Date(2026, 11, 15, hour, 0, 0, 0, time.UTC)}
	}
	first := issueQuestion(repo, at(21), "last_7_days")
	if later := issueQuestion(repo, at(22), "last_7_days"); later != first {
		t.Error("an hour later, the cursor is of another list")
	}
	if other := issueQuestion(repo, at(21), "last_30_days"); other == first {
		t.Error("another span is the same list")
	}
}

func TestSince_ReadsTimesAndSpansFromTheLastFullHour(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20T00:00:00Z", "yesterday": "2026-11-21T00:00:00Z", "friday": "2026-11-20T00:00:00Z",
		"last_7_days": "2026-11-15T21:00:00Z", "2026-11-20T09:00:00+02:00": "2026-11-20T07:00:00Z", "2026-11-20T09:00:00Z": "2026-11-20T09:00:00Z",
		"2026-11-20T09:00": "2026-11-20T09:00:00Z", "3 days ago": "2026-11-19T00:00:00Z",
	} {
		if at, err := dated().Since("since", text); err != nil || at.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %v", text, at.UTC(), err)
		}
	}
	if at, err := dated().Since("since", "soon"); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("%s, %v", at, err)
	}
}
