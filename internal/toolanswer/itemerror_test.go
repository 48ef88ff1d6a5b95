package toolanswer

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"basecamp-mcp/internal/fault"
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
		got, encodeErr := Encode(Failure(err))
		if string(got) != want || encodeErr != nil {
			t.Errorf("%v:\n got %s\nwant %s", err, got, want)
		}
	}
}
