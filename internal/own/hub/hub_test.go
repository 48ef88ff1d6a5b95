package hub_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/store/memory"
)

// place is something that can be asked to make things, and may fail at any operation.
type place struct {
	mu   sync.Mutex
	made []hub.Thing
	at   []time.Time
}

func (p *place) make() hub.Thing {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := hub.Thing{Ref: hub.Ref{Side: "orchard", ID: "tree:" + strconv.Itoa(len(p.made))}, Title: "Plant", State: hub.Open}
	p.made, p.at = append(p.made, t), append(p.at, time.Now())
	return t
}

// cut is what stops a call: before or after an operation of the store or the place.
type cut struct {
	mu   sync.Mutex
	left int // operations until it stops; negative: never
	done int // operations
	rand *rand.Rand
}

var errCut = errors.New("the process was killed")

// next reports whether the call is cut at this point.
func (c *cut) next() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.rand != nil {
		if c.rand.IntN(12) == 0 {
			return errCut
		}
		return nil
	}
	if c.left == 0 {
		return errCut
	}
	c.left--
	return nil
}

// cutStore is a Store that is cut before and after each operation.
type cutStore struct {
	hub.Store
	cut *cut
}

func (s cutStore) HubRows(ctx context.Context, subject, prefix string) ([]hub.Row, error) {
	if err := s.cut.next(); err != nil {
		return nil, err
	}
	return s.Store.HubRows(ctx, subject, prefix)
}

func (s cutStore) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	if err := s.cut.next(); err != nil {
		return err
	}
	if err := s.Store.SaveHub(ctx, subject, rows...); err != nil {
		return err
	}
	return s.cut.next()
}

func (p *place) maker(c *cut) hub.Maker {
	return hub.Maker{
		Into: "orchard",
		Make: func(context.Context) (hub.Made, error) {
			if err := c.next(); err != nil {
				return hub.Made{}, err
			}
			t := p.make()
			if err := c.next(); err != nil {
				return hub.Made{}, err
			}
			return hub.Made{Thing: t}, nil
		},
		Since: func(_ context.Context, since time.Time) (found []hub.Thing, err error) {
			if err := c.next(); err != nil {
				return nil, err
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			for i, t := range p.made {
				if !p.at[i].Before(since) {
					found = append(found, t)
				}
			}
			return found, nil
		},
	}
}

// unclear makes an error of a place one after which the thing may have been made.
func unclear(m hub.Maker) hub.Maker {
	makes := m.Make
	m.Make = func(ctx context.Context) (hub.Made, error) {
		made, err := makes(ctx)
		if err != nil {
			f := fault.New(fault.UpstreamError, "no answer").Because(err)
			f.MayHaveHappened = true
			err = f
		}
		return made, err
	}
	return m
}

var source = hub.Ref{Side: "task", ID: "task:1"}

func person(t testing.TB) context.Context {
	return identity.With(t.Context(), identity.Caller{Subject: "37s:1"})
}

// wantOne checks that one thing was made, and that one link leads to it.
func wantOne(t *testing.T, when string, p *place, store hub.Store) {
	t.Helper()
	linked, err := hub.New(store, nil).Linked(person(t), source)
	if err != nil || len(p.made) != 1 || len(linked) != 1 || linked[0].To != p.made[0].Ref {
		t.Fatalf("%s: made %v, linked %v, %v", when, p.made, linked, err)
	}
	back, err := hub.New(store, nil).Linked(person(t), p.made[0].Ref)
	if err != nil || len(back) != 1 || back[0].To != source {
		t.Fatalf("%s: linked back %v, %v", when, back, err)
	}
}

// A call that is cut after any of its operations, and repeated, makes one thing.
func TestPromote_MakesOneThingWhereverACallIsCut(t *testing.T) {
	for _, rivals := range []int{1, 8} {
		for at := 0; ; at++ {
			whole := false
			synctest.Test(t, func(t *testing.T) {
				store, p, first := memory.New(nil), &place{}, &cut{left: at}
				_, _, err := hub.New(cutStore{store, first}, nil).Promote(person(t), source, unclear(p.maker(first)))
				whole = err == nil
				for range 3 {
					var all sync.WaitGroup
					for range rivals {
						all.Go(func() {
							never := &cut{left: -1}
							_, _, _ = hub.New(store, nil).Promote(person(t), source, p.maker(never))
						})
					}
					all.Wait()
					time.Sleep(31 * time.Second)
				}
				wantOne(t, fmt.Sprintf("cut at operation %d, %d calls", at, rivals), p, store)
			})
			if whole {
				if at < 8 {
					t.Fatalf("only %d operations", at)
				}
				break
			}
		}
	}
}

func TestPromote_LosesAndDoublesNothingInRandomWorlds(t *testing.T) {
	worlds := 10_000
	if testing.Short() {
		worlds = 300
	}
	for seed := range worlds {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // a repeatable world
			store, p := memory.New(nil), &place{}
			for range 6 {
				var all sync.WaitGroup
				for range 1 + random.IntN(3) {
					c := &cut{rand: rand.New(rand.NewPCG(uint64(seed), random.Uint64()))} //nolint:gosec // as above
					all.Go(func() {
						_, _, _ = hub.New(cutStore{store, c}, nil).Promote(person(t), source, unclear(p.maker(c)))
					})
				}
				all.Wait()
				time.Sleep(time.Duration(random.IntN(40)) * time.Second)
			}
			time.Sleep(time.Minute)
			if _, _, err := hub.New(store, nil).Promote(person(t), source, p.maker(&cut{left: -1})); err != nil {
				t.Fatal(seed, err)
			}
			wantOne(t, fmt.Sprint("world ", seed), p, store)
		})
	}
}

