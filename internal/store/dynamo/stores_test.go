package dynamo

import (
	"context"
	"crypto/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/items"
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
		Permit: authserver.Permit{
			Subject: subject, Person: "Maximiliane Oberwasser-Lindenthal", Account: 1234567, AccountName: "Fernhill Bikes and Repairs", Client: client,
			Scopes: []identity.Scope{identity.Read, identity.Write}, Resource: "https://abc123def4.execute-api.eu-central-1.amazonaws.com/mcp",
		},
		ID: id, Key: make([]byte, 32), Generation: 1, CreatedAt: now, ExpiresAt: end, EndsAt: end,
	}
	code := authserver.Code{Hash: authserver.Hash(id), Family: id, Permit: authserver.Permit{Client: client}, ExpiresAt: end}
	must(t, s.AddCode(t.Context(), code))
	must(t, s.Redeem(t.Context(), code, now, f, authserver.Access{Hash: "a1", ExpiresAt: end}, authserver.Refresh{Hash: "r1", Generation: 1, ExpiresAt: end}))
	return f
}

// The bill counts these units.
func TestStores_WhatIsUsedOftenTakesFewUnits(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	s := items.New(New(client, table, nil), items.Options{Keys: ring{}})
	const family, subject = "N5xw2kq7p3v9d4ht6ycb", "37s:12345678"
	f := connect(t, s, family, subject)
	for range 40 { // marks as large as they get
		must(t, s.EndSession(t.Context(), family, authserver.HashOf(rand.Text()), time.Now().Add(time.Hour)))
	}
	takes := func(what string, most meter, do func() error) {
		t.Helper()
		spent = 0
		must(t, do())
		if spent == 0 || spent > most {
			t.Errorf("%s: %v units, want at most %v", what, spent, most)
		}
	}
	takes("a request", 3, func() error { _, _, _, err := s.Access(t.Context(), family, "a1", "s"); return err })
	takes("the first use of a token", 2, func() error { return s.Confirm(t.Context(), family, 1) })
	now := time.Now()
	e := calls.Entry{
		Time: now, Tool: "update_schedule_entry", Outcome: "PERMISSION_DENIED", Milliseconds: 312, Client: "Claude Code",
		Door: calls.MCP, RequestID: "UjKq1hX8liAEMXQ=", Connection: family,
	}
	for _, arguments := range [][]calls.Argument{
		{{Name: "project", Value: "123456789"}, {Name: "status"}},
		{{Name: "schedule_entry_id", Value: "9876543210"}, {Name: "project", Value: "123456789"}, {Name: "summary"}, {Name: "starts_at"}, {Name: "ends_at"}, {Name: "participants"}},
	} {
		e.ID, e.Arguments = calls.NewID(now), arguments
		takes("the line of a call", 1, func() error { return s.AddLine(t.Context(), subject, e) })
	}
	random := make([]byte, 1_000)
	_, _ = rand.Read(random)
	for units, keyed := range map[meter]bool{4: false, 9: true} {
		e.ID = calls.NewID(now)
		r := calls.Record{Entry: e, State: calls.Claimed, Account: 1234567, Revision: 1}
		var k *calls.Key
		if keyed {
			k = &calls.Key{Tool: e.Tool, Key: "k", Call: e.ID, Asked: strings.Repeat("a", 64), Progress: calls.Started, HeldUntil: now, ExpiresAt: now.Add(time.Hour)}
		}
		takes("a call that writes, with what undoes it in 1 KB", units, func() error {
			if _, err := s.ClaimCall(t.Context(), subject, r, k); err != nil {
				return err
			}
			r.State, r.Revision = calls.Done, 2
			r.About = []calls.Item{{Ref: calls.Ref{Provider: "37signals", Type: "schedule_entry", ID: "9876543210"}, What: "update a schedule entry"}}
			if keyed {
				k.Progress, k.Answer = calls.Answered, random[:700]
			}
			return s.ChangeCall(t.Context(), subject, r, random, k)
		})
	}
	old, next := authserver.Refresh{Hash: "r1", RotatedAt: now, Sealed: make([]byte, 250)}, authserver.Refresh{Hash: "r2", Generation: 2, ExpiresAt: f.EndsAt}
	f.Generation, f.Unconfirmed = 2, 2
	takes("a rotation", 8, func() error {
		return s.Rotate(t.Context(), f, old, next, authserver.Access{Hash: "a2", ExpiresAt: f.EndsAt})
	})
}

// meter is the sum of the read and write capacity units that a client has consumed.
type meter float64

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
	switch consumed := reflect.ValueOf(out.Result).Elem().FieldByName("ConsumedCapacity").Interface().(type) {
	case *types.ConsumedCapacity:
		*m += meter(*consumed.CapacityUnits)
	case []types.ConsumedCapacity:
		for _, c := range consumed {
			*m += meter(*c.CapacityUnits)
		}
	}
	return out, metadata, nil
}
