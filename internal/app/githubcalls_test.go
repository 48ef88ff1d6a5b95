package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/tools"
)

// callIn calls a tool at a path in one of the eras, or over the bridge.
func callIn(t *testing.T, url, path, bearer string, w way, tool, arguments string) (status int, header http.Header, body string) {
	t.Helper()
	if w != bridged {
		a := &agent{place: &place{T: t, url: url}, way: w, bearer: bearer, path: strings.TrimPrefix(path, "/mcp")}
		return a.request("tools/call", tool, args{"name": tool, "arguments": json.RawMessage(arguments)})
	}
	selection, readOnly := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(path, "/mcp"), "/x/"), "/readonly")
	query := fmt.Sprintf("?readonly=%t", readOnly)
	if selection != "" {
		query += "&toolsets=" + selection
	}
	return ask(t, http.MethodPost, url+"/tools/"+tool+query, bearer, arguments)
}

func TestBareNames_RunGitHubsToolsWhereNoListedToolHasTheName(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL
	const onGitHub, atBasecamp, unknown = "github.sandbox", "Newsletter Refresh", "nknown tool"
	for _, w := range []way{handshake, stateless, bridged} {
		for _, test := range []struct{ path, tool, arguments, want string }{
			{"/mcp/x/github", "list_projects", `{}`, onGitHub},
			{"/mcp/x/github/readonly", "list_projects", `{}`, onGitHub},
			{"/mcp/x/basecamp,github", "list_projects", `{}`, atBasecamp},
			{"/mcp/x/basecamp,github", "github_list_projects", `{}`, onGitHub},
			{"/mcp/x/basecamp,github", "list_issues", `{"repo":"fernhill-bikes/configurator"}`, onGitHub},
			{"/mcp/x/github", "create_issue", `{"repo":"fernhill-bikes/configurator","title":"Bell"}`, onGitHub},
			{"/mcp/x/github/readonly", "create_issue", `{"repo":"fernhill-bikes/configurator","title":"Bell"}`, unknown},
			{"/mcp", "create_issue", `{"repo":"fernhill-bikes/configurator","title":"Bell"}`, unknown},
			{"/mcp", "list_projects", `{}`, atBasecamp},
		} {
			_, _, body := callIn(t, url, test.path, "sandbox-ines", w, test.tool, test.arguments)
			if test.want == unknown {
				body = strings.ReplaceAll(body, "not found", unknown) // the words of MCP
			}
			if !strings.Contains(body, test.want) {
				t.Errorf("%s: %s at %s: %.400s", w, test.tool, test.path, body)
			}
		}
		status, header, body := callIn(t, url, "/mcp/x/github", "sandbox-ines-readonly", w, "create_issue", `{"repo":"fernhill-bikes/configurator","title":"Bell"}`)
		if challenge := header.Get("Www-Authenticate"); status != http.StatusForbidden || !strings.Contains(challenge, `scope="read write"`) {
			t.Errorf("%s, with a read token: HTTP %d %s %s", w, status, challenge, body)
		}
	}
}

func TestBareNames_AreInNoListAndNoInstructions(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL
	_, _, list := send(t, url+"/mcp/x/github", "sandbox-ines", "tools/list", `{}`)
	_, _, slow := send(t, url+"/mcp/x/github", "sandbox-ines", "tools/list", `{"cursor":""}`)
	_, _, bridge := ask(t, http.MethodGet, url+"/tools?toolsets=github", "sandbox-ines", "")
	_, _, hello := send(t, url+"/mcp/x/github", "sandbox-ines", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	for what, text := range map[string]string{"tools/list": list, "mcp-go's tools/list": slow, "GET /tools": bridge, "the instructions": hello} {
		if strings.Count(text, `"name":"github_`) != 18 && what != "the instructions" || strings.Contains(text, `"create_issue"`) || strings.Contains(text, `"name":"list_projects"`) {
			t.Errorf("%s: %.300s", what, text)
		}
	}
}

func TestLine_OfAGitHubCallNamesTheProviderAndCountsItsLimitsApart(t *testing.T) {
	demo := local.NewDemo()
	p := openDemo(t, "fernhill", demo)
	call := func(bearer, tool, arguments string) map[string]any {
		callIn(t, p.url, "/mcp/x/github", bearer, handshake, tool, arguments)
		return p.line()
	}
	if line := call("sandbox-ines", "list_projects", `{}`); line["tool"] != "github_list_projects" || line["provider"] != "github" || line["outcome"] != "ok" ||
		line["upstream_calls"].(float64) < 1 {
		t.Errorf("a call: %v", line)
	}
	demo.GitHub.Inject(githubsandbox.Fault{Times: 1, Status: http.StatusOK,
		Body: `{"errors":[{"message":"Field 'planted' doesn't exist","extensions":{"code":"undefinedField"}}]}`})
	if line := call("sandbox-ines", "get_project", `{"project":"fernhill-bikes/1"}`); line["outcome"] != "INTERNAL_ERROR" || line["level"] != "ERROR" ||
		!strings.Contains(line["cause"].(string), "undefinedField") || strings.Contains(line["cause"].(string), "planted") {
		t.Errorf("a refused document: %v", line)
	}
	demo.GitHub.Inject(githubsandbox.Fault{Times: 1, Status: http.StatusForbidden, Header: http.Header{"X-Ratelimit-Remaining": {"0"}}, Body: `{}`})
	line := call("sandbox-ines", "list_issues", `{"repo":"fernhill-bikes/configurator"}`)
	if line["outcome"] != "RATE_LIMITED" || line["upstream_429"] != 1.0 || line["provider"] != "github" {
		t.Errorf("a limit: %v", line)
	}
	page, _ := p.with("sandbox-ines", handshake).readCalls("audit://calls")
	if entry := page.Calls[0]; len(page.Calls) != 3 || entry.Tool != "github_list_issues" || entry.Provider != "github" {
		t.Errorf("the trail has %+v", page.Calls)
	}
}

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
	}
}

func TestInstructions_WithoutGitHubDoNotTellOfIt(t *testing.T) {
	s, url := upstreamBasecamp(t)
	started := must(NewLocal(t.Context(), config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: s.People()[0].Token}, quiet, "http://127.0.0.1:1", InMemory))
	server := httptest.NewServer(started.Handler)
	t.Cleanup(server.Close)
	_, _, body := send(t, server.URL+"/mcp", started.Bearer, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
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
		_, _, text := ask(t, http.MethodPost, server.URL+"/tools/github_"+tool+"?toolsets=github", "sandbox-samo", "{"+test.arguments+"}")
		var got struct {
			ErrorCode fault.Code `json:"error_code"`
			Data      struct{ Link *fault.Link }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.ErrorCode != fault.NotLinked || got.Data.Link == nil || !slices.Equal(got.Data.Link.Scopes, test.scopes) {
			t.Errorf("%s: %s, %v", tool, text, err)
		}
	}
}

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
