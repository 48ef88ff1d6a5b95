package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/mcptest"
)

// BenchmarkEndpoint sends messages through the guard, mcp-go, the tool and the client to the
// sandbox, without a socket. After the first round, Basecamp answers 304.
func BenchmarkEndpoint(b *testing.B) {
	handler, err := MCP(sandboxed(), quiet)
	if err != nil {
		b.Fatal(err)
	}
	for _, message := range []struct{ name, method, params string }{
		{"ping", "ping", `{}`},
		{"tools_list", "tools/list", `{}`},
		{"get_me", "tools/call", `{"name":"get_me","arguments":{}}`},
		{"trivial", "tools/call", `{"name":"todolist__lists","arguments":{}}`},
		{"list_todos_25", "tools/call", `{"name":"list_todos","arguments":{"project_id":"Cargo Bike Launch","todolist_id":"Launch checklist"}}`},
		{"list_messages_25", "tools/call", `{"name":"list_messages","arguments":{"project_id":"Cargo Bike Launch"}}`},
		{"invalid", "tools/call", `{"name":"get_todo","arguments":{}}`},
	} {
		b.Run(message.name, func(b *testing.B) {
			body := mcptest.Message(message.method, message.params)
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer sandbox-ines")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatalf("HTTP %d %s", w.Code, w.Body)
				}
				b.SetBytes(int64(w.Body.Len()))
			}
		})
	}
}
