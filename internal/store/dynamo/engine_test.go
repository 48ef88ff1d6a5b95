package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/items"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// count adds one to a number.
func count(ctx context.Context, e *Engine, name string) error {
	return e.Write(ctx, func(t items.Tx) error {
		t.New(key(name))
		found, err := t.Find(key(name))
		if err != nil {
			return err
		}
		n := 0
		if len(found) > 0 {
			n, _ = strconv.Atoi(string(found[0].Body))
		}
		return t.Put(items.Item{Key: key(name), Body: []byte(strconv.Itoa(n + 1))})
	})
}

// Each instance remembers what it wrote last, which the other one has replaced since. A write that
// fails, or that changes nothing, must not believe it either.
func TestWrite_LosesNothingOfOtherInstances(t *testing.T) {
	client, table := integration(t)
	instances := []*Engine{New(client, table, nil), New(client, table, nil)}
	for i := range 4 {
		must(t, count(t.Context(), instances[i%2], "n"))
	}
	for _, fails := range []error{nil, errors.New("no")} {
		seen := ""
		err := instances[0].Write(t.Context(), func(t items.Tx) error {
			found, err := t.Find(key("n"))
			seen = string(found[0].Body)
			return errors.Join(err, fails)
		})
		if seen != "4" || (err == nil) != (fails == nil) {
			t.Errorf("saw %s, %v", seen, err)
		}
	}
}

func TestRows_ThatAreStrangeAreNamedAndLeaveTheOthersUsable(t *testing.T) {
	client, table := integration(t)
	e := New(client, table, nil)
	must(t, put(t.Context(), e, "fine"))
	whole := row{items.Item{Key: key("x"), Body: []byte("1"), Expires: time.Now().Add(time.Hour)}, newRevision()}
	for name, spoilt := range map[string]map[string]types.AttributeValue{
		"no revision":        {"rev": nil},
		"another layout":     {"rev": text("2abc")},
		"a numbered one":     {"rev": &types.AttributeValueMemberN{Value: "1"}},
		"no body":            {"body": nil},
		"a body of a list":   {"body": &types.AttributeValueMemberL{}},
		"not compressed":     {"body": &types.AttributeValueMemberB{Value: []byte("x")}},
		"an expiry in words": {"ttl": text("soon")},
		"an endless expiry":  {"ttl": &types.AttributeValueMemberN{Value: "1e99"}},
	} {
		it := whole.attributes()
		maps.Copy(it, spoilt)
		maps.DeleteFunc(it, func(_ string, v types.AttributeValue) bool { return v == nil })
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: it})
		must(t, err)
		fresh := New(client, table, nil)
		batch, err := fresh.Find(t.Context(), key("x"), key("fine"))
		must(t, err)
		together, err := fresh.FindTogether(t.Context(), key("x"), key("fine"))
		must(t, err)
		list, err := fresh.List(t.Context(), items.Range{Kind: "k", Owner: "o"})
		must(t, err)
		one, err := fresh.Find(t.Context(), key("x"))
		must(t, err)
		for way, found := range map[string][]items.Item{"batch": batch, "together": together, "list": list, "one": append(one, items.Item{Key: key("fine")})} {
			slices.SortFunc(found, func(x, y items.Item) int { return strings.Compare(x.Name, y.Name) })
			if len(found) != 2 || found[0].Name != "fine" || found[1].Key != key("x") || found[1].Body != nil {
				t.Errorf("%s, %s: %v", name, way, found)
			}
		}
		if err := count(t.Context(), fresh, "x"); !errors.Is(err, items.ErrUnreadable) || err.Error() != `unreadable item of kind "k": "o" "x"` {
			t.Errorf("%s: a write: %v", name, err)
		}
	}
	must(t, e.Write(t.Context(), func(t items.Tx) error { return t.Remove(key("x")) }))
	for _, sk := range []string{"x", "/", "-"} {
		it := whole.attributes()
		it["sk"] = text(sk)
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: it})
		must(t, err)
	}
	if found, err := e.List(t.Context(), items.Range{Kind: "k", Owner: "o"}); err != nil || len(found) != 1 {
		t.Errorf("listed %v, %v", found, err)
	}
}

