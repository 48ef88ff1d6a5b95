package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/provider"
)

// connect connects a typical client of a user, whose tokens are a1 and r1.
func connect(t *testing.T, s *items.Store, id, subject string) authserver.Family {
	t.Helper()
	now := time.Now()
	end := now.Add(30 * 24 * time.Hour)
	client := authserver.Client{
		ID: "https://claude.ai/oauth/claude-code-client-metadata", Name: "Claude Code", AuthMethod: "none",
		RedirectURIs: []string{"http://localhost/callback", "http://127.0.0.1/callback"}, CreatedAt: now, ExpiresAt: end,
	}
	f := authserver.Family{
		ID: id, Subject: subject, Person: "Maximiliane Oberwasser-Lindenthal", Account: 1234567, AccountName: "Fernhill Bikes and Repairs", Client: client,
		Scopes: []identity.Scope{identity.Read, identity.Write}, Resource: "https://abc123def4.execute-api.eu-central-1.amazonaws.com/mcp",
		Key: make([]byte, 32), Generation: 1, CreatedAt: now, ExpiresAt: end, EndsAt: end,
	}
	code := authserver.Code{Hash: authserver.Hash(id), Family: id, Client: client, ExpiresAt: end}
	must(t, s.AddCode(t.Context(), code))
	must(t, s.Redeem(t.Context(), code, now, f, authserver.Access{Hash: "a1", ExpiresAt: end}, authserver.Refresh{Hash: "r1", Generation: 1, ExpiresAt: end}))
	return f
}

// The bill counts these units.
func TestStores_WhatIsUsedOftenTakesFewUnits(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	s := items.New(New(client, table, nil), items.Options{})
	const family, subject = "N5xw2kq7p3v9d4ht6ycb", "37s:12345678"
	f := connect(t, s, family, subject)
	for range 40 { // marks as large as they get
		must(t, s.EndSession(t.Context(), family, authserver.HashOf(rand.Text()), time.Now().Add(time.Hour)))
	}
	takes := func(what string, most float64, do func() error) {
		t.Helper()
		spent.reset()
		must(t, do())
		if units := spent.reset(); units == 0 || units > most {
			t.Errorf("%s: %v units, want at most %v", what, units, most)
		}
	}
	takes("a request", 3, func() error { _, _, _, err := s.Access(t.Context(), family, "a1", "s"); return err })
	takes("the first use of a token", 2, func() error { return s.Confirm(t.Context(), family, 1) })
	now := time.Now()
	for _, arguments := range [][]audit.Argument{
		{{Name: "project", Value: "123456789"}, {Name: "status"}},
		{{Name: "schedule_entry_id", Value: "9876543210"}, {Name: "project", Value: "123456789"}, {Name: "summary"}, {Name: "starts_at"}, {Name: "ends_at"}, {Name: "participants"}},
	} {
		e := audit.Entry{
			ID: audit.NewID(now), Time: now, Tool: "update_schedule_entry", Outcome: "PERMISSION_DENIED", Milliseconds: 312, Client: "Claude Code",
			Arguments: arguments, Door: audit.MCP, RequestID: "UjKq1hX8liAEMXQ=", Connection: family,
		}
		takes("a recorded call", 1, func() error { return s.AddEntry(t.Context(), subject, e) })
	}
	old, next := authserver.Refresh{Hash: "r1", RotatedAt: now, Sealed: make([]byte, 250)}, authserver.Refresh{Hash: "r2", Generation: 2, ExpiresAt: f.EndsAt}
	f.Generation, f.Unconfirmed = 2, 2
	takes("a rotation", 8, func() error {
		return s.Rotate(t.Context(), f, old, next, authserver.Access{Hash: "a2", ExpiresAt: f.EndsAt})
	})
}

