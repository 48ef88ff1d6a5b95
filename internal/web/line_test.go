package web

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

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/metric"
)

// told serves requests, and gives the lines of all of them without their times.
func told(t *testing.T, function string, level slog.Level, requests ...*http.Request) []map[string]any {
	t.Helper()
	mux := http.NewServeMux()
	Health(mux, "1")
	mux.Handle("/", NotFound())
	mux.HandleFunc("GET /page/{name}", func(_ http.ResponseWriter, r *http.Request) { metric.Tripped(r.Context()) })
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level}))
	mux.HandleFunc("/own", func(_ http.ResponseWriter, r *http.Request) {
		metric.From(r.Context()).Tell()
		log.Info("own")
	})
	h := WithLine(mux, log, function, func(*http.Request) time.Duration { return 20 * time.Millisecond })
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

func TestLine_SaysTheRouteAndNeverThePath(t *testing.T) {
	got := told(t, "", slog.LevelInfo, get("/page/secret?code=secret"), get("/secret"), get("/own"))
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

func TestLine_OfAHealthCheckIsForWhoDebugsUnlessItWokeTheFunction(t *testing.T) {
	for level, want := range map[slog.Level]int{slog.LevelInfo: 1, slog.LevelDebug: 2} {
		if got := told(t, "", level, get("/healthz"), get("/healthz")); len(got) != want || got[0]["cold"] != true {
			t.Errorf("%s: %v", level, got)
		}
	}
}

func TestLine_CountsForAFunctionAlone(t *testing.T) {
	for function, want := range map[string]any{"": nil, "oauth": 1.0} {
		got := told(t, function, slog.LevelInfo, get("/page/x"), get("/nowhere"))
		if got[0]["CircuitOpen"] != want || (got[0]["_aws"] != nil) != (want != nil) || got[1]["_aws"] != nil {
			t.Errorf("%q: %v", function, got)
		}
	}
}

func TestLine_IsNotWrittenForAPanicWhichHasOne(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	broken := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })
	none := func(*http.Request) time.Duration { return 0 }
	Recover(WithLine(broken, log, "", none), log).ServeHTTP(httptest.NewRecorder(), get("/"))
	if strings.Count(out.String(), "\n") != 1 || !strings.Contains(out.String(), "msg=panic") {
		t.Errorf("logged %s", out.String())
	}
}
