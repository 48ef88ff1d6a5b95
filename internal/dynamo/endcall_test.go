package dynamo

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
)

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

func TestEndCall_StoresTheResultAndTheEntryOnceHoweverOftenItIsRepeated(t *testing.T) {
	client, table := integration(t)
	for _, free := range []bool{false, true} {
		store := New(client, table, nil)
		r, e := record, entry
		e.Time = time.Now()
		e.ID = audit.NewID(e.Time)
		r.Key, r.ExpiresAt = map[bool]string{true: "free", false: "done"}[free], e.Time.Add(idempotency.Kept)
		if _, err := store.ClaimCall(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		ended := idempotency.End{Record: r, Free: free}
		ended.State, ended.Result = idempotency.Done, []byte(`{"id":7}`)
		for range 3 {
			if err := store.EndCall(t.Context(), ended, "37s:"+r.Key, e); err != nil {
				t.Errorf("free %t: %v", free, err)
			}
		}
		found, err := store.ClaimCall(t.Context(), r)
		if free != (err == nil) || !free && (!errors.Is(err, idempotency.ErrTaken) || found.State != idempotency.Done || string(found.Result) != `{"id":7}`) {
			t.Errorf("free %t: %+v, %v", free, found, err)
		}
		if entries, err := store.Entries(t.Context(), "37s:"+r.Key, "", 5); err != nil || len(entries) != 1 {
			t.Errorf("free %t: %d entries, %v", free, len(entries), err)
		}
		other := e
		other.Tool = "another"
		if !free {
			if err := store.EndCall(t.Context(), ended, "37s:"+r.Key, other); !errors.Is(err, audit.ErrTaken) {
				t.Errorf("another entry with the ID: %v", err)
			}
		}
	}
}
