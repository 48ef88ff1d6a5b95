package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/version"
)

// Clients and operators see the version of the program.
func TestNewLocal_SaysItsVersionToClientsAndOperators(t *testing.T) {
	started, err := NewLocal(t.Context(), config.Config{BasecampURL: config.Sandbox}, quiet, "http://127.0.0.1:1", InMemory)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(started.Handler)
	defer server.Close()
	_, _, body := send(t, server.URL+"/mcp", started.Bearer, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	if want := `"version":"` + version.String() + `"`; !strings.Contains(body, want) {
		t.Errorf("initialize lacks %s: %s", want, body)
	}
	answer, err := http.Get(server.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if health, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(health), `"version":"`+version.String()+`"`) {
		t.Errorf("/healthz says %s, %v", health, err)
	}
}
