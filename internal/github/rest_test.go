package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
)

// sent is what reached GitHub.
type sent struct {
	line string // method and address
	body string
}

// recording returns a client, and the requests that it sends.
func recording(t testing.TB, answers ...http.HandlerFunc) (*Client, *[]sent) {
	var all []sent
	next := inTurn(answers...)
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body := ""
		if r.Body != nil {
			raw, _ := io.ReadAll(r.Body)
			body = string(raw)
		}
		all = append(all, sent{r.Method + " " + r.URL.RequestURI(), body})
		next(w, r)
	})
	return c, &all
}

func TestIssue_KeepsEveryFieldAndEveryByteOfItsBody(t *testing.T) {
	c, _ := recording(t, says(200, issueJSON))
	got, err := c.Issue(t.Context(), shop, 12)
	want := Issue{
		ID: "I_12", Number: 12, Repo: shop, Title: "Bell rings twice", Body: "a <b> &amp; \u200b", State: "open", Author: "nora",
		Assignees: []string{"ines"}, AssigneeIDs: []string{""}, Labels: []string{"bug", "urgent"},
		Milestone: &Milestone{ID: "MI_3", Number: 3, Title: "Spring", State: "open", DueOn: "2026-03-01"}, Comments: 2,
		CreatedAt: time.Date(2026, 2, 1, 10, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 2, 2, 10, 0, 0, 0, time.UTC),
		URL: "https://github.example/fernhill-bikes/shop/issues/12",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	c, _ = recording(t, says(200, `{"node_id": "PR_1", "number": 1, "user": null, "pull_request": {"url": "x"}}`))
	if got, err := c.Issue(t.Context(), shop, 1); err != nil || got.Author != "ghost" || !got.PullRequest {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestIssues_FollowGitHubsLinkFromPageToPage(t *testing.T) {
	next := apiURL + "/repositories/7/issues?after=Y3%3D&per_page=100&page=2"
	c, all := recording(t, says(200, "["+issueJSON+"]", "Link", `<`+next+`>; rel="next", <`+next+`>; rel="last"`), says(200, "[]"))
	filter := IssueFilter{
		State: "open", Labels: []string{"bug", "good first issue"}, Assignee: "nora", Creator: "ines", Milestone: "3",
		Since: time.Date(2026, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600)), Sort: "updated", Direction: "asc",
	}
	first, err := c.Issues(t.Context(), shop, filter, "")
	if err != nil || len(first.Items) != 1 || first.Next != "repositories/7/issues?after=Y3%3D&per_page=100&page=2" || first.Total != -1 || first.Incomplete != nil {
		t.Fatalf("%+v, %v", first, err)
	}
	last, err := c.Issues(t.Context(), shop, filter, first.Next)
	if err != nil || last.Items == nil || len(last.Items) != 0 || last.Next != "" {
		t.Errorf("%+v, %v", last, err)
	}
	want := []sent{
		{"GET /repos/fernhill-bikes/shop/issues?assignee=nora&creator=ines&direction=asc&labels=bug%2Cgood+first+issue&milestone=3&per_page=100&since=2026-01-01T00%3A00%3A00Z&sort=updated&state=open", ""},
		{"GET /repositories/7/issues?after=Y3%3D&per_page=100&page=2", ""},
	}
	if diff := cmp.Diff(want, *all, cmp.AllowUnexported(sent{})); diff != "" {
		t.Error(diff)
	}
}

func TestLists_RefuseALinkOrACursorThatLeadsElsewhere(t *testing.T) {
	for _, target := range []string{"https://evil.example/repos/a/b/issues?page=2", apiURL + "/user/emails?page=2", apiURL + "/repos/a/b/issues", "http://api.github.example/repos/a/b/issues?page=2"} {
		c, all := recording(t, says(200, "["+issueJSON+"]", "Link", `<`+target+`>; rel="next"`))
		f := wantFault(t, errOf(c.Issues(t.Context(), shop, IssueFilter{}, "")), fault.UpstreamError)
		if len(*all) != 1 || strings.Contains(f.Message, "evil") {
			t.Errorf("%s: %d requests, %+v", target, len(*all), f)
		}
	}
	for _, next := range []string{"https://evil.example/issues?page=2", "../issues?page=2", "//evil.example/issues?page=2", "user/emails?page=2", "repos/a/b/issues", "repos/a/b/comments?page=2", "%zz"} {
		c, all := recording(t, says(200, "[]"))
		wantFault(t, errOf(c.Issues(t.Context(), shop, IssueFilter{}, next)), fault.InvalidInput)
		if len(*all) != 0 {
			t.Errorf("%s was asked for: %v", next, *all)
		}
	}
}

func TestLists_AnUnchangedPageKeepsItsItemsAndTakesTheNewLink(t *testing.T) {
	unchanged := func(headers ...string) http.HandlerFunc { return says(304, "", headers...) }
	link := []string{"Link", `<` + apiURL + `/repositories/7/issues?page=2>; rel="next"`}
	issue := `[{"id": 5, "node_id": "I_5", "number": 5, "user": null, "title": "Done", "repository_url": "` + apiURL + `/repos/a/b"}]`
	c, _ := recording(t, says(200, issue, "ETag", `"1"`, "X-GitHub-SSO", "partial-results; organizations=9"), unchanged(), unchanged(link...))
	for i, want := range []string{"", "", "repositories/7/issues?page=2"} {
		page, err := c.Issues(t.Context(), shop, IssueFilter{}, "")
		if err != nil || len(page.Items) != 1 || page.Items[0].Author != "ghost" || page.Items[0].Title != "Done" || page.Next != want || page.Incomplete == nil {
			t.Errorf("read %d: %+v, %v", i+1, page, err)
		}
		page.Items[0].Title = "changed by the caller" // which must not reach the cache
	}
}

func TestLists_ReadAllPagesOfLabelsAndMilestones(t *testing.T) {
	c, all := recording(t,
		says(200, `[{"id": 1, "name": "bug", "color": "ff0000", "description": null}]`, "Link", `<`+apiURL+`/repositories/7/labels?page=2>; rel="next"`),
		says(200, `[{"id": 2, "name": "🐛", "color": "00ff00", "description": "x"}]`))
	labels, err := c.Labels(t.Context(), shop)
	if diff := cmp.Diff([]Label{{ID: 1, Name: "bug", Color: "ff0000"}, {ID: 2, Name: "🐛", Color: "00ff00", Description: "x"}}, labels); diff != "" || err != nil || len(*all) != 2 {
		t.Error(err, diff)
	}
	c, all = recording(t, says(200, "[]"))
	milestones, err := c.Milestones(t.Context(), shop)
	if err != nil || len(milestones) != 0 || (*all)[0].line != "GET /repos/fernhill-bikes/shop/milestones?per_page=100&state=all" {
		t.Errorf("%v, %v, %v", milestones, err, *all)
	}
	var page int
	c = answering(t, func(w http.ResponseWriter, r *http.Request) {
		page++
		says(200, `[{"id": 1, "name": "bug"}]`, "Link", fmt.Sprintf(`<%s/repositories/7/labels?page=%d>; rel="next"`, apiURL, page+1))(w, r)
	})
	if f := wantFault(t, errOf(c.Labels(t.Context(), shop)), fault.UpstreamError); f.Retryable || page != maxPages {
		t.Errorf("an endless list: %+v after %d pages", f, page)
	}
}

func TestMilestones_AreDueAtNoonUTCAndShowTheUTCDate(t *testing.T) {
	c, all := recording(t, says(201, `{"node_id": "MI_4", "number": 4, "title": "Spring", "due_on": "2026-03-01T23:30:00-08:00", "open_issues": 1, "closed_issues": 2}`))
	got, err := c.CreateMilestone(t.Context(), shop, Fields{"title": "Spring", "due_on": "2026-03-01"})
	if diff := cmp.Diff(Milestone{ID: "MI_4", Number: 4, Title: "Spring", DueOn: "2026-03-02", OpenIssues: 1, ClosedIssues: 2}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if body := (*all)[0].body; body != `{"due_on":"2026-03-01T12:00:00Z","title":"Spring"}` {
		t.Error(body)
	}
}

func TestRepo_ThatIsNotANameIsRefusedBeforeARequest(t *testing.T) {
	c, all := recording(t, says(200, issueJSON))
	for _, repo := range []Repo{{}, {"a", ""}, {"..", "b"}, {"a", ".."}, {"a", "."}, {strings.Repeat("a", 300), "b"}} {
		wantFault(t, errOf(c.Issue(t.Context(), repo, 1)), fault.InvalidInput)
		wantFault(t, errOf(c.Labels(t.Context(), repo)), fault.InvalidInput)
	}
	wantFault(t, errOf(c.Issue(t.Context(), shop, 0)), fault.InvalidInput)
	if len(*all) != 0 {
		t.Error(*all)
	}
	if _, err := c.Issue(t.Context(), Repo{"a/../b", "c?d#e"}, 1); err != nil || (*all)[0].line != "GET /repos/a%2F..%2Fb/c%3Fd%23e/issues/1" {
		t.Errorf("%v, %v", *all, err)
	}
}

func TestUser_IsAskedForOnlyIfTheLinkDoesNotName(t *testing.T) {
	c, all := recording(t, says(200, `{"id": 77, "login": "nora"}`))
	login, err := c.Login(t.Context())
	if err != nil || login != "nora" || (*all)[0].line != "GET /user" {
		t.Errorf("%s, %v, %v", login, err, *all)
	}
	c.tokens = named{}.Credential
	if login, err := c.Login(t.Context()); err != nil || login != "ines" || len(*all) != 1 {
		t.Errorf("%s, %v", login, err)
	}
}

type named struct{}

func (named) Credential(context.Context, string) (Credential, error) {
	return Credential{AccessToken: "t", Person: "ines", Login: "ines"}, nil
}
