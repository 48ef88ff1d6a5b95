package app

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
)

// A GitHub that fails in any way must not reach the calls that use only Basecamp.
func TestGitHub_ThatIsDeadLeavesBasecampsAnswersAsTheyAre(t *testing.T) {
	for name, dead := range map[string]githubsandbox.Fault{
		"is slow": {Delay: 2 * time.Second, Status: 500},
		"fails":   {Status: 500, Body: "<html>oops gho_0123456789</html>"},
		"garbage": {Garbage: true},
		"drops":   {Drop: true},
		"refuses": {Status: 401, Body: `{"message":"Bad credentials"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openHub(t, unlimitedHub, nil, inMemory("", ""))
			for _, handle := range []string{"ines", "saml"} {
				p.works(handle)
			}
			const lists = `{"name":"list_projects","arguments":{}}`
			basecamp := func(handle string) string {
				_, _, body := send(t, p.url+"/mcp", "sandbox-"+handle, "tools/call", lists)
				return body
			}
			want := map[string]string{"ines": basecamp("ines"), "samo": basecamp("samo")}
			p.demo.GitHub.Inject(dead)
			var hub, all sync.WaitGroup
			var ended atomic.Int32 // calls of GitHub's tools
			for _, handle := range []string{"ines", "saml"} {
				hub.Go(func() {
					defer ended.Add(1)
					got := p.call(handle, "github_list_projects", `{}`)
					if !got.IsError || got.Code != "UPSTREAM_ERROR" && got.Code != "TOKEN_EXPIRED" || strings.Contains(got.text(), "gho_") {
						t.Errorf("%s: %s", handle, got.text())
					}
				})
			}
			for range 10 {
				for handle, want := range want {
					all.Go(func() {
						if got := basecamp(handle); got != want {
							t.Errorf("Basecamp tells %s %s\nwant %s", handle, got, want)
						}
					})
				}
			}
			all.Wait()
			if dead.Delay > 0 && ended.Load() > 0 {
				t.Error("Basecamp's tools waited for GitHub's")
			}
			hub.Wait()
			p.demo.GitHub.ClearFaults()
			if dead.Status != 401 {
				wantStatus(t, p.keeper(0), p.subject("ines"), grant.Active)
				p.works("ines")
				p.works("saml")
			}
		})
	}
}
