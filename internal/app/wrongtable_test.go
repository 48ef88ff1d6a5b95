package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
)

// A client that receives a 401 would throw its token away.
func TestWrongTable_IsNamedAtTheStartAndEndsNoSession(t *testing.T) {
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}`)
	}))
	t.Cleanup(database.Close)
	c := deployment()
	c.AWS.DynamoDB = database.URL
	for name, open := range map[string]func(config.Config, *slog.Logger) (Function, error){"MCP": MCP, "OAuth": OAuth} {
		var log bytes.Buffer
		f, err := open(c, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		f.WarmUps[0](t.Context())
		const want = "ResourceNotFoundException: TABLE_NAME names no table of this account and region; deploy with another ExistingTable"
		if said := log.String(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said, want) {
			t.Errorf("%s logs %q", name, said)
		}
		if name == "OAuth" {
			continue
		}
		server := httptest.NewServer(f)
		t.Cleanup(server.Close)
		token := "bcm_at_" + strings.Repeat("f", 16) + "_" + strings.Repeat("s", 43)
		status, header, body := send(t, server.URL+"/mcp", token, "tools/call", listOneProject)
		if status != http.StatusServiceUnavailable || header.Get("Www-Authenticate") != "" {
			t.Errorf("HTTP %d %v %s", status, header, body)
		}
	}
}
