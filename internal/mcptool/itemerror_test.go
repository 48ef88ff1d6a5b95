package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/memory"
)

func TestFailure_OfAnEntryHasTheFieldsOfAFailedCall(t *testing.T) {
	ambiguous := fault.New(fault.Ambiguous, "there are two")
	ambiguous.Candidates = []fault.Candidate{{ID: 7, Name: "Ines"}}
	unknown := fault.New(fault.NotFound, "there is none")
	unknown.Nearest = []fault.Candidate{{ID: 7, Type: "person", Name: "Ines", Where: "Fernhill"}}
	lost := fault.New(fault.UpstreamError, "no answer").Because(errors.New("secret"))
	lost.Retryable, lost.MayHaveHappened = false, true
	own := fault.New(fault.InvalidInput, "too long")
	own.Own = "content_too_long"
	for want, err := range map[string]error{
		`{"error_code":"NOT_FOUND","message":"gone","retryable":false}`:                                                                                                       fmt.Errorf("read: %w", fault.New(fault.NotFound, "gone")),
		`{"error_code":"AMBIGUOUS","message":"there are two","retryable":false,"candidates":[{"id":7,"name":"Ines"}]}`:                                                        ambiguous,
		`{"error_code":"NOT_FOUND","message":"there is none","retryable":false,"nearest":[{"id":7,"type":"person","name":"Ines","where":"Fernhill"}]}`:                        unknown,
		`{"error_code":"UPSTREAM_ERROR","message":"no answer","retryable":false,"may_have_happened":true}`:                                                                    lost,
		`{"error_code":"RATE_LIMITED","message":"too fast","retryable":true}`:                                                                                                 fault.New(fault.RateLimited, "too fast"),
		`{"error_code":"CONTENT_TOO_LONG","message":"too long","retryable":false}`:                                                                                            own,
		`{"error_code":"INTERNAL_ERROR","message":"something went wrong on our side","retryable":false,"may_have_happened":true}`:                                             errors.New("secret"),
		`{"error_code":"INVALID_INPUT","message":"x: must be a day","retryable":false,"validation":[{"path":"x","message":"must be a day","code":"invalid"}]}`:                fault.Invalid("x", "must be a day"),
		`{"error_code":"UPSTREAM_ERROR","message":"this may have been done, although the time ran out; look before trying again","retryable":false,"may_have_happened":true}`: fmt.Errorf("secret: %w", context.DeadlineExceeded),
	} {
		got, encodeErr := encode(Failure(err))
		if string(got) != want || encodeErr != nil {
			t.Errorf("%v:\n got %s\nwant %s", err, got, want)
		}
	}
}

type entry struct {
	OK    bool       `json:"ok"`
	Error *ItemError `json:"error,omitempty"`
}

type batch struct {
	Results []entry `json:"results"`
}

// newBatch returns a server with a tool whose entries fail with those errors.
func newBatch(failures ...error) testServer {
	tool := Define(Spec{Name: "batch", Title: "Batch", Description: "Does several.", Effect: Creates}, func(context.Context, noFields) (batch, error) {
		done := batch{Results: []entry{{OK: true}}}
		for _, err := range failures {
			failed := Failure(err)
			done.Results = append(done.Results, entry{Error: &failed})
		}
		return done, nil
	})
	var log bytes.Buffer
	return testServer{log: &log, Server: NewServer([]Toolset{{Name: "t", Tools: []Tool{tool}}}, Options{
		Name: "test", Version: "1", Log: slog.New(slog.NewJSONHandler(&log, nil)), Idempotency: idempotency.NewRunner(memory.NewOnce(nil), slog.New(slog.DiscardHandler), nil),
	})}
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
		var line map[string]any
		if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		cause, _ := line["cause"].(string)
		if line["level"] != test.level || line["failed_entries"] != test.entries || line["outcome"] != "ok" {
			t.Errorf("%v: logged %s", test.failures, s.log)
		}
		if want := strings.Join(test.causes, "\n"); cause != want {
			t.Errorf("%v: logged %q, want %q", test.failures, cause, want)
		}
	}
}
