package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/telemetry"
)

// unstored returns the failures that the line of a request counts.
func unstored(r *telemetry.Request) (n int64) {
	for _, attr := range (telemetry.Counts{Request: r}).Append(nil, "t") {
		if attr.Key == "StoreFailures" {
			n = attr.Value.Int64()
		}
	}
	return n
}

// request returns a request whose line is not written yet, and its context.
func request(t *testing.T) (*telemetry.Request, context.Context) {
	r := &telemetry.Request{}
	return r, telemetry.With(t.Context(), r)
}

// The line of a call has a context of its own, so no request is known when it fails.
func TestStoreFailures_OfTheRecordOfCallsAreCountedWithTheNextRequest(t *testing.T) {
	down := true
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if down {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"AccessDeniedException"}`))
			return
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(database.Close)
	c := deployment().AWS
	c.DynamoDB = database.URL
	s := must(inAWS(c, slog.New(slog.DiscardHandler), http.DefaultTransport, nil))
	kept := s.log(slog.New(slog.DiscardHandler))
	kept.Line("37s:1", calls.Entry{Time: time.Now(), Tool: "get_me"})

	down = false
	next, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if n := unstored(next); n != 2 { // it is tried twice
		t.Errorf("the next request counts %d failures", n)
	}
	after, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if n := unstored(after); n != 0 {
		t.Errorf("the request after that counts %d failures", n)
	}
}

// Each failure is of a service that cannot be reached, or answers every request with one error.
func TestStoreFailures_OfBothServicesAreCounted(t *testing.T) {
	for _, answer := range []string{"", "ThrottlingException", "AccessDeniedException", "InternalServiceErrorException"} {
		s := must(inAWS(deployment().AWS, quiet, away(answer), nil))
		for service, ask := range map[string]func(ctx context.Context) error{
			"DynamoDB":        func(ctx context.Context) error { _, err := s.Auth.Code(ctx, "h"); return err },
			"Secrets Manager": func(ctx context.Context) error { _, err := s.grants("37signals").Load(ctx, "37s:1", ""); return err },
		} {
			r, ctx := request(t)
			if err := ask(ctx); err == nil || unstored(r) != 1 {
				t.Errorf("%s, %q: %d failures, %v", service, answer, unstored(r), err)
			}
		}
	}
}

// away returns a service that cannot be reached, or that answers every request with one error.
func away(answer string) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		if answer == "" {
			return nil, context.DeadlineExceeded
		}
		return says(http.StatusBadRequest, `{"__type":"`+answer+`"}`), nil
	}
}

// A call that writes stores its end after its line was written.
func TestStoreFailures_AfterTheLineAreCountedWithTheNextRequest(t *testing.T) {
	s := must(inAWS(deployment().AWS, slog.New(slog.DiscardHandler), away("AccessDeniedException"), nil))
	told, ctx := request(t)
	told.Tell()
	_, _ = s.Auth.Client(ctx, "c_1")
	open, ctx := request(t)
	_, _ = s.Auth.Client(ctx, "c_1")
	if late, n := unstored(told), unstored(open); late != 0 || n != 2 {
		t.Errorf("the written line counts %d failures, and the next one %d", late, n)
	}
}
