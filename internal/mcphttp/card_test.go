package mcphttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCard_IsReadWithoutALoginAndNamesTheEndpoint(t *testing.T) {
	mux := http.NewServeMux()
	Card(mux, About{"basecamp-mcp", "Basecamp", "Reads Basecamp.", "1.2.3"}, func(*http.Request) string { return "https://mcp.fernhill.example" }, func() string { return "d1" })
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/mcp/server-card", nil))
	for _, want := range []string{
		`"name":"example.fernhill.mcp/basecamp-mcp"`, `"url":"https://mcp.fernhill.example/mcp"`, `"2026-07-28"`, `{"basecamp-mcp/tools":"d1"}`,
		`"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"`, `"version":"1.2.3"`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s is not in %s", want, w.Body)
		}
	}
	if w.Header().Get("Content-Type") != cardType || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", w.Header())
	}
	catalog := httptest.NewRecorder()
	CatalogOfCard(catalog, "https://mcp.fernhill.example")
	if !strings.Contains(catalog.Body.String(), `"url":"https://mcp.fernhill.example/mcp/server-card"`) || !strings.Contains(catalog.Body.String(), "urn:air:mcp.fernhill.example:mcp:basecamp-mcp") {
		t.Errorf("%s", catalog.Body)
	}
}
