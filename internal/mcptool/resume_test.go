package mcptool

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/memory"
)

type parts struct {
	Done         int      `json:"done"`
	NotAttempted []string `json:"not_attempted,omitempty"`
}

// A tool that makes a part of its work in each call.
func TestKey_OfAnUnfinishedCallGoesOn(t *testing.T) {
	ran := 0
	var failure error
	tool := Define(Spec{Name: "build", Title: "T", Description: "D.", Effect: Creates, Resumes: true}, func(ctx context.Context, _ bikeInput) (parts, error) {
		ran++
		var p parts
		resumed, keyed, err := Earlier(ctx, &p)
		if err != nil || resumed != (p.Done > 0) || !keyed {
			t.Errorf("resumed %v, keyed %v, %v", resumed, keyed, err)
		}
		if failure != nil {
			return p, failure
		}
		if p.Done++; p.Done < 3 {
			p.NotAttempted = []string{"wheel"}
		} else {
			p.NotAttempted = nil
		}
		return p, nil
	})
	log := slog.New(slog.DiscardHandler)
	s := testServer{Server: NewServer([]Toolset{{Name: "t", Tools: []Tool{tool}}}, Options{
		Name: "test", Version: "1", Log: log, Idempotency: idempotency.NewRunner(memory.New(nil), log, nil),
	})}
	call := func(key, want string, times int) {
		t.Helper()
		got := s.ask(t, writer, "", `"name":"build","arguments":{"name":"a","idempotency_key":"`+key+`"}`)
		if text := got.Content[0].Text; !strings.Contains(text, want) || ran != times {
			t.Errorf("got %s after %d calls", text, ran)
		}
	}
	call("k", `{"done":1,"not_attempted":["wheel"]}`, 1)
	failure = fault.New(fault.RateLimited, "not now")
	call("k", "RATE_LIMITED", 2)
	failure = nil
	call("k", `{"done":2,"not_attempted":["wheel"]}`, 3)
	call("k", `{"done":3}`, 4)
	call("k", `{"done":3}`, 4)
	call("l", `{"done":1,"not_attempted":["wheel"]}`, 5)
}
