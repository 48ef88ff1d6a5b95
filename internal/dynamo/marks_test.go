package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/storetest"
)

// markingStore revokes families by marks. Before it writes tokens, it reads the marks, as the
// authorization server reads the family.
type markingStore struct{ Endpoint }

func (s markingStore) revoked(ctx context.Context, family string) error {
	var m marks
	it, err := s.get(ctx, "read marks", marksKey(family))
	if err == nil {
		err = m.fields().read(it)
	}
	if err == nil && !m.revoked.IsZero() {
		err = authserver.ErrConflict
	}
	return err
}

func (s markingStore) Rotate(ctx context.Context, f authserver.Family, old, next authserver.Refresh, access authserver.Access) error {
	if err := s.revoked(ctx, f.ID); err != nil {
		return err
	}
	return s.Endpoint.Rotate(ctx, f, old, next, access)
}

func (s markingStore) AddAccess(ctx context.Context, family string, a authserver.Access) error {
	if err := s.revoked(ctx, family); err != nil {
		return err
	}
	return s.Endpoint.AddAccess(ctx, family, a)
}

func (s markingStore) SetFence(ctx context.Context, family string, was, next fence.Fence) error {
	if err := s.revoked(ctx, family); err != nil {
		return err
	}
	return s.Endpoint.SetFence(ctx, family, was, next)
}

func TestEndpoint_IsAnAuthStoreForCallersThatReadBeforeTheyWriteTokens(t *testing.T) {
	client, table := integration(t)
	storetest.AuthStore(t, func(_ *testing.T, now func() time.Time) authserver.Store {
		return authserver.NewStore(markingStore{New(client, table, now).Endpoint()})
	})
}

func TestEndpoint_WritesNoItemOfAFamily(t *testing.T) {
	client, table := integration(t)
	store := New(client, table, nil)
	l := begin(t, store)
	if err := l.rotate(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	before := itemsBelow(t, store, familyPrefix+l.family)
	of := store.Endpoint()
	d := draft()
	d.Connection, d.Subject = l.family, "37s:1"
	_, errSave := of.SaveChecklist(t.Context(), d)
	err := errors.Join(
		errSave,
		of.Confirm(t.Context(), l.family, 2),
		of.EndSession(t.Context(), l.family, "s1", time.Now().Add(time.Hour)),
		of.Revoke(t.Context(), l.family, "reauth", time.Now()),
	)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, itemsBelow(t, store, familyPrefix+l.family)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	f, _, ended, err := store.Access(t.Context(), l.family, "a2", "s1")
	if err != nil || !ended || f.RevokedFor != "reauth" || f.Unconfirmed != 0 || f.Checklist != d.ID {
		t.Errorf("ended %t, %+v, %v", ended, f, err)
	}
}

// itemsBelow returns the texts and numbers of the items with a pk.
func itemsBelow(t *testing.T, store *Table, pk string) (found []map[string]string) {
	t.Helper()
	out, err := store.client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &store.name, ConsistentRead: new(true),
		KeyConditionExpression: new("pk = :pk"), ExpressionAttributeValues: item{":pk": text(pk)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range out.Items {
		found = append(found, plain(it))
	}
	return found
}

// plain returns the texts and numbers of an item.
func plain(it item) map[string]string {
	out := map[string]string{}
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			out[name] = v.Value
		case *types.AttributeValueMemberN:
			out[name] = v.Value
		}
	}
	return out
}

// A revocation by a mark can come between the read of a family and the write of its new tokens.
func TestRotate_AfterAMarkGivesTokensThatNoReadAccepts(t *testing.T) {
	client, table := integration(t)
	store := New(client, table, nil)
	l := begin(t, store)
	if err := store.Endpoint().Revoke(t.Context(), l.family, "reauth", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := l.rotate(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	f, _, _, err := store.Access(t.Context(), l.family, "a2", "")
	if err != nil || f.Live(time.Now()) {
		t.Errorf("access: %+v, %v", f, err)
	}
	f, _, err = store.Refresh(t.Context(), l.family, "r2")
	if err != nil || f.Live(time.Now()) {
		t.Errorf("refresh: %+v, %v", f, err)
	}
}

func TestEndSession_ForgetsTheOldestOfTooMany(t *testing.T) {
	client, table := integration(t)
	now := time.Now()
	store := New(client, table, func() time.Time { return now })
	l := begin(t, store)
	hash := func(i int) authserver.Hash { return authserver.Hash(fmt.Sprint("s", i)) }
	for i := range mostSessions + 1 {
		if err := store.EndSession(t.Context(), l.family, hash(i), now.Add(time.Duration(i+1)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range mostSessions + 1 {
		_, _, ended, err := store.Access(t.Context(), l.family, "a1", hash(i))
		if err != nil || ended != (i >= mostSessions/2) {
			t.Errorf("session %d has ended: %t, %v", i, ended, err)
		}
	}
}

// An attacker with the role of the MCP function can store any marks. They neither undo the OAuth
// function's revocation, nor widen a connection, nor keep its user from revoking it.
func TestForgedMarks_OnlyEndPermissions(t *testing.T) {
	forever := text(time.Now().Add(1000 * time.Hour).UTC().Format(timeLayout))
	for name, forged := range map[string]item{
		"of a family":            {"subject": text("37s:2"), "exp": forever, "ends": forever, "scopes": text(`["write"]`), "gen": number(9), "key": text("x")},
		"without the revocation": {"revoked": text("0001-01-01T00:00:00.000000000Z")},
		"of wrong types":         {"revoked": number(1), "ended": text("x"), "confirmed": text("x"), "subject": number(1)},
	} {
		client, table := integration(t)
		store := New(client, table, nil)
		l := begin(t, store)
		honest, err := store.FamiliesOf(t.Context(), "37s:1")
		if err != nil || len(honest) != 1 {
			t.Fatalf("%d families, %v", len(honest), err)
		}
		forge := func() {
			it := marksKey(l.family).item()
			maps.Copy(it, forged)
			if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: it}); err != nil {
				t.Fatal(err)
			}
		}
		forge()
		found, err := store.FamiliesOf(t.Context(), "37s:1")
		if diff := cmp.Diff(honest, found); diff != "" || err != nil {
			t.Errorf("marks %s change a family: %v\n%s", name, err, diff)
		}
		if err := store.Revoke(t.Context(), l.family, "disconnected", time.Now()); err != nil {
			t.Fatal(err)
		}
		forge()
		if f, _, _, err := store.Access(t.Context(), l.family, "a1", ""); err == nil && f.Live(time.Now()) {
			t.Errorf("marks %s keep a revoked family alive", name)
		}
		if found, err := store.FamiliesOf(t.Context(), "37s:1"); err != nil || len(found) > 0 {
			t.Errorf("marks %s: %d families after the revocation, %v", name, len(found), err)
		}
	}
}
