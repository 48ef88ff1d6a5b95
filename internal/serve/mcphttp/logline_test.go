package mcphttp

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
)

// logged serves requests and returns their log lines without the times.
func logged(t *testing.T, table string, level slog.Level, requests ...*http.Request) []map[string]any {
	t.Helper()
	mux := http.NewServeMux()
	Health(mux, "1", nil)
	guard, _ := newGuard()
	mux.Handle("/mcp", guard)
	mux.Handle("/", NotFound())
	mux.HandleFunc("GET /page/{name}", func(_ http.ResponseWriter, r *http.Request) { telemetry.Tripped(r.Context()) })
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level}))
	mux.HandleFunc("/own", func(_ http.ResponseWriter, r *http.Request) {
		telemetry.From(r.Context()).Tell()
		log.Info("own")
	})
	h := WithLine(mux, log, table, func(*http.Request) time.Duration { return 20 * time.Millisecond })
	for _, r := range requests {
		h.ServeHTTP(httptest.NewRecorder(), r.WithContext(identity.WithRequestID(r.Context(), "req-1")))
	}
	var lines []map[string]any
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var line map[string]any
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if ms, ok := line["ms"].(float64); line["msg"] == "request" && (!ok || ms < 0) {
			t.Errorf("ms is %v", line["ms"])
		}
		delete(line, "time")
		delete(line, "ms")
		lines = append(lines, line)
	}
	return lines
}

func get(path string) *http.Request { return httptest.NewRequest(http.MethodGet, path, nil) }

func TestLine_HasTheRouteAndNeverThePath(t *testing.T) {
	got := logged(t, "", slog.LevelInfo, get("/page/secret?code=secret"), get("/secret"), get("/own"))
	want := []map[string]any{
		{
			"level": "INFO", "msg": "request", "request_id": "req-1", "method": "GET", "route": "GET /page/{name}", "status": 200.0, "outcome": "ok",
			"cold": true, "init_ms": 20.0,
		},
		{"level": "INFO", "msg": "request", "request_id": "req-1", "method": "GET", "route": "/", "status": 404.0, "outcome": "HTTP 404"},
		{"level": "INFO", "msg": "own"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLine_OfARefusalHasTheCallerIfTheTokenIsValid(t *testing.T) {
	by := func(bearer, method, body string) *http.Request {
		r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Authorization": {"Bearer " + bearer}, "Content-Type": {"application/json"}}
		return r
	}
	abroad := by("bo", http.MethodPost, "{}")
	abroad.Header.Set("Origin", "https://elsewhere.example")
	got := logged(t, "", slog.LevelInfo,
		by("stranger", http.MethodPost, "{}"), abroad, by("bo", http.MethodGet, ""), by("bo", http.MethodPost, "{}"),
		by("bo", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_todo"}}`),
		by("bo", http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`), // DEBUG level
	)
	bo := identity.Alias("37s:2")
	for i, want := range []struct {
		person  any
		outcome string
	}{{nil, "HTTP 401"}, {nil, "HTTP 403"}, {bo, "HTTP 405"}, {bo, "HTTP 400"}, {bo, "HTTP 403"}} {
		if got[i]["person"] != want.person || got[i]["outcome"] != want.outcome {
			t.Errorf("want %v, got %v", want, got[i])
		}
	}
	if len(got) != 5 {
		t.Errorf("%v", got[5:])
	}
}

func TestLine_OfAHealthCheckIsAtLevelDebugUnlessItIsAColdStart(t *testing.T) {
	for level, want := range map[slog.Level]int{slog.LevelInfo: 1, slog.LevelDebug: 2} {
		if got := logged(t, "", level, get("/healthz"), get("/healthz")); len(got) != want || got[0]["cold"] != true {
			t.Errorf("%s: %v", level, got)
		}
	}
}

func TestLine_CountsOnlyForATable(t *testing.T) {
	for table, want := range map[string]any{"": nil, "fernhill-Table-1": 1.0} {
		got := logged(t, table, slog.LevelInfo, get("/page/x"), get("/nowhere"))
		if got[0]["CircuitOpen"] != want || (got[0]["_aws"] != nil) != (want != nil) || got[1]["_aws"] != nil {
			t.Errorf("%q: %v", table, got)
		}
	}
}

func TestLine_OfAPanicFollowsThePanicsOwnLine(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	broken := http.NewServeMux()
	broken.HandleFunc("/broken", func(http.ResponseWriter, *http.Request) { panic("boom") })
	none := func(*http.Request) time.Duration { return 0 }
	WithLine(Recover(broken, log), log, "", none).ServeHTTP(httptest.NewRecorder(), get("/broken"))
	said := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(said) != 2 || !strings.Contains(said[0], "msg=panic") || !strings.Contains(said[1], `route=/broken`) || !strings.Contains(said[1], `outcome="HTTP 500"`) {
		t.Errorf("logged %s", out.String())
	}
}
