package basecamptools

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fence"
)

// fencedBy runs a test whose caller has a fence, with the writes that reach Basecamp.
func fencedBy(t *testing.T, f fence.Fence, work func(d *toolEnv, sent *sentWrites)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, sent := newSending(t)
		d.marked = &marks{}
		d.server = d.serverWith(nil)
		d.who.Fence = f
		work(d, sent)
	})
}

func TestFence_LimitsTheWritesOfAnHour(t *testing.T) {
	fencedBy(t, fence.Fence{WritesAnHour: 3}, func(d *toolEnv, sent *sentWrites) {
		in := typical(d)
		call[map[string]any](d, "create_comment", in["create_comment"])
		sent.writes = nil
		call[map[string]any](d, "create_todos", in["create_todos"])
		f := d.fails("RATE_LIMITED", "create_comment", in["create_comment"], "3 writes an hour")
		if len(sent.writes) != 2 || !f.Retryable || f.RetryAfterSeconds < 3500 || f.RetryAfterSeconds > 3600 {
			t.Errorf("%d writes, %+v", len(sent.writes), f)
		}
		call[map[string]any](d, "preview", args{"tool": "create_comment", "arguments": in["create_comment"]})
		time.Sleep(time.Hour) // of the test's own time
		call[map[string]any](d, "create_comment", in["create_comment"])
	})
}

// marks are what fences know about one connection.
type marks struct {
	hour   time.Time
	writes int
}

func (m *marks) CountWrite(_ context.Context, _ string, at time.Time, most int) (time.Time, error) {
	if !at.Before(m.hour.Add(time.Hour)) {
		m.hour, m.writes = at, 0
	}
	if m.writes >= most {
		return m.hour.Add(time.Hour), nil
	}
	m.writes++
	return time.Time{}, nil
}
