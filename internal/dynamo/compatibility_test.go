package dynamo

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/task"
)

// earlierRelease has one item of each kind, as the release before providers wrote them.
//
//go:embed testdata/earlier_release.json
var earlierRelease []byte

// firstMarks has the marks of that release's family and an index entry, as the release that brought
// them wrote them.
//
//go:embed testdata/marks.json
var firstMarks []byte

// attribute is an attribute value in DynamoDB's JSON.
type attribute map[string]any

func (a attribute) text() string {
	s, _ := a["S"].(string)
	return s
}

// readOnlyTable answers reads from items.
type readOnlyTable struct{ items []map[string]attribute }

func (s readOnlyTable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Key           map[string]attribute
		RequestItems  map[string]struct{ Keys []map[string]attribute }
		TransactItems []struct {
			Get struct{ Key map[string]attribute }
		}
		ExpressionAttributeValues map[string]attribute
	}
	_ = json.Unmarshal(body, &in)
	var out any
	switch operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); operation {
	case "GetItem":
		out = map[string]any{"Item": s.find(in.Key)}
	case "BatchGetItem":
		found := []map[string]attribute{}
		for _, k := range in.RequestItems["fernhill"].Keys {
			if it := s.find(k); it != nil {
				found = append(found, it)
			}
		}
		out = map[string]any{"Responses": map[string]any{"fernhill": found}}
	case "TransactGetItems":
		var responses []any
		for _, each := range in.TransactItems {
			responses = append(responses, map[string]any{"Item": s.find(each.Get.Key)})
		}
		out = map[string]any{"Responses": responses}
	case "Query":
		out = map[string]any{"Items": s.below(in.ExpressionAttributeValues[":pk"], in.ExpressionAttributeValues[":sk"])}
	default: // a conditional write finds the item
		cancels("ConditionalCheckFailed")(w, r)
		return
	}
	encoded, _ := json.Marshal(out)
	says(http.StatusOK, string(encoded))(w, r)
}

func (s readOnlyTable) find(k map[string]attribute) map[string]attribute {
	for _, it := range s.items {
		if it["pk"]["S"] == k["pk"]["S"] && it["sk"]["S"] == k["sk"]["S"] {
			return it
		}
	}
	return nil
}

func (s readOnlyTable) below(pk, prefix attribute) (found []map[string]attribute) {
	for _, it := range s.items {
		if it["pk"].text() == pk.text() && strings.HasPrefix(it["sk"].text(), prefix.text()) {
			found = append(found, it)
		}
	}
	return found
}

// The values that the earlier release wrote.
const earlierUser = "37s:1007299144"

var earlierNoon = time.Date(2026, 11, 23, 12, 0, 0, 123456789, time.UTC)

func earlierTable(t *testing.T) *Table {
	t.Helper()
	return tableWith(t, nil)
}

// tableWith returns a table with the items of the earlier release, and more attributes of its
// family and more items.
func tableWith(t *testing.T, family map[string]attribute, more ...[]byte) *Table {
	t.Helper()
	var s readOnlyTable
	for _, stored := range append([][]byte{earlierRelease}, more...) {
		var items []map[string]attribute
		if err := json.Unmarshal(stored, &items); err != nil {
			t.Fatal(err)
		}
		s.items = append(s.items, items...)
	}
	maps.Copy(s.find(map[string]attribute{"pk": {"S": "FA#f1"}, "sk": {"S": "M"}}), family)
	client := dynamotest.Client("http://dynamodb.example", impatient, overWire(s))
	return New(client, "fernhill", func() time.Time { return earlierNoon })
}

