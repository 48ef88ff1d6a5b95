package dynamo

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
)

var (
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 123_456_789, time.FixedZone("elsewhere", 2*60*60))
	client = authserver.Client{
		ID: "https://desk.fernhill.example/client.json", Name: "Fernhill Desk", RedirectURIs: []string{"http://localhost/callback"},
		AuthMethod: "none", SecretHash: "ab", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}
	scopes = []identity.Scope{identity.Read, identity.Write}
)

func TestFields_AreReadAsWritten(t *testing.T) {
	wantRoundTrip(t, client, clientFields)
	wantRoundTrip(t, authserver.LoginState{Binding: "cd", Body: []byte{0, 255}, ExpiresAt: noon}, stepFields)
	wantRoundTrip(t, authserver.Code{
		Family: "f", Subject: "37s:1", Person: "Ines Albrecht", Account: 1<<62 + 1, AccountName: "Fernhill Bikes", Client: client,
		RedirectURI: "http://localhost:1/callback", Challenge: "c", Resource: "https://mcp.fernhill.example/mcp", Scopes: scopes,
		ExpiresAt: noon, UsedAt: noon.Add(1),
	}, codeFields)
	wantRoundTrip(t, authserver.Family{
		Subject: "37s:1", Person: "Ines Albrecht", Account: -1, AccountName: "Fernhill Bikes", Client: client, Scopes: scopes,
		Resource: "https://mcp.fernhill.example/mcp", Key: []byte("key"), Generation: 7, CreatedAt: noon, RefreshedAt: noon.Add(1),
		ExpiresAt: noon.Add(2), EndsAt: noon.Add(3), RevokedAt: noon.Add(4), RevokedFor: "replayed",
	}, familyFields)
	wantRoundTrip(t, marks{
		subject: "37s:1", checklist: "l", confirmed: 7, revoked: noon, revokedFor: "reauth", sessions: [][]byte{{1}, {2, 3}},
	}, (*marks).fields)
	wantRoundTrip(t, authserver.Access{Scopes: scopes, ExpiresAt: noon}, accessFields)
	wantRoundTrip(t, authserver.Refresh{Generation: 7, ExpiresAt: noon, RotatedAt: noon, Sealed: []byte("sealed")}, refreshFields)
	wantRoundTrip(t, grant.Record{
		Name: "Ines Albrecht", Account: "gh:1", Scope: "repo read:org", Revision: 1<<62 + 1, Version: "v", Status: grant.NeedsReauth, ConnectedAt: noon, ExpiresAt: noon.Add(1),
		SignInBy: noon.Add(7), Forced: noon.Add(2), Lease: "l", LeaseUntil: noon.Add(3), Failures: 4, NextTry: noon.Add(5), Change: 6,
	}, recordFields)
	wantRoundTrip(t, envelope.Pointer{
		Kept: []envelope.Kept{{Version: "e1.k1.f.1", Revision: 1<<62 + 1, SavedAt: noon.UTC()}}, Change: 6,
	}, pointerFields)
	wantRoundTrip(t, envelope.Row{Revision: 7, Sealed: []byte("sealed")}, rowFields)
}

// wantRoundTrip checks that fields include the whole struct, with all values set and with none.
func wantRoundTrip[T any](t *testing.T, full T, of func(*T) fields) {
	t.Helper()
	var none T
	for _, want := range []T{full, none} {
		it, err := of(&want).item(key{"pk", "sk"})
		if err != nil {
			t.Fatal(err)
		}
		var got T
		if err := of(&got).read(it); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(marks{})); diff != "" {
			t.Errorf("%T (-written +read):\n%s", want, diff)
		}
	}
}

func TestItem_IsRemovedAtTheEarliestADayAfterItsExpiry(t *testing.T) {
	it, err := stepFields(&authserver.LoginState{ExpiresAt: noon}).item(stepKey("1"))
	if err != nil {
		t.Fatal(err)
	}
	ttl, err := strconv.ParseInt(it["ttl"].(*types.AttributeValueMemberN).Value, 10, 64)
	if end := noon.Add(retention); err != nil || time.Unix(ttl, 0).Before(end) || time.Unix(ttl, 0).Sub(end) > time.Second {
		t.Errorf("ttl %d for %s, %v", ttl, noon, err)
	}
}

func TestRecord_IsNeverRemovedByTheTable(t *testing.T) {
	it, err := recordFields(&grant.Record{ExpiresAt: noon}).item(recordKey("37s:1", "37signals"))
	if _, expiring := it["ttl"]; err != nil || expiring {
		t.Error(it, err)
	}
}

func TestTimes_SortAsText(t *testing.T) {
	var texts []string
	for _, d := range []time.Duration{0, 1, time.Microsecond, 10 * time.Microsecond, time.Second, 15 * time.Hour, 9000 * time.Hour} {
		attribute, err := encode(new(noon.Add(d)))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, attribute.(*types.AttributeValueMemberS).Value)
	}
	if !slices.IsSorted(texts) {
		t.Errorf("not sorted: %s", strings.Join(texts, " "))
	}
}
