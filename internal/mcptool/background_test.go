package mcptool_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/mcptool"
)

// A function on Lambda is frozen once it has answered: work that still ran would be frozen too.
func TestInBackground_EndsBeforeTheCallAnswers(t *testing.T) {
	for name, err := range map[string]error{"answers": nil, "fails": fault.New(fault.NotFound, "no such bike")} {
		synctest.Test(t, func(t *testing.T) {
			var running, cancelled atomic.Int64
			work := func(ctx context.Context) {
				<-ctx.Done()
				cancelled.Add(1)
				time.Sleep(time.Second) // a slow end
				running.Add(-1)
			}
			tool := mcptool.Define(mcptool.Spec{Name: "ride", Title: "Ride", Description: "Rides."}, func(ctx context.Context, _ struct{}) (struct{}, error) {
				running.Store(2)
				mcptool.InBackground(ctx, func(ctx context.Context) {
					mcptool.InBackground(ctx, work)
					work(ctx)
				})
				time.Sleep(time.Second)
				return struct{}{}, err
			})
			server := mcptool.NewServer([]mcptool.Toolset{{Name: "bikes", Tools: []mcptool.Tool{tool}}}, mcptool.Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
			client := mcptest.Client{
				TB: t, Handler: server.Handler(mcptool.Selection{Toolsets: []string{"bikes"}}), Caller: identity.Caller{Subject: "37s:1", Scopes: []identity.Scope{identity.Read}},
				Schemas: map[string]*jsonschema.Resolved{"ride": mcptest.Schema(tool.OutputSchema())},
			}
			if _, isError := client.Raw("ride", nil); isError != (err != nil) || running.Load() != 0 || cancelled.Load() != 2 {
				t.Errorf("%s: error %v; %d cancelled, %d still running", name, isError, cancelled.Load(), running.Load())
			}
		})
	}
}

func TestInBackground_WithoutACallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	mcptool.InBackground(ctx, func(ctx context.Context) { <-ctx.Done(); close(ended) })
	cancel()
	<-ended
}
