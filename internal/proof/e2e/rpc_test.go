package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// The versions of the protocol that the endpoint serves.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
	older  = "2025-06-18"
)

// message is one JSON-RPC message, by default as a client of the modern era sends it. Its header
// replaces the usual values; an empty value removes a header.
type message struct {
	method  string
	params  map[string]any
	version string // modern when empty
	bearer  string // ines when empty
	header  map[string]string

	path string // below the endpoint, such as /x/github
}

// answer is the response to a message.
type answer struct {
	status int
	header http.Header
	body   string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

func (m message) post(t testing.TB, s *server) answer {
	t.Helper()
	if m.version == "" {
		m.version = modern
	}
	if m.bearer == "" {
		m.bearer = ines
	}
	body, err := json.Marshal(m.envelope())
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]string{
		"Authorization":        "Bearer " + m.bearer,
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"Mcp-Protocol-Version": m.version,
	}
	if m.version >= modern {
		header["Mcp-Method"] = m.method
		if name, ok := m.params["name"].(string); ok {
			header["Mcp-Name"] = name
		}
	}
	maps.Copy(header, m.header)
	return send(t, http.MethodPost, s.url+m.path, header, body)
}

func (m message) envelope() map[string]any {
	params := map[string]any{}
	maps.Copy(params, m.params)
	if m.version >= modern {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    m.version,
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "e2e", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	return map[string]any{"jsonrpc": "2.0", "id": 1, "method": m.method, "params": params}
}

func send(t testing.TB, method, url string, header map[string]string, body []byte) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(read)}
	_ = json.Unmarshal(read, &a) // a body that is not JSON has neither result nor error
	return a
}

// wants checks the status.
func (a answer) wants(t testing.TB, status int) {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d: %.300s", a.status, status, a.body)
	}
}

// result is the result of a tool call.
type result struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (r result) text() string {
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.Text)
	}
	return text.String()
}

// call calls a tool in the modern era, without a client library.
func call(t testing.TB, s *server, bearer, tool string, arguments map[string]any) result {
	t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	a := message{method: "tools/call", bearer: bearer, params: map[string]any{"name": tool, "arguments": arguments}}.post(t, s)
	a.wants(t, http.StatusOK)
	var r result
	if err := json.Unmarshal(a.Result, &r); err != nil {
		t.Fatalf("%s: %v: %.300s", tool, err, a.body)
	}
	return r
}