func TestEarlierRelease_GrantsAndTheBreakerAreRead(t *testing.T) {
	records := basecamp(earlierTable(t))
	want := grant.Record{
		Subject: earlierUser, Name: "Ines Albrecht", Revision: 3, Version: "6f0b1c9e-6b0d-5c8f-9d7e-2f3a4b5c6d7e", Status: grant.Active,
		ConnectedAt: earlierNoon, ExpiresAt: earlierNoon.Add(14 * 24 * time.Hour), Forced: earlierNoon.Add(-time.Hour),
		Lease: "lease", LeaseUntil: earlierNoon.Add(30 * time.Second), Failures: 2, NextTry: earlierNoon.Add(time.Minute), Change: 1,
	}
	got, err := records.Record(t.Context(), earlierUser)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	breaker, err := records.Record(t.Context(), "37s")
	if err != nil || breaker.Failures != 1 || !breaker.NextTry.Equal(earlierNoon.Add(5*time.Minute)) {
		t.Errorf("breaker %+v, %v", breaker, err)
	}
	if _, err := earlierTable(t).Records("orchard").Record(t.Context(), earlierUser); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("another provider: %v, want no grant", err)
	}
}

// A grant without an account is stored as the earlier release stored it.
func TestEarlierRelease_GrantsAreWrittenWithTheSameBytes(t *testing.T) {
	var stored []map[string]attribute
	if err := json.Unmarshal(earlierRelease, &stored); err != nil {
		t.Fatal(err)
	}
	records := basecamp(earlierTable(t))
	for _, subject := range []string{earlierUser, "37s"} {
		r, err := records.Record(t.Context(), subject)
		if err != nil {
			t.Fatal(err)
		}
		if r.Account != "" || r.Scope != "" {
			t.Errorf("%s has account %q and scope %q", subject, r.Account, r.Scope)
		}
		it, err := recordFields(&r).item(recordKey(subject, "37signals"))
		if err != nil {
			t.Fatal(err)
		}
		want := readOnlyTable{stored}.find(map[string]attribute{"pk": {"S": personKey(subject)}, "sk": {"S": "P#37signals"}})
		if diff := cmp.Diff(want, inJSON(it)); diff != "" {
			t.Errorf("%s: -stored +written:\n%s", subject, diff)
		}
	}
}

// inJSON returns an item of texts and numbers in DynamoDB's JSON.
func inJSON(it item) map[string]attribute {
	out := map[string]attribute{}
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			out[name] = attribute{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = attribute{"N": v.Value}
		}
	}
	return out
}

func TestEarlierRelease_FamiliesAndTheirTokensAreRead(t *testing.T) {
	table := earlierTable(t)
	app := authserver.Client{
		ID: "c_plumcot", Name: "Plumcot", RedirectURIs: []string{"http://127.0.0.1/done"}, AuthMethod: "none",
		CreatedAt: earlierNoon, ExpiresAt: earlierNoon.Add(90 * 24 * time.Hour),
	}
	if got, err := table.Client(t.Context(), app.ID); err != nil || !cmp.Equal(app, got) {
		t.Errorf("client %+v, %v", got, err)
	}
	want := authserver.Family{
		ID: "f1", Subject: earlierUser, Person: "Ines Albrecht", Account: 195539477, AccountName: "Fernhill Bikes", Client: app,
		Scopes: []identity.Scope{identity.Read, identity.Write}, Resource: "https://mcp.fernhill.example/mcp",
		Key: []byte("a key of thirty-two random bytes."), Generation: 2, CreatedAt: earlierNoon, RefreshedAt: earlierNoon,
		ExpiresAt: earlierNoon.Add(30 * 24 * time.Hour), EndsAt: earlierNoon.Add(180 * 24 * time.Hour),
	}
	f, access, ended, err := table.Access(t.Context(), "f1", "a2", "session")
	if diff := cmp.Diff(want, f); err != nil || diff != "" || !ended || len(access.Scopes) != 2 {
		t.Errorf("access %+v, session ended %t, %v, -want +got:\n%s", access, ended, err, diff)
	}
	f, refresh, err := table.Refresh(t.Context(), "f1", "r1")
	if err != nil || !cmp.Equal(want, f) || string(refresh.Sealed) != "sealed" || refresh.RotatedAt.IsZero() {
		t.Errorf("refresh token %+v of %+v, %v", refresh, f, err)
	}
	if all, err := table.FamiliesOf(t.Context(), earlierUser); err != nil || !cmp.Equal([]authserver.Family{want}, all) {
		t.Errorf("families %+v, %v", all, err)
	}
	code, err := table.Code(t.Context(), "code")
	if err != nil || code.Family != "f1" || code.UsedAt.IsZero() || !cmp.Equal(app, code.Client) {
		t.Errorf("code %+v, %v", code, err)
	}
	if step, err := table.LoginState(t.Context(), "step"); err != nil || step.Binding != "browser" || len(step.Body) == 0 {
		t.Errorf("step %+v, %v", step, err)
	}
}

