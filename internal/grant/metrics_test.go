package grant_test

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestKeeper_ReportsSuccessfulRefreshesAndARefusingProvider(t *testing.T) {
	in(t, func(env *testEnv) {
		refreshed, tripped := 0, 0
		config := env.config()
		config.Refreshed = func(context.Context) { refreshed++ }
		config.Tripped = func(context.Context) { tripped++ }
		env.Keeper = grant.New(config)
		wantCalls := func(wantRefreshed, wantTripped int) {
			env.Helper()
			if refreshed != wantRefreshed || tripped != wantTripped {
				env.Errorf("reported %d refreshes and %d refusals, want %d and %d", refreshed, tripped, wantRefreshed, wantTripped)
			}
		}
		env.token(ines, "")
		wantCalls(0, 0)
		env.stale(time.Hour)
		env.token(ines, "")
		env.token(ines, "")
		wantCalls(1, 0)
		env.signOn.refuses(provider.Misconfigured, 0)
		env.stale(-time.Hour)
		env.fails(ines, "", fault.UpstreamError)
		env.fails(ines, "", fault.UpstreamError)
		wantCalls(1, 1)
	})
}
