package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Several instances sign a user in, refresh and disconnect, in any order. Each call of
// a store is slow, may fail, and may happen although it failed. Whatever happens, no version is
// removed that the user's record names, or that a running call writes into it later.
func TestModel_NothingIsRemovedThatTheRecordNames(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 20
	}
	names := 0
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newModel(t, uint64(seed))
				var all sync.WaitGroup
				for range 8 {
					all.Go(m.instance)
				}
				all.Wait()
				m.settle()
				names += m.removed
			})
		})
	}
	if names == 0 {
		t.Error("no version was ever removed: the test checks nothing")
	}
}

// model is a deployment of one user.
type model struct {
	testing.TB
	store   *envelope.Store
	rows    *envelopetest.Rows
	records *records
	signOn  *signOn

	mu      sync.Mutex
	random  *rand.Rand
	calm    bool            // nothing fails any more
	gone    map[string]bool // the versions that were removed, other than by Delete
	removed int
}

func newModel(t testing.TB, seed uint64) *model {
	m := &model{
		TB: t, rows: envelopetest.NewRows(), signOn: &signOn{},
		random: rand.New(rand.NewPCG(seed, 7)), gone: map[string]bool{},
	}
	m.records = &records{model: m, stored: map[string]grant.Record{}}
	m.store = envelope.New(envelope.Config{Keys: turning{}, Rows: watched{m.rows, m}, Stack: "fernhill"})
	return m
}

// chance reports true once in n times.
func (m *model) chance(n int) bool { return m.below(n) == 0 }

