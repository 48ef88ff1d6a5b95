package dynamo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

var ines = envelope.Owner{Provider: "orchard", Subject: "or:1001"}

// sealedIn returns the Store of a provider with the rows of a table.
func sealedIn(t *Table) *envelope.Tokens {
	return envelope.New(envelope.Config{Keys: envelopetest.NewRing(), Rows: t.Tokens(), Stack: "fernhill"}).Of(ines.Provider)
}

// basecampTokens returns tokens of the size of Basecamp's.
func basecampTokens(revision int64) provider.Tokens {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	return provider.Tokens{
		Revision: revision, AccessToken: strings.Repeat("a", 350), RefreshToken: strings.Repeat("r", 250),
		ExpiresAt: now.Add(14 * 24 * time.Hour), ObtainedAt: now,
	}
}

// A whole dump is what an attacker gets who can read the table, or a backup of it.
func TestTokens_AreNotInADumpOfTheTable(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	keeper := grant.New(grant.Config{
		Store: sealedIn(items), Records: items.Records(ines.Provider),
		Provider: provider.Provider{ID: ines.Provider, Namespace: "or", Name: "Orchard"},
	})
	planted := []string{"planted-access-token-7731", "planted-refresh-token-8842"}
	for range 3 {
		tokens := provider.Tokens{AccessToken: planted[0], RefreshToken: planted[1], ExpiresAt: time.Now().Add(time.Hour)}
		if _, err := keeper.Reconnect(t.Context(), ines.Subject, "Ines Albrecht", tokens); err != nil {
			t.Fatal(err)
		}
	}
	out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil || len(out.Items) != 5 {
		t.Fatalf("%d items, %v; want a record, a pointer and three versions", len(out.Items), err)
	}
	dump := dumped(t, out.Items)
	for _, token := range planted {
		for _, form := range forms(token) {
			if bytes.Contains(dump, []byte(form)) {
				t.Errorf("the table contains %s", form)
			}
		}
	}
	if !bytes.Contains(dump, []byte("UT#orchard#or:1001")) { // dumped would find a token
		t.Errorf("the dump lacks the key: %.200s", dump)
	}
	for _, it := range out.Items {
		if it["ttl"] != nil {
			t.Errorf("%v expires", it["sk"])
		}
	}
}

// dumped returns items as they are, and as JSON, where bytes are in base64.
func dumped(t *testing.T, items []map[string]types.AttributeValue) []byte {
	t.Helper()
	coded, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(coded, "\n%s\n%+v", everyByte(items), items)
}

// everyByte returns the bytes of all binary attributes.
func everyByte(items []map[string]types.AttributeValue) []byte {
	var all []byte
	for _, it := range items {
		for _, a := range it {
			if b, ok := a.(*types.AttributeValueMemberB); ok {
				all = append(all, b.Value...)
			}
		}
	}
	return all
}

// forms returns a token raw, in hexadecimal, and in base64 at each of the three offsets at which it
// can begin.
func forms(token string) []string {
	all := []string{token, hex.EncodeToString([]byte(token)), strings.ToUpper(hex.EncodeToString([]byte(token)))}
	for offset := range 3 {
		inside := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", offset) + token))
		all = append(all, inside[4:len(inside)-4], strings.NewReplacer("+", "-", "/", "_").Replace(inside[4:len(inside)-4]))
	}
	return all
}

