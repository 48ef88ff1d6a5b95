package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/tools"
)

// callIn calls a tool at a path in one of the eras, or over the bridge.
func callIn(t *testing.T, url, path, bearer string, w way, tool, arguments string) (status int, header http.Header, body string) {
	t.Helper()
	params := `{"name":"` + tool + `","arguments":` + arguments
	switch w {
	case bridged:
		selection, readOnly := strings.CutSuffix(strings.TrimPrefix(strings.TrimPrefix(path, "/mcp"), "/x/"), "/readonly")
		query := "?readonly=false"
		if readOnly {
			query = "?readonly=true"
		}
		if selection != "" {
			query += "&toolsets=" + selection
		}
		return ask(t, http.MethodPost, url+"/tools/"+tool+query, bearer, arguments)
	case stateless:
		var headers []string
		for name, values := range mcptest.Header("tools/call", tool) {
			headers = append(headers, name, values[0])
		}
		return ask(t, http.MethodPost, url+path, bearer, mcptest.Message("tools/call", params+","+mcptest.Meta("{}")+"}"), headers...)
	}
	return ask(t, http.MethodPost, url+path, bearer, mcptest.Message("tools/call", params+"}"), "Content-Type", "application/json")
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
		line["upstream_calls"].(float64) < 1 || line["Provider"] != nil {
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
	if line["Code"] != "RATE_LIMITED" || line["upstream_429"] != 1.0 || line["UpstreamRateLimited"] != 1.0 || line["Provider"] != "github" {
		t.Errorf("a limit: %v", line)
	}
	var by []string // of the metric
	for _, directive := range line["_aws"].(map[string]any)["CloudWatchMetrics"].([]any) {
		for _, metric := range directive.(map[string]any)["Metrics"].([]any) {
			if metric.(map[string]any)["Name"] == "UpstreamRateLimited" {
				for _, dimension := range directive.(map[string]any)["Dimensions"].([]any)[0].([]any) {
					by = append(by, dimension.(string))
				}
			}
		}
	}
	if !slices.Equal(by, []string{"FunctionName", "Provider"}) {
		t.Errorf("the limit is counted by %v", by)
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
	started, err := NewLocal(t.Context(), config.Config{BasecampURL: url, LaunchpadURL: url, AccessToken: s.People()[0].Token}, quiet, "http://127.0.0.1:1", InMemory)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(started.Handler)
	t.Cleanup(server.Close)
	_, _, body := send(t, server.URL+"/mcp", started.Bearer, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	if instructions := mcptest.Result[struct{ Instructions string }](t, []byte(body)).Instructions; strings.Contains(body, "Not served here") || strings.Contains(body, "GitHub") || len(instructions) > 1850 {
		t.Errorf("%d bytes: %s", len(instructions), body)
	}
}
