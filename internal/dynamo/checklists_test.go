package dynamo

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/checklist"
)

func saveChecklist(ctx context.Context, t *Table) error {
	_, err := t.SaveChecklist(ctx, draft())
	return err
}

// draft returns a typical checklist.
func draft() checklist.Draft {
	now := time.Now()
	d := checklist.Draft{Subject: "37s:1", Connection: "f1", ID: "1", WrittenAt: now, ExpiresAt: now.Add(7 * 24 * time.Hour)}
	for i := range 20 {
		d.Todos = append(d.Todos, checklist.Todo{
			Content:    fmt.Sprintf("Check that the order form of shop %d keeps what was typed when the page is left", i),
			Status:     checklist.Pending,
			ActiveForm: fmt.Sprintf("Checking that the order form of shop %d keeps what was typed when the page is left", i),
		})
	}
	return d
}

func TestChecklist_CostsOneUnitToRead_AndTwoRequestsToWrite(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	store, d := New(client, table, nil), draft()
	for range 3 {
		spent.reset()
		if err := saveChecklist(t.Context(), store); err != nil {
			t.Fatal(err)
		}
		written := spent.reset()
		_, err := store.Checklist(t.Context(), d.Subject, d.ID, "")
		read := spent.reset()
		_, errLatest := store.Checklist(t.Context(), d.Subject, "", d.Connection)
		latest := spent.reset()
		if err := errors.Join(err, errLatest); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v to read, %v to read the latest, %v to write", read, latest, written)
		if read == 0 || read > 1 || latest == 0 || latest > 3 || written == 0 || written > 4 {
			t.Errorf("%v units to read, %v to read the latest, %v to write; want at most 1, 3 and 4", read, latest, written)
		}
	}
}

func TestSaveChecklist_IsTwoRequestsAndReadsNothing(t *testing.T) {
	for name, change := range map[string]func(*checklist.Draft){
		"any":         func(*checklist.Draft) {},
		"existing":    func(d *checklist.Draft) { d.Existing = true },
		"at revision": func(d *checklist.Draft) { d.IfRevision = new(int64(3)) },
	} {
		f, d := answers(says(200, `{"Attributes": {"rev": {"N": "4"}}}`)), draft()
		change(&d)
		if revision, err := wired(f).SaveChecklist(t.Context(), d); err != nil || revision != 4 {
			t.Errorf("%s: %d %v", name, revision, err)
		}
		if len(f.calls) != 2 || f.calls[0].operation != "UpdateItem" || f.calls[1].operation != "UpdateItem" {
			t.Errorf("%s: calls %+v", name, f.calls)
		}
	}
}

// refusesFor returns a failed condition with the stored item.
func refusesFor(item string) http.HandlerFunc {
	return says(400, `{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message": "`+secret+`", "Item": {`+item+`}}`)
}

func TestSaveChecklist_ThatIsRefusedReturnsTheReasonAndTheRevision(t *testing.T) {
	const alive, dead = `"rev": {"N": "4"}, "exp": {"S": "9999-01-01T00:00:00.000000000Z"}`, `"rev": {"N": "4"}, "exp": {"S": "2026-01-01T00:00:00.000000000Z"}`
	for name, c := range map[string]struct {
		item     string
		draft    checklist.Draft
		err      error
		revision int64
	}{
		"another revision":          {alive, checklist.Draft{IfRevision: new(int64(3))}, checklist.ErrConflict, 4},
		"not the first":             {alive, checklist.Draft{IfRevision: new(int64(0))}, checklist.ErrConflict, 4},
		"of a list that must be":    {alive, checklist.Draft{Existing: true, IfRevision: new(int64(3))}, checklist.ErrConflict, 4},
		"nothing there":             {"", checklist.Draft{IfRevision: new(int64(3))}, checklist.ErrConflict, 0},
		"an expired one":            {dead, checklist.Draft{IfRevision: new(int64(4))}, checklist.ErrConflict, 0},
		"nothing where must be":     {"", checklist.Draft{Existing: true}, checklist.ErrNotFound, 0},
		"expired where must be":     {dead, checklist.Draft{Existing: true, IfRevision: new(int64(4))}, checklist.ErrNotFound, 0},
		"expired and unconditional": {dead, checklist.Draft{Existing: true}, checklist.ErrNotFound, 0},
	} {
		f := answers(refusesFor(c.item))
		if revision, err := wired(f).SaveChecklist(t.Context(), c.draft); !errors.Is(err, c.err) || revision != c.revision {
			t.Errorf("%s: %d %v, want %d %v", name, revision, err, c.revision, c.err)
		}
		if len(f.calls) != 1 {
			t.Errorf("%s: %d calls", name, len(f.calls))
		}
	}
}