func (m *model) below(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// slowly makes a call of a store that takes time and may fail.
func (m *model) slowly(ctx context.Context, do func() error) error {
	m.mu.Lock()
	calm := m.calm
	m.mu.Unlock()
	if !calm {
		time.Sleep(time.Duration(m.below(1500)) * time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !calm && m.chance(12):
		return errDown
	}
	err := do()
	if !calm {
		time.Sleep(time.Duration(m.below(1500)) * time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !calm && m.chance(12):
		return errDown
	}
	return err
}

func (m *model) keeper() *grant.Keeper {
	return grant.New(grant.Config{
		Store: m.store.Of("orchard"), Records: m.records,
		Provider: provider.Provider{ID: "orchard", Namespace: "or", Name: "Orchard", SignOn: m.signOn},
	})
}

// instance makes calls like an instance of a function does. Each has a new Keeper, without a cache.
func (m *model) instance() {
	pauses := []time.Duration{0, time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 3 * time.Hour}
	for range 40 {
		time.Sleep(pauses[m.below(len(pauses))])
		ctx, cancel := context.WithTimeout(m.Context(), 28*time.Second)
		switch m.below(10) {
		case 0, 1:
			_, _ = m.keeper().Connect(ctx, ines, "Ines Albrecht", m.signOn.issue())
		case 2:
			_ = m.keeper().Disconnect(ctx, ines)
		default:
			_, _ = m.keeper().AccessToken(ctx, ines, "")
		}
		cancel()
	}
}

// settle checks the end: the user can sign in and use the tokens, and little is kept.
func (m *model) settle() {
	m.calm = true
	time.Sleep(time.Hour)
	for range 30 {
		if _, err := m.keeper().Connect(m.Context(), ines, "Ines Albrecht", m.signOn.issue()); err != nil {
			m.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		if _, err := m.keeper().AccessToken(m.Context(), ines, ""); err != nil {
			m.Fatal(err)
		}
	}
	p, err := m.rows.Pointer(m.Context(), envelope.Owner{Provider: "orchard", Subject: ines})
	if err != nil || len(p.Kept) > 20 {
		m.Errorf("%d versions are kept, %v", len(p.Kept), err)
	}
}

// turning is a ring whose current key changes every five hours.
type turning struct{}

func (turning) Current(ctx context.Context) (envelope.Key, error) {
	keys := envelopetest.Ring{Keys: turns[time.Now().Unix()/(5*60*60)%2:]}
	return keys.Current(ctx)
}

func (turning) Key(ctx context.Context, fingerprint string) (envelope.Key, error) {
	all := envelopetest.Ring{Keys: turns}
	return all.Key(ctx, fingerprint)
}

var turns = []string{"fernhill-ring-key-one-0123456789", "fernhill-ring-key-two-0123456789"}

// watched are rows that are slow, and check each removal against the record.
type watched struct {
	*envelopetest.Rows
	model *model
}

func (w watched) Pointer(ctx context.Context, o envelope.Owner) (p envelope.Pointer, err error) {
	err = w.model.slowly(ctx, func() error { p, err = w.Rows.Pointer(ctx, o); return err })
	return p, err
}

func (w watched) Row(ctx context.Context, o envelope.Owner, version string) (r envelope.Row, err error) {
	err = w.model.slowly(ctx, func() error { r, err = w.Rows.Row(ctx, o, version); return err })
	return r, err
}

func (w watched) Write(ctx context.Context, o envelope.Owner, p envelope.Pointer, add *envelope.Row, remove []string) error {
	return w.model.slowly(ctx, func() error {
		err := w.Rows.Write(ctx, o, p, add, remove)
		if err == nil {
			w.model.note(add, remove)
		}
		return err
	})
}

func (w watched) Delete(ctx context.Context, o envelope.Owner) error {
	return w.model.slowly(ctx, func() error { return w.Rows.Delete(ctx, o) })
}

// note stores which versions were removed. None may be that of the record.
func (m *model) note(added *envelope.Row, removed []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if added != nil {
		delete(m.gone, added.Version) // a call repeated a Save of long ago
	}
	for _, version := range removed {
		m.gone[version] = true
		m.removed++
		if r := m.records.stored[ines]; r.Version == version {
			m.Errorf("version %s of revision %d was removed, and the record names it", version, r.Revision)
		}
	}
}

// records is a grant.Records with the methods that the model uses. No Change is used twice, also if
// the user disconnects and connects.
type records struct {
	grant.Records
	model  *model
	stored map[string]grant.Record
	change int64
}

func (s *records) Record(ctx context.Context, subject string) (r grant.Record, err error) {
	err = s.model.slowly(ctx, func() error {
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		var ok bool
		if r, ok = s.stored[subject]; !ok {
			return grant.ErrNotFound
		}
		return nil
	})
	return r, err
}

func (s *records) SaveRecord(ctx context.Context, r grant.Record) (grant.Record, error) {
	err := s.model.slowly(ctx, func() error {
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		switch {
		case s.stored[r.Subject].Change != r.Change:
			return grant.ErrConflict
		case s.model.gone[r.Version]:
			s.model.Errorf("the record names version %s of revision %d, which was removed", r.Version, r.Revision)
		}
		s.change++
		r.Change = s.change
		s.stored[r.Subject] = r
		return nil
	})
	return r, err
}

func (s *records) DeleteRecord(ctx context.Context, subject string) error {
	return s.model.slowly(ctx, func() error {
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		delete(s.stored, subject)
		return nil
	})
}

// signOn issues tokens that live two hours, and accepts every refresh token.
type signOn struct {
	mu     sync.Mutex
	issued int
}

func (s *signOn) issue() provider.Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued++
	return provider.Tokens{
		AccessToken: fmt.Sprint("access ", s.issued), RefreshToken: fmt.Sprint("refresh ", s.issued),
		ExpiresAt: time.Now().Add(2 * time.Hour),
	}
}

func (s *signOn) Refresh(context.Context, string) (provider.Tokens, error) { return s.issue(), nil }

var errUnused = errors.New("not used by the model")

func (s *signOn) AuthorizationURL(context.Context, provider.Authorization) (string, error) {
	return "", errUnused
}

func (s *signOn) Exchange(context.Context, provider.Authorization, string) (provider.Tokens, error) {
	return provider.Tokens{}, errUnused
}

func (s *signOn) Identity(context.Context, string) (provider.Identity, error) {
	return provider.Identity{Subject: ines}, nil
}

func (s *signOn) Revoke(context.Context, provider.Tokens) error { return nil }
