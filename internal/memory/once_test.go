package memory

import (
	"strconv"
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/storetest"
)

func TestOnce(t *testing.T) {
	storetest.Once(t, func(_ *testing.T, now func() time.Time) idempotency.Store { return NewOnce(now) })
}

func TestOnce_HasALimit(t *testing.T) {
	s := NewOnce(nil)
	for i := range mostCalls + 5 {
		_, err := s.ClaimCall(t.Context(), idempotency.Record{Key: strconv.Itoa(i), ExpiresAt: time.Now().Add(time.Hour)})
		must(t, err)
	}
	if len(s.records.slots) != mostCalls {
		t.Errorf("%d records", len(s.records.slots))
	}
}
