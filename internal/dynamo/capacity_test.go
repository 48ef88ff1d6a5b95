package dynamo

import (
	"context"
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
	"basecamp-mcp/internal/identity"
)

// login is a family that is refreshed again and again.
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

// rotate goes from the tokens r1 and a1 to r2 and a2, and so on.
func (l *login) rotate(ctx context.Context, store *Table) error {
	now := time.Now()
	end := now.Add(30 * 24 * time.Hour)
	old := authserver.Refresh{Hash: authserver.Hash(fmt.Sprint("r", l.generation)), RotatedAt: now, Sealed: make([]byte, 150)}
	l.generation++
	return store.Rotate(ctx, authserver.Family{ID: l.family, Generation: l.generation, RefreshedAt: now, ExpiresAt: end}, old,
		authserver.Refresh{Hash: authserver.Hash(fmt.Sprint("r", l.generation)), Generation: l.generation, ExpiresAt: end},
		authserver.Access{Hash: authserver.Hash(fmt.Sprint("a", l.generation)), ExpiresAt: end})
}

func TestAccess_CostsTwoUnits(t *testing.T) {
	var spent meter
	client, table := integration(t, spent.measure)
	store := New(client, table, nil)
	l := begin(t, store)
	spent.reset()
	if _, _, _, err := store.Access(t.Context(), l.family, "a1", ""); err != nil {
		t.Fatal(err)
	}
	access := spent.reset()
	if access == 0 || access > 2 {
		t.Errorf("%v units, want two items of one unit each", access)
	}
	_, _, err := store.Refresh(t.Context(), l.family, "r1")
	refresh := spent.reset()
	if err := errors.Join(err, l.rotate(t.Context(), store)); err != nil {
		t.Fatal(err)
	}
	// DynamoDB itself takes 2 for each item of a transaction and begun KB.
	t.Logf("Access %v units, Refresh %v, Rotate %v for all DynamoDB Local counts", access, refresh, spent.reset())
}

// meter adds up the capacity units that a client consumes, of reads and writes.
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

func BenchmarkAccess(b *testing.B) {
	client, table := integration(b)
	store := New(client, table, nil)
	l := begin(b, store)
	for b.Loop() {
		if _, _, _, err := store.Access(b.Context(), l.family, "a1", ""); err != nil {
			b.Fatal(err)
		}
	}
}
