package githubtools

import (
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

func TestRESTInput_ACursorBelongsToItsOwnQuestion(t *testing.T) {
	d := newToolEnv(t)
	const message = "must be the next_cursor of the same list with the same arguments; omit cursor to start from the beginning"
	of := func(tool string, with args) string {
		return *call[struct {
			NextCursor *string `json:"next_cursor"`
		}](d, tool, with).NextCursor
	}
	issues := of("list_issues", args{"repo": configurator, "limit": 2})
	comments := of("get_issue", args{"issue": configurator + "#77"})
	projects := of("list_projects", args{"owner": "fernhill-bikes", "limit": 1, "state": "all"})
	for _, cursor := range []any{projects, comments, "garbage", "%", issues + "A", strings.ToLower(issues), "eyJxIjoiIn0", 7} {
		d.invalid("list_issues", args{"repo": configurator, "cursor": cursor}, "cursor", message)
	}
	for _, other := range []args{
		{"repo": "fernhill-bikes/old-shop"}, {"state": "closed"}, {"labels": []string{"bug"}}, {"assignee": "me"}, {"creator": "me"}, {"milestone": 1}, {"milestone": "none"},
		{"since": "2026-01-01"}, {"sort": "updated"}, {"direction": "asc"},
	} {
		with := args{"repo": configurator, "cursor": issues}
		maps.Copy(with, other)
		d.invalid("list_issues", with, "cursor", message)
	}
	d.invalid("list_issues", args{"repo": configurator, "cursor": strings.Repeat("a", 2001)}, "cursor", "must be at most 2000 characters, got 2001")
	same := args{"repo": strings.ToUpper(configurator), "cursor": issues, "limit": 50}
	if p := call[parts.Page[issue]](d, "list_issues", same); len(p.Items) != 50 {
		t.Errorf("%d issues", len(p.Items))
	}
	for _, issue := range []string{"#77", "#12", "#83"} { // with many comments, with one and with none
		for _, cursor := range []string{issues, projects, "garbage"} {
			f := d.refusal("get_issue", args{"issue": configurator + issue, "cursor": cursor})
			if f.Code != fault.InvalidInput || f.Message != "cursor: "+message {
				t.Errorf("%s: %+v", issue, f)
			}
		}
	}
	d.fails(fault.InvalidInput, "get_issue", args{"issue": configurator + "#12", "cursor": comments}, "same list")
}

func TestRESTInput_ACursorIsNotAnAddress(t *testing.T) {
	d := newToolEnv(t)
	cursor := *call[parts.Page[issue]](d, "list_issues", args{"repo": configurator, "state": "all", "limit": 100}).NextCursor
	for _, next := range []string{"https://planted.example/issues?page=2", "../issues?page=2", "//planted.example/issues?page=2", "user/emails?page=2", "repos/a/b/comments?page=2"} {
		d.invalid("list_issues", args{"repo": configurator, "state": "all", "cursor": readdressed(t, cursor, next)}, "cursor", "must be the next_cursor of the same list")
	}
}

// readdressed returns a cursor that continues at another address.
func readdressed(t *testing.T, cursor, next string) string {
	t.Helper()
	var at parts.Position
	if !listing.DecodeCursor(cursor, &at) {
		t.Fatal(cursor)
	}
	at.Next = next
	return listing.EncodeCursor(at)
}
