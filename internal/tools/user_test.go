package tools

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/task"
)

// input is the arguments of a call.
type input = map[string]any

// user calls the tools of one of the server's own toolsets.
type user struct {
	mcptest.Client
	server *mcptool.Server
}

// newUser returns Ines Albrecht as a user of a toolset.
func newUser(t testing.TB, toolset mcptool.Toolset) user {
	server := mcptool.NewServer([]mcptool.Toolset{toolset}, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
	schemas, lists := map[string]*jsonschema.Resolved{}, map[string]bool{}
	for _, tool := range append(toolset.Tools, server.BuiltIn().Tools...) {
		schemas[tool.Name], lists[tool.Name] = mcptest.Schema(tool.OutputSchema()), mcptest.IsList(tool.InputSchema())
	}
	u := user{mcptest.Client{TB: t, Handler: server.Handler(mcptool.Selection{}), Schemas: schemas, Lists: lists}, server}
	return u.as("Ines Albrecht")
}

// as returns another user of the same server.
func (u user) as(name string) user {
	u.Caller = identity.Caller{Subject: name, Scopes: identity.AllScopes()}
	return u
}

// call calls a tool and returns its answer as a map.
func (u user) call(tool string, arguments any) map[string]any {
	u.Helper()
	return mcptest.Call[map[string]any](u.Client, tool, arguments)
}

// A read-only token and a read-only endpoint refuse the same calls.
func TestOwnTools_WriteOnlyWithTheRight(t *testing.T) {
	calls := map[string]input{
		"todolist__get": {}, "todolist__lists": {}, "todolist__set": {"todos": []any{}},
		"list_tasks": {}, "add_task": {"title": "Call the mill"}, "update_task": {"task_id": noTask, "title": "Call"},
		"complete_task": {"task_id": noTask}, "reopen_task": {"task_id": noTask}, "delete_task": {"task_id": noTask},
	}
	for _, toolset := range []mcptool.Toolset{
		checklists(checklist.New(memory.New(nil), nil), linking()), personalTasks(task.New(memory.New(nil), nil), sameDay, linking()),
	} {
		byToken, byEndpoint := newUser(t, toolset), newUser(t, toolset)
		byToken.Caller.Scopes = []identity.Scope{identity.Read}
		byEndpoint.Handler = byEndpoint.server.Handler(mcptool.Selection{ReadOnly: true})
		for _, tool := range toolset.Tools {
			arguments, ok := calls[tool.Name]
			if !ok {
				t.Errorf("%s: no call", tool.Name)
			}
			for way, u := range map[string]user{"token": byToken, "endpoint": byEndpoint} {
				answer := u.Answer(tool.Name, arguments)
				refused := strings.Contains(answer, `"isError":true`) || strings.Contains(answer, `"error":{"code"`)
				if want := tool.Effect != mcptool.Reads; refused != want {
					t.Errorf("%s by a read-only %s: refused is %v: %.300s", tool.Name, way, refused, answer)
				}
			}
		}
	}
}
