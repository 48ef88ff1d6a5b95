package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// withGitHub is the path below the endpoint at which GitHub's tools are served too.
const withGitHub = "/x/basecamp,github"

// with is the arguments of a call.
type with = map[string]any

type hubFailure struct {
	Data struct {
		Link struct {
			URL       string
			ExpiresIn int `json:"expires_in"`
		}
	}
}

// The clients with links declare that they open links for their users. The others show their users
// the failure of the tool.
func TestClients_LinkGitHubDuringACallAndContinue(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T, *server) client{
		"TypeScript SDK 1":                        script("sdk1.mjs"),
		"TypeScript SDK 1, with links":            script("sdk1.mjs", "", "links"),
		"TypeScript client 2, legacy, with links": script("client2.mjs", "legacy", "links"),
		"TypeScript client 2, auto":               script("client2.mjs", "auto"),
		"TypeScript client 2, auto, with links":   script("client2.mjs", "auto", "links"),
		"Inspector, modern":                       inspect("modern"),
		"mcp-go":                                  mcpGo(),
		"mcp-go, legacy":                          mcpGoLegacy(),
		"go-sdk":                                  goSDK(""),
		"go-sdk, legacy":                          goSDK(legacy),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := start(t), newPerson(t, "ines")
			p.submit(p.account(s).formOf(t, "Unlink GitHub"), nil)
			c := connect(t, &server{url: s.url + withGitHub})
			tools, err := c.tools()
			ofGitHub := slices.DeleteFunc(slices.Clone(tools), func(tool string) bool { return !strings.HasPrefix(tool, "github_") })
			if err != nil || len(ofGitHub) != 18 || !slices.Contains(tools, "list_projects") {
				t.Fatalf("tools: %q, %v", tools, err)
			}

			u := &linking{t: t, person: p}
			if user, ok := c.(*scripted); ok && strings.HasSuffix(name, "links") {
				user.opens, u.isAsked = u.follows, true
			}
			u.calls(c, "github_list_projects", with{"owner": "fernhill-bikes"})
			u.calls(c, "github_list_project_items", with{"project": "Season launch", "owner": "fernhill-bikes", "status": "In progress"})
			u.calls(c, "github_create_issue", with{"repo": "fernhill-bikes/configurator", "title": "The bell rings twice"})
			if u.followed != 2 { // the first call, and the first that writes
				t.Errorf("the user followed %d links, want 2", u.followed)
			}
		})
	}
}

// linking is a user who follows the links that a client shows.
type linking struct {
	t        *testing.T
	person   *person
	isAsked  bool // whether the client asks, instead of showing the failure of the tool
	followed int
}

func (u *linking) follows(address string) {
	u.t.Helper()
	u.followed++
	if end := u.person.links(address, "ines-albrecht"); end.heading != "GitHub is linked" {
		u.t.Errorf("the link ends with %d %q", end.status, end.heading)
	}
}

// calls calls a tool, and once more if the user must follow a link first.
func (u *linking) calls(c client, tool string, arguments with) {
	u.t.Helper()
	r, err := c.call(tool, arguments)
	var failed hubFailure
	if err == nil && r.IsError {
		err = json.Unmarshal([]byte(r.text()), &failed)
	}
	if err == nil && failed.Data.Link.URL != "" && !u.isAsked {
		u.follows(failed.Data.Link.URL)
		r, err = c.call(tool, arguments)
	}
	if err != nil || r.IsError || len(r.StructuredContent) == 0 {
		u.t.Errorf("%s: %v %s", tool, err, r.text())
	}
}

// links opens a link to GitHub and grants what GitHub asks for. It returns the last page, which
// says why if the link does not lead to GitHub.
func (p *person) links(address, login string) webpage {
	p.t.Helper()
	at := p.open(address)
	if at.has("Continue to Basecamp") {
		at = p.signsOn(p.arrives(p.submit(at.formOf(p.t, "Continue to Basecamp"), nil)))
	}
	if !at.has("Continue to GitHub") {
		return at
	}
	consent := p.arrives(p.submit(at.formOf(p.t, "Continue to GitHub"), nil)).formOf(p.t, "Cancel")
	return p.arrives(p.submit(consent, map[string][]string{"handle": {login}}))
}

// arrives opens the page to which a redirect leaves.
func (p *person) arrives(at webpage) webpage {
	p.t.Helper()
	if at.leaves == nil {
		return at
	}
	return p.open(at.leaves.String())
}
