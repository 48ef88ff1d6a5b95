package app

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/tool/views"
)

// viewWire is what clients read of views, in every message that says something of them.
type viewWire struct {
	Meta struct {
		UI       map[string]any
		Callable []string `json:"basecamp-mcp/tools"`
	} `json:"_meta"`
	Name, URI, MIMEType, Text, CacheScope string
	TTL                                   int `json:"ttlMs"`
	Tools, Resources, Contents, Content   []viewWire
	Capabilities                          struct{ Extensions map[string]any }
	StructuredContent                     json.RawMessage
}

// asksViews sends a message in an era of the protocol, and returns what it says of views.
func asksViews(t *testing.T, url, bearer string, era way, method, named string, params args) (said viewWire) {
	t.Helper()
	root, path, _ := strings.Cut(url, "/mcp")
	a := &agent{place: &place{T: t, url: root}, way: era, bearer: bearer, path: path}
	a.result(method, named, params, &said)
	return said
}

func (v viewWire) named(name string) viewWire {
	all := slices.Concat(v.Tools, v.Resources)
	return all[slices.IndexFunc(all, func(w viewWire) bool { return w.Name == name })]
}

func TestViews_AreReadAtEveryEndpoint(t *testing.T) {
	server := serveMCP(t, sandboxed())
	// It names no domain: a wrong one keeps Claude from showing the page.
	about := map[string]any{"csp": map[string]any{"connectDomains": []any{}, "resourceDomains": []any{}}, "prefersBorder": true}
	for _, path := range []string{"/mcp", "/mcp/readonly", "/mcp/x/tasks", "/mcp/x/basecamp,todolist/readonly"} {
		for _, era := range []way{handshake, stateless} {
			url := server.URL + path
			list := asksViews(t, url, "sandbox-ines", era, "resources/list", "", args{})
			for _, page := range views.Pages() {
				listed := list.named(page.Name)
				read := asksViews(t, url, "sandbox-ines", era, "resources/read", page.URI, args{"uri": page.URI})
				content := read.Contents[0]
				for _, v := range []viewWire{listed, content} {
					if v.URI != page.URI || v.MIMEType != "text/html;profile=mcp-app" || !cmp.Equal(v.Meta.UI, about) {
						t.Errorf("%s %s: %s is %+v", era, path, page.URI, v)
					}
				}
				if content.Text != page.HTML() || era == stateless && (read.TTL == 0 || read.CacheScope != "public") {
					t.Errorf("%s %s: %s is cached %q for %d ms", era, path, page.URI, read.CacheScope, read.TTL)
				}
			}
		}
	}
}

// elsewhere matches what makes a page load or send something.
var elsewhere = regexp.MustCompile(`https?:/\S|\bsrc=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(|<link|<form|innerHTML|eval\(`)

func TestViews_AreSmallAndLoadNothing(t *testing.T) {
	for _, page := range views.Pages() {
		if text := page.HTML(); len(text) >= 12_288 || elsewhere.MatchString(text) {
			t.Errorf("%s has %d bytes, and %q", page.URI, len(text), elsewhere.FindAllString(text, -1))
		}
	}
}

func TestViews_AreDeclaredAndNamedByTheirTools(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL + "/mcp/x/basecamp,github,todolist,tasks,hub"
	want := map[string]any{"mimeTypes": []any{"text/html;profile=mcp-app"}}
	begin := args{"protocolVersion": string(handshake), "capabilities": args{}, "clientInfo": args{"name": "Plumcot", "version": "1"}}
	for _, said := range []viewWire{
		asksViews(t, url, "sandbox-ines", handshake, "initialize", "", begin),
		asksViews(t, url, "sandbox-ines", stateless, "server/discover", "", args{}),
	} {
		if got := said.Capabilities.Extensions["io.modelcontextprotocol/ui"]; !cmp.Equal(got, any(want)) {
			t.Errorf("declared %v", got)
		}
	}
	for _, era := range []way{handshake, stateless} {
		named := map[string]any{}
		for _, tool := range asksViews(t, url, "sandbox-ines", era, "tools/list", "", args{}).Tools {
			if tool.Meta.UI != nil {
				named[tool.Name] = tool.Meta.UI["resourceUri"]
			}
		}
		if diff := cmp.Diff(map[string]any{
			"my_day": "ui://basecamp-mcp/day", "todolist__get": "ui://basecamp-mcp/checklist", "todolist__set": "ui://basecamp-mcp/checklist",
			"get_board": "ui://basecamp-mcp/board", "github_list_project_items": "ui://basecamp-mcp/board",
		}, named); diff != "" {
			t.Errorf("%s: %s", era, diff)
		}
	}
}

// An answer is complete without its page, which learns beside it what the connection can call.
func TestViews_KnowWhatTheirConnectionCanCall(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL + "/mcp"
	board := args{"project": "Cargo Bike Launch", "board": "Frame design"}
	for _, c := range []struct {
		path, bearer, tool string
		arguments          args
		callable           []string
	}{
		{"/x/basecamp,tasks,hub", "sandbox-ines", "my_day", args{}, []string{"update_work", "complete_task", "undo"}},
		{"/x/basecamp,hub", "sandbox-ines", "my_day", args{}, []string{"update_work", "undo"}},
		{"/x/basecamp,hub/readonly", "sandbox-ines", "my_day", args{}, []string{}},
		{"/x/basecamp,hub", "sandbox-ines-readonly", "my_day", args{}, []string{}},
		{"", "sandbox-ines", "get_board", board, []string{"get_board", "update_work", "undo"}},
		{"", "sandbox-ines-readonly", "get_board", board, []string{"get_board"}},
		{"/readonly", "sandbox-ines", "todolist__get", args{}, []string{"todolist__get"}},
		{"", "sandbox-ines", "list_projects", args{}, nil},
		{"", "sandbox-ines", "get_board", args{"project": "Nothing of the kind"}, nil},
	} {
		for _, era := range []way{handshake, stateless} {
			said := asksViews(t, url+c.path, c.bearer, era, "tools/call", c.tool, args{"name": c.tool, "arguments": c.arguments})
			if diff := cmp.Diff(c.callable, said.Meta.Callable); diff != "" {
				t.Errorf("%s %s %s %s: %s", era, c.path, c.bearer, c.tool, diff)
			}
			if text := said.Content[0].Text; said.StructuredContent != nil && !cmp.Equal(decoded(said.StructuredContent), decoded([]byte(text))) {
				t.Errorf("%s %s says in words %.300s, and besides %.300s", era, c.tool, text, said.StructuredContent)
			}
		}
	}
}
