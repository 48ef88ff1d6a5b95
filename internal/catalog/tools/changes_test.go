package tools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
)

// changesOf is an answer of get_changes, as far as it is about GitHub.
type changesOf struct {
	GitHub     []hub.News `json:"github"`
	Projects   []any
	Excluded   int
	NotCovered []string `json:"not_covered"`
	LeftOut    []string `json:"left_out"`
	HasMore    bool     `json:"has_more"`
	Cursor     string
}

// begins returns a cursor of GitHub's changes.
func (w *world) begins(in input) string {
	w.Helper()
	in["sources"], in["since"] = []string{"github"}, "now"
	return call[changesOf](w, "get_changes", in).Cursor
}

// since goes on with a cursor to its end, and returns what happened: "what on item".
func (w *world) since(cursor string) (said []string, last changesOf) {
	w.Helper()
	excluded, projects := 0, []any{}
	for range 100 {
		w.sent = nil
		last = call[changesOf](w, "get_changes", input{"cursor": cursor})
		if on := len(slices.DeleteFunc(w.sent, func(sent string) bool {
			return !strings.Contains(sent, "/search/") && !strings.Contains(sent, "graphql") && !strings.Contains(sent, "/repos/")
		})); on > 13 {
			w.Errorf("%d requests to GitHub", on)
		}
		for _, n := range last.GitHub {
			said = append(said, n.What+" on "+n.Item)
		}
		excluded += last.Excluded
		projects = append(projects, last.Projects...)
		if cursor = last.Cursor; !last.HasMore {
			last.Excluded, last.Projects = excluded, projects
			return said, last
		}
	}
	w.Fatal("no end of the changes")
	return nil, last
}

// jonas sends a request to GitHub's API as another person.
func (w *world) jonas(method, path, body string) {
	w.Helper()
	token := w.github.Grant("jonas-brandt", "repo", "project", "read:org")
	r, _ := http.NewRequest(method, sandbox.APIURL+path, strings.NewReader(body))
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "User-Agent": "test", "Accept": "application/vnd.github+json", "Content-Type": "application/json"} {
		r.Header.Set(name, value)
	}
	if answer, err := w.github.Transport().RoundTrip(r); err != nil || answer.StatusCode > 299 {
		w.Fatalf("%s %s: %v %v", method, path, answer, err)
	}
}

const (
	repoPath  = "/repos/fernhill-bikes/configurator"
	issueName = "fernhill-bikes/configurator#"
	boardName = "fernhill-bikes/1"
)

func TestGetChanges_TellsWhatChangedOnGitHubOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		cursor, own := w.begins(input{}), w.begins(input{"exclude_me": false})
		alone := w.begins(input{"exclude_person": true})
		time.Sleep(2 * time.Minute)
		w.jonas("POST", repoPath+"/issues", `{"title":"Bell is too quiet"}`)
		w.jonas("POST", repoPath+"/issues/12/comments", `{"body":"Seen on the **tablet** too."}`)
		w.jonas("PATCH", repoPath+"/issues/45", `{"state":"closed"}`)
		call[any](w, "github_set_field_value", input{"project": boardName, "item": issueName + "77", "field": "Status", "value": "Ready"})
		call[any](w, "github_add_issue_comment", input{"issues": []string{issueName + "83", issueName + "46"}, "body": "Mine."})
		call[any](w, "github_create_issue", input{"repo": "fernhill-bikes/configurator", "title": "Made here"})
		mine := w.task("Polish the horn")
		w.promote(input{"to": "basecamp", "from": []any{input{"item": mine}}, "project": "Cargo Bike Launch", "list": "Launch checklist"})
		w.promote(input{"to": "github", "from": []any{input{"item": mine}}, "repo": "fernhill-bikes/configurator"})
		call[any](w, "change_basecamp", input{"operation": "post_needle", "arguments": input{"project": "Cargo Bike Launch", "position": 60}})
		time.Sleep(11 * time.Minute)
		said, end := w.since(cursor)
		if got, want := strings.Join(said, "; "), "commented on "+issueName+"12; closed on "+issueName+"45; created on "+issueName+"143"; !sameWords(got, want) || end.Excluded < 6 || len(end.Projects) > 0 {
			t.Errorf("without its own: %q %v, %d excluded, want %q", got, end.Projects, end.Excluded, want)
		}
		if all, _ := w.since(own); len(all) != len(said)+5 || !slices.Contains(all, "Status: Ready on "+issueName+"77") || !slices.Contains(all, "created on "+issueName+"144") {
			t.Errorf("with its own: %q", all)
		}
		if mine, last := w.since(alone); slices.ContainsFunc(mine, func(s string) bool { return strings.HasSuffix(s, "#83") }) || !slices.Contains(last.NotCovered, "github_who") {
			t.Errorf("without the person's own: %q %v", mine, last.NotCovered)
		}
		again, end := w.since(end.Cursor)
		if len(again) != 0 || !slices.Contains(end.NotCovered, "github_board") {
			t.Errorf("a second time: %q %v", again, end.NotCovered)
		}
		if got := call[changesOf](w, "get_changes", input{"cursor": end.Cursor}); len(w.sent) > 6 {
			t.Errorf("nothing new cost %q: %+v", w.sent, got)
		}
	})
}

