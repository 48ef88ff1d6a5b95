package app

import (
	"encoding/json"
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
	"basecamp-mcp/internal/signin/grant"
)

// hubPlace is the endpoint of the demo, for the demo's bearer tokens.
type hubPlace struct {
	mcptest.Site
	demo      local.Demo
	instances []*access
}

// openHub starts an instance for each storage. Requests go to the instances in turns. change may
// change each instance's GitHub first.
func openHub(t *testing.T, change func(*githubServer), storages ...storage) *hubPlace {
	t.Helper()
	p := &hubPlace{Site: mcptest.Site{TB: t}, demo: local.NewDemo()}
	var handlers []http.Handler
	p.URL = inTurns(t, &handlers)
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: p.URL}
	for _, s := range storages {
		hub := demoGitHub(p.demo, p.URL)
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
	mcptest.ToolResult
	mcptest.Failure
}

// call calls a tool of GitHub's toolset with the bearer token of a person.
func (p *hubPlace) call(handle, tool, arguments string) answer {
	p.Helper()
	return callAt(p, p.URL, "sandbox-"+handle, tool, arguments)
}

func callAt(t testing.TB, url, bearer, tool, arguments string) answer {
	t.Helper()
	site := mcptest.Site{TB: t, URL: url}
	got := answer{ToolResult: mcptest.Result[mcptest.ToolResult](t, []byte(site.Call("/mcp/x/github,account", bearer, tool, arguments)))}
	if got.IsError {
		if err := json.Unmarshal([]byte(got.Text()), &got.Failure); err != nil {
			t.Fatalf("%v: %s", err, got.Text())
		}
	}
	return got
}

// works checks that a person can use GitHub.
func (p *hubPlace) works(handle string) {
	p.Helper()
	if got := p.call(handle, "github_list_projects", `{}`); got.IsError {
		p.Errorf("%s: %s", handle, got.Text())
	}
}

// fails checks that a person cannot use GitHub, and returns the answer.
func (p *hubPlace) fails(handle, code string) answer {
	p.Helper()
	got := p.call(handle, "github_list_projects", `{}`)
	if !got.IsError || string(got.ErrorCode) != code || strings.Contains(got.Text(), "gho_") || strings.Contains(got.Text(), "ghu_") {
		p.Errorf("%s: %s, want %s", handle, got.Text(), code)
	}
	return got
}
