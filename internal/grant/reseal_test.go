package grant_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
)

// rotation is a deployment that seals tokens, whose operator has just made k2 the current key.
type rotation struct {
	testing.TB
	signOn  *signOn
	records items.Records
	ring    *envelopetest.Ring
	sealed  *envelope.Tokens
}

// rotating runs a test in which Ines's tokens are sealed with k1, two hours ago.
func rotating(t *testing.T, test func(m *rotation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &rotation{TB: t, signOn: &signOn{good: map[string]bool{}}, records: memory.New(nil).Records(""), ring: envelopetest.NewRing()}
		m.sealed = envelope.New(envelope.Config{Keys: m.ring, Rows: envelopetest.NewRows(), Stack: "fernhill"}).Of("37signals")
		if _, err := m.keeper().Connect(m.Context(), ines, "Ines Albrecht", m.signOn.login()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		m.ring.Held["k2"], m.ring.Now = "fernhill-ring-key-two-0123456789", "k2"
		test(m)
	})
}

// keeper returns a Keeper as a new instance has it: nothing is cached.
func (m *rotation) keeper() *grant.Keeper { return m.through(&cable{}) }

// through returns a Keeper whose calls pass a cable.
func (m *rotation) through(c *cable) *grant.Keeper {
	return grant.New(grant.Config{
		Store: cabledStore{m.sealed, c}, Sealed: cabledSealed{m.sealed, c}, Records: cabledRecords{m.records, c}, Provider: m.signOn.provider(),
		Log: slog.New(slog.DiscardHandler),
	})
}

// crashing returns a Keeper that writes no record any more once it has stored tokens.
func (m *rotation) crashing() *grant.Keeper {
	r := &records{Records: m.records}
	s := &store{Store: m.sealed, saved: func() { r.onWrite = func(grant.Record) error { return errDown } }}
	return grant.New(grant.Config{Store: s, Records: r, Provider: m.signOn.provider()})
}

// cabledSealed carries no call of Current, which reads no table.
type cabledSealed struct {
	grant.Sealed
	cable *cable
}

