package views_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/tool/views"
)

// elsewhere matches what makes a page load or send something.
var elsewhere = regexp.MustCompile(`https?:/\S|\bsrc=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(|<link|<form|innerHTML|eval\(`)

func TestPages_AreSmallAndLoadNothing(t *testing.T) {
	for _, page := range views.Pages() {
		if text := page.HTML(); len(text) >= 12_288 || elsewhere.MatchString(text) {
			t.Errorf("%s has %d bytes, and %q", page.URI, len(text), elsewhere.FindAllString(text, -1))
		}
	}
}

// wire is what clients read of views, in every message that says something of them.
type wire struct {
	Meta struct {
		UI       map[string]any
		Callable []string `json:"basecamp-mcp/tools"`
	} `json:"_meta"`
	Name, URI, MIMEType, Text, CacheScope string
	TTL                                   int `json:"ttlMs"`
	Tools, Resources, Contents, Content   []wire
	Capabilities                          struct{ Extensions map[string]any }
}

// served is the demo. Each message is sent in both eras of the protocol.
type served struct {
	*testing.T
	http.Handler
}

func serve(t *testing.T) served {
	t.Helper()
	function, err := app.MCP(config.Config{BasecampURL: config.Sandbox}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return served{t, function}
}

// eras calls check with what a message says of views, in each era that has it.
func (s served) eras(path, bearer, method, named, params string, check func(era string, said wire)) {
	s.Helper()
	for era, header := range map[string]http.Header{"2025-11-25": {"Content-Type": {"application/json"}}, mcptest.Modern: mcptest.Header(method, named)} {
		if method == "initialize" && era == mcptest.Modern || method == "server/discover" && era != mcptest.Modern {
			continue
		}
		full := params
		if era == mcptest.Modern {
			full = strings.Replace(strings.TrimSuffix(params, "}")+","+mcptest.Meta("{}")+"}", "{,", "{", 1)
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(mcptest.Message(method, full)))
		r.Header = header
		r.Header.Set("Authorization", "Bearer "+bearer)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		check(era, mcptest.Result[wire](s, w.Body.Bytes()))
	}
}

func TestPages_AreReadAtEveryEndpoint(t *testing.T) {
	s := serve(t)
	// It names no domain: a wrong one keeps Claude from showing the page.
	about := map[string]any{"csp": map[string]any{"connectDomains": []any{}, "resourceDomains": []any{}}, "prefersBorder": true}
	for _, path := range []string{"/mcp", "/mcp/readonly", "/mcp/x/basecamp,todolist/readonly"} {
		for _, page := range views.Pages() {
			is := func(v wire) bool {
				return v.URI == page.URI && v.MIMEType == "text/html;profile=mcp-app" && cmp.Equal(v.Meta.UI, about)
			}
			s.eras(path, "sandbox-ines", "resources/list", "", "{}", func(era string, list wire) {
				if !slices.ContainsFunc(list.Resources, is) {
					t.Errorf("%s %s lists %+v", era, path, list.Resources)
				}
			})
			s.eras(path, "sandbox-ines", "resources/read", page.URI, `{"uri":"`+page.URI+`"}`, func(era string, read wire) {
				if c := read.Contents[0]; !is(c) || c.Text != page.HTML() || era == mcptest.Modern && (read.TTL == 0 || read.CacheScope != "public") {
					t.Errorf("%s %s: %+v", era, path, read)
				}
			})
		}
	}
}

func TestPages_AreNamedByTheirTools(t *testing.T) {
	const path = "/mcp/x/basecamp,github,todolist,tasks,hub"
	serve(t).eras(path, "sandbox-ines", "tools/list", "", "{}", func(era string, list wire) {
		named := map[string]any{}
		for _, tool := range list.Tools {
			if tool.Meta.UI != nil {
				named[tool.Name] = tool.Meta.UI["resourceUri"]
			}
		}
		want := map[string]any{}
		for _, page := range views.Pages() {
			for _, tool := range page.Tools {
				want[tool] = page.URI
			}
		}
		if diff := cmp.Diff(want, named); diff != "" {
			t.Errorf("%s: %s", era, diff)
		}
	})
}

func TestPages_AreDeclared(t *testing.T) {
	s := serve(t)
	for method, params := range map[string]string{
		"initialize":      `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Plumcot","version":"1"}}`,
		"server/discover": "{}",
	} {
		s.eras("/mcp", "sandbox-ines", method, "", params, func(era string, said wire) {
			want := map[string]any{"mimeTypes": []any{"text/html;profile=mcp-app"}}
			if got := said.Capabilities.Extensions["io.modelcontextprotocol/ui"]; !cmp.Equal(got, any(want)) {
				t.Errorf("%s %s: declared %v", era, method, got)
			}
		})
	}
}

// An answer is complete without its page, which learns beside it what the connection can call.
func TestPages_KnowWhatTheirConnectionCanCall(t *testing.T) {
	s := serve(t)
	const board = `{"project":"Cargo Bike Launch","board":"Frame design"}`
	for _, c := range []struct {
		path, bearer, tool, arguments string
		callable                      []string
	}{
		{"/x/basecamp,tasks,hub", "sandbox-ines", "my_day", "{}", []string{"update_work", "complete_task", "undo"}},
		{"/x/basecamp,hub", "sandbox-ines", "my_day", "{}", []string{"update_work", "undo"}},
		{"/x/basecamp,hub", "sandbox-ines-readonly", "my_day", "{}", []string{}},
		{"", "sandbox-ines", "get_board", board, []string{"get_board", "update_work", "undo"}},
		{"", "sandbox-ines-readonly", "get_board", board, []string{"get_board"}},
		{"/readonly", "sandbox-ines", "todolist__get", "{}", []string{"todolist__get"}},
		{"", "sandbox-ines", "list_projects", "{}", nil},
		{"", "sandbox-ines", "get_board", `{"project":"Nothing of the kind"}`, nil},
	} {
		s.eras("/mcp"+c.path, c.bearer, "tools/call", c.tool, `{"name":"`+c.tool+`","arguments":`+c.arguments+`}`, func(era string, said wire) {
			if diff := cmp.Diff(c.callable, said.Meta.Callable); diff != "" || !json.Valid([]byte(said.Content[0].Text)) {
				t.Errorf("%s %s %s %s: %s", era, c.path, c.bearer, c.tool, diff)
			}
		})
	}
}
