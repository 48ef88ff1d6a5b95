package app

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

func TestDemo_LinksAPersonAtTheFirstLook(t *testing.T) {
	var used uses
	kept := inMemory("", "")
	counted := used.on(kept)
	p := openHub(t, nil, counted, counted)
	send(t, p.URL+"/mcp", "sandbox-ines", "tools/call", `{"name":"get_me","arguments":{}}`)
	if n := used.records.Load(); n != 0 {
		t.Errorf("%d records are read before GitHub is used", n)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { p.works("ines") })
	}
	all.Wait()
	stored := kept.records(githubauth.ProviderID)
	for handle, scope := range map[string]string{"ines": "project read:org repo", "saml": "read:org read:project", "noemie": "project read:org repo"} {
		if handle != "ines" {
			if _, err := stored.Record(t.Context(), p.subject(handle)); !errors.Is(err, grant.ErrNotFound) {
				t.Errorf("%s is linked before the first look: %v", handle, err)
			}
		}
		held, err := p.keeper(0).Access(t.Context(), p.subject(handle), "")
		if err != nil || held.Scope != scope {
			t.Errorf("%s: %q, %v", handle, held.Scope, err)
		}
	}
	if _, err := p.keeper(0).Access(t.Context(), p.subject("samo"), ""); !fault.Is(err, fault.TokenExpired) {
		t.Errorf("Sam Okafor is linked: %v", err)
	}
	openHub(t, nil, kept).works("ines") // a restart with the same stores
	record, err := stored.Record(t.Context(), p.subject("ines"))
	if err != nil || record.Revision != 1 {
		t.Errorf("Ines was linked more than once: %+v, %v", record, err)
	}
	if err := p.keeper(1).Disconnect(t.Context(), p.subject("ines")); err != nil {
		t.Fatal(err)
	}
	for i := range p.instances {
		if _, err := p.keeper(i).Status(t.Context(), p.subject("ines")); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("instance %d links Ines again: %v", i, err)
		}
	}
}

func TestDemo_GitHubsPagesOpenInABrowser(t *testing.T) {
	p := open(t, config.Config{})
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: p.URL}
	address := must(demoGitHub(local.NewDemo(), p.URL).signOn(userAgent(c)).AuthorizationURL(t.Context(), provider.Authorization{RedirectURI: p.URL + "/oauth/github/callback", State: "s"}))
	if page := p.Get(mcptest.Visitor(), address); !strings.Contains(page, "Ines Albrecht") || !strings.Contains(page, "read:project") {
		t.Errorf("%s says %s", address, page)
	}
	// Programs do not need these, because the server reaches its sandbox in process.
	for _, path := range []string{"/github/api/v3/user", "/github/api/graphql", "/github/login/oauth/access_token"} {
		response := must(http.Post(p.URL+path, "application/json", strings.NewReader("{}")))
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: HTTP %d", path, response.StatusCode)
		}
	}
}
