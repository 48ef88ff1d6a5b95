package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// Version is the version of the protocol that the client speaks.
const Version = "2025-11-25"

// Ines is the bearer token of the sandbox's first person, who owns the company.
const Ines = "sandbox-ines"

// Client is a connected MCP client.
type Client struct {
	t       testing.TB
	url     string
	bearer  string
	session string
	Tools   map[string]Tool // by name
	// Projects are IDs, separated by commas, that hold the client to these projects; may be empty.
	Projects string
}

// Tool is what tools/list tells about a tool.
type Tool struct {
	Name, Title, Description string
	InputSchema              Schema
}

// Schema is the schema of a tool's arguments.
type Schema struct {
	Properties map[string]json.RawMessage
	Required   []string
	JSON       string // the whole schema, as the server sent it
}

// UnmarshalJSON reads a schema and keeps its JSON.
func (s *Schema) UnmarshalJSON(data []byte) error {
	type plain Schema
	s.JSON = string(data)
	return json.Unmarshal(data, (*plain)(s))
}

// Connect opens a session at the endpoint for the person with the bearer token, and lists the
// tools.
func Connect(t testing.TB, url, bearer string) *Client {
	t.Helper()
	c := &Client{t: t, url: url, bearer: bearer, Tools: map[string]Tool{}}
	c.request("initialize", map[string]any{
		"protocolVersion": Version,
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]string{"name": "agent", "version": "1"},
	}, nil)
	c.post(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	var list struct {
		Tools      []Tool
		NextCursor *string
	}
	c.request("tools/list", map[string]any{}, &list)
	if list.NextCursor != nil {
		t.Fatal("tools/list has a second page, which this client does not read")
	}
	for _, tool := range list.Tools {
		c.Tools[tool.Name] = tool
	}
	return c
}

// Names returns the names of all tools, sorted.
func (c *Client) Names() []string { return slices.Sorted(maps.Keys(c.Tools)) }

// Call calls a tool. A failure that the tool reports is an answer with Failed set; all other
// failures end the test.
func (c *Client) Call(tool string, arguments map[string]any) Answer {
	c.t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	refused := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments}, &result)
	if refused != "" {
		return newAnswer(refused, true)
	}
	text, image := "", false
	for _, block := range result.Content {
		text += block.Text
		image = image || block.Type == "image"
	}
	a := newAnswer(text, result.IsError)
	a.Image = image
	return a
}

// request sends a request and decodes its result. If the server answers with a JSON-RPC error,
// request returns the error as JSON.
func (c *Client) request(method string, params map[string]any, into any) (refused string) {
	c.t.Helper()
	body := c.post(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	var read struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(body, &read); err != nil {
		c.t.Fatalf("%s: %v: %.300s", method, err, body)
	}
	if read.Error != nil {
		return string(read.Error)
	}
	if into == nil {
		return ""
	}
	if err := json.Unmarshal(read.Result, into); err != nil {
		c.t.Fatalf("%s: %v: %.300s", method, err, body)
	}
	return ""
}

func (c *Client) post(message map[string]any) []byte {
	c.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header = http.Header{
		"Authorization":        {"Bearer " + c.bearer},
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {Version},
	}
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.Projects != "" {
		request.Header.Set("X-MCP-Projects", c.Projects)
	}
	client := http.Client{Timeout: patience}
	response, err := client.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.StatusCode >= http.StatusInternalServerError {
		c.t.Fatalf("%s: %.300s", response.Status, read)
	}
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return read
}
