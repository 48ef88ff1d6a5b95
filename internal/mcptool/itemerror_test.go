package mcptool

import (
	"context"
	"errors"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/toolanswer"
)

type entry struct {
	OK    bool                  `json:"ok"`
	Error *toolanswer.ItemError `json:"error,omitempty"`
}

type batch struct {
	Results []entry `json:"results"`
}

// newBatch returns a server with a tool whose entries fail with those errors.
func newBatch(failures ...error) testServer {
	tool := Define(Spec{Name: "batch", Title: "Batch", Description: "Does several.", Effect: Creates}, func(context.Context, noFields) (batch, error) {
		done := batch{Results: []entry{{OK: true}}}
		for _, err := range failures {
			failed := toolanswer.Failure(err)
			done.Results = append(done.Results, entry{Error: &failed})
		}
		return done, nil
	})
	return serveTools(Options{Idempotency: keys()}, tool)
}

func TestFailure_LogsItsCauseWithTheCall(t *testing.T) {
	upstream := fault.New(fault.UpstreamError, "no answer").Because(errors.New("secret timeout"))
	for _, test := range []struct {
		failures []error
		level    string
		causes   []string
		entries  any
	}{
		{nil, "INFO", nil, nil},
		{[]error{fault.New(fault.NotFound, "gone").Because(errors.New("secret 404"))}, "INFO", nil, 1.0},
		{[]error{upstream}, "INFO", []string{"secret timeout"}, 1.0},
		{[]error{upstream, errors.New("secret defect")}, "ERROR", []string{"secret timeout", "secret defect"}, 2.0},
	} {
		s := newBatch(test.failures...)
		got := s.callAs(t, writer, "batch", `{"idempotency_key":"k"}`)
		if got.IsError || strings.Contains(got.Content[0].Text, "secret") {
			t.Errorf("told %s", got.Content[0].Text)
		}
		line := s.lines(t)[0]
		cause, _ := line["cause"].(string)
		if line["level"] != test.level || line["failed_entries"] != test.entries || line["outcome"] != "ok" {
			t.Errorf("%v: logged %s", test.failures, s.log)
		}
		if want := strings.Join(test.causes, "\n"); cause != want {
			t.Errorf("%v: logged %q, want %q", test.failures, cause, want)
		}
	}
}
