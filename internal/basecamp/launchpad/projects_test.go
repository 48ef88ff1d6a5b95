package launchpad_test

import (
	"testing"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestProjects_AreThoseThatTheUserCanSeeOnAllPages(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := launchpad.New(launchpad.Config{
		URL: sandbox.BaseURL, APIURL: sandbox.BaseURL, Transport: s.Transport(), UserAgent: "test (ops@fernhill.example)", Credentials: registered,
	})
	seen := map[string]int{}
	for _, handle := range []string{"ines", "aoife"} {
		got, err := c.Projects(t.Context(), logIn(t, s, c, handle).AccessToken, s.Account())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got {
			if p.ID <= 0 || p.Name == "" {
				t.Errorf("%+v", p)
			}
		}
		seen[handle] = len(got)
	}
	if pages := len(s.Requests()) - 4; seen["ines"] <= seen["aoife"] || seen["aoife"] == 0 || pages < 3 {
		t.Errorf("%v on %d pages", seen, pages)
	}
	token := logIn(t, s, c, "ines").AccessToken
	for name, test := range map[string]struct {
		fault sandbox.Fault
		want  fault.Code
	}{
		"401":     {sandbox.Fault{Status: 401}, fault.TokenExpired},
		"403":     {sandbox.Fault{Status: 403}, fault.UpstreamError},
		"404":     {sandbox.Fault{Status: 404}, fault.UpstreamError},
		"429":     {sandbox.Fault{Status: 429}, fault.UpstreamError},
		"503":     {sandbox.Fault{Status: 503}, fault.UpstreamError},
		"garbage": {sandbox.Fault{Status: 200, Body: "<html>"}, fault.UpstreamError},
		"dropped": {sandbox.Fault{Drop: true}, fault.UpstreamError},
	} {
		test.fault.Times = 1
		s.Inject(test.fault)
		if _, err := c.Projects(t.Context(), token, s.Account()); !fault.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
