package grant_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/tokenstore"
)

// movers are the two places of tokens, and Keepers that store new ones in either.
type movers struct {
	testing.TB
	signOn  *signOn
	records *memory.Records
	secrets *memory.Grants
	ring    *envelopetest.Ring
	sealed  *envelope.Tokens
	log     *journal
}

// moving runs a test in which Ines has connected through an instance that seals tokens, or not, and
// has not used it for two hours.
func moving(t *testing.T, seals bool, test func(m *movers)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &movers{
			TB: t, signOn: &signOn{good: map[string]bool{}}, records: memory.NewRecords(), secrets: memory.NewGrants(nil),
			ring: envelopetest.NewRing(), log: &journal{},
		}
		m.sealed = envelope.New(envelope.Config{Keys: m.ring, Rows: envelopetest.NewRows(), Stack: "fernhill"}).Of("37signals")
		m.connect(m.keeper(seals))
		time.Sleep(2 * time.Hour)
		test(m)
	})
}

// keeper returns a Keeper as a new instance has it: nothing is cached.
func (m *movers) keeper(seals bool) *grant.Keeper { return m.through(seals, &cable{}) }

// through returns a Keeper whose calls pass a cable.
func (m *movers) through(seals bool, c *cable) *grant.Keeper {
	s := m.store(seals)
	return grant.New(grant.Config{
		Store: cabledStore{s, c}, Places: cabledPlaces{s, c}, Records: cabledRecords{m.records, c}, Provider: m.signOn.provider(),
		Log: slog.New(slog.NewTextHandler(m.log, nil)),
	})
}

// crashing returns a Keeper that writes no record any more once it has stored tokens.
func (m *movers) crashing(seals bool) *grant.Keeper {
	stored := &atomic.Bool{}
	return grant.New(grant.Config{
		Store: lastStore{m.store(seals), stored}, Records: lastRecords{m.records, stored}, Provider: m.signOn.provider(),
		Log: slog.New(slog.DiscardHandler),
	})
}

type lastStore struct {
	grant.Store
	stored *atomic.Bool
}

func (s lastStore) Save(ctx context.Context, subject, writer string, t provider.Tokens) (string, error) {
	s.stored.Store(true)
	return s.Store.Save(ctx, subject, writer, t)
}

type lastRecords struct {
	grant.Records
	stored *atomic.Bool
}

func (r lastRecords) SaveRecord(ctx context.Context, c grant.Record) (grant.Record, error) {
	if r.stored.Load() {
		return grant.Record{}, errDown
	}
	return r.Records.SaveRecord(ctx, c)
}

func (m *movers) store(seals bool) tokenstore.Store {
	return tokenstore.New(tokenstore.Config{Secrets: m.secrets, Prompt: m.secrets, Sealed: m.sealed, Seals: seals})
}

func (m *movers) connect(k *grant.Keeper) {
	m.Helper()
	if _, err := k.Connect(m.Context(), ines, "Ines Albrecht", m.signOn.login()); err != nil {
		m.Fatal(err)
	}
}

func (m *movers) record() grant.Record {
	m.Helper()
	r, err := m.records.Record(m.Context(), ines)
	if err != nil {
		m.Fatal(err)
	}
	return r
}

// wantServed checks that instances of both modes serve Ines, and that they can refresh.
func (m *movers) wantServed(what string) {
	m.Helper()
	for _, seals := range []bool{false, true} {
		if _, err := m.keeper(seals).AccessToken(m.Context(), ines, ""); err != nil {
			m.Errorf("%s: an instance with seals %t: %v", what, seals, err)
		}
	}
}

// wantRefreshed checks that the stored refresh token is the last one issued.
func (m *movers) wantRefreshed(what string) {
	m.Helper()
	time.Sleep(time.Until(m.record().ExpiresAt) - time.Hour)
	for _, seals := range []bool{true, false} {
		before := m.record().Revision
		if _, err := m.keeper(seals).AccessToken(m.Context(), ines, ""); err != nil || m.record().Revision <= before {
			m.Errorf("%s: no refresh with seals %t: %v, %+v", what, seals, err, m.record())
		}
		time.Sleep(time.Until(m.record().ExpiresAt) - time.Hour)
	}
}

// wantNothing checks that neither place has tokens of Ines.
func (m *movers) wantNothing(what string) {
	m.Helper()
	if _, err := m.secrets.Load(m.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
		m.Errorf("%s: a secret remains: %v", what, err)
	}
	if known, err := m.sealed.Summary(m.Context(), ines); err != nil || known.Known {
		m.Errorf("%s: rows remain: %+v, %v", what, known, err)
	}
}

// sweep moves and tidies as the sweep does, for two days.
func (m *movers) sweep(seals bool) {
	m.Helper()
	for range 3 {
		k := m.keeper(seals)
		if _, err := k.Move(m.Context(), ines); err != nil {
			m.Errorf("move: %v", err)
		}
		if _, err := k.Tidy(m.Context(), ines); err != nil {
			m.Errorf("tidy: %v", err)
		}
		time.Sleep(24 * time.Hour)
	}
}

