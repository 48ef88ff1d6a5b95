package basecamptools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

func TestEach_ReturnsTheOutcomeOfEachEntry(t *testing.T) {
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3}, func(_ context.Context, n int) (int, error) {
		if n == 2 {
			return 0, fault.Invalid("content", "is wrong")
		}
		return 10 * n, nil
	})
	if err != nil || failed != 1 || len(outcomes) != 3 {
		t.Fatalf("%v, %d failed, %v", outcomes, failed, err)
	}
	if !outcomes[0].OK || *outcomes[2].Item != 30 || outcomes[1].OK || outcomes[1].Error.Code != fault.InvalidInput || outcomes[1].Index != 1 {
		t.Errorf("got %+v", outcomes)
	}
}

func TestEach_StopsAfterARateLimit(t *testing.T) {
	tried := 0
	outcomes, failed, err := listing.Each(context.Background(), "todos", []int{1, 2, 3, 4}, func(_ context.Context, n int) (int, error) {
		if tried++; n == 2 {
			return 0, fault.New(fault.RateLimited, "slow down")
		}
		return n, nil
	})
	if err != nil || failed != 3 || tried != 2 {
		t.Fatalf("%d failed, %d tried, %v", failed, tried, err)
	}
	if e := outcomes[3].Error; e.Code != fault.RateLimited || !strings.HasPrefix(e.Message, "not tried") || e.MayHaveHappened {
		t.Errorf("got %+v", e)
	}
}

func TestEach_ReturnsAnErrorWithEveryMessageIfAllFail(t *testing.T) {
	_, _, err := listing.Each(context.Background(), "todos", []int{1, 2}, func(_ context.Context, n int) (int, error) {
		f := fault.New(fault.UpstreamError, "no answer to %d", n)
		f.MayHaveHappened, f.Retryable = n == 2, n == 1
		return 0, f
	})
	f := fault.From(err)
	if f.Code != fault.UpstreamError || !f.MayHaveHappened || f.Retryable || len(f.Validation) != 2 || f.Validation[1].Path != "todos[1]" {
		t.Errorf("got %+v", f)
	}
	_, _, err = listing.Each(context.Background(), "todos", []int{1}, func(context.Context, int) (int, error) { return 0, errors.New("a defect") })
	if f := fault.From(err); f.Code != fault.InternalError || strings.Contains(f.Message, "defect") {
		t.Errorf("got %+v", f)
	}
}

func TestEach_StartsNoEntryWithoutEnoughTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		outcomes, failed, err := listing.Each(ctx, "todos", []int{1, 2, 3, 4}, func(ctx context.Context, n int) (int, error) {
			select {
			case <-time.After(2 * time.Second):
				return n, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		if err != nil || failed != 2 || outcomes[2].Error.Code != fault.UpstreamError || outcomes[2].Error.MayHaveHappened {
			t.Errorf("%d failed, %v: %+v", failed, err, outcomes[2].Error)
		}
	})
}
