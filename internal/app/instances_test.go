package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
)

// sharedLists lets two users work concurrently, in two sessions each, on alternating instances.
func sharedLists(p *place) {
	handles := []string{"ines", "priya"}
	var all sync.WaitGroup
	for _, handle := range handles {
		first := p.agentOf(handle, handshake)
		for i, a := range []*agent{first, first.reopened()} {
			plan := fmt.Sprint(handle, " in session ", i)
			all.Go(func() {
				for n := range 10 {
					a.set(pending(plan, fmt.Sprint(n)))
					a.holds(pending(plan, fmt.Sprint(n)), nil)
					a.add(plan)
				}
			})
		}
	}
	all.Wait()
	for _, handle := range handles {
		a := p.agentOf(handle, stateless)
		of := map[string]int{}
		for _, title := range a.titles(args{"limit": 200}) {
			of[title]++
		}
		if len(of) != 2 || of[handle+" in session 0"] != 10 || of[handle+" in session 1"] != 10 {
			p.Errorf("%s has %v", handle, of)
		}
		if got := a.must("todolist__lists", nil); got.at("total") != 2.0 {
			p.Errorf("%s has %s", handle, got.text)
		}
	}
}

func TestInstances_SeparateUsersAndSessionsAndKeepEveryWrite(t *testing.T) {
	sharedLists(openOn(t, config.Config{}, twoInMemory(t)...))
}

func TestInAWS_InstancesShareTheirData(t *testing.T) {
	where := inStandIns(t)
	for name, test := range map[string]func(*place){"people and sessions": sharedLists, "an ended session": endedSession} {
		t.Run(name, func(t *testing.T) {
			test(openOn(t, config.Config{}, instances(t, newTable(t, where), 3)...))
		})
	}
	t.Run("cold start", func(t *testing.T) {
		table := newTable(t, where)
		coldStart(t, func() storage { return instances(t, table, 1)[0] })
	})
}

// coldStart reads with a new instance what another one has written.
func coldStart(t *testing.T, kept func() storage) {
	t.Helper()
	old := openOn(t, config.Config{}, kept()).agentOf("ines", handshake)
	id := old.set(pending("kept"))
	old.add("Oil the chains")
	for _, w := range []way{handshake, stateless, bridged} {
		fresh := started(old.place, kept())
		a := fresh.with(old.bearer, w)
		a.holds(pending("kept"), args{"list_id": id})
		a.lists(nil, "Oil the chains")
		same := *old
		same.place = fresh
		same.holds(pending("kept"), nil) // in the same session
	}
}

// started returns a new instance with the storage of others, at the origin of an existing place.
func started(p *place, s storage) *place {
	p.Helper()
	c := config.Config{BasecampURL: config.Sandbox, PublicURL: p.url}
	started := must(newLocalDemo(c, quiet, s, local.NewDemo()))
	server := httptest.NewServer(started.Handler)
	p.Cleanup(server.Close)
	return &place{T: p.T, url: server.URL}
}

func TestInstances_AListOutlivesTheInstanceThatWroteIt(t *testing.T) {
	s := inMemory("", "")
	coldStart(t, func() storage { return s })
}

// endedSession checks that a list is deleted with its session, and that other lists stay.
func endedSession(p *place) {
	a := p.agentOf("ines", handshake)
	id := a.set(pending("dropped"))
	other := a.reopened()
	kept := other.set(pending("kept"))
	for _, tried := range []struct {
		session string
		status  int
	}{{a.agentOf("priya", handshake).session, http.StatusNotFound}, {"", http.StatusBadRequest}, {a.session, http.StatusNoContent}, {a.session, http.StatusNotFound}} {
		status, _, body := ask(a.T, http.MethodDelete, a.url+"/mcp", a.bearer, "", "Mcp-Session-Id", tried.session)
		if status != tried.status {
			a.Errorf("ending %q: HTTP %d %s", tried.session, status, body)
		}
	}
	if status, _, body := a.request("tools/call", "todolist__get", args{"name": "todolist__get"}); status != http.StatusNotFound {
		a.Errorf("in the ended session: HTTP %d %s", status, body)
	}
	other.refuses("todolist__get", args{"list_id": id}, "UNKNOWN_LIST", "")
	other.holds(pending("kept"), nil)
	other.holds(pending("kept"), args{"list_id": kept})
}

func TestInstances_TheEndOfASessionDeletesItsList(t *testing.T) {
	endedSession(openOn(t, config.Config{}, twoInMemory(t)...))
}
