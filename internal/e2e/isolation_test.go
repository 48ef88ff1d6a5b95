package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestUsers_SeeOnlyTheirOwnProjects(t *testing.T) {
	s := start(t)
	const confidential = "Payroll & Contracts" // a project that Marguerite cannot see
	var both sync.WaitGroup
	for bearer, sees := range map[string]bool{ines: true, marguerite: false} {
		for range 5 {
			both.Go(func() {
				if names := projects(t, s, bearer); slices.Contains(names, confidential) != sees {
					t.Errorf("%s sees %q", bearer, names)
				}
			})
		}
	}
	both.Wait()

	asked := call(t, s, marguerite, "list_todos", map[string]any{"project_id": confidential})
	if !asked.IsError {
		t.Errorf("Marguerite reads %s: %s", confidential, asked.text())
	}
}

func TestUsers_CannotUseTheSessionOfAnotherUser(t *testing.T) {
	s := start(t)
	session := initialize(t, s, ines)
	for bearer, status := range map[string]int{ines: http.StatusOK, marguerite: http.StatusNotFound} {
		message{
			method: "tools/list", version: legacy, bearer: bearer, header: map[string]string{"Mcp-Session-Id": session},
		}.post(t, s).wants(t, status, 0)
	}
}

// Basecamp's rate limit allows fewer than a hundred calls at once. The server delays some calls and
// answers all of them.
func TestUsers_EachOfAHundredConcurrentCallsIsAnsweredForItsCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	names := map[string]string{
		"ines": "Ines Albrecht", "samo": "Sam Okafor", "saml": "Sam Lindqvist", "noemie": "Noémie Laurent",
		"mateusz": "Mateusz Wójcik", "priya": "Priya Raman", "jonas": "Jonas Brandt", "hanna": "Hanna Koivisto",
		"tomas": "Tomás Herrera", "aoife": "Aoife Brennan",
	}
	began := time.Now()
	var all sync.WaitGroup
	for handle, name := range names {
		for range 10 {
			all.Go(func() {
				r := call(t, s, "sandbox-"+handle, "get_me", nil)
				var me struct{ Name string }
				if err := json.Unmarshal(r.StructuredContent, &me); err != nil || r.IsError || me.Name != name {
					t.Errorf("%s: %s", handle, r.text())
				}
			})
		}
	}
	all.Wait()
	t.Logf("answered after %v", time.Since(began))
}

func projects(t testing.TB, s *server, bearer string) []string {
	t.Helper()
	r := call(t, s, bearer, "list_projects", map[string]any{"limit": 100})
	var list struct{ Items []struct{ Name string } }
	if err := json.Unmarshal(r.StructuredContent, &list); err != nil || r.IsError {
		t.Errorf("list_projects: %s", r.text())
	}
	var names []string
	for _, p := range list.Items {
		names = append(names, p.Name)
	}
	return names
}

// initialize opens a session of the legacy era and returns its ID.
func initialize(t testing.TB, s *server, bearer string) string {
	t.Helper()
	a := message{method: "initialize", version: legacy, bearer: bearer, params: map[string]any{
		"protocolVersion": legacy,
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]string{"name": "e2e", "version": "1"},
	}}.post(t, s)
	a.wants(t, http.StatusOK, 0)
	var agreed struct{ ProtocolVersion string }
	if err := json.Unmarshal(a.Result, &agreed); err != nil || agreed.ProtocolVersion != legacy {
		t.Errorf("agreed on %q: %.300s", agreed.ProtocolVersion, a.body)
	}
	session := a.header.Get("Mcp-Session-Id")
	if session == "" {
		t.Error(fmt.Sprint("no session: ", a.header))
	}
	return session
}