func (s cabledSealed) Prune(ctx context.Context, subject, version string) (pruned bool, err error) {
	err = s.cable.carry(func() (err error) { pruned, err = s.Sealed.Prune(ctx, subject, version); return err })
	return pruned, err
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

func (m *rotation) record() grant.Record {
	m.Helper()
	r, err := m.records.Record(m.Context(), ines)
	if err != nil {
		m.Fatal(err)
	}
	return r
}

// sweep does what the sweep does on three days.
func (m *rotation) sweep(what string) {
	m.Helper()
	for range 3 {
		if _, err := m.keeper().Reseal(m.Context(), m.record()); err != nil && !errors.Is(err, grant.ErrConflict) {
			m.Errorf("%s: reseal: %v", what, err)
		}
		time.Sleep(24 * time.Hour)
	}
}

// wantRotated checks that no row needs k1, that Ines is served, and that the refresh token is the
// last one issued.
func (m *rotation) wantRotated(what string) {
	m.Helper()
	delete(m.ring.Held, "k1")
	m.wantServed(what)
	time.Sleep(time.Until(m.record().ExpiresAt) - time.Hour)
	before := m.record().Revision
	if _, err := m.keeper().AccessToken(m.Context(), ines, ""); err != nil || m.record().Revision <= before {
		m.Errorf("%s: no refresh: %v, %+v", what, err, m.record())
	}
}

func (m *rotation) wantServed(what string) {
	m.Helper()
	if _, err := m.keeper().AccessToken(m.Context(), ines, ""); err != nil {
		m.Errorf("%s: %v", what, err)
	}
}

// mostSteps is more than the number of calls of a Reseal.
const mostSteps = 10

// eachStep runs a test before each step of a Reseal that seals, and of one that prunes.
func eachStep(t *testing.T, test func(m *rotation, what string, step int)) {
	t.Helper()
	for _, prunes := range []bool{false, true} {
		for step := 1; step <= mostSteps; step++ {
			rotating(t, func(m *rotation) {
				if prunes {
					if changed, err := m.keeper().Reseal(m.Context(), m.record()); !changed || err != nil {
						m.Fatal(changed, err)
					}
					time.Sleep(2 * time.Hour)
				}
				test(m, fmt.Sprintf("prunes %t, step %d", prunes, step), step)
			})
		}
	}
}

func TestReseal_KeepsTheTokensAndTheRevision(t *testing.T) {
	rotating(t, func(m *rotation) {
		before := m.record()
		for i, want := range []bool{true, false} {
			if changed, err := m.keeper().Reseal(m.Context(), m.record()); changed != want || err != nil {
				m.Errorf("call %d: %t, %v, want %t", i+1, changed, err, want)
			}
		}
		after := m.record()
		if after.Revision != before.Revision || after.Version == before.Version || !after.ExpiresAt.Equal(before.ExpiresAt) {
			m.Errorf("before %+v, after %+v", before, after)
		}
		if token, err := m.keeper().AccessToken(m.Context(), ines, ""); token != "secret-access-1" || err != nil || m.signOn.count() != 0 {
			m.Errorf("token %s, %v, %d refreshes", token, err, m.signOn.count())
		}
		// A call that read the record before may still need the old row.
		if _, err := m.sealed.Load(m.Context(), ines, before.Version); err != nil {
			m.Errorf("the old row is gone at once: %v", err)
		}
		m.sweep("later")
		m.wantRotated("later")
	})
}

func TestReseal_EndsNoSignInWhereverItCrashes(t *testing.T) {
	for _, lost := range []bool{false, true} {
		eachStep(t, func(m *rotation, what string, step int) {
			what = fmt.Sprintf("%s, lost %t", what, lost)
			if _, err := m.through(&cable{at: step, cut: true, lost: lost}).Reseal(m.Context(), m.record()); err != nil && !fault.Is(err, fault.UpstreamError) {
				m.Errorf("%s: %v", what, err)
			}
			m.wantServed(what)
			time.Sleep(time.Minute)
			m.sweep(what)
			m.wantRotated(what)
		})
	}
}

// A sign-in, a refresh, a refresh that crashes, or the end of a connection in the middle of each
// step.
func TestReseal_LosesNothingToACallThatRunsAtTheSameTime(t *testing.T) {
	for name, call := range map[string]func(m *rotation) error{
		"sign-in": func(m *rotation) error {
			_, err := m.keeper().Reconnect(m.Context(), ines, "Ines Albrecht", m.signOn.login())
			return err
		},
		"refresh": func(m *rotation) error {
			_, err := m.keeper().AccessToken(m.Context(), ines, "secret-access-1")
			return err
		},
		"crash": func(m *rotation) error {
			_, err := m.crashing().AccessToken(m.Context(), ines, "secret-access-1")
			return err
		},
		"disconnect": func(m *rotation) error { return m.keeper().Disconnect(m.Context(), ines) },
	} {
		eachStep(t, func(m *rotation, what string, step int) {
			what += ", " + name
			ended, began := make(chan error, 1), false
			c := &cable{at: step, before: func() {
				began = true
				go func() { ended <- call(m) }()
				synctest.Wait()
			}}
			_, err := m.through(c).Reseal(m.Context(), m.record())
			if err != nil && !errors.Is(err, grant.ErrConflict) && !fault.Is(err, fault.UpstreamError) && !fault.Is(err, fault.TokenExpired) {
				m.Errorf("%s: %v", what, err)
			}
			if !began {
				return
			}
			if err := <-ended; err != nil {
				m.Errorf("%s: the call: %v", what, err)
			}
			if name == "disconnect" {
				if _, err := m.sealed.Load(m.Context(), ines, ""); !errors.Is(err, grant.ErrNotFound) {
					m.Errorf("%s: rows remain: %v", what, err)
				}
				return
			}
			time.Sleep(time.Minute)
			m.wantServed(what)
			m.sweep(what)
			m.wantRotated(what)
		})
	}
}

func TestReseal_WaitsForARefreshThatIsRunning(t *testing.T) {
	rotating(t, func(m *rotation) {
		r := m.record()
		leasedFor(30 * time.Second)(&r)
		r, err := m.records.SaveRecord(m.Context(), r)
		if err != nil {
			m.Fatal(err)
		}
		if outdated, err := m.keeper().Outdated(m.Context(), r); outdated || err != nil {
			m.Errorf("outdated %t, %v", outdated, err)
		}
		if _, err := m.keeper().Reseal(m.Context(), r); err != nil || m.record().Version != r.Version {
			m.Errorf("%v, %+v", err, m.record())
		}
		time.Sleep(31 * time.Second)
		if changed, err := m.keeper().Reseal(m.Context(), m.record()); !changed || err != nil {
			m.Errorf("%t, %v", changed, err)
		}
	})
}

// Its user must sign in again, and then gets other tokens.
func TestReseal_AdoptsNothingForADeadGrant(t *testing.T) {
	rotating(t, func(m *rotation) {
		later := m.signOn.login()
		later.Revision = 2
		if _, err := m.sealed.Save(m.Context(), ines, "late", later); err != nil {
			m.Fatal(err)
		}
		r := m.record()
		r.Status = grant.NeedsReauth
		r, err := m.records.SaveRecord(m.Context(), r)
		if err != nil {
			m.Fatal(err)
		}
		if changed, err := m.keeper().Reseal(m.Context(), r); !changed || err != nil || m.record().Status != grant.NeedsReauth || m.record().Revision != 1 {
			m.Errorf("%t, %v, %+v", changed, err, m.record())
		}
	})
}

func TestReseal_ARingThatCannotBeReachedIsRetryable(t *testing.T) {
	rotating(t, func(m *rotation) {
		m.ring.Err = errDown
		if _, err := m.keeper().AccessToken(m.Context(), ines, ""); !fault.Is(err, fault.UpstreamError) {
			m.Errorf("access: %v", err)
		}
		if _, err := m.keeper().Reseal(m.Context(), m.record()); !fault.Is(err, fault.UpstreamError) {
			m.Errorf("reseal: %v", err)
		}
		m.ring.Err = nil
		m.wantServed("afterwards")
	})
}

func TestReseal_DoesNothingForAStoreThatDoesNotSeal(t *testing.T) {
	rotating(t, func(m *rotation) {
		k := grant.New(grant.Config{Store: m.sealed, Records: m.records, Provider: m.signOn.provider()})
		if changed, err := k.Reseal(m.Context(), m.record()); changed || err != nil {
			m.Errorf("%t, %v", changed, err)
		}
	})
}

// After TokenStore has changed, the user signs in once, and what is left in the other place can be
// removed. Tokens that the provider gave again are not revoked.
func TestRetireElsewhere_RemovesWhatIsLeftInTheOtherPlace(t *testing.T) {
	rotating(t, func(m *rotation) {
		other := memory.New(nil).Grants("")
		k := grant.New(grant.Config{Store: other, Records: m.records, Provider: m.signOn.provider(), Log: slog.New(slog.DiscardHandler)})
		if _, err := k.AccessToken(m.Context(), ines, ""); !fault.Is(err, fault.TokenExpired) {
			m.Errorf("with another TokenStore: %v", err)
		}
		if _, err := k.Reconnect(m.Context(), ines, "Ines Albrecht", m.signOn.login()); err != nil {
			m.Fatal(err)
		}
		for _, dryRun := range []bool{true, false} {
			if found, err := k.RetireElsewhere(m.Context(), m.sealed, m.record(), dryRun); !found || err != nil {
				m.Errorf("dry run %t: %t, %v", dryRun, found, err)
			}
		}
		if found, err := k.RetireElsewhere(m.Context(), m.sealed, m.record(), false); found || err != nil {
			m.Errorf("again: %t, %v", found, err)
		}
		if _, err := k.AccessToken(m.Context(), ines, ""); err != nil {
			m.Error(err)
		}
	})
}

// A failed read does not say that the current tokens are others: the user would lose the link.
func TestRetireElsewhere_RevokesNothingWhileTheStoreFails(t *testing.T) {
	rotating(t, func(m *rotation) {
		current := &store{Store: m.sealed, onLoad: func(string) error { return errDown }}
		elsewhere := memory.New(nil).Grants("")
		tokens, err := m.sealed.Load(m.Context(), ines, "")
		if err != nil {
			m.Fatal(err)
		}
		if _, err := elsewhere.Save(m.Context(), ines, "writer", tokens); err != nil {
			m.Fatal(err)
		}
		p := m.signOn.provider()
		p.Revokes = true
		revoking := &revoker{SignOn: p.SignOn}
		p.SignOn = revoking
		k := grant.New(grant.Config{Store: current, Records: m.records, Provider: p, Log: slog.New(slog.DiscardHandler)})
		found, err := k.RetireElsewhere(m.Context(), elsewhere, m.record(), false)
		if _, kept := elsewhere.Load(m.Context(), ines, ""); found || err == nil || kept != nil || revoking.revoked != 0 {
			m.Errorf("%t, %v; kept: %v; revoked %d", found, err, kept, revoking.revoked)
		}
		current.onLoad = nil
		if found, err := k.RetireElsewhere(m.Context(), elsewhere, m.record(), false); !found || err != nil || revoking.revoked != 0 {
			m.Errorf("later: %t, %v, revoked %d", found, err, revoking.revoked)
		}
	})
}

// revoker counts the tokens that are revoked.
type revoker struct {
	provider.SignOn
	revoked int
}

func (r *revoker) Revoke(context.Context, provider.Tokens) error {
	r.revoked++
	return nil
}
