package app

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
)

func TestWrongKeyRing_IsNamedAtTheStart(t *testing.T) {
	for ring, want := range map[string]string{
		"k1":                "key ring fernhill-ring",
		`{"current":"k2"}`:  "key ring fernhill-ring",
		`{"k1":"aB3xaB3x"}`: "key ring fernhill-ring",
		`{"current":"k1","k1":"` + strings.Repeat("aB3x", 16) + `"}`: "",
	} {
		manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": ring, "VersionId": "1"})
		}))
		t.Cleanup(manager.Close)
		c := deployment()
		c.AWS.SecretsManager, c.AWS.KeyRing, c.AWS.SealsTokens = manager.URL, "fernhill-ring", true
		for name, open := range map[string]func(config.Config, *slog.Logger) (Function, error){"MCP": MCP, "OAuth": OAuth} {
			var log bytes.Buffer
			f, err := open(c, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			f.WarmUps[2](t.Context())
			said := log.String()
			if want == "" && said != "" || want != "" && (!strings.Contains(said, "level=ERROR") || !strings.Contains(said, want)) {
				t.Errorf("%s with the ring %s logs %q", name, ring, said)
			}
			if strings.Contains(said, "aB3x") {
				t.Errorf("%s logs a key: %s", name, said)
			}
		}
	}
}
