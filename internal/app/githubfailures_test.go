package app

import (
	"strings"
	"sync"
	"testing"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
)

var unlimitedHub = githubsandbox.Options{CoreLimit: -1, PointLimit: -1}

// The tokens of an OAuth App need no refresh, so the application's credentials are not needed.
func TestGitHub_LinkedUsersWorkWithoutTheApplicationsCredentials(t *testing.T) {
	kept := inMemory("", "")
	openHub(t, unlimitedHub, nil, kept).works("ines")
	p := openHub(t, unlimitedHub, func(hub *githubServer) { hub.credentials = fixed("", "") }, kept)
	p.works("ines")
	p.fails("samo", "NOT_LINKED")
}

func TestGitHub_PeopleInOneProcessShareNothing(t *testing.T) {
	p := openHub(t, githubsandbox.Options{CoreLimit: -1, PointLimit: 200}, func(hub *githubServer) { hub.unlimited = false }, inMemory("", ""))
	const private = `{"issue":"fernhill-bikes/frame-drawings#1"}`
	const ambiguous = `{"project":"Season launch"}`

	first := p.call("ines", "github_get_issue", private)
	if first.IsError {
		t.Fatal(first.text())
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { p.fails("samo", "NOT_LINKED") })
		all.Go(func() {
			if got := p.call("ines", "github_get_issue", private); string(got.StructuredContent) != string(first.StructuredContent) {
				t.Errorf("Ines reads %s", got.text())
			}
		})
		all.Go(func() {
			if got := p.call("saml", "github_get_issue", private); got.Code != "NOT_FOUND" || strings.Contains(got.text(), "Long tail") {
				t.Errorf("Sam Lindqvist reads %s", got.text())
			}
		})
	}
	all.Wait()
	if got := p.call("ines", "github_get_project", ambiguous); !strings.Contains(got.text(), "ines-albrecht/") {
		t.Errorf("Ines's board is not among %s", got.text())
	}
	if got := p.call("saml", "github_get_project", ambiguous); strings.Contains(got.text(), "ines-albrecht/") {
		t.Errorf("Sam Lindqvist is shown Ines's board: %s", got.text())
	}

	limited := false
	for range 400 {
		if limited = p.call("ines", "github_list_projects", `{"owner":"fernhill-bikes"}`).Code == "RATE_LIMITED"; limited {
			break
		}
	}
	if !limited {
		t.Fatal("Ines meets no limit")
	}
	p.works("saml")
	p.fails("samo", "NOT_LINKED")
	for _, r := range p.demo.GitHub.Requests() {
		if r.Person != "ines-albrecht" && r.Person != "sam-lindqvist" {
			t.Errorf("%s %s was sent for %q", r.Method, r.Path, r.Person)
		}
	}
	if got := p.call("samo", "connections", `{}`); strings.Contains(got.text(), "ines-albrecht") || !strings.Contains(got.text(), `"provider":"GitHub","status":"not_connected"`) {
		t.Errorf("Sam Okafor is shown %s", got.text())
	}
}
