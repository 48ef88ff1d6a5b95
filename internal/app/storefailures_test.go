package app

import (
	"context"
	"net/http"
	"testing"

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

// A call that writes stores its end after its line was written, and the line of a call has a
// context of its own.
func TestStoreFailures_WithoutAnOpenLineAreCountedWithTheNextRequest(t *testing.T) {
	told, after := request(t)
	told.Tell()
	for _, ctx := range []context.Context{after, t.Context()} {
		s := must(inAWS(deployment().AWS, quiet, away("AccessDeniedException"), nil))
		_, _ = s.Auth.Client(ctx, "c_1")
		for _, want := range []int64{2, 1} { // with its own failure
			open, ctx := request(t)
			_, _ = s.Auth.Client(ctx, "c_1")
			if late, n := unstored(told), unstored(open); late != 0 || n != want {
				t.Errorf("the written line counts %d failures, and the next one %d, want %d", late, n, want)
			}
		}
	}
}
