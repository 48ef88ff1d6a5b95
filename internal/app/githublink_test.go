package app

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptest"
)

// visit is a client of the demo's GitHub tools.
type visit struct {
	testing.TB
	url, bearer, version string
	session              string
}

// linkAnswer is what an answer of any kind says about a link.
type linkAnswer struct {
	status int
	header http.Header
	text   string
	failed struct {
		ErrorCode fault.Code `json:"error_code"`
		Message   string     // of a tool
		Error     string     // of the bridge
		Data      struct{ Link *fault.Link }
	}
	Error *struct {
		Code int
		Data struct{ Elicitations []map[string]any }
	}
	Result struct {
		mcptest.ToolResult
		ResultType    string
		InputRequests map[string]struct{ Params map[string]any }
		Meta          map[string]any `json:"_meta"`
	}
}

// send posts a message.
func (v *visit) send(path, name, body string) (a linkAnswer) {
	v.Helper()
	r, err := http.NewRequest(http.MethodPost, v.url+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}}
	switch {
	case v.version == mcptest.Modern:
		r.Header = mcptest.Header("tools/call", name)
	case v.version != "":
		r.Header.Set("MCP-Protocol-Version", v.version)
	}
	if v.session != "" {
		r.Header.Set("Mcp-Session-Id", v.session)
	}
	r.Header.Set("Authorization", "Bearer "+v.bearer)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	a.status, a.header, a.text = response.StatusCode, response.Header, string(text)
	if err := json.Unmarshal(text, &a); err != nil && !strings.HasPrefix(path, "/tools") {
		v.Fatalf("HTTP %d %s", a.status, text)
	}
	if a.Result.IsError {
		text = []byte(a.Result.Text())
	}
	_ = json.Unmarshal(text, &a.failed) // a success has none of these members
	return a
}

// open begins a session in which the client declares capabilities.
func (v *visit) open(capabilities string) {
	v.Helper()
	params := `{"protocolVersion":"` + v.version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}`
	v.session = v.send("/mcp/x/github", "", mcptest.Message("initialize", params)).header.Get("Mcp-Session-Id")
	if len(v.session) != 43 {
		v.Fatalf("the session is %q", v.session)
	}
}

func (v *visit) call(tool string, arguments any, capabilities string) linkAnswer {
	v.Helper()
	params := mcptest.ToolCall(v, tool, arguments)
	if v.version == mcptest.Modern {
		params = strings.TrimSuffix(params, "}") + "," + mcptest.Meta(capabilities) + "}"
	}
	return v.send("/mcp/x/github", tool, mcptest.Message("tools/call", params))
}

const opensLinks = `{"elicitation":{"url":{}}}`

func TestGitHubLink_ReachesEveryClientAndEndsNoConnection(t *testing.T) {
	server := serveMCP(t, sandboxed())
	type object = map[string]any
	for bearer, test := range map[string]struct {
		tool      string
		arguments object
		code      fault.Code
		reason    fault.LinkReason
		url       string
		asks      bool
	}{
		"sandbox-samo":   {"github_list_projects", object{}, fault.NotLinked, fault.NeverLinked, "/oauth/start?", true},
		"sandbox-saml":   {"github_create_project", object{"title": "Spring tour"}, fault.PermissionDenied, fault.MissingScope, "/oauth/start?", true},
		"sandbox-noemie": {"github_list_issues", object{"repo": "fernhill-bikes/configurator"}, fault.PermissionDenied, fault.SSO, "https://github.sandbox/orgs/fernhill-bikes/sso?", false},
	} {
		for client, how := range map[string]struct {
			version, capabilities string
			asks                  bool
		}{
			"2026-07-28":              {mcptest.Modern, opensLinks, true},
			"2026-07-28 with forms":   {mcptest.Modern, `{"elicitation":{}}`, false},
			"2025-11-25":              {"2025-11-25", opensLinks, true},
			"2025-11-25 with forms":   {"2025-11-25", `{"elicitation":{}}`, false},
			"2025-11-25, no session":  {"2025-11-25", "", false},
			"2025-06-18":              {"2025-06-18", opensLinks, false},
			"2025-03-26":              {"2025-03-26", opensLinks, false},
			"the bridge of /tools":    {"", "", false},
			"the bridge in a session": {"", opensLinks, false},
		} {
			v := &visit{TB: t, url: server.URL, bearer: bearer, version: how.version}
			if v.version != mcptest.Modern && how.capabilities != "" {
				v.open(how.capabilities)
			}
			var got linkAnswer
			if v.version == "" {
				arguments, _ := json.Marshal(test.arguments)
				got = v.send("/tools/"+test.tool+"?toolsets=github", "", string(arguments))
			} else {
				got = v.call(test.tool, test.arguments, how.capabilities)
			}
			url, _ := got.Result.InputRequests["link_github"].Params["url"].(string)
			switch asks := test.asks && how.asks; {
			case asks && v.version == mcptest.Modern:
				if got.Result.ResultType != "input_required" {
					t.Errorf("%s, %s: %s", bearer, client, got.text)
				}
			case asks:
				if got.Error == nil || got.Error.Code != -32042 || len(got.Error.Data.Elicitations) != 1 {
					t.Fatalf("%s, %s: %s", bearer, client, got.text)
				}
				url, _ = got.Error.Data.Elicitations[0]["url"].(string)
			default:
				f := got.failed
				if got.Error != nil && v.version != "" || f.ErrorCode != test.code || f.Data.Link == nil || f.Data.Link.Reason != test.reason || f.Data.Link.ExpiresIn == 0 {
					t.Fatalf("%s, %s: %s", bearer, client, got.text)
				}
				if url = f.Data.Link.URL; !strings.Contains(f.Message+f.Error, url) {
					t.Errorf("%s, %s: the message lacks the link: %s", bearer, client, got.text)
				}
			}
			if !strings.Contains(url, test.url) {
				t.Errorf("%s, %s: the link is %q", bearer, client, url)
			}
			if got.status != http.StatusOK || got.header.Get("WWW-Authenticate") != "" || got.Result.Meta["mcp/www_authenticate"] != nil {
				t.Errorf("%s, %s: HTTP %d, %v, %s", bearer, client, got.status, got.header, got.text)
			}
			if after := v.send("/tools/get_me", "", `{}`); after.status != http.StatusOK || strings.Contains(after.text, `"is_error":true`) {
				t.Errorf("%s, %s: the next call: HTTP %d %s", bearer, client, after.status, after.text)
			}
		}
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
		v := &visit{TB: t, url: server.URL, bearer: "sandbox-samo"}
		got := v.send("/tools/github_"+tool+"?toolsets=github", "", "{"+test.arguments+"}")
		if link := got.failed.Data.Link; got.failed.ErrorCode != fault.NotLinked || link == nil || !slices.Equal(link.Scopes, test.scopes) {
			t.Errorf("%s: %+v in %s", tool, link, got.text)
		}
	}
}
