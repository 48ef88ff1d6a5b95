package grant_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
)

// orphan removes the record of Ines and leaves her tokens, as a crash does. A day passes.
func (m *movers) orphan() {
	m.Helper()
	if err := m.records.DeleteRecord(m.Context(), ines); err != nil {
		m.Fatal(err)
	}
	time.Sleep(day)
}

const day = 24 * time.Hour

// discard does what the sweep does with the tokens of Ines that no record names.
func (m *movers) discard(k *grant.Keeper) error {
	l, orphaned, err := k.Orphaned(m.Context(), ines)
	if err != nil || !orphaned {
		return err
	}
	return k.Discard(m.Context(), ines, l)
}

func TestOrphaned_IsTrueOneDayAfterTokensWithoutARecordWereStored(t *testing.T) {
	moving(t, true, func(m *movers) { // two hours ago
		wantOrphaned := func(want bool) {
			t.Helper()
			if _, got, err := m.keeper(true).Orphaned(m.Context(), ines); got != want || err != nil {
				t.Errorf("orphaned %t, %v; want %t", got, err, want)
			}
		}
		time.Sleep(30 * day)
		wantOrphaned(false) // there is a record
		m.connect(m.keeper(true))
		if err := m.records.DeleteRecord(m.Context(), ines); err != nil {
			t.Fatal(err)
		}
		time.Sleep(day - time.Second)
		wantOrphaned(false)
		time.Sleep(time.Second)
		wantOrphaned(true)
	})
}

func TestDiscard_RemovesTokensThatNoRecordNames(t *testing.T) {
	for _, seals := range []bool{true, false} { // the mode of the sweep
		moving(t, true, func(m *movers) {
			m.orphan()
			if err := m.discard(m.keeper(seals)); err != nil {
				m.Error(err)
			}
			m.wantNothing("discarded")
			m.connect(m.keeper(true))
			m.wantServed("connected again")
		})
	}
}

// The sign-in happens before each step of the sweep.
func TestDiscard_LosesNothingToASignInAtThatMoment(t *testing.T) {
	for _, seals := range []bool{true, false} { // the mode of the sign-in
		for step := 1; step <= 3; step++ {
			moving(t, true, func(m *movers) {
				m.orphan()
				began := false
				k := m.through(true, &cable{at: step, before: func() { began = true; m.connect(m.keeper(seals)) }})
				if err := m.discard(k); err != nil && !errors.Is(err, grant.ErrConflict) || !began {
					m.Errorf("step %d: %v, began %t", step, err, began)
				}
				m.wantServed("a sign-in")
				m.sweep(seals)
				m.wantServed("a sign-in, a day later")
				m.wantOnlyIn("a sign-in", seals)
			})
		}
	}
}

// The whole sweep happens before each step of the sign-in.
func TestDiscard_InTheMiddleOfASignInLosesNothing(t *testing.T) {
	for _, seals := range []bool{true, false} {
		for step := 1; step <= 4; step++ {
			moving(t, true, func(m *movers) {
				m.orphan()
				k := m.through(seals, &cable{at: step, before: func() {
					if err := m.discard(m.keeper(true)); err != nil {
						m.Error(err)
					}
				}})
				m.connect(k)
				m.wantServed("a sign-in")
				m.wantRefreshed("a sign-in")
			})
		}
	}
}

func TestDiscard_CanBeRepeatedAfterACrash(t *testing.T) {
	for _, lost := range []bool{false, true} {
		for step := 1; step <= 3; step++ {
			moving(t, true, func(m *movers) {
				m.orphan()
				if err := m.discard(m.through(true, &cable{at: step, cut: true, lost: lost})); !fault.Is(err, fault.UpstreamError) {
					m.Errorf("step %d: %v", step, err)
				}
				if err := m.discard(m.keeper(true)); err != nil && !errors.Is(err, grant.ErrConflict) {
					m.Errorf("step %d: %v", step, err)
				}
				m.wantNothing("discarded")
			})
		}
	}
}

// A late call of the endpoint stores tokens after the record was removed.
func TestOrphaned_IsFalseWhileACallMayStillWriteTheRecord(t *testing.T) {
	moving(t, true, func(m *movers) {
		m.orphan()
		if _, err := m.store(true).Existing(m.secrets).Save(m.Context(), ines, "late", m.signOn.login()); err != nil {
			m.Fatal(err)
		}
		synctest.Wait()
		if _, orphaned, err := m.keeper(true).Orphaned(m.Context(), ines); orphaned || err != nil {
			m.Errorf("orphaned %t, %v", orphaned, err)
		}
	})
}