func TestTokens_OfTheLargestSizeAreStoredAndDeleted(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	large := basecampTokens(1)
	text, err := grant.EncodeTokens(large)
	if err != nil {
		t.Fatal(err)
	}
	large.RefreshToken += strings.Repeat("r", 65_536-len(text))
	for i := range deletedAtOnce + 2 { // more than one transaction
		if _, err := store.Save(t.Context(), ines.Subject, fmt.Sprint(i), large); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := store.Load(t.Context(), ines.Subject, ""); err != nil || got.RefreshToken != large.RefreshToken {
		t.Errorf("loaded %d bytes, %v", len(got.RefreshToken), err)
	}
	large.RefreshToken += "r"
	if _, err := store.Save(t.Context(), ines.Subject, "larger", large); !errors.Is(err, grant.ErrTooLarge) {
		t.Errorf("65,537 bytes: %v", err)
	}
	if err := store.Delete(t.Context(), ines.Subject); err != nil {
		t.Fatal(err)
	}
	wantRows(t, items, nil)
}

// wantRows checks which versions exist, with or without a pointer.
func wantRows(t *testing.T, items *Table, want []string) {
	t.Helper()
	pointer, versions, err := items.Tokens().list(t.Context(), "list", ines)
	slices.Sort(want)
	if err != nil || !slices.Equal(versions, want) || (pointer != nil) != (len(want) > 0) {
		t.Errorf("pointer %v with rows %q, %v; want rows %q", pointer, versions, err, want)
	}
}

func TestDelete_RacingWithSavesLeavesNoRowThatThePointerLacks(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	for round := range 10 {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				_, err := store.Save(t.Context(), ines.Subject, fmt.Sprint(round, i), basecampTokens(1))
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			if err := store.Delete(t.Context(), ines.Subject); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		p, err := items.Tokens().Pointer(t.Context(), ines)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, v := range p.Kept {
			kept = append(kept, v.Version)
		}
		wantRows(t, items, kept)
	}
}

// A call that read the pointer before the user disconnected and signed in again must not write over
// the new one: its rows would be lost to the pointer, and Load would refuse what it names.
func TestWrite_OverThePointerOfALaterSignInIsAConflict(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store, rows := sealedIn(items), items.Tokens()
	save := func(writer string) {
		t.Helper()
		if _, err := store.Save(t.Context(), ines.Subject, writer, basecampTokens(1)); err != nil {
			t.Fatal(err)
		}
	}
	save("before")
	old, err := rows.Pointer(t.Context(), ines)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(t.Context(), ines.Subject); err != nil {
		t.Fatal(err)
	}
	save("after")
	if err := rows.Write(t.Context(), ines, old, nil, nil); !errors.Is(err, grant.ErrConflict) {
		t.Errorf("the write: %v", err)
	}
	if _, err := store.Load(t.Context(), ines.Subject, ""); err != nil {
		t.Error(err)
	}
}

// A table without the pointer of existing rows cannot come from this code, but Delete must leave no
// token behind.
func TestDelete_RemovesRowsWithoutAPointer(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	if _, err := store.Save(t.Context(), ines.Subject, "w", basecampTokens(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := items.remove(t.Context(), "test", pointerKey(ines)); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(t.Context(), ines.Subject); err != nil {
		t.Fatal(err)
	}
	wantRows(t, items, nil)
}

// Each request of a Save or a Delete is the last one that a call makes, once with and once without
// its effect. Whatever remains can be loaded, and the call can be repeated.
func TestTokens_SurviveACrashAtEachRequest(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	sure := sealedIn(items)
	for _, effective := range []bool{false, true} {
		for last := 1; last <= 2; last++ {
			t.Run(fmt.Sprintf("request %d, carried out: %v", last, effective), func(t *testing.T) {
				if err := sure.Delete(t.Context(), ines.Subject); err != nil {
					t.Fatal(err)
				}
				first, err := sure.Save(t.Context(), ines.Subject, "first", basecampTokens(1))
				if err != nil {
					t.Fatal(err)
				}
				dying := sealedIn(New(crashing(t, last, effective), table, nil))
				if _, err := dying.Save(t.Context(), ines.Subject, "second", basecampTokens(2)); err == nil {
					t.Fatal("the save did not notice")
				}
				wantRevision(t, sure, first, 1)
				second, err := sure.Save(t.Context(), ines.Subject, "second", basecampTokens(2))
				if err != nil {
					t.Fatal(err)
				}
				wantRevision(t, sure, first, 1)
				wantRevision(t, sure, second, 2)
				wantRevision(t, sure, "", 2)
				wantRows(t, items, []string{first, second})

				dying = sealedIn(New(crashing(t, last, effective), table, nil))
				if err := dying.Delete(t.Context(), ines.Subject); err == nil {
					t.Fatal("the deletion did not notice")
				}
				if err := sure.Delete(t.Context(), ines.Subject); err != nil {
					t.Fatal(err)
				}
				wantRows(t, items, nil)
			})
		}
	}
}

func wantRevision(t *testing.T, store grant.Store, version string, want int64) {
	t.Helper()
	if got, err := store.Load(t.Context(), ines.Subject, version); err != nil || got.Revision != want {
		t.Errorf("version %q has revision %d, %v; want %d", version, got.Revision, err, want)
	}
}

// crashing returns a client without retries. From its last request on, nothing is answered; the
// last itself may be carried out.
func crashing(t *testing.T, last int, effective bool) *dynamodb.Client {
	endpoint, err := url.Parse(local.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(endpoint)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := int(requests.Add(1)); {
		case n < last:
			proxy.ServeHTTP(w, r)
			return
		case n == last && effective:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	return dynamotest.Client(server.URL, func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
}

// DynamoDB charges 1 unit for each started 4 KB that is read with consistency, and half of it
// without. It charges 2 for each started KB that a transaction writes or removes.
func TestTokens_CostFewUnits(t *testing.T) {
	var spent meter
	var requests atomic.Int64
	client, table := integration(t, spent.measure, counting(&requests))
	now := time.Now()
	store := envelope.New(envelope.Config{
		Keys: envelopetest.NewRing(), Rows: New(client, table, nil).Tokens(), Stack: "fernhill", Now: func() time.Time { return now },
	}).Of(ines.Provider)
	var version string
	for revision := int64(1); revision <= 4; revision++ {
		now = now.Add(14 * 24 * time.Hour)
		requests.Store(0)
		var err error
		if version, err = store.Save(t.Context(), ines.Subject, "w", basecampTokens(revision)); err != nil {
			t.Fatal(err)
		}
		if n := requests.Load(); n != 2 {
			t.Errorf("saving takes %d requests, want one to read the pointer and one to write", n)
		}
	}
	for version, want := range map[string]struct {
		requests int64
		units    float64
	}{version: {1, 0.5}, "": {2, 1.5}} {
		spent.reset()
		requests.Store(0)
		if _, err := store.Load(t.Context(), ines.Subject, version); err != nil {
			t.Fatal(err)
		}
		if units := spent.reset(); units != want.units || requests.Load() != want.requests {
			t.Errorf("loading %q takes %d requests and %v units, want %v", version, requests.Load(), units, want)
		}
	}
	out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil || len(out.Items) != 3 {
		t.Fatalf("%d items, %v; want the pointer and the latest two versions", len(out.Items), err)
	}
	for _, it := range out.Items {
		t.Logf("%s has %d bytes", keyOf(it).sk, size(it))
		if size(it) > 1024 {
			t.Errorf("%s has %d bytes, more than one KB", keyOf(it).sk, size(it))
		}
	}
}

// counting counts the requests of a client.
func counting(n *atomic.Int64) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Count", func(
				ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				n.Add(1)
				return next.HandleInitialize(ctx, in)
			}), middleware.Before)
		})
	}
}

