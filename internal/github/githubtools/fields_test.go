package githubtools

import (
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
)

func TestIterationAt_AnIterationEndsBeforeTheNextBegins(t *testing.T) {
	all := []github.Iteration{
		{Title: "One", StartDate: "2026-11-01", Duration: 7}, {Title: "Two", StartDate: "2026-11-08", Duration: 7}, {Title: "Four", StartDate: "2026-11-22", Duration: 7},
	}
	for _, test := range []struct{ text, today, want string }{
		{"@current", "2026-11-08", "Two"}, {"@previous", "2026-11-08", "One"}, {"@next", "2026-11-08", "Four"},
		{"@current", "2026-11-14", "Two"}, {"@current", "2026-11-15", ""}, {"@previous", "2026-11-15", "Two"}, {"@next", "2026-11-15", "Four"},
		{"@next", "2026-11-22", ""}, {"@previous", "2026-11-01", ""}, {"2026-11-07", "2026-11-22", "One"}, {"2026-12-01", "2026-11-22", ""},
	} {
		found, named := boards.IterationAt(all, test.text, test.today)
		got := ""
		if found != nil {
			got = found.Title
		}
		if got != test.want || !named {
			t.Errorf("%s on %s: %q, want %q", test.text, test.today, got, test.want)
		}
	}
	if _, named := boards.IterationAt(all, "one", "2026-11-08"); named {
		t.Error("a title is read as a date")
	}
}
