package mcptool

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
)

// Both eras learn the same about the server, and every other result repeats only its name.
func TestServer_IntroducesItselfOnce(t *testing.T) {
	s := newLibrary()
	s.options.Title, s.options.Description, s.options.Icon = "Test", "Tests things.", Icon{Source: "data:image/svg+xml;base64,eA==", Type: "image/svg+xml"}
	brief := mcp.Implementation{Name: s.options.Name, Version: s.options.Version, Title: "Test"}
	whole := brief
	whole.Description, whole.WebsiteURL = "Tests things.", "https://mcp.fernhill.example/"
	whole.Icons = []mcp.Icon{{Src: "data:image/svg+xml;base64,eA==", MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
	ctx := identity.With(identity.WithOrigin(t.Context(), "https://mcp.fernhill.example"), reader)
	h := s.Handler(Selection{})

	w := mcptest.Post(ctx, h, reader, mcptest.Message("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`), nil)
	if diff := cmp.Diff(whole, mcptest.Result[struct{ ServerInfo mcp.Implementation }](t, w.Body.Bytes()).ServerInfo); diff != "" {
		t.Errorf("initialize: %s", diff)
	}
	for method, want := range map[string]mcp.Implementation{"server/discover": whole, "tools/list": brief, "prompts/list": brief} {
		var answer struct {
			Result struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			} `json:"result"`
		}
		var got mcp.Implementation
		if err := json.Unmarshal(post(ctx, t, h, method, "", "").Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(answer.Result.Meta[mcp.MetaKeyServerInfo], &got); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
}
