package memory

import (
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/storetest"
)

func TestOnce(t *testing.T) {
	storetest.Once(t, func(_ *testing.T, now func() time.Time) idempotency.Store { return NewOnce(now) })
}

func TestOnce_RefusesAUsersNewKeysAboveALimitAndForgetsNone(t *testing.T) {
	storetest.OnceLimit(t, func(_ *testing.T, now func() time.Time) idempotency.Store { return NewOnce(now) })
}
