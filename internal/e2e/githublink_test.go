package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

var (
	boards   = with{"owner": "fernhill-bikes"}
	newBoard = with{"title": "Spring tour"}
	newIssue = with{"repo": "fernhill-bikes/configurator", "title": "The bell rings twice"}
)

// The links of a journey: what the call is, what its link is about, and what GitHub is asked for.
var journey = []struct {
	tool      string
	arguments with
	about     string
	asks      []string
}{
	{"github_list_projects", boards, "not linked yet", []string{"read:org", "read:project"}},
	{"github_create_project", newBoard, "read and change projects", []string{"project", "read:org"}},
	{"github_create_issue", newIssue, "read and write issues and milestones", []string{"project", "read:org", "repo"}},
}

// The browser has no session when the first link is opened, so the first link goes by way of
// Basecamp's sign-on.
func TestGitHub_IsLinkedUsedGrantedMoreAndUnlinked(t *testing.T) {
	t.Parallel()
	for name, kind := range hubKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			bearer := register(t, s, "Ledger", "none", backHome).login(newPerson(t, "samo"), approve).AccessToken
			c, p := connectHub(t, s, bearer, kind), newPerson(t, "samo")
			for _, step := range journey {
				a := c.call(step.tool, step.arguments)
				asked, end := p.links(c.wantsLink(a, step.about), "sam-okafor")
				if end.status != http.StatusOK || end.heading != "GitHub is linked" || !strings.Contains(end.words, "@sam-okafor") {
					t.Fatalf("%s: the link ends with %d %q: %s", step.tool, end.status, end.heading, end.words)
				}
				if !slices.Equal(asked, step.asks) {
					t.Errorf("%s: GitHub asks for %q, want %q", step.tool, asked, step.asks)
				}
				c.again(a).succeeds(t)
			}
			for _, step := range journey {
				c.call(step.tool, step.arguments).succeeds(t)
			}

			page := p.account(s)
			for _, words := range []string{"Linked as @sam-okafor", "read and change projects", "read and write issues", "see your organizations"} {
				if !strings.Contains(page.words, words) {
					t.Errorf("the account page does not say %q: %s", words, page.words)
				}
			}
			page = p.submit(page.formOf(t, "Unlink GitHub"), nil)
			if !strings.Contains(page.words, "GitHub is unlinked.") || !strings.Contains(page.words, "Not linked.") {
				t.Errorf("after unlinking, the page says %s", page.words)
			}
			c.wantsLink(c.call("github_list_projects", boards), "not linked yet")
			if who := whoAmI(t, s, bearer); who.Name != "Sam Okafor" {
				t.Errorf("after unlinking GitHub, Basecamp is used by %+v", who)
			}
		})
	}
}
