package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/identity"
)

// login is a family that is refreshed repeatedly.
type login struct {
	family     string
	generation int
}

// begin logs a user in from a typical client.
func begin(tb testing.TB, store *Table) *login {
	tb.Helper()
	now := time.Now()
	end := now.Add(30 * 24 * time.Hour)
	f := authserver.Family{
		ID: "f1", Subject: "37s:1", Person: "Ines Albrecht", Account: 1, AccountName: "Fernhill Bikes", Client: client,
		Scopes: []identity.Scope{identity.Read, identity.Write}, Resource: "https://mcp.fernhill.example/mcp",
		Key: make([]byte, 32), Generation: 1, CreatedAt: now, RefreshedAt: now, ExpiresAt: end, EndsAt: end,
	}
	code := authserver.Code{Hash: "c1", Family: f.ID, Client: client, ExpiresAt: end}
	err := errors.Join(
		store.AddCode(tb.Context(), code),
		store.Redeem(tb.Context(), code, now, f, authserver.Access{Hash: "a1", ExpiresAt: end}, authserver.Refresh{Hash: "r1", Generation: 1, ExpiresAt: end}),
	)
	if err != nil {
		tb.Fatal(err)
	}
	return &login{f.ID, 1}
}

// rotate replaces the tokens r1 and a1 by r2 and a2, and so on.
func (l *login) rotate(ctx context.Context, store *Table) error {
	now := time.Now()
	end := now.Add(30 * 24 * time.Hour)
	old := authserver.Refresh{Hash: authserver.Hash(fmt.Sprint("r", l.generation)), RotatedAt: now, Sealed: make([]byte, 150)}
	l.generation++
	return store.Rotate(ctx, authserver.Family{ID: l.family, Generation: l.generation, RefreshedAt: now, ExpiresAt: end}, old,
		authserver.Refresh{Hash: authserver.Hash(fmt.Sprint("r", l.generation)), Generation: l.generation, ExpiresAt: end},
		authserver.Access{Hash: authserver.Hash(fmt.Sprint("a", l.generation)), ExpiresAt: end})
}

func TestAccess_CostsThreeUnits(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	store := New(client, table, nil)
	l := begin(t, store)
	for range mostSessions { // marks as large as they get
		if err := store.EndSession(t.Context(), l.family, authserver.Hash(rand.Text()), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	note := checklist.Draft{Subject: "37s:1", Connection: l.family, ID: rand.Text(), WrittenAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	if _, err := store.SaveChecklist(t.Context(), note); err != nil {
		t.Fatal(err)
	}
	spent.reset()
	for session, most := range map[authserver.Hash]float64{"": 3, "s1": 3} {
		if _, _, _, err := store.Access(t.Context(), l.family, "a1", session); err != nil {
			t.Fatal(err)
		}
		if units := spent.reset(); units == 0 || units > most {
			t.Errorf("session %q: %v units, want %v items of one unit each", session, units, most)
		}
	}
	if err := store.Confirm(t.Context(), l.family, 1); err != nil {
		t.Fatal(err)
	}
	if units := spent.reset(); units != 1 {
		t.Errorf("Confirm takes %v units, want 1 with the largest marks", units)
	}
	_, _, err := store.Refresh(t.Context(), l.family, "r1")
	refresh := spent.reset()
	if err := errors.Join(err, l.rotate(t.Context(), store)); err != nil {
		t.Fatal(err)
	}
	rotate := spent.reset()
	_, err = store.FamiliesOf(t.Context(), "37s:1")
	// DynamoDB itself charges 2 units for each started KB of each item of a transaction.
	t.Logf("Refresh %v, Rotate %v, FamiliesOf %v for all DynamoDB Local counts, %v", refresh, rotate, spent.reset(), err)
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