// sameWords reports whether two lists have the same entries.
func sameWords(a, b string) bool {
	x, y := strings.Split(a, "; "), strings.Split(b, "; ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// More issues change in one second than a page of GitHub's and an answer have.
func TestGetChanges_LosesNothingOfOneMomentOnGitHub(t *testing.T) {
	inWorld(t, func(w *world) {
		cursor := w.begins(input{})
		time.Sleep(2 * time.Minute)
		for n := range 130 {
			w.jonas("POST", repoPath+"/issues", fmt.Sprintf(`{"title":"Found at once %d"}`, n))
		}
		time.Sleep(2 * time.Minute)
		said, _ := w.since(cursor)
		slices.Sort(said)
		if n := len(slices.Compact(slices.Clone(said))); len(said) != 130 || n != 130 {
			t.Errorf("%d told, %d of them different", len(said), n)
		}
	})
}

func TestGetChanges_SaysWhatOfGitHubIsNotThere(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, in := range []input{{"kinds": []string{"todo"}}, {"project": "Cargo Bike Launch"}} {
			in["sources"] = []string{"github"}
			w.Fails(fault.InvalidInput, "get_changes", in, "sources: ")
		}
		plain := call[changesOf](w, "get_changes", input{"since": "now"}).Cursor
		w.Fails(fault.InvalidInput, "get_changes", input{"cursor": plain, "sources": []string{"github"}}, "cursor: ")
		w.unlinked = true
		cursor := w.begins(input{})
		_, got := w.since(cursor)
		if len(got.LeftOut) != 1 || !strings.Contains(got.LeftOut[0], "open https://fernhill.example/link") {
			t.Errorf("not linked: %q", got.LeftOut)
		}
		time.Sleep(2 * time.Minute)
		w.unlinked = false
		w.jonas("POST", repoPath+"/issues/12/comments", `{"body":"Before it was linked."}`)
		time.Sleep(2 * time.Minute)
		if said, _ := w.since(got.Cursor); !slices.Contains(said, "commented on "+issueName+"12") {
			t.Errorf("linked later: %q", said)
		}
		w.silent["/search/"] = true
		if _, got := w.since(cursor); len(got.LeftOut) == 0 || len(got.GitHub) != 0 {
			t.Errorf("silent: %+v", got)
		}
	})
}

func TestGetChanges_ShowsAFencedClientOnlyItsPlacesOnGitHub(t *testing.T) {
	inWorld(t, func(w *world) {
		both := &fence.Places{Repos: []string{"fernhill-bikes/configurator"}, Boards: []string{boardName}}
		w.Caller.Fence = fence.Fence{Read: &fence.Places{Repos: []string{"fernhill-bikes/configurator"}}}
		repo := w.begins(input{})
		w.Caller.Fence = fence.Fence{Read: both}
		board := w.begins(input{})
		w.Caller.Fence = fence.Fence{}
		open, mine := w.begins(input{}), w.begins(input{"mine": true})
		time.Sleep(2 * time.Minute)
		call[any](w, "github_set_field_value", input{"project": boardName, "item": issueName + "77", "field": "Status", "value": "Ready"})
		w.jonas("POST", repoPath+"/issues/12/comments", `{"body":"Here."}`)
		w.jonas("POST", "/repos/fernhill-bikes/frame-drawings/issues", `{"title":"There @ines-albrecht","body":"@ines-albrecht"}`)
		time.Sleep(11 * time.Minute)
		w.Caller.Connection = "another"
		for name, c := range map[string]struct {
			cursor string
			fence  *fence.Places
			want   string
		}{
			"a repository": {repo, &fence.Places{Repos: []string{"fernhill-bikes/configurator"}}, "commented on " + issueName + "12"},
			"a board":      {board, both, "Status: Ready on " + issueName + "77"},
			"nothing":      {open, &fence.Places{}, ""},
			"the person":   {mine, nil, "created on fernhill-bikes/frame-drawings#"},
		} {
			w.Caller.Fence = fence.Fence{Read: c.fence}
			said, got := w.since(c.cursor)
			if text := strings.Join(said, "; "); !strings.Contains(text, c.want) || c.want == "" && text != "" || len(got.LeftOut) > 0 || c.fence != nil && strings.Contains(text, "drawings") {
				t.Errorf("held to %s: %q, want %q; %q", name, text, c.want, got.LeftOut)
			}
		}
	})
}
