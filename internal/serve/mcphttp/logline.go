package mcphttp

import (
	"cmp"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
)

// WithLine writes one log line for each request. The handler may write it; otherwise WithLine
// writes one with the route and the status. table names the metrics. started
// returns how long the process took to start, or zero if unknown.
func WithLine(next http.Handler, log *slog.Logger, table string, started func(*http.Request) time.Duration) http.Handler {
	var warm atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := &telemetry.Request{Start: time.Now(), Cold: !warm.Swap(true)}
		if request.Cold {
			request.Init = started(r)
		}
		seen := &watched{ResponseWriter: w}
		r = r.WithContext(telemetry.With(r.Context(), request))
		next.ServeHTTP(seen, r)
		if !request.Tell() {
			return
		}
		status := cmp.Or(seen.status, http.StatusOK)
		level := slog.LevelInfo
		if r.Pattern == health || status == http.StatusAccepted { // a notification
			level = request.Level()
		}
		line := append(make([]slog.Attr, 0, 16), slog.String("request_id", identity.RequestID(r.Context())))
		if request.Person != "" {
			line = append(line, slog.String("person", request.Person))
		}
		if client := calls.ClientName(request.Client, ""); client != "" {
			line = append(line, slog.String("client", client))
		}
		line = append(line,
			slog.String("method", knownMethod(r.Method)),
			slog.String("route", r.Pattern), // never the path, which a client controls
			telemetry.Milliseconds("ms", time.Since(request.Start)),
			slog.Int("status", status),
			slog.String("outcome", cmp.Or(request.Refusal, outcome(status))),
		)
		telemetry.Counts{Request: request}.Write(r.Context(), log, level, "request", request.Append(line), table)
	})
}

// knownMethod returns a standard method name, or "other": clients must not control what the log
// says.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// health is the route that monitors request all day.
const health = "GET /healthz"

// Health adds the answer to GET /healthz. digest returns that of the list of tools; nil means that
// the process has none.
func Health(mux *http.ServeMux, version string, digest func() string) {
	mux.HandleFunc(health, func(w http.ResponseWriter, _ *http.Request) {
		answer := map[string]string{"status": "ok", "version": version}
		if digest != nil {
			answer["tools"] = digest()
		}
		JSON(w, http.StatusOK, answer)
	})
}

func outcome(status int) string {
	if status < http.StatusBadRequest {
		return "ok"
	}
	return "HTTP " + strconv.Itoa(status)
}
