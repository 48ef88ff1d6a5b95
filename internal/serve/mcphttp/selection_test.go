package mcphttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelection_ReadsPathAndHeaders(t *testing.T) {
	for _, test := range []struct {
		path, toolsets, readOnly string
		want                     Selection
	}{
		{"/mcp", "", "", Selection{}},
		{"/mcp/", "", "", Selection{}},
		{"/mcp/readonly", "", "", Selection{ReadOnly: true}},
		{"/mcp/x/tasks,basecamp", "", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"/mcp/x/tasks%2Cbasecamp", "", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"/mcp/x/tasks,tasks/readonly", "", "", Selection{Toolsets: []string{"tasks"}, ReadOnly: true}},
		{"/mcp", "tasks, basecamp,", "", Selection{Toolsets: []string{"basecamp", "tasks"}}},
		{"/mcp", " , ", "", Selection{}},
		{"/mcp", "", "true", Selection{ReadOnly: true}},
		{"/mcp", "", "false", Selection{}},
		{"/mcp/readonly", "", "false", Selection{ReadOnly: true}},
		{"/mcp/x/tasks,basecamp", "basecamp,account", "", Selection{Toolsets: []string{"basecamp"}}},
	} {
		g, c := newGuard()
		w := request{path: test.path, header: map[string]string{"X-MCP-Toolsets": test.toolsets, "X-MCP-Readonly": test.readOnly}}.send(g)
		wantStatus(t, w, http.StatusOK)
		if diff := cmp.Diff(test.want, c.last(t).selection); diff != "" {
			t.Errorf("%s with %q and %q (-want +got):\n%s", test.path, test.toolsets, test.readOnly, diff)
		}
	}
}

func TestSelection_TheDeploymentsReadOnlyIsAnUpperBound(t *testing.T) {
	g, c := newGuard()
	g.ReadOnly = true
	wantStatus(t, request{header: map[string]string{"X-MCP-Readonly": "false"}}.send(g), http.StatusOK)
	if !c.last(t).selection.ReadOnly {
		t.Error("a header opened writes again")
	}
}

func TestSelection_AMachineUsesOnlyItsToolsets(t *testing.T) {
	for _, test := range []struct {
		path, header string
		want         []string // nil: refused
	}{
		{"/mcp", "", []string{"basecamp", "tasks"}},
		{"/mcp", "tasks,account", []string{"tasks"}},
		{"/mcp/x/account,basecamp", "", []string{"basecamp"}},
		{"/mcp/x/account", "", nil},
	} {
		q := request{token: "machine", path: test.path, header: map[string]string{"X-MCP-Toolsets": test.header}}
		if test.want == nil {
			q.refused(t, http.StatusForbidden)
			continue
		}
		g, c := newGuard()
		wantStatus(t, q.send(g), http.StatusOK)
		if diff := cmp.Diff(test.want, c.last(t).selection.Toolsets); diff != "" {
			t.Errorf("%s with %q: %s", test.path, test.header, diff)
		}
	}
}

func TestSelection_TheHeaderWithProjectsOnlyNarrows(t *testing.T) {
	for _, test := range []struct{ bearer, header, want string }{
		{"ines", "", `{}`},
		{"ines", " , ", `{}`},
		{"ines", "3, 2", `{"read":{"projects":[2,3]}}`},
		{"bo", "", `{"read":{"projects":[1,2],"repos":["fernhill/shop"]}}`},
		{"bo", "2,3", `{"read":{"projects":[2]}}`},
		{"bo", "3", `{"read":{}}`},
		{"bo", "Cargo", ""},
		{"ines", "0", ""},
	} {
		g, c := newGuard()
		w := request{token: test.bearer, header: map[string]string{"X-MCP-Projects": test.header}}.send(g)
		if test.want == "" {
			wantStatus(t, w, http.StatusBadRequest)
			continue
		}
		wantStatus(t, w, http.StatusOK)
		if got := c.last(t).caller.Fence.Text(); got != test.want {
			t.Errorf("%s with %q: %s", test.bearer, test.header, got)
		}
	}
}

func TestSelection_AnUnknownToolsetIsNamedWithTheKnownOnes(t *testing.T) {
	for _, test := range []struct {
		path, header string
		want         int
	}{
		{"/mcp/x/tasks,hub", "", http.StatusNotFound},
		{"/mcp", "tasks,hub", http.StatusBadRequest},
		{"/mcp/x/tasks", "hub", http.StatusBadRequest},
	} {
		w := request{path: test.path, header: map[string]string{"X-MCP-Toolsets": test.header}}.refused(t, test.want)
		if got := w.Body.String(); !strings.Contains(got, `\"hub\"`) || !strings.Contains(got, "account, basecamp, tasks, todolist") {
			t.Errorf("body %s", got)
		}
	}
}

func TestSelection_AHeaderThatLeavesNothingIsRefused(t *testing.T) {
	request{path: "/mcp/x/tasks", header: map[string]string{"X-MCP-Toolsets": "account"}}.refused(t, http.StatusBadRequest)
	request{header: map[string]string{"X-MCP-Readonly": "maybe"}}.refused(t, http.StatusBadRequest)
}
