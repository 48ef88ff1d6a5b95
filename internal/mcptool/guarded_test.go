package mcptool_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/web"
)

// readers lets everybody in, to read.
type readers struct{}

func (readers) Authenticate(context.Context, string) (identity.Caller, error) {
	return identity.Caller{Subject: "37s:1", Connection: "c1", Scopes: []identity.Scope{identity.Read}, Key: []byte("key")}, nil
}

type catalog struct{ *mcptool.Server }

func (c catalog) Scope(s web.Selection, tool string) (identity.Scope, bool) {
	return c.Server.Scope(s.Toolsets, s.ReadOnly, tool)
}

func (c catalog) Handler(s web.Selection) http.Handler {
	return c.Server.Handler(s.Toolsets, s.ReadOnly)
}

func TestResources_AreReadThroughTheGuardInBothEras(t *testing.T) { // K-22
	log := slog.New(slog.DiscardHandler)
	server := mcptool.NewServer(nil, mcptool.Options{Name: "test", Version: "1", Log: log, Audit: audit.NewTrail(memory.NewAudit(nil), log)})
	guard := &web.Guard{
		Catalog: catalog{server}, Authenticator: readers{}, Sessions: &web.MemorySessions{},
		Origin: func(*http.Request) string { return "https://mcp.fernhill.example" },
	}
	const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for method, want := range map[string]string{
		"resources/list":           `"uri":"audit://calls"`,
		"resources/templates/list": `"uriTemplate":"audit://calls{?cursor}"`,
		"resources/read":           `\"has_more\":false`,
	} {
		for version, params := range map[string]string{"2026-07-28": stateless, "2025-06-18": ""} {
			uri := ""
			if method == "resources/read" {
				uri = "audit://calls"
				params = strings.TrimSuffix(`"uri":"audit://calls",`+params, ",")
			}
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)))
			r.Header = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}, "Mcp-Protocol-Version": {version}}
			if version == "2026-07-28" {
				r.Header.Set("Mcp-Method", method)
				if uri != "" {
					r.Header.Set("Mcp-Name", uri)
				}
			}
			w := httptest.NewRecorder()
			guard.ServeHTTP(w, r)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s %s: HTTP %d %s", version, method, w.Code, w.Body)
			}
		}
	}
}