func TestWrite_RefusesWhatIsTooMuchForATransactionBeforeItIsSent(t *testing.T) {
	for name, write := range map[string]struct{ items, bytes int }{"101 items": {101, 1}, "4 MB": {17, 250_000}} {
		f := answers(done)
		e := wired(f)
		err := e.Write(t.Context(), func(t items.Tx) error {
			for i := range write.items {
				if err := t.Put(items.Item{Key: key(fmt.Sprint(i)), Body: make([]byte, write.bytes)}); err != nil {
					return err
				}
			}
			return nil
		})
		wantFailure(t, err, errTooMuch.Error())
		if len(f.tokens) > 0 {
			t.Errorf("%s: %d calls", name, len(f.tokens))
		}
	}
	client, table := integration(t)
	large := strings.Repeat("0123456789abcdef", 100)
	err := New(client, table, nil).Write(t.Context(), func(t items.Tx) error {
		return t.Put(items.Item{Key: items.Key{Kind: "k", Owner: strings.Repeat("o", 2048), Name: "n"}, Body: []byte(large)})
	})
	wantFailure(t, err, "ValidationException")
}

// done is the successful answer of every operation that writes.
var done = says(200, "{}")

func TestTransaction_ThatConflictsOrIsThrottledIsRetriedWithItsToken(t *testing.T) {
	for _, codes := range [][]string{{"None", conflict}, {conflict, conflict}, {throttled}, {"None", tableThrottled}, {conflict, throttled, tableThrottled}} {
		synctest.Test(t, func(t *testing.T) {
			f := answers(cancels(codes...), cancels(conflict), says(500, ""), done)
			e := wired(f)
			if err := everything["TransactWriteItems"](t.Context(), e); err != nil || len(f.tokens) != 4 {
				t.Fatalf("%s: %v after %d calls", codes, err, len(f.tokens))
			}
			if f.tokens[0] == "" || len(slices.Compact(slices.Clone(f.tokens))) != 1 {
				t.Errorf("%s: tokens %q", codes, f.tokens)
			}
			must(t, everything["TransactWriteItems"](t.Context(), e))
			if f.tokens[4] == f.tokens[0] {
				t.Error("two transactions have one token")
			}
		})
	}
}

func TestConflicts_ThatDoNotEndBecomeAFailure(t *testing.T) {
	alone := refuses("TransactionConflictException")
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"TransactWriteItems": {cancels(conflict), "TransactionConflict: TransactWriteItems: TransactionCanceledException"},
		"TransactGetItems":   {cancels("None", throttled), "ThrottlingError: TransactGetItems: TransactionCanceledException"},
		"PutItem":            {alone, "TransactionConflictException"},
		"BatchGetItem":       {says(200, `{"UnprocessedKeys": {"fernhill": {"Keys": [{"pk": {"S": "k#o"}, "sk": {"S": ".1"}}]}}}`), "keys left unprocessed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			f := answers(c.answer)
			wantFailure(t, everything[name](t.Context(), wired(f)), c.reason)
			if took := time.Since(start); len(f.tokens) != attempts || took < 375*time.Millisecond || took > 750*time.Millisecond {
				t.Errorf("%s: %d calls in %s", name, len(f.tokens), took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			wantFailure(t, everything[name](ctx, wired(f)), "context deadline exceeded")
		})
	}
}

// A row that others change each time ends a write.
func TestWrite_ThatIsRefusedEachTimeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := answers(refuses("ConditionalCheckFailedException"))
		start := time.Now()
		wantFailure(t, count(t.Context(), wired(f), "n"), errBusy.Error())
		if took := time.Since(start); len(f.tokens) != tries || took > 2*time.Second {
			t.Errorf("%d calls in %s", len(f.tokens), took)
		}
	})
}
