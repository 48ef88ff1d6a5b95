package dynamo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

var undoRecord = undo.Record{
	ID: undo.NewID(noon), Tool: "update_work", Client: "Claude", At: noon, ExpiresAt: noon.Add(time.Hour), State: undo.Done,
	About: []undo.Item{{Provider: "basecamp", Type: "todo", ID: "1"}}, Cannot: "too_large", Sealed: []byte{1}, Revision: 2,
}

func TestUndo_RefusalsHaveTheirMeaning(t *testing.T) {
	if err := everything["AddUndo"](t.Context(), wired(answers(refuses("ConditionalCheckFailedException")))); !errors.Is(err, undo.ErrTaken) {
		t.Errorf("add: %v", err)
	}
	if err := everything["ChangeUndo"](t.Context(), wired(answers(refuses("ConditionalCheckFailedException")))); !errors.Is(err, undo.ErrChanged) {
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
	full := undoRecord
	full.ID = "" // is in the key
	wantRoundTrip(t, full, undoFields)
}

// The secret of the deployment's application.
type oneKey struct{}

func (oneKey) Current(context.Context) (id string, secret []byte, err error) {
	return "application", make([]byte, 32), nil
}

func (k oneKey) Secret(ctx context.Context, _ string) ([]byte, error) {
	_, secret, err := k.Current(ctx)
	return secret, err
}

// letters returns a text of a number of bytes that becomes no shorter, as long as texts of people
// become when they are packed.
func letters(bytes int) string {
	all := ""
	for len(all) < bytes {
		all += rand.Text()
	}
	return all[:bytes]
}

// A call that writes stores an intent, what undoes it, and its entry in the audit trail.
func TestUndo_CostsFourUnitsForAKilobyteOfOldText(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	store := New(client, table, nil)
	log := undo.New(store, undo.Sealed{Keys: oneKey{}, Stack: "test"}, nil)
	ctx := identity.With(t.Context(), identity.Caller{Subject: "37s:41002301", Account: 4101})
	for kilobytes := 1; kilobytes <= 20; kilobytes++ {
		old := letters(kilobytes << 10)
		steps, err := json.Marshal([]writeplan.Step{{
			Provider: "basecamp", What: "change a document", Type: "document", ID: "4812096489",
			Opposite: json.RawMessage(fmt.Sprintf(`{"was":{"content":%q},"left":{"content":%q},"method":"PUT","path":"documents/4812096489.json",`+
				`"fields":["title","content"],"read":"documents/4812096489.json","touch":"2026-03-02T12:00:00Z"}`, old, old+"One more sentence.")),
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := log.Begin(ctx, undo.Record{Tool: "edit_text", Client: "Claude"}, nil)
		if err == nil {
			r.About = []undo.Item{{Provider: "basecamp", Type: "document", ID: "4812096489", What: "change a document"}}
			_, err = log.Complete(ctx, r, steps)
		}
		if err = errors.Join(err, everything["AddEntry"](ctx, store)); err != nil {
			t.Fatal(err)
		}
		if units := spent.reset(); units > float64(3+kilobytes) {
			t.Errorf("%d KB of old text: %v units", kilobytes, units)
		} else {
			t.Logf("%d KB: %v units", kilobytes, units)
		}
	}
}
