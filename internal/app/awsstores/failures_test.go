package awsstores

import (
	"context"
	"testing"
	"time"
)

// A store that does not answer fails; a caller that gave up says nothing about the store.
func TestStoreFailed_CountsATimeoutAndNotACallerThatGaveUp(t *testing.T) {
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	left, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		want bool
	}{{late, true}, {left, false}} {
		if got := storeFailed(test.ctx, test.ctx.Err(), tableRefusals); got != test.want {
			t.Errorf("%v: %t", test.ctx.Err(), got)
		}
	}
}