// What the MCP function can write must not keep a user from seeing and ending connections.
func TestFamiliesOf_IgnoresForgedItems(t *testing.T) {
	client, table := integration(t)
	e := New(client, table, nil)
	s := items.New(e, items.Options{})
	own, other := connect(t, s, "own", "37s:1"), connect(t, s, "other", "37s:2")
	must(t, e.Write(t.Context(), func(tx items.Tx) error {
		return tx.Put(items.Item{Key: items.Key{Kind: "login", Owner: own.Subject, Name: other.ID}, Body: []byte("{}")})
	}))
	_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: keyOf(items.Key{Kind: "marks", Name: own.ID})})
	must(t, err)
	for _, subject := range []string{own.Subject, other.Subject} {
		if families, err := s.FamiliesOf(t.Context(), subject); err != nil || len(families) != 1 || families[0].Subject != subject {
			t.Errorf("%s: %+v, %v", subject, families, err)
		}
	}
	if _, _, _, err := s.Access(t.Context(), own.ID, "a1", ""); !errors.Is(err, items.ErrUnreadable) {
		t.Errorf("with unreadable marks, which may revoke the family: %v", err)
	}
}

// A copy of the table is useless without the keys, and so is a row in another place.
func TestTokens_OfAnotherDeploymentOrThatWereChangedAreMissing(t *testing.T) {
	client, table := integration(t)
	e := New(client, table, nil)
	own, other := items.New(e, items.Options{Keys: ring{}, Stack: "fernhill"}), items.New(e, items.Options{Keys: ring{}, Stack: "meadow"})
	planted := strings.Repeat("planted", 20)
	version, err := own.Grants("37signals").Save(t.Context(), "37s:1", "w", provider.Tokens{Revision: 1, AccessToken: planted})
	must(t, err)
	k := items.Key{Kind: "tokens", Owner: "37signals\t37s:1", Name: version}
	found, err := e.Find(t.Context(), k)
	must(t, err)
	if strings.Contains(string(found[0].Body), "planted") {
		t.Error("the row has the token")
	}
	if _, err := other.Grants("37signals").Load(t.Context(), "37s:1", version); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("another deployment: %v", err)
	}
	must(t, e.Write(t.Context(), func(tx items.Tx) error {
		k.Owner = "37signals\t37s:2"
		return tx.Put(items.Item{Key: k, Body: found[0].Body})
	}))
	if _, err := own.Grants("37signals").Load(t.Context(), "37s:2", version); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("another user: %v", err)
	}
	k.Owner = "37signals\t37s:1"
	_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: keyOf(k)})
	must(t, err)
	for _, name := range []string{version, "", "2" + version[1:], "x"} {
		if _, err := own.Grants("37signals").Load(t.Context(), "37s:1", name); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("version %q: %v", name, err)
		}
	}
	must(t, own.Grants("37signals").Delete(t.Context(), "37s:1"))
	if found, err := e.List(t.Context(), items.Range{Kind: "tokens", Owner: k.Owner}); err != nil || len(found) > 0 {
		t.Errorf("left %v, %v", found, err)
	}
}

// meter sums the read and write capacity units that a client consumes.
type meter struct {
	mu    sync.Mutex
	units float64
}

func (m *meter) reset() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	units := m.units
	m.units = 0
	return units
}

func (m *meter) measure(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Meter", m.metered), middleware.Before)
	})
}

// metered makes every operation return its cost. All operations have the option, but no common
// interface for it.
func (m *meter) metered(
	ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
) (middleware.InitializeOutput, middleware.Metadata, error) {
	reflect.ValueOf(in.Parameters).Elem().FieldByName("ReturnConsumedCapacity").Set(reflect.ValueOf(types.ReturnConsumedCapacityTotal))
	out, metadata, err := next.HandleInitialize(ctx, in)
	if err != nil {
		return out, metadata, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch consumed := reflect.ValueOf(out.Result).Elem().FieldByName("ConsumedCapacity").Interface().(type) {
	case *types.ConsumedCapacity:
		m.units += *consumed.CapacityUnits
	case []types.ConsumedCapacity:
		for _, c := range consumed {
			m.units += *c.CapacityUnits
		}
	}
	return out, metadata, nil
}
