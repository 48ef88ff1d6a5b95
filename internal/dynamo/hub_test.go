package dynamo

import (
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/hub"
)

var hubTestRow = hub.Row{Key: "L/tasks/1|", Body: []byte(`{}`), Revision: 2, ExpiresAt: noon.Add(time.Hour)}

func TestHub_RowsOfAUserShareAPartitionAndExpire(t *testing.T) {
	if err := everything["SaveHub"](t.Context(), wired(answers(cancels(conditionFailed)))); !errors.Is(err, hub.ErrChanged) {
		t.Errorf("save: %v", err)
	}
	it, err := hubFields(&hubTestRow).item(hubKey("37s:1", hubTestRow.Key))
	if err != nil || it["ttl"] == nil || keyOf(it).pk != "HB#37s:1" {
		t.Errorf("%v, %v", it, err)
	}
	full := hubTestRow
	full.Key = "" // is in the key
	wantRoundTrip(t, full, hubFields)
}
