package mcptool

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/telemetry"
)

// BenchmarkLine calls a tool that does almost nothing, so that most of the time goes to the log
// line.
func BenchmarkLine(b *testing.B) {
	tool := Define(Spec{Name: "greet", Title: "Greet", Description: "Greets."}, func(context.Context, greetInput) (greeting, error) { return greeting{}, nil })
	ctx := identity.With(identity.WithRequestID(b.Context(), "UjKq1hX8liAEMXQ="), identity.Caller{
		Subject: "37s:1049715", Scopes: []identity.Scope{identity.Read}, Client: "Claude Code",
	})
	written := slog.New(slog.NewJSONHandler(struct{ io.Writer }{io.Discard}, nil))
	for _, to := range []struct {
		name, function string
		log            *slog.Logger
	}{{"none", "", slog.New(slog.DiscardHandler)}, {"local", "", written}, {"function", "fernhill", written}} {
		b.Run(to.name, func(b *testing.B) {
			s := NewServer([]Toolset{{Name: "t", Tools: []Tool{tool}}}, Options{Name: "test", Version: "1", Function: telemetry.Function{Name: to.function}, Log: to.log})
			b.ReportAllocs()
			for b.Loop() {
				if o, _ := s.CallTool(ctx, "greet", json.RawMessage(`{"name":"Ines"}`), false); o.IsError {
					b.Fatal(o.Message)
				}
			}
		})
	}
}