// countingStore counts what its writes cost in DynamoDB, whose transactions cost twice as much.
type countingStore struct {
	hub.Store
	units int
}

func (s *countingStore) SaveHub(ctx context.Context, subject string, rows ...hub.Row) error {
	const attributes = 200 // bytes of keys, names, times and revision
	for _, r := range rows {
		s.units += 2 * ((len(r.Key) + len(r.Body) + attributes + 1023) / 1024)
	}
	return s.Store.SaveHub(ctx, subject, rows...)
}

func TestPromote_CostsSixWriteUnits(t *testing.T) {
	store := &countingStore{Store: memory.New(nil)}
	if _, _, err := hub.New(store, nil).Promote(person(t), source, (&place{}).maker(&cut{left: -1})); err != nil || store.units != 6 {
		t.Errorf("%d units, %v", store.units, err)
	}
}

func TestPromote_AsksWhichOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, p, c := memory.New(nil), &place{}, &cut{left: 3} // cut after the intent
		_, _, err := hub.New(cutStore{store, c}, nil).Promote(person(t), source, unclear(p.maker(c)))
		if err == nil {
			t.Fatal("not cut")
		}
		p.make()
		p.make()
		_, _, err = hub.New(store, nil).Promote(person(t), source, p.maker(&cut{left: -1}))
		f := fault.From(err)
		if f.Code != fault.Conflict || !f.MayHaveHappened || len(f.Candidates) != 2 {
			t.Errorf("%+v", f)
		}
	})
}

func TestPromote_OfARefusedRequestIsTriedAgainAtOnce(t *testing.T) {
	h, p := hub.New(memory.New(nil), nil), &place{}
	refuses := p.maker(&cut{left: -1})
	refuses.Make = func(context.Context) (hub.Made, error) { return hub.Made{}, fault.New(fault.PermissionDenied, "no") }
	if _, _, err := h.Promote(person(t), source, refuses); !fault.Is(err, fault.PermissionDenied) {
		t.Fatal(err)
	}
	for _, want := range []bool{false, true} {
		if _, already, err := h.Promote(person(t), source, p.maker(&cut{left: -1})); err != nil || already != want {
			t.Error(already, err)
		}
	}
	if len(p.made) != 1 {
		t.Error(p.made)
	}
}

// What was made of a thing stays known when the link is changed from the other end.
func TestLink_KeepsWhatWasMade(t *testing.T) {
	h, p, ctx := hub.New(memory.New(nil), nil), &place{}, person(t)
	made, _, err := h.Promote(ctx, source, p.maker(&cut{left: -1}))
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := h.Link(ctx, made.Thing.Ref, source, true); !changed || err != nil {
		t.Fatal(changed, err)
	}
	if _, already, err := h.Promote(ctx, source, p.maker(&cut{left: -1})); !already || err != nil || len(p.made) != 1 {
		t.Error(already, err, p.made)
	}
	if linked, _ := h.Linked(ctx, source); len(linked) != 1 || !linked[0].Alone {
		t.Errorf("%+v", linked)
	}
}