func TestRow_IsReadWithConsistencyOnlyIfItIsMissingWithout(t *testing.T) {
	const version = "e1.k1.f.s"
	found := says(200, `{"Item": {"pk": {"S": "UT#orchard#or:1001"}, "sk": {"S": "V#e1.k1.f.s"}, "rev": {"N": "3"}, "sealed": {"B": "c2VhbGVk"}}}`)
	missing := says(200, `{}`)
	for name, test := range map[string]struct {
		answers    []http.HandlerFunc
		consistent []bool
		revision   int64
	}{
		"known at once": {[]http.HandlerFunc{found}, []bool{false}, 3},
		"just written":  {[]http.HandlerFunc{missing, found}, []bool{false, true}, 3},
		"removed":       {[]http.HandlerFunc{missing, missing}, []bool{false, true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := answers(test.answers...)
			row, err := tableOf(t, f).Tokens().Row(t.Context(), ines, version)
			if row.Revision != test.revision || errors.Is(err, grant.ErrNotFound) != (test.revision == 0) {
				t.Errorf("%+v, %v", row, err)
			}
			var got []bool
			for _, c := range f.calls {
				got = append(got, c.input.ConsistentRead)
			}
			if !slices.Equal(got, test.consistent) {
				t.Errorf("reads with consistency: %v, want %v", got, test.consistent)
			}
		})
	}
}

func TestPointer_OfNoTokensIsZero(t *testing.T) {
	p, err := wired(answers(says(200, `{}`))).Tokens().Pointer(t.Context(), ines)
	if err != nil || p.Change != 0 || len(p.Kept) != 0 {
		t.Errorf("got %+v, %v", p, err)
	}
}
