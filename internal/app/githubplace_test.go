package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
)

// hubPlace is the endpoint of the demo, for the demo's bearer tokens.
type hubPlace struct {
	*testing.T
	url       string
	demo      local.Demo
	instances []*access
}

// openHub starts an instance for each storage. Requests go to the instances in turns. change may
// change each instance's GitHub first.
func openHub(t *testing.T, change func(*githubServer), storages ...storage) *hubPlace {
	t.Helper()
	p := &hubPlace{T: t, demo: local.NewDemo()}
	var handlers []http.Handler
	p.url = inTurns(t, &handlers)
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: p.url}
	for _, s := range storages {
		hub := demoGitHub(p.demo, p.url)
		if change != nil {
			change(hub)
		}
		a := newAccess(p.demo.Users(), newLogins(c, quiet, linkDemo(p.demo, quiet, hub, s), signOn{}, hub.providers(userAgent(c))...), nil)
		mux, _, err := newEndpoint(c, quiet, demoUpstream(p.demo), hub, a)
		if err != nil {
			t.Fatal(err)
		}
		p.instances = append(p.instances, a)
		handlers = append(handlers, mux)
	}
	return p
}

// keeper returns the keeper of GitHub's grants of an instance.
func (p *hubPlace) keeper(instance int) *grant.Keeper {
	p.Helper()
	hub, ok := p.instances[instance].logins.linked(githubauth.ProviderID)
	if !ok {
		p.Fatal("GitHub is not among the providers")
	}
	return hub.Keeper
}

// subject returns the subject of the demo's person with a bearer token.
func (p *hubPlace) subject(handle string) string {
	p.Helper()
	people := p.demo.Sandbox.People()
	i := slices.IndexFunc(people, func(person sandbox.Person) bool { return local.DemoBearer(person) == "sandbox-"+handle })
	return launchpad.Subject(people[i].IdentityID)
}

// answer is what a call of a tool returned.
type answer struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
	failure
}

type failure struct {
	Code      string `json:"error_code"`
	Message   string
	Retryable bool
	Data      struct {
		Link      *fault.Link
		RateLimit *struct{ Remaining *int } `json:"rate_limit"`
	}
}

func (a answer) text() string {
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[0].Text
}

// call calls a tool of GitHub's toolset with the bearer token of a person.
func (p *hubPlace) call(handle, tool, arguments string) answer {
	p.Helper()
	return callAt(p.T, p.url, "sandbox-"+handle, tool, arguments)
}

func callAt(t *testing.T, url, bearer, tool, arguments string) answer {
	t.Helper()
	_, _, body := send(t, url+"/mcp/x/github,account", bearer, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	got := mcptest.Result[answer](t, []byte(body))
	if got.IsError {
		if err := json.Unmarshal([]byte(got.text()), &got.failure); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
	}
	return got
}

// works checks that a person can use GitHub.
func (p *hubPlace) works(handle string) {
	p.Helper()
	if got := p.call(handle, "github_list_projects", `{}`); got.IsError {
		p.Errorf("%s: %s", handle, got.text())
	}
}

// fails checks that a person cannot use GitHub, and returns the answer.
func (p *hubPlace) fails(handle, code string) answer {
	p.Helper()
	got := p.call(handle, "github_list_projects", `{}`)
	if !got.IsError || got.Code != code || strings.Contains(got.text(), "gho_") || strings.Contains(got.text(), "ghu_") {
		p.Errorf("%s: %s, want %s", handle, got.text(), code)
	}
	return got
}
