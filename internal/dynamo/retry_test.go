package dynamo

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
)

// done is the successful answer of every operation that writes.
var done = says(200, "{}")

func TestTransaction_ThatConflictsOrIsThrottledIsRetriedWithItsToken(t *testing.T) {
	for _, codes := range [][]string{{"None", conflict}, {conflict, conflict}, {throttled}, {"None", tableThrottled}, {conflict, throttled, tableThrottled}} {
		synctest.Test(t, func(t *testing.T) {
			f := answers(cancels(codes...), cancels(conflict), says(500, ""), done)
			if err := everything["Redeem"](t.Context(), wired(f)); err != nil || len(f.calls) != 4 {
				t.Fatalf("%s: %v after %d calls", codes, err, len(f.calls))
			}
			for _, c := range f.calls {
				if token := c.input.ClientRequestToken; token == "" || token != f.calls[0].input.ClientRequestToken {
					t.Errorf("%s: tokens %q and %q", codes, f.calls[0].input.ClientRequestToken, token)
				}
			}
		})
	}
}

func TestTransaction_ThatIsThrottledEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		wantFailure(t, everything["Redeem"](ctx, wired(answers(cancels(throttled)))), "no time left")
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

func TestTransaction_HasATokenOfItsOwn(t *testing.T) {
	f := answers(done)
	table := wired(f)
	if err := errors.Join(saveRecord(t.Context(), table), saveRecord(t.Context(), table)); err != nil {
		t.Fatal(err)
	}
	if f.calls[0].input.ClientRequestToken == f.calls[1].input.ClientRequestToken {
		t.Error("two transactions have one token")
	}
}

func TestTransaction_WhoseConditionFailsIsAConflictAtOnce(t *testing.T) {
	for name, want := range map[string]error{
		"AddLoginState": authserver.ErrConflict, "ReplaceLoginState": authserver.ErrConflict, "AddCode": authserver.ErrConflict, "Redeem": authserver.ErrConflict,
		"Rotate": authserver.ErrConflict, "AddAccess": authserver.ErrConflict, "SetFence": authserver.ErrConflict, "Revoke": nil, "SaveRecord": grant.ErrConflict,
		"RemoveRecord": grant.ErrConflict, "Write": grant.ErrConflict,
	} {
		f := answers(cancels(conflict, conditionFailed))
		if err := everything[name](t.Context(), wired(f)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if len(f.calls) != 1 {
			t.Errorf("%s: %d calls", name, len(f.calls))
		}
	}
}

func TestReplaceLoginState_OfAMissingStateIsNotFound(t *testing.T) {
	table := tableOf(t, answers(cancels(conditionFailed, conditionFailed)))
	if err := everything["ReplaceLoginState"](t.Context(), table); !errors.Is(err, authserver.ErrNotFound) {
		t.Error(err)
	}
}

func TestConflicts_ThatDoNotEndBecomeAFailure(t *testing.T) {
	alone := refuses("TransactionConflictException")
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"Redeem":         {cancels(conflict), "TransactionCanceledException TransactionConflict"},
		"AddLoginState":  {cancels(throttled), "TransactionCanceledException ThrottlingError"},
		"AddCode":        {cancels("None", tableThrottled), "TransactionCanceledException ProvisionedThroughputExceeded"},
		"Refresh":        {cancels("None", throttled), "TransactionCanceledException ThrottlingError"},
		"TakeLoginState": {alone, "TransactionConflictException"},
		"SaveClient":     {alone, "TransactionConflictException"},
		"EndSession":     {alone, "TransactionConflictException"},
		"SaveChecklist":  {alone, "TransactionConflictException"},
		"Retitle":        {alone, "TransactionConflictException"},
		"Access":         {says(200, `{"UnprocessedKeys": {"fernhill": {"Keys": [{"pk": {"S": "FA#1"}, "sk": {"S": "M"}}]}}}`), "keys left unprocessed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			f := answers(c.answer)
			wantFailure(t, everything[name](t.Context(), wired(f)), c.reason)
			if took := time.Since(start); len(f.calls) != attempts || took < 375*time.Millisecond || took > 750*time.Millisecond {
				t.Errorf("%s: %d calls in %s", name, len(f.calls), took)
			}
		})
	}
}

func TestTakeLoginState_ReturnsNotFoundAfterALostAnswer(t *testing.T) {
	table := tableOf(t, answers(hangsUp, refuses("ConditionalCheckFailedException")))
	if _, err := table.TakeLoginState(t.Context(), "1", ""); !errors.Is(err, authserver.ErrNotFound) {
		t.Error(err)
	}
}
