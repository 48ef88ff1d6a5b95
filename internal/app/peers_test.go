package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"basecamp-mcp/internal/proof/mcptest"
)

// BenchmarkPeers compares the processor time of two messages that need no request to Basecamp with
// that of a bare server of mcp-go, which has the same tools and checks nothing, and of a bare
// handler, which answers with constant bytes. They take turns in one process, so a busy machine
// slows all of them. A ratio is the median of rounds, and counts the time of one goroutine.
func BenchmarkPeers(b *testing.B) {
	ours := must(MCP(sandboxed(), quiet))
	for _, message := range []struct{ name, method, params string }{
		{"tools_list", "tools/list", `{}`},
		{"trivial_call", "tools/call", `{"name":"todolist__get","arguments":{}}`},
	} {
		b.Run(message.name, func(b *testing.B) {
			body := mcptest.Message(message.method, message.params)
			answer := answered(b, ours, body)
			bare := server.NewStreamableHTTPServer(bareServer(b, answered(b, ours, mcptest.Message("tools/list", `{}`)), answer), server.WithStateLess(true))
			floor := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = w.Write(answer)
			})
			var overBare, overFloor []float64
			for b.Loop() {
				took := [3]time.Duration{}
				for i, h := range []http.Handler{ours, bare, floor} {
					began := time.Now()
					for range 20 {
						answered(b, h, body)
					}
					took[i] = time.Since(began)
				}
				overBare = append(overBare, float64(took[0])/float64(took[1]))
				overFloor = append(overFloor, float64(took[0])/float64(took[2]))
			}
			slices.Sort(overBare)
			slices.Sort(overFloor)
			b.ReportMetric(overBare[len(overBare)/2], "x-mcp-go")
			b.ReportMetric(overFloor[len(overFloor)/2], "x-net/http")
			b.ReportMetric(0, "ns/op") // the time of all three together is meaningless
		})
	}
}

// bareServer returns a server of mcp-go with the listed tools, which all give the same answer.
func bareServer(b *testing.B, listed, answer []byte) *server.MCPServer {
	b.Helper()
	var list struct{ Result mcp.ListToolsResult }
	var called struct{ Result mcp.CallToolResult }
	if err := json.Unmarshal(listed, &list); err != nil || len(list.Result.Tools) < 50 {
		b.Fatalf("%d tools, %v", len(list.Result.Tools), err)
	}
	_ = json.Unmarshal(answer, &called) // the list of tools is no answer of a call
	bare := server.NewMCPServer("bare", "1", server.WithToolCapabilities(false))
	for _, tool := range list.Result.Tools {
		bare.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return &called.Result, nil })
	}
	return bare
}

// answered sends a message and returns the answer.
func answered(b *testing.B, h http.Handler, body string) []byte {
	b.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer sandbox-ines"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK || bytes.Contains(w.Body.Bytes(), []byte(`"isError":true`)) {
		b.Fatalf("HTTP %d %.300s", w.Code, w.Body)
	}
	return w.Body.Bytes()
}
