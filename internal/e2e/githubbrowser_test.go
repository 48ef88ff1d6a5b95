package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestBrowser_LinksGitHubOnTheAccountPageAndUnlinksIt(t *testing.T) {
	t.Parallel()
	for name, javaScript := range map[string]bool{"with JavaScript": true, "without JavaScript": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := start(t), browse(t, javaScript)
			c := connectHub(t, s, "sandbox-samo", hubKinds[modern])
			b.goes(s.at("/account"))
			b.clicks("Continue to Basecamp")
			b.wants(b.clicks("Sam Okafor"), "Connected apps", "Disconnect everything")
			b.wants(b.does("read", "Not linked. If you link GitHub, this server asks for permission to"), "Connected apps")
			b.does("read", "read projects")

			b.wants(b.clicks("Link GitHub"), "Link GitHub", "Continue to GitHub")
			consent := b.clicks("Continue to GitHub")
			b.wants(consent, "Choose who you are")
			if !strings.HasPrefix(consent.URL, s.at("/github/login/oauth/authorize?")) || !slices.Contains(consent.Buttons, "Deny") {
				t.Errorf("GitHub asks at %s with the buttons %q", consent.URL, consent.Buttons)
			}
			linked := b.clicks("Sam Okafor")
			b.wants(linked, "Connected apps", "Unlink GitHub", "Disconnect everything")
			if linked.URL != s.at("/account") || linked.Status != "GitHub is linked." {
				t.Errorf("the link ends at %s with %q", linked.URL, linked.Status)
			}
			for _, words := range []string{"@sam-okafor", "This server may", "read projects", "see your organizations"} {
				b.does("read", words)
			}
			c.call("github_list_projects", boards).succeeds(t)

			unlinked := b.clicks("Unlink GitHub")
			b.wants(unlinked, "Connected apps", "Disconnect everything")
			if unlinked.Status != "GitHub is unlinked. This server deleted its access." {
				t.Errorf("after unlinking, the status is %q", unlinked.Status)
			}
			c.wantsLink(c.call("github_list_projects", boards), "not linked yet")
		})
	}
}

// The link of a call ends on a page that sends the user back to the assistant. So does a denial.
func TestBrowser_OpensTheLinkOfACall(t *testing.T) {
	t.Parallel()
	s, b := start(t), browse(t, true)
	c := connectHub(t, s, "sandbox-samo", hubKinds[modern])
	a := c.call("github_list_projects", boards)
	b.wants(b.goes(c.wantsLink(a, "not linked yet")), "Link GitHub", "Continue to Basecamp")
	b.clicks("Continue to Basecamp")
	b.wants(b.clicks("Sam Okafor"), "Link GitHub", "Continue to GitHub")
	b.clicks("Continue to GitHub")
	b.wants(b.clicks("Sam Okafor"), "GitHub is linked")
	b.does("read", "@sam-okafor")
	c.again(a).succeeds(t)

	a = c.call("github_create_project", newBoard)
	b.wants(b.goes(c.wantsLink(a, "read and change projects")), "Link GitHub", "Continue to GitHub")
	b.does("read", "You have allowed this server to")
	b.clicks("Continue to GitHub")
	if denied := b.clicks("Deny"); denied.Heading != "GitHub was not linked" {
		t.Errorf("after a denial, the browser shows %q", denied.Heading)
	}
	c.call("github_list_projects", boards).succeeds(t)
}

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
