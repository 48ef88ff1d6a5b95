package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/store/items"
)

// flood is more than any engine keeps of a kind.
const flood = 11_200

// within is an engine whose writes are parts of one write, so that thousands take no time.
type within struct {
	items.Engine
	tx items.Tx
}

func (w within) Write(_ context.Context, do func(items.Tx) error) error { return do(w.tx) }

// limited is an engine with limits, its stores, and what removes what is above them or has expired.
type limited struct {
	env
	engine items.Engine
	sweep  func()
}

// many writes many items.
func (d limited) many(t *testing.T, n int, do func(s *items.Store, tx items.Tx, i int) error) {
	t.Helper()
	must(t, d.engine.Write(t.Context(), func(tx items.Tx) (err error) {
		s := items.New(within{d.engine, tx}, items.Options{Now: d.clock.Now, Local: true})
		for i := 0; i < n && err == nil; i++ {
			err = do(s, tx, i)
		}
		return err
	}))
	d.sweep()
}

// Limits checks that an engine on one machine keeps what items.Limits say: what any web page or one
// user can write displaces only its like. open returns an Engine whose clock is now, and a function
// that removes what is above the limits or has expired.
func Limits(t *testing.T, open func(t *testing.T, now func() time.Time) (e items.Engine, sweep func())) {
	c := newClock()
	e, sweep := open(t, c.Now)
	d := limited{env{items.New(e, items.Options{Now: c.Now, Local: true}), c}, e, sweep}
	l := d.newLogin(newSubject())
	must(t, d.SaveClient(t.Context(), l.code.Client))
	d.finish(t, l)
	strange := newClient(c.Now())
	must(t, d.SaveClient(t.Context(), strange))
	kinds := map[string]authserver.LoginState{}
	for _, kind := range []string{"consent", "upstream", "choice", "link", "account", "seat", "owner"} {
		s := newStep(c.Now())
		s.Kind = kind
		must(t, d.AddLoginState(t.Context(), s))
		kinds[kind] = s
	}
	var last authserver.LoginState
	floods := func(s *items.Store, _ items.Tx, _ int) error {
		last = authserver.LoginState{Kind: "consent", Key: newHash(), ExpiresAt: kinds["consent"].ExpiresAt}
		if err := s.AddLoginState(t.Context(), last); err != nil {
			return err
		}
		return s.SaveClient(t.Context(), authserver.Client{ID: "c_" + newID(), ExpiresAt: strange.ExpiresAt})
	}

	t.Run("a client with a connection, and one that is saved again, outlive ten thousand without", func(t *testing.T) {
		d.many(t, flood, floods)
		d.wantClient(t, l.code.Client)
		_, err := d.Client(t.Context(), strange.ID)
		wantErr(t, err, authserver.ErrNotFound)
		l.code.Client.ExpiresAt = l.code.Client.ExpiresAt.Add(time.Hour)
		must(t, d.SaveClient(t.Context(), l.code.Client))
		d.many(t, flood, floods)
		d.wantClient(t, l.code.Client)
	})
	t.Run("sessions, seats and sign-ins that a user has begun outlive ten thousand others", func(t *testing.T) {
		for kind, s := range kinds {
			if kind == "consent" {
				d.wantNoStep(t, s.Key)
			} else {
				d.wantStep(t, s)
			}
		}
		d.wantStep(t, last)
	})
	t.Run("of each owner the newest items stay, and none that has expired", d.newestStay)
}

func (d limited) newestStay(t *testing.T) {
	limit := items.Limits[slices.IndexFunc(items.Limits, func(l items.Limit) bool { return l.By == items.Owner })]
	brief := items.Item{Key: items.Key{Kind: "kind", Name: newID()}, Body: []byte("1"), Expires: d.clock.Now().Add(time.Minute)}
	names := func(owner string) []string {
		found, err := d.engine.List(t.Context(), items.Range{Kind: limit.Kind, Owner: owner})
		must(t, err)
		return namesOf(found)
	}
	d.many(t, 1, func(_ *items.Store, tx items.Tx, _ int) error { return tx.Put(brief) })
	d.clock.set(brief.Expires)
	d.many(t, limit.Most+7, func(_ *items.Store, tx items.Tx, i int) error {
		k := items.Key{Kind: limit.Kind, Owner: "one", Name: fmt.Sprintf("%05d", i%(limit.Most+5))} // the first two again
		if i == 0 {
			k.Owner = "other"
		}
		return tx.Put(items.Item{Key: k, Body: []byte("{}")})
	})
	wantSame(t, names("other"), []string{"00000"})
	if of := names("one"); len(of) != limit.Most || !slices.Equal(of[:3], []string{"00000", "00001", "00007"}) {
		t.Errorf("%d items are left, from %q", len(of), of[:3])
	}
	d.clock.set(brief.Expires.Add(-time.Second))
	if found, err := d.engine.Find(t.Context(), brief.Key); err != nil || len(found) > 0 {
		t.Errorf("an expired item is still there: %v, %v", found, err)
	}
}
