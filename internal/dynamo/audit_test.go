package dynamo

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"basecamp-mcp/internal/audit"
)

var entry = audit.Entry{
	ID: audit.OldestID(noon), Time: noon, Tool: "get_me", Arguments: []audit.Argument{{Name: "project", Value: "7"}}, Outcome: audit.OK,
	Milliseconds: 12, Client: "Fernhill/1", Door: audit.MCP, RequestID: "r1", Connection: "f1",
}

func TestAddEntry_NeverReplacesAnother(t *testing.T) {
	f := answers(says(400, `{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "Item": {"tool": {"S": "another"}}}`))
	if err := everything["AddEntry"](t.Context(), wired(f)); !errors.Is(err, audit.ErrTaken) || f.calls[0].input.ConditionExpression == "" {
		t.Errorf("%v, on condition that %q", err, f.calls[0].input.ConditionExpression)
	}
}

func TestEntries_ThatAreInvalidAreFailures(t *testing.T) {
	for answer, reason := range map[string]string{
		`{"Items": [{"pk": {"S": "AU#37s:1"}}]}`:                                                  "unreadable item",
		`{"Items": [{"pk": {"S": "AU#37s:1"}, "sk": {"S": "2"}, "at": {"S": "` + secret + `"}}]}`: "unreadable item: at",
	} {
		wantFailure(t, everything["Entries"](t.Context(), wired(answers(says(200, answer)))), reason)
	}
}

func TestEntries_ContinueAfterAPartialAnswer(t *testing.T) {
	answer := func(id int, more string) http.HandlerFunc {
		return says(200, fmt.Sprintf(`{"Items": [{"pk": {"S": "AU#37s:1"}, "sk": {"S": "2025-%d"}}]%s}`, id, more))
	}
	const next = `, "LastEvaluatedKey": {"pk": {"S": "AU#37s:1"}, "sk": {"S": "2025-3"}}`
	f := answers(answer(3, next), answer(2, next), answer(1, next))
	found, err := wired(f).Entries(t.Context(), "37s:1", "", 3)
	if err != nil || len(found) != 3 || found[2].ID != "2025-1" || len(f.calls) != 3 {
		t.Errorf("%+v, %v after %d calls", found, err, len(f.calls))
	}
}

func TestAudit_EntriesAreReadAsWrittenAndExpire(t *testing.T) {
	want := entry
	want.ID = "" // is in the key
	expires := noon.Add(audit.Retention)
	of := func(e *audit.Entry) fields { return auditFields(e, &expires) }
	wantRoundTrip(t, want, of)
	it, err := of(&want).item(auditKey("37s:1", entry.ID))
	if k := keyOf(it); err != nil || it["ttl"] == nil || k.pk != "AU#37s:1" || k.sk != entry.ID {
		t.Errorf("%v, %v", it, err)
	}
}

func TestAddEntry_CostsOneUnit(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	if err := everything["AddEntry"](t.Context(), New(client, table, nil)); err != nil {
		t.Fatal(err)
	}
	if units := spent.reset(); units != 1 {
		t.Errorf("%v units", units)
	}
}
