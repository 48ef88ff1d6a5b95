package mcptool

import (
	"context"
	"errors"
	"testing"
)

func TestAfter_RunsEvenIfTheCallFailed(t *testing.T) {
	for _, want := range []error{nil, errors.New("no")} {
		var ran int
		tool := define("greet", Updates, failWith(want)).After(func(context.Context) { ran++ })
		if _, err := tool.run(t.Context(), accepted{data: []byte(`{"name":"Ada"}`)}); !errors.Is(err, want) || ran != 1 {
			t.Errorf("ran %d times after %v", ran, err)
		}
	}
}
