package dynamo

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"basecamp-mcp/internal/storetest"
	"basecamp-mcp/internal/undo"
)

var undoRecord = undo.Record{
	ID: undo.NewID(noon), Tool: "update_work", Client: "Claude", At: noon, ExpiresAt: noon.Add(time.Hour), State: undo.Done,
	About: []undo.Item{{Provider: "basecamp", Type: "todo", ID: "1"}}, Cannot: "too_large", Sealed: []byte{1}, Revision: 2,
}

func TestTable_IsAnUndoStore(t *testing.T) {
	client, table := integration(t)
	storetest.Undo(t, func(_ *testing.T, now func() time.Time) undo.Store { return New(client, table, now) })
}

func TestUndo_RefusalsHaveTheirMeaning(t *testing.T) {
	if err := everything["AddUndo"](t.Context(), wired(answers(cancels(conditionFailed)))); !errors.Is(err, undo.ErrTaken) {
		t.Errorf("add: %v", err)
	}
	if err := everything["ChangeUndo"](t.Context(), wired(answers(cancels(conditionFailed)))); !errors.Is(err, undo.ErrChanged) {
		t.Errorf("change: %v", err)
	}
	expired := answers([]http.HandlerFunc{says(200, `{"Item": {"pk": {"S": "UD#37s:1"}, "sk": {"S": "1"}, "exp": {"S": "2001-01-01T00:00:00.000000000Z"}}}`)}...)
	for _, f := range []*fake{answers(done), expired} {
		if _, err := wired(f).FindUndo(t.Context(), "37s:1", "1"); !errors.Is(err, undo.ErrNotFound) {
			t.Errorf("find: %v", err)
		}
	}
}

func TestUndo_RecordsOfAUserShareAPartitionAndExpire(t *testing.T) {
	it, err := undoFields(&undoRecord).item(undoKey("37s:1", undoRecord.ID))
	if err != nil || it["ttl"] == nil || keyOf(it).pk != "UD#37s:1" {
		t.Errorf("%v, %v", it, err)
	}
	if key := undoKey("held 37s:1", "x"); key.pk != "HD#37s:1" {
		t.Errorf("a held call: %v", key)
	}
	full := undoRecord
	full.ID = "" // is in the key
	wantRoundTrip(t, full, undoFields)
}
