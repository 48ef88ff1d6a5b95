package dynamo

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/storetest"
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

func TestEndCall_HoldsTheSuite(t *testing.T) {
	client, table := integration(t)
	storetest.Endings(t, func(_ *testing.T, now func() time.Time) storetest.EndStore {
		s := New(client, table, now)
		return storetest.EndStore{Calls: s, Entries: s, EndCall: s.EndCall}
	})
}
