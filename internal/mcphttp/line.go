package mcphttp

import (
	"cmp"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/telemetry"
)

// WithLine gives every request one line in the log: its own, which whoever answers it writes, or else one that says by what
// route it came and how it ended. Function is the Lambda function to count for, "" for none, and started tells how long the
// process took to start, zero where it is not known.
func WithLine(next http.Handler, log *slog.Logger, function string, started func(*http.Request) time.Duration) http.Handler {
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
		line = append(line,
			slog.String("method", knownMethod(r.Method)),
			slog.String("route", r.Pattern), // never the path, in which there may be anything
			telemetry.Milliseconds("ms", time.Since(request.Start)),
			slog.Int("status", status),
			slog.String("outcome", outcome(status)),
		)
		line = telemetry.Counts{Request: request}.Append(request.Append(line), function)
		log.LogAttrs(r.Context(), level, "request", line...)
	})
}

// knownMethod is a method as it may be logged: one that is none could say anything.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// health is asked by machines, all day.
const health = "GET /healthz"

// Health adds the answer to GET /healthz.
func Health(mux *http.ServeMux, version string) {
	mux.HandleFunc(health, func(w http.ResponseWriter, _ *http.Request) {
		JSON(w, http.StatusOK, map[string]string{"status": "ok", "version": version})
	})
}

func outcome(status int) string {
	if status < http.StatusBadRequest {
		return "ok"
	}
	return "HTTP " + strconv.Itoa(status)
}
