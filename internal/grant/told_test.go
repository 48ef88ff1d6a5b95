package grant_test

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestKeeper_TellsOfRefreshesThatBroughtTokensAndOfARefusingProvider(t *testing.T) {
	in(t, func(h *house) {
		refreshed, tripped := 0, 0
		config := h.config()
		config.Refreshed = func(context.Context) { refreshed++ }
		config.Tripped = func(context.Context) { tripped++ }
		h.Keeper = grant.New(config)
		told := func(wantRefreshed, wantTripped int) {
			h.Helper()
			if refreshed != wantRefreshed || tripped != wantTripped {
				h.Errorf("told of %d refreshes and %d refusals, want %d and %d", refreshed, tripped, wantRefreshed, wantTripped)
			}
		}
		h.token(ines, "")
		told(0, 0)
		h.stale(time.Hour)
		h.token(ines, "")
		h.token(ines, "")
		told(1, 0)
		h.signOn.refuses(provider.Misconfigured, 0)
		h.stale(-time.Hour)
		h.fails(ines, "", fault.UpstreamError)
		h.fails(ines, "", fault.UpstreamError)
		told(1, 1)
	})
}
