// Package mcptest lets tests speak JSON-RPC to an MCP endpoint. It builds messages, sends them to
// an http.Handler as a caller, and reads the answers. It does not know the tools, so every package
// may use it in its tests.
package mcptest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/signin/identity"
)

// Modern is the protocol version without handshake and sessions. Clients of it send more with each
// message; see [Meta] and [Header].
const Modern = "2026-07-28"

// Message returns a JSON-RPC request with ID 1. params is a JSON object, or empty for none.
func Message(method, params string) string {
	if params == "" {
		params = "{}"
	}
	return `{"jsonrpc":"2.0","id":1,"method":` + quoted(method) + `,"params":` + params + `}`
}

// ToolCall returns the params of tools/call.
func ToolCall(t testing.TB, tool string, arguments any) string {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return `{"name":` + quoted(tool) + `,"arguments":` + string(data) + `}`
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}

// Meta returns the _meta member that a client of the Modern version sends in the params of each
// message. capabilities is a JSON object.
func Meta(capabilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + Modern + `",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

// Header returns the headers that a client of the Modern version sends. name is the tool, prompt or
// resource that the message is about, or empty.
func Header(method, name string) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {Modern}, "Mcp-Method": {method},
	}
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	return h
}

// Post sends a message to a handler behind the guard, as the caller, and returns the response. If h
// is nil, it sends only the content type.
func Post(ctx context.Context, handler http.Handler, caller identity.Caller, message string, h http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(identity.With(ctx, caller), http.MethodPost, "/mcp", strings.NewReader(message))
	if r.Header = h.Clone(); h == nil {
		r.Header = http.Header{"Content-Type": {"application/json"}}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// Answer is a JSON-RPC response.
type Answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *Error
}

// Error is the error of a JSON-RPC response.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage
}

// ToolResult is the result of tools/call.
type ToolResult struct {
	Content           []Content
	StructuredContent json.RawMessage
	IsError           bool
}

// Content is one block of a ToolResult: a text, or an image with its type.
type Content struct {
	Type     string
	Text     string
	MIMEType string
	Data     []byte
}

// Text returns the texts of all blocks.
func (r ToolResult) Text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// Result decodes the result of a response into T. The test stops if the body is anything else.
func Result[T any](t testing.TB, body []byte) T {
	t.Helper()
	var a struct {
		Result *T
		Error  *Error
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Error != nil || a.Result == nil {
		t.Fatalf("not a result: %v: %.2000s", err, body)
	}
	return *a.Result
}