func TestEarlierRelease_OurOwnDataIsRead(t *testing.T) {
	table := earlierTable(t)
	list, err := table.LatestTodolist(t.Context(), earlierUser, "f1")
	if err != nil || list.ID != "list1" || len(list.Todos) != 1 || list.Todos[0].ActiveForm != "Running tests" {
		t.Errorf("checklist %+v, %v", list, err)
	}
	tasks, total, err := table.Tasks(t.Context(), earlierUser, task.Filter{Status: task.All, Limit: 10})
	if err != nil || total != 1 || tasks[0].Title != "Order brake pads" || !tasks[0].Completed() {
		t.Errorf("%d tasks %+v, %v", total, tasks, err)
	}
	record, err := table.ClaimCall(t.Context(), idempotency.Record{Subject: earlierUser, Tool: "create_todo", Key: "k1", Claim: "another"})
	if !errors.Is(err, idempotency.ErrTaken) || record.State != idempotency.Running || record.Claim != "claim" {
		t.Errorf("idempotency record %+v, %v", record, err)
	}
	entries, err := table.Entries(t.Context(), earlierUser, "", 5)
	if err != nil || len(entries) != 1 || entries[0].Tool != "get_me" || entries[0].Outcome != audit.OK || len(entries[0].Arguments) != 1 {
		t.Errorf("audit entries %+v, %v", entries, err)
	}
}

// The release before the marks stored in a family what the marks have now.
func TestEarlierRelease_MarksInsideAFamilyAreReadUntilThereAreNewerOnes(t *testing.T) {
	inside := map[string]attribute{"unconfirmed": {"N": "2"}, "checklist": {"S": "list0"}}
	f, _, ended, err := tableWith(t, inside).Access(t.Context(), "f1", "a2", "session")
	if err != nil || !ended || f.Unconfirmed != 2 || f.Checklist != "list0" || !f.RevokedAt.IsZero() {
		t.Errorf("without marks: ended %t, %+v, %v", ended, f, err)
	}

	marked := tableWith(t, inside, firstMarks)
	for session, want := range map[authserver.Hash]bool{"session": true, "marked": true, "past": false, "another": false, "": false} {
		f, _, ended, err := marked.Access(t.Context(), "f1", "a2", session)
		if err != nil || ended != want || f.Unconfirmed != 0 || f.Checklist != "list1" || f.RevokedFor != "reauth" || f.RevokedAt.IsZero() {
			t.Errorf("with marks, session %q: ended %t, %+v, %v", session, ended, f, err)
		}
	}
	f, _, err = marked.Refresh(t.Context(), "f1", "r1")
	if err != nil || f.RevokedFor != "reauth" || f.Unconfirmed != 0 {
		t.Errorf("refresh: %+v, %v", f, err)
	}
	if all, err := marked.FamiliesOf(t.Context(), earlierUser); err != nil || len(all) != 0 {
		t.Errorf("families %+v, %v", all, err)
	}

	inside = map[string]attribute{"revoked": {"S": "2026-11-23T11:00:00.000000000Z"}, "revoked_for": {"S": "reuse"}}
	f, _, _, err = tableWith(t, inside, firstMarks).Access(t.Context(), "f1", "a2", "")
	if err != nil || f.RevokedFor != "reuse" || f.RevokedAt.Hour() != 11 {
		t.Errorf("revoked twice: %+v, %v", f, err)
	}
}
