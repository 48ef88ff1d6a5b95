package dynamo

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/authserver"
)

const (
	familyItem = `{"pk": {"S": "FA#1"}, "sk": {"S": "M"}, "person": {"S": "Ines Albrecht"},
		"exp": {"S": "9999-01-01T00:00:00.000000000Z"}, "ends": {"S": "9999-01-01T00:00:00.000000000Z"}}`
	accessItem = `{"pk": {"S": "FA#1"}, "sk": {"S": "A#2"}, "exp": {"S": "9999-01-01T00:00:00.000000000Z"}}`
	missed     = `{"Responses": {"fernhill": []}}`
)

func TestAccess_IsOneConsistentReadOfThreeItems(t *testing.T) {
	f := answers(says(200, `{"Responses": {"fernhill": [`+accessItem+`, `+familyItem+`]}}`))
	family, a, ended, err := wired(f).Access(t.Context(), "1", "2", "")
	if err != nil || family.Person != "Ines Albrecht" || a.Hash != "2" || ended {
		t.Errorf("%+v %+v %v %v", family, a, ended, err)
	}
	wantReads(t, f, true)
	if keys := f.calls[0].input.RequestItems["fernhill"].Keys; len(keys) != 3 {
		t.Errorf("asked for %v", keys)
	}
}

func TestAccess_OfAMissingTokenIsNotFoundWithoutARetry(t *testing.T) {
	for _, found := range []string{missed, `{"Responses": {"fernhill": [` + familyItem + `]}}`, `{"Responses": {"fernhill": [` + accessItem + `]}}`} {
		f := answers(says(200, found))
		if _, _, _, err := wired(f).Access(t.Context(), "1", "2", "3"); !errors.Is(err, authserver.ErrNotFound) {
			t.Error(err)
		}
		wantReads(t, f, true)
	}
}

func TestAccess_RetriesUnprocessedKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := answers(
			says(200, `{"Responses": {"fernhill": [`+familyItem+`]}, "UnprocessedKeys": {"fernhill": {"Keys": [{"pk": {"S": "FA#1"}, "sk": {"S": "A#2"}}]}}}`),
			says(200, `{"Responses": {"fernhill": [`+accessItem+`]}, "UnprocessedKeys": {}}`),
		)
		if _, _, _, err := wired(f).Access(t.Context(), "1", "2", ""); err != nil {
			t.Fatal(err)
		}
		keys := f.calls[1].input.RequestItems["fernhill"].Keys
		if len(f.calls) != 2 || len(keys) != 1 || keys[0]["sk"].S != "A#2" {
			t.Errorf("%d calls, the last for %v", len(f.calls), keys)
		}
	})
}

// wantReads stops the test unless there was one batch read for each value, consistent if it is
// true.
func wantReads(t *testing.T, f *fake, consistent ...bool) {
	t.Helper()
	var got []bool
	for _, c := range f.calls {
		got = append(got, c.input.RequestItems["fernhill"].ConsistentRead)
	}
	if !slices.Equal(got, consistent) {
		t.Fatalf("reads %v, want %v", got, consistent)
	}
}

func TestConfirm_SendsOneWriteEvenIfNothingChanges(t *testing.T) {
	for name, f := range map[string]*fake{"done": answers(says(200, `{}`)), "nothing to do": answers(refuses("ConditionalCheckFailedException"))} {
		if err := wired(f).Confirm(t.Context(), "1", 2); err != nil || len(f.calls) != 1 || f.calls[0].operation != "UpdateItem" {
			t.Errorf("%s: %v after %d calls", name, err, len(f.calls))
		}
	}
}

func TestReads_OfInvalidItemsAreFailures(t *testing.T) {
	for name, c := range map[string]struct{ answer, reason string }{
		"Client":         {`{"Item": {"pk": {"S": "CL#another"}, "sk": {"S": "M"}}}`, "unreadable item"},
		"LoginState":     {`{"Item": {"pk": {"S": "ST#1"}, "sk": {"S": "M"}, "exp": {"N": "5"}}}`, "unreadable item: exp"},
		"TakeLoginState": {`{"Attributes": {"body": {"S": "not bytes"}}}`, "unreadable item: body"},
		"Code":           {`{"Item": {"pk": {"S": "CO#1"}, "sk": {"S": "M"}, "client": {"S": "{"}}}`, "unreadable item: client"},
		"Access":         {`{"Responses": {"fernhill": [{"pk": {"S": "FA#1"}, "sk": {"S": "M"}, "exp": {"S": "tomorrow"}}]}}`, "unreadable item: exp"},
		"Refresh":        {`{"Responses": [{"Item": {"gen": {"N": "1.5"}}}, {"Item": {"gen": {"N": "x"}}}, {}]}`, "unreadable item: gen"},
		"FamiliesOf":     {`{"Items": [{"sk": {"S": "F#1"}}], "Responses": {"fernhill": [{"pk": {"S": "FA#1"}, "sk": {"S": "M"}, "account": {"BOOL": true}}]}}`, "unreadable item: account"},
		"Record":         {`{"Item": {"pk": {"S": "UR#37s:1"}, "sk": {"S": "P#37signals"}, "changes": {"S": "1"}}}`, "unreadable item: changes"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, everything[name](t.Context(), tableOf(t, answers(says(200, c.answer)))), c.reason)
		})
	}
}

func TestTable_CallsOnlyOperationsThatItsRoleAllows(t *testing.T) {
	known := []string{"BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "TransactGetItems", "TransactWriteItems", "UpdateItem"}
	f := answers(says(200, `{"Items": [{"pk": {"S": "UR#37s:1"}, "sk": {"S": "F#1"}}]}`))
	table := wired(f)
	for name, do := range everything {
		if name != "Grants" { // only the sweep scans, and it has a role of its own
			_ = do(t.Context(), table) // only the requests matter here
		}
	}
	var called []string
	for _, c := range f.calls {
		called = append(called, c.operation)
	}
	slices.Sort(called)
	if called = slices.Compact(called); !slices.Equal(called, known) {
		t.Errorf("called %v, want %v and above all no Scan", called, known)
	}
}