func TestSaveChecklist_ThatIsRefusedWithoutAReasonIsAFailure(t *testing.T) {
	for _, item := range []string{"", `"exp": {"S": "9999-01-01T00:00:00.000000000Z"}`, `"rev": {"S": "x"}`} {
		wantFailure(t, saveChecklist(t.Context(), tableOf(t, answers(refusesFor(item)))), "unreadable item"+map[bool]string{true: ": rev"}[strings.Contains(item, "rev")])
	}
}

const (
	noteItem = `{"pk": {"S": "TL#37s:1"}, "sk": {"S": "C#f1"}, "list": {"S": "1"}, "rev": {"N": "4"}}`
)

// listItem returns a list without to-dos.
func listItem(t *testing.T, id string, revision int) string {
	t.Helper()
	packed, err := deflate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"pk": {"S": "TL#37s:1"}, "sk": {"S": "L#%s"}, "rev": {"N": "%d"}, "exp": {"S": "9999-01-01T00:00:00.000000000Z"}, "todos": {"B": "%s"}}`,
		id, revision, base64.StdEncoding.EncodeToString(packed))
}

func found(items ...string) http.HandlerFunc {
	return says(200, `{"Responses": {"fernhill": [`+strings.Join(items, ", ")+`]}}`)
}

func TestLatestChecklist_IsNamedByTheMarksOrTheNote(t *testing.T) {
	const marked = `{"pk": {"S": "FS#f1"}, "sk": {"S": "M"}, "subject": {"S": "37s:%d"}, "checklist": {"S": "3"}}`
	for name, c := range map[string]struct {
		noted []string
		id    string
	}{
		"the marks name it":            {[]string{noteItem, fmt.Sprintf(marked, 1)}, "3"},
		"the marks are another user's": {[]string{noteItem, fmt.Sprintf(marked, 2)}, "1"},
		"there are no marks":           {[]string{noteItem}, "1"},
		"nothing names one":            {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := answers(found(c.noted...), says(200, `{"Item": `+listItem(t, c.id, 4)+`}`))
			l, err := wired(f).Checklist(t.Context(), "37s:1", "", "f1")
			if l.ID != c.id || (err == nil) != (c.id != "") || err != nil && !errors.Is(err, checklist.ErrNotFound) {
				t.Errorf("list %q, %v", l.ID, err)
			}
			if !f.calls[0].input.RequestItems["fernhill"].ConsistentRead || len(f.calls) == 2 && !f.calls[1].input.ConsistentRead || len(f.calls) > 2 {
				t.Errorf("%+v", f.calls)
			}
		})
	}
}

func TestSaveChecklist_NotesTheListInTheFamilyThatEveryRequestReads(t *testing.T) {
	client, table := integration(t)
	store := New(client, table, nil)
	l, d := begin(t, store), draft()
	d.Connection = l.family
	others := d
	others.Subject, others.ID = "37s:2", "another"
	for _, d := range []checklist.Draft{d, others} {
		if _, err := store.SaveChecklist(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.rotate(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	f, _, _, err := store.Access(t.Context(), l.family, "a2", "")
	if err != nil || f.Checklist != d.ID || f.Generation != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	if it, err := store.get(t.Context(), "read the note", latestKey(d.Subject, d.Connection)); it != nil || err != nil {
		t.Errorf("a note besides: %v, %v", it, err)
	}
	for _, d := range []checklist.Draft{d, others} {
		if found, err := store.Checklist(t.Context(), d.Subject, "", d.Connection); err != nil || found.ID != d.ID {
			t.Errorf("the latest of %s is %q, %v", d.Subject, found.ID, err)
		}
	}
}

func TestChecklists_ThatAreInvalidAreFailures(t *testing.T) {
	const pk = `"pk": {"S": "TL#37s:1"}, "sk": {"S": "L#1"}, "exp": {"S": "9999-01-01T00:00:00.000000000Z"}`
	for name, c := range map[string]struct{ method, answer, reason string }{
		"no to-dos":        {"Checklist", `{"Item": {` + pk + `}}`, "unreadable item: todos"},
		"garbled to-dos":   {"Checklist", `{"Item": {` + pk + `, "todos": {"B": "AAAA"}}}`, "unreadable item: todos"},
		"garbled previous": {"Checklist", `{"Item": {` + strings.TrimSuffix(strings.TrimPrefix(listItem(t, "1", 2), "{"), "}") + `, "previous_exp": {"S": "2026-01-01T00:00:00.000000000Z"}, "previous": {"B": "AAAA"}}}`, "unreadable item: todos"},
		"a garbled note":   {"LatestChecklist", `{"Responses": {"fernhill": [{"pk": {"S": "TL#37s:1"}, "sk": {"S": "C#1"}, "list": {"N": "1"}}]}}`, "unreadable item: list"},
		"a garbled head":   {"Checklists", `{"Items": [{` + pk + `, "summary": {"S": "{"}}]}`, "unreadable item: summary"},
		"no revision":      {"SaveChecklist", `{"Attributes": {}}`, "unreadable item"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, everything[c.method](t.Context(), tableOf(t, answers(says(200, c.answer)))), c.reason)
		})
	}
}

func TestKeepChecklist_OfAMissingListIsNotAnError(t *testing.T) {
	f := answers(cancels(conditionFailed))
	if err := everything["KeepChecklist"](t.Context(), wired(f)); err != nil || len(f.calls) != 1 {
		t.Error(len(f.calls), err)
	}
}

func TestTodos_AreCompressedAndReadAsWritten(t *testing.T) {
	want := draft().Todos
	packed, err := deflate(want)
	if err != nil || len(packed) > 1000 {
		t.Fatalf("%d bytes, %v", len(packed), err)
	}
	var got []checklist.Todo
	if err := inflate(packed, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHeads_AreReadAsWritten(t *testing.T) {
	wantRoundTrip(t, checklist.Head{
		Revision: 7, Summary: checklist.Summary{Total: 3, Pending: 1, InProgress: 1, Completed: 1}, Doing: "Truing", WrittenAt: noon, ExpiresAt: noon,
	}, headFields)
}

func TestSaveChecklist_SetsTheTimeToLive(t *testing.T) {
	update, err := wired(answers(done)).checklistUpdate(checklist.Draft{ExpiresAt: noon}, "n")
	if err != nil {
		t.Fatal(err)
	}
	want := strconv.FormatInt(noon.Add(retention+time.Second).Unix(), 10)
	if ttl := update.ExpressionAttributeValues[":ttl"].(*types.AttributeValueMemberN).Value; ttl != want {
		t.Errorf("ttl %s, want %s", ttl, want)
	}
}

func TestLatestChecklist_IsStoredAsLongAsAConnectionCanLive(t *testing.T) {
	client, table := integration(t)
	store, d := New(client, table, nil), draft()
	others := d
	others.Subject = "37s:another"
	for _, d := range []checklist.Draft{d, others} {
		if _, err := store.SaveChecklist(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for name, k := range map[string]key{"marks": marksKey(d.Connection), "note": latestKey(others.Subject, d.Connection)} {
		it, err := store.get(t.Context(), "read the "+name, k)
		if err != nil || it == nil {
			t.Fatal(name, it, err)
		}
		ttl, err := strconv.ParseInt(it["ttl"].(*types.AttributeValueMemberN).Value, 10, 64)
		if err != nil || time.Until(time.Unix(ttl, 0)) < 180*24*time.Hour {
			t.Errorf("%s: cleaned away at %s, %v", name, time.Unix(ttl, 0), err)
		}
	}
}

func TestSaveChecklist_OfAListLargerThanAnItemIsAFailure(t *testing.T) {
	client, table := integration(t)
	d := draft()
	for range 20_000 {
		d.Todos = append(d.Todos, checklist.Todo{Content: rand.Text(), Status: checklist.Pending, ActiveForm: rand.Text()})
	}
	_, err := New(client, table, nil).SaveChecklist(t.Context(), d)
	wantFailure(t, err, "ValidationException")
}
