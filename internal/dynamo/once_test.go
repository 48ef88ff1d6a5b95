package dynamo

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/storetest"
)

var record = idempotency.Record{
	Subject: "37s:1", Tool: "create_todo", Key: "k1", Asked: "a", Claim: "c", State: idempotency.Running, HeldUntil: noon,
	ExpiresAt: noon.Add(idempotency.Kept),
}

func TestTable_IsAOnceStore(t *testing.T) {
	client, table := integration(t)
	storetest.Once(t, func(_ *testing.T, now func() time.Time) idempotency.Store { return New(client, table, now) })
}

func TestTable_IsAOnceStoreToo_WhenAnswersAreLost(t *testing.T) {
	_, table := integration(t)
	bad := forgetful(t)
	storetest.Once(t, func(_ *testing.T, now func() time.Time) idempotency.Store { return New(bad, table, now) })
}

func TestOnce_RefusalsAreWhatTheyMean(t *testing.T) {
	refused := answers(cancels(conditionFailed))
	if err := everything["SettleCall"](t.Context(), wired(refused)); !errors.Is(err, idempotency.ErrLost) {
		t.Errorf("settle: %v", err)
	}
	if err := everything["ReleaseCall"](t.Context(), wired(refused)); err != nil {
		t.Errorf("release: %v", err)
	}
}

// onceItem returns an existing record, running until it expires.
func onceItem(expires time.Time) http.HandlerFunc {
	k := onceKey(record)
	return says(200, fmt.Sprintf(`{"Item": {"pk": {"S": %q}, "sk": {"S": %q}, "asked": {"S": "a"}, "claim": {"S": "d"}, "state": {"S": "running"}, "exp": {"S": %q}}}`,
		k.pk, k.sk, expires.UTC().Format(timeLayout)))
}

func TestClaimCall_IsTriedAgainWhenWhatRefusedItIsGone(t *testing.T) {
	refused := cancels(conditionFailed)
	gone := []http.HandlerFunc{refused, says(200, `{}`)}
	expired := []http.HandlerFunc{refused, onceItem(time.Now().Add(-time.Second))}
	f := answers(slices.Concat(gone, expired, []http.HandlerFunc{done})...)
	if _, err := wired(f).ClaimCall(t.Context(), record); err != nil || len(f.calls) != 5 {
		t.Errorf("%v after %d calls", err, len(f.calls))
	}
	f = answers(slices.Repeat(gone, attempts)...)
	wantFailure(t, everything["ClaimCall"](t.Context(), wired(f)), "keys left unprocessed")
	f = answers(refused, onceItem(time.Now().Add(time.Hour)))
	if found, err := wired(f).ClaimCall(t.Context(), record); !errors.Is(err, idempotency.ErrTaken) || found.Claim != "d" || found.Key != "k1" || len(f.calls) != 2 {
		t.Errorf("%+v, %v after %d calls", found, err, len(f.calls))
	}
}

func TestOnce_KeysLieBesideEachOtherAndSayNothing(t *testing.T) {
	k := onceKey(record)
	if k.pk != "IK#37s:1" || !strings.HasPrefix(k.sk, "create_todo#") || len(k.sk) != len("create_todo#")+64 {
		t.Errorf("%+v", k)
	}
	it, err := onceFields(&record).item(k)
	if err != nil || it["ttl"] == nil {
		t.Errorf("%v, %v", it, err)
	}
	full := record
	full.Result = []byte("{}")
	full.Subject, full.Tool, full.Key = "", "", "" // are in the key
	goesThereAndBack(t, full, onceFields)
}