// wantOnlyIn checks that only the chosen place has tokens.
func (m *movers) wantOnlyIn(what string, seals bool) {
	m.Helper()
	if got := envelope.IsVersion(m.record().Version); got != seals {
		m.Errorf("%s: the record names %s", what, m.record().Version)
	}
	_, err := m.secrets.Load(m.Context(), ines, "")
	known, unknown := m.sealed.Summary(m.Context(), ines)
	if errors.Is(err, grant.ErrNotFound) != seals || unknown != nil || known.Known != seals {
		m.Errorf("%s: secrets %v, rows %+v, %v", what, err, known, unknown)
	}
}

// cable counts the calls to the stores. The call with number at may do something else first, and
// may cut the cable: it fails, with its effect or without, and so do all later calls.
type cable struct {
	calls, at int
	before    func()
	cut, lost bool
}

func (c *cable) carry(call func() error) error {
	c.calls++
	if c.calls == c.at && c.before != nil {
		c.before()
	}
	switch {
	case !c.cut || c.calls < c.at:
		return call()
	case c.calls == c.at && c.lost:
		_ = call()
	}
	return errDown
}

type cabledStore struct {
	grant.Store
	cable *cable
}

func (s cabledStore) Load(ctx context.Context, subject, version string) (t provider.Tokens, err error) {
	err = s.cable.carry(func() (err error) { t, err = s.Store.Load(ctx, subject, version); return err })
	return t, err
}

func (s cabledStore) Save(ctx context.Context, subject, writer string, t provider.Tokens) (version string, err error) {
	err = s.cable.carry(func() (err error) { version, err = s.Store.Save(ctx, subject, writer, t); return err })
	return version, err
}

func (s cabledStore) Delete(ctx context.Context, subject string) error {
	return s.cable.carry(func() error { return s.Store.Delete(ctx, subject) })
}

type cabledPlaces struct {
	grant.Places
	cable *cable
}

func (p cabledPlaces) Current(ctx context.Context, version string) (current bool, err error) {
	err = p.cable.carry(func() (err error) { current, err = p.Places.Current(ctx, version); return err })
	return current, err
}

func (p cabledPlaces) Remains(ctx context.Context, subject string) (remains bool, err error) {
	err = p.cable.carry(func() (err error) { remains, err = p.Places.Remains(ctx, subject); return err })
	return remains, err
}

func (p cabledPlaces) Clear(ctx context.Context, subject, version string) error {
	return p.cable.carry(func() error { return p.Places.Clear(ctx, subject, version) })
}

func (p cabledPlaces) Leftover(ctx context.Context, subject string) (l grant.Leftover, err error) {
	err = p.cable.carry(func() (err error) { l, err = p.Places.Leftover(ctx, subject); return err })
	return l, err
}

func (p cabledPlaces) Discard(ctx context.Context, subject string, l grant.Leftover) error {
	return p.cable.carry(func() error { return p.Places.Discard(ctx, subject, l) })
}

type cabledRecords struct {
	grant.Records
	cable *cable
}

func (r cabledRecords) Record(ctx context.Context, subject string) (found grant.Record, err error) {
	err = r.cable.carry(func() (err error) { found, err = r.Records.Record(ctx, subject); return err })
	return found, err
}

func (r cabledRecords) SaveRecord(ctx context.Context, c grant.Record) (saved grant.Record, err error) {
	err = r.cable.carry(func() (err error) { saved, err = r.Records.SaveRecord(ctx, c); return err })
	return saved, err
}

// mostSteps is more than the number of calls of a Move or a Tidy.
const mostSteps = 12

// chores are what the sweep does. Each is done by an instance with the given mode, for tokens that
// an instance of the other mode stored.
var chores = map[string]struct {
	ready func(m *movers, seals bool)
	do    func(ctx context.Context, k *grant.Keeper) error
}{
	"move": {func(*movers, bool) {}, func(ctx context.Context, k *grant.Keeper) error {
		_, err := k.Move(ctx, ines)
		return err
	}},
	"tidy": {func(m *movers, seals bool) {
		if moved, err := m.keeper(seals).Move(m.Context(), ines); moved != grant.Copied || err != nil {
			m.Fatal(moved, err)
		}
		time.Sleep(2 * time.Hour)
	}, func(ctx context.Context, k *grant.Keeper) error {
		_, err := k.Tidy(ctx, ines)
		return err
	}},
}

// eachStep runs a test before each step of each chore, in each direction.
func eachStep(t *testing.T, test func(m *movers, name string, seals bool, step int, chore func(c *cable) error)) {
	t.Helper()
	for name, chore := range chores {
		for _, seals := range []bool{true, false} {
			for step := 1; step <= mostSteps; step++ {
				moving(t, !seals, func(m *movers) {
					chore.ready(m, seals)
					what := fmt.Sprintf("%s, seals %t, step %d", name, seals, step)
					test(m, what, seals, step, func(c *cable) error { return chore.do(m.Context(), m.through(seals, c)) })
				})
			}
		}
	}
}
