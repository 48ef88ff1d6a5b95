package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
)

// absent is a Basecamp that can be out of reach.
type absent struct {
	*sandbox.Sandbox
	url  string
	away atomic.Bool
}

func newAbsent(t *testing.T, away http.HandlerFunc) *absent {
	t.Helper()
	company := sandbox.New(sandbox.Options{RateLimit: -1})
	a := &absent{Sandbox: company}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.away.Load() {
			away(w, r)
			return
		}
		company.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	a.url = server.URL
	a.away.Store(true)
	return a
}

// starts starts a server with an access token. It returns a function that calls a tool.
func (a *absent) starts(t *testing.T, s storage, set ...func(*config.Config)) func(tool, arguments string) string {
	t.Helper()
	c := config.Config{
		BasecampURL: a.url, LaunchpadURL: a.url, PublicURL: "http://127.0.0.1:1", Loopback: true, AccessToken: a.People()[0].Token,
	}
	for _, change := range set {
		change(&c)
	}
	started := must(newLive(t.Context(), c, quiet, s))
	server := httptest.NewServer(started.Handler)
	t.Cleanup(server.Close)
	return func(tool, arguments string) string {
		t.Helper()
		_, _, body := send(t, server.URL+"/mcp", started.Bearer, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
		return body
	}
}

func broken(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestLive_StartsWithoutBasecampAndServesItWhenItIsBack(t *testing.T) {
	for name, test := range map[string]struct {
		away http.HandlerFunc
		set  func(*config.Config)
	}{
		"serve, no connection":    {broken, func(*config.Config) {}},
		"stdio, no connection":    {broken, func(c *config.Config) { c.Stdio = true }},
		"serve, an error":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, func(*config.Config) {}},
		"serve, a chosen account": {broken, func(c *config.Config) { c.AccountID = sandbox.New(sandbox.Options{}).Account() }},
	} {
		a, s := newAbsent(t, test.away), inMemory("", "")
		asks := a.starts(t, s, test.set)
		for _, call := range [][2]string{
			{"add_task", `{"title":"Order bells"}`}, {"list_tasks", `{}`}, {"todolist__get", `{"lists":true}`},
			{"todolist__set", `{"todos":[{"content":"Test","activeForm":"Testing","status":"in_progress"}]}`},
		} {
			if got := asks(call[0], call[1]); strings.Contains(got, `"isError":true`) {
				t.Errorf("%s: %s while Basecamp is away: %s", name, call[0], got)
			}
		}
		if got := asks("get_me", `{}`); !strings.Contains(got, "UPSTREAM_ERROR") {
			t.Errorf("%s: get_me while Basecamp is away: %s", name, got)
		}
		a.away.Store(false)
		if got := asks("get_me", `{}`); !strings.Contains(got, "Ines Albrecht") {
			t.Errorf("%s: get_me when it is back: %s", name, got)
		}
		for range 2 { // the second start finds nothing to move
			asks = a.starts(t, s, test.set)
			if got := asks("list_tasks", `{}`); strings.Count(got, `"title":"Order bells"`) != 1 {
				t.Errorf("%s: the tasks of another start: %s", name, got)
			}
			if got := asks("todolist__get", `{"lists":true}`); strings.Count(got, `"list_id"`) == 0 || !strings.Contains(got, "Testing") {
				t.Errorf("%s: the checklists of another start: %s", name, got)
			}
		}
	}
}

func TestLive_RemembersTheOwnerForAStartWithoutBasecamp(t *testing.T) {
	a, s := newAbsent(t, broken), inMemory("", "")
	a.away.Store(false)
	a.starts(t, s)("add_task", `{"title":"Order bells"}`)
	a.away.Store(true)
	if got := a.starts(t, s)("list_tasks", `{}`); !strings.Contains(got, "Order bells") {
		t.Errorf("a start without Basecamp: %s", got)
	}
}

func TestLive_RefusesATokenThatBasecampRefusesLater(t *testing.T) {
	a := newAbsent(t, broken)
	asks := a.starts(t, inMemory("", ""))
	a.ExpireToken(a.People()[0].Token)
	a.away.Store(false)
	if got := asks("get_me", `{}`); !strings.Contains(got, "TOKEN_EXPIRED") || !strings.Contains(got, "BASECAMP_ACCESS_TOKEN") {
		t.Errorf("a token that has ended: %s", got)
	}
	if got := asks("list_tasks", `{}`); strings.Contains(got, `"isError":true`) {
		t.Errorf("tasks: %s", got)
	}
}

func TestOwner_SignsInAfterAStartWithoutBasecamp(t *testing.T) {
	a := newAbsent(t, broken)
	p, started := openLive(t, inMemory("", ""), func(c *config.Config) { c.BasecampURL, c.LaunchpadURL = a.url, a.url })
	if !started.Login {
		t.Error(started.NoLogin)
	}
	a.away.Store(false)
	tokens, stopped := p.approve(ownDocument, ownRedirect, "scope", "write")
	p.wants("the login stopped at "+stopped, tokens.Access, "Ines Albrecht")
}
