package dynamo

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

var record = idempotency.Record{
	Subject: "37s:1", Tool: "create_todo", Key: "k1", Asked: "a", Claim: "c", State: idempotency.Running, HeldUntil: noon,
	ExpiresAt: noon.Add(idempotency.Kept),
}

func TestOnce_RefusalsHaveTheirMeaning(t *testing.T) {
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

func TestClaimCall_RetriesIfTheOtherRecordIsGone(t *testing.T) {
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

func TestOnce_KeysOfAUserShareAPartitionAndAreHashed(t *testing.T) {
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
	wantRoundTrip(t, full, onceFields)
}

// An entry that exists with the same content, or a key that is free already, was written by an
// earlier try.
func TestEndCall_RefusalsHaveTheirMeaning(t *testing.T) {
	another := says(400, `{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "CancellationReasons": [`+
		`{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": {"tool": {"S": "another"}}}]}`)
	lost := []http.HandlerFunc{cancels(conditionFailed, "None"), done}
	for name, c := range map[string]struct {
		free    bool
		answers []http.HandlerFunc
		err     error
		want    []string
	}{
		"stored":                  {false, []http.HandlerFunc{done}, nil, []string{"TransactWriteItems"}},
		"the claim is lost":       {false, lost, idempotency.ErrLost, []string{"TransactWriteItems", "PutItem"}},
		"the key is free already": {true, lost, nil, []string{"TransactWriteItems", "PutItem"}},
		"the ID is taken":         {false, []http.HandlerFunc{another}, audit.ErrTaken, []string{"TransactWriteItems"}},
	} {
		f := answers(c.answers...)
		if err := wired(f).EndCall(t.Context(), idempotency.End{Record: record, Free: c.free}, "37s:1", entry); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if diff := cmp.Diff(c.want, operations(f.calls)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
