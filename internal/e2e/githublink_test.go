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

func TestGitHub_AUserWhoGrantsLessIsNotAskedForever(t *testing.T) {
	t.Parallel()
	for name, kind := range hubKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c, p := connectHub(t, s, "sandbox-samo", kind), newPerson(t, "samo")
			p.links(c.wantsLink(c.call("github_list_projects", boards), "not linked yet"), "sam-okafor")
			a, rounds := c.call("github_create_issue", newIssue), 0
			for ; a.asks && rounds < 5; rounds++ {
				_, end := p.links(c.wantsLink(a, "read and write issues"), "sam-okafor", "repo")
				if !strings.Contains(end.words, "You allowed less than this server asked GitHub for.") {
					t.Fatalf("the page says %s", end.words)
				}
				a = c.again(a)
			}
			if c.version == legacy && c.capabilities != nil { // each call is a new one, with a new link
				c.wantsLink(a, "read and write issues")
			} else if a.fails(t, "PERMISSION_DENIED"); a.failure.Data.Link.Reason != "scope" {
				t.Errorf("after %d rounds: %s", rounds, a.body)
			}
			c.call("github_list_projects", boards).succeeds(t)
		})
	}
}

func TestGitHub_AnotherAccountCannotReplaceTheLinkedOne(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, p := connectHub(t, s, "sandbox-samo", hubKinds[modern]), newPerson(t, "samo")
	p.links(c.call("github_list_projects", boards).link, "sam-okafor")
	a := c.call("github_create_project", newBoard)
	_, end := p.links(c.wantsLink(a, "read and change projects"), "lieke-vdmeer")
	if end.status != http.StatusForbidden || end.heading != "Another GitHub account is linked" {
		t.Errorf("the link ends with %d %q", end.status, end.heading)
	}
	c.wantsLink(c.again(a), "read and change projects")
	c.call("github_list_projects", boards).succeeds(t)
	if page := p.account(s); !strings.Contains(page.words, "Linked as @sam-okafor") {
		t.Errorf("the account page says %s", page.words)
	}
}

func TestGitHub_ALinkWorksOnceAndOnlyForItsUser(t *testing.T) {
	t.Parallel()
	s := start(t)
	priya, marguerite := newPerson(t, "priya"), newPerson(t, "marguerite")
	c := connectHub(t, s, "sandbox-priya", hubKinds[modern])
	a := c.call("github_list_projects", boards)
	link := c.wantsLink(a, "not linked yet")

	marguerite.account(s)
	for title, visitor := range map[string]*person{
		"This link belongs to another user": marguerite,
		"You signed in as another user":     newPerson(t, "mateusz"),
	} {
		_, end := visitor.links(link, "lieke-vdmeer")
		if end.status != http.StatusForbidden || end.heading != title {
			t.Errorf("%s opens the link and sees %d %q", visitor.handle, end.status, end.heading)
		}
	}
	for _, handle := range []string{"priya", "marguerite", "mateusz"} {
		other := connectHub(t, s, "sandbox-"+handle, hubKinds[modern])
		other.wantsLink(other.call("github_list_projects", boards), "not linked yet")
	}

	if _, end := priya.links(link, "lieke-vdmeer"); end.heading != "GitHub is linked" {
		t.Fatalf("the link ends with %d %q", end.status, end.heading)
	}
	c.again(a).succeeds(t)
	if _, end := priya.links(link, "lieke-vdmeer"); end.status != http.StatusBadRequest || end.heading != "This link has expired" {
		t.Errorf("the link works twice: %d %q", end.status, end.heading)
	}
	if page := marguerite.account(s); !strings.Contains(page.words, "Not linked.") {
		t.Errorf("the other user's account page says %s", page.words)
	}
}

func TestGitHub_AUserWhoDeniesIsToldSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	c, p := connectHub(t, s, "sandbox-samo", hubKinds[modern]), newPerson(t, "samo")
	p.account(s)
	a := c.call("github_list_projects", boards)
	at := p.open(c.wantsLink(a, "not linked yet"))
	consent := p.submit(at.formOf(t, "Continue to GitHub"), nil)
	if end := p.submit(consent.formOf(t, "Deny"), map[string][]string{"deny": {"1"}}); end.status != http.StatusForbidden || end.heading != "GitHub was not linked" {
		t.Errorf("the link ends with %d %q", end.status, end.heading)
	}
	c.replies(a, with{"action": "decline"}).fails(t, "NOT_LINKED")
	c.wantsLink(c.again(a), "not linked yet")
}
