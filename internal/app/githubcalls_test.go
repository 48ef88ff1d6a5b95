package app

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
)

func TestConnections_ShowTheLinkToGitHub(t *testing.T) {
	p := open(t, sandboxed())
	for bearer, want := range map[string]string{"sandbox-ines": tools.ConnectionActive, "sandbox-samo": tools.ConnectionMissing} {
		all := p.connections(bearer)
		if len(all.Upstreams) != 2 || all.Upstreams[0].Provider != "Basecamp" || all.Upstreams[0].Status != tools.ConnectionFixed {
			t.Fatalf("%+v", all)
		}
		got := all.Upstreams[1]
		linked := want == tools.ConnectionActive
		if got.Provider != "GitHub" || got.Status != want || (got.Person == "ines-albrecht") != linked || got.ConnectedAt.IsZero() == linked ||
			!got.AccessUntil.IsZero() || got.Account != nil || (got.ReconnectURL == "") != linked {
			t.Errorf("%s: %+v", bearer, got)
		}
		if page := p.Get(mcptest.Visitor(), cmp.Or(got.ReconnectURL, p.URL)); !linked && !strings.Contains(page, "GitHub") {
			t.Errorf("the link leads to %s", page)
		}
	}
}

func TestInstructions_WithoutGitHubDoNotTellOfIt(t *testing.T) {
	s, url := upstreamBasecamp(t)
	started := must(NewLocal(t.Context(), config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: s.People()[0].Token}, quiet, "http://127.0.0.1:1", InMemory))
	server := httptest.NewServer(started.Handler)
	t.Cleanup(server.Close)
	_, _, body := send(t, server.URL+"/mcp", started.Bearer, "initialize", hello)
	if instructions := mcptest.Result[struct{ Instructions string }](t, []byte(body)).Instructions; strings.Contains(body, "Not served here") || strings.Contains(body, "GitHub") || len(instructions) > 1850 {
		t.Errorf("%d bytes: %s", len(instructions), body)
	}
}

func TestGitHubLink_OfAUserWhoNeverLinkedNamesTheScopesOfTheCall(t *testing.T) {
	server := serveMCP(t, sandboxed())
	first := []string{"read:project", "read:org"}
	project, repo := `"project":"fernhill-bikes/1"`, `"repo":"fernhill-bikes/configurator"`
	issue := `"issue":"fernhill-bikes/configurator#12"`
	for tool, test := range map[string]struct {
		arguments string
		scopes    []string
	}{
		"list_projects":       {"", first[:1]},
		"get_project":         {project, first[:1]},
		"list_project_items":  {project, first[:1]},
		"get_field_value":     {project + `,"item":"Tour","field":"Status"`, first[:1]},
		"create_project":      {`"title":"Tour"`, []string{"project"}},
		"update_project":      {project + `,"title":"Tour"`, []string{"project"}},
		"delete_project":      {project + `,"confirm_title":"Tour"`, []string{"project"}},
		"add_project_item":    {project + `,"item":"fernhill-bikes/configurator#12"`, []string{"project"}},
		"remove_project_item": {project + `,"item":"fernhill-bikes/configurator#12"`, []string{"project"}},
		"set_field_value":     {project + `,"item":"Tour","field":"Status","value":"Done"`, []string{"project"}},
		"list_issues":         {repo, first},
		"get_issue":           {issue, first},
		"create_issue":        {repo + `,"title":"Bell","assignees":["me","sam-lindqvist"]`, []string{"repo"}},
		"update_issue":        {issue + `,"title":"Bell"`, []string{"repo"}},
		"add_issue_comment":   {issue + `,"body":"Bell"`, []string{"repo"}},
		"create_milestone":    {repo + `,"title":"Bell"`, []string{"repo"}},
	} {
		_, _, text := mcptest.Ask(t, http.MethodPost, server.URL+"/tools/github_"+tool+"?toolsets=github", "sandbox-samo", "{"+test.arguments+"}")
		var got struct {
			ErrorCode fault.Code `json:"error_code"`
			Data      struct{ Link *fault.Link }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.ErrorCode != fault.NotLinked || got.Data.Link == nil || !slices.Equal(got.Data.Link.Scopes, test.scopes) {
			t.Errorf("%s: %s, %v", tool, text, err)
		}
	}
}

// The tokens of an OAuth App need no refresh, so the application's credentials are not needed.
func TestGitHub_LinkedUsersWorkWithoutTheApplicationsCredentials(t *testing.T) {
	kept := inMemory("", "")
	openHub(t, nil, kept).works("ines")
	p := openHub(t, func(hub *githubServer) { hub.credentials = fixed("", "") }, kept)
	p.works("ines")
	p.fails("samo", "NOT_LINKED")
}

func TestGitHub_PeopleInOneProcessShareNothing(t *testing.T) {
	p := openHub(t, func(hub *githubServer) { hub.unlimited = false }, inMemory("", ""))
	const private = `{"issue":"fernhill-bikes/frame-drawings#1"}`
	const ambiguous = `{"project":"Season launch"}`

	first := p.call("ines", "github_get_issue", private)
	if first.IsError {
		t.Fatal(first.Text())
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { p.fails("samo", "NOT_LINKED") })
		all.Go(func() {
			if got := p.call("ines", "github_get_issue", private); string(got.StructuredContent) != string(first.StructuredContent) {
				t.Errorf("Ines reads %s", got.Text())
			}
		})
		all.Go(func() {
			if got := p.call("saml", "github_get_issue", private); got.ErrorCode != "NOT_FOUND" || strings.Contains(got.Text(), "Long tail") {
				t.Errorf("Sam Lindqvist reads %s", got.Text())
			}
		})
	}
	all.Wait()
	if got := p.call("ines", "github_get_project", ambiguous); !strings.Contains(got.Text(), "ines-albrecht/") {
		t.Errorf("Ines's board is not among %s", got.Text())
	}
	if got := p.call("saml", "github_get_project", ambiguous); strings.Contains(got.Text(), "ines-albrecht/") {
		t.Errorf("Sam Lindqvist is shown Ines's board: %s", got.Text())
	}

	p.demo.GitHub.Inject(githubsandbox.Fault{Document: "OwnerProjects", Times: 1, Status: http.StatusOK, Body: `{"errors": [{"type": "RATE_LIMITED", "message": "x"}]}`})
	for range 2 { // the second is not sent
		if got := p.call("ines", "github_list_projects", `{"owner":"fernhill-bikes"}`); got.ErrorCode != "RATE_LIMITED" {
			t.Fatalf("Ines meets no limit: %s", got.Text())
		}
	}
	p.works("saml")
	p.fails("samo", "NOT_LINKED")
	for _, r := range p.demo.GitHub.Requests() {
		if r.Person != "ines-albrecht" && r.Person != "sam-lindqvist" {
			t.Errorf("%s %s was sent for %q", r.Method, r.Path, r.Person)
		}
	}
	if got := p.call("samo", "connections", `{}`); strings.Contains(got.Text(), "ines-albrecht") || !strings.Contains(got.Text(), `"provider":"GitHub","status":"not_connected"`) {
		t.Errorf("Sam Okafor is shown %s", got.Text())
	}
}
