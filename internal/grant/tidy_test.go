package grant_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
)

func TestTidy_WaitsAnHourAfterAMove(t *testing.T) {
	for _, seals := range []bool{true, false} {
		moving(t, !seals, func(m *movers) {
			k := m.keeper(seals)
			if _, err := k.Move(m.Context(), ines); err != nil {
				m.Fatal(err)
			}
			for _, want := range []bool{false, true, false} {
				if tidied, err := k.Tidy(m.Context(), ines); tidied != want || err != nil {
					m.Errorf("seals %t: tidied %t, %v, want %t", seals, tidied, err, want)
				}
				time.Sleep(time.Hour)
			}
			m.wantOnlyIn("tidied", seals)
		})
	}
}

func TestTidy_RemovesNothingIfTheTokensCannotBeRead(t *testing.T) {
	moving(t, false, func(m *movers) {
		if _, err := m.keeper(true).Move(m.Context(), ines); err != nil {
			m.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		m.ring.Err = errDown
		if tidied, err := m.keeper(true).Tidy(m.Context(), ines); tidied || !fault.Is(err, fault.UpstreamError) {
			m.Errorf("tidied %t, %v", tidied, err)
		}
		m.ring.Err = nil
		delete(m.ring.Held, "k1")
		m.ring.Held["k2"], m.ring.Now = "fernhill-ring-key-two-0123456789", "k2"
		if tidied, err := m.keeper(true).Tidy(m.Context(), ines); tidied {
			m.Errorf("tidied, %v", err)
		}
		if _, err := m.secrets.Load(m.Context(), ines, ""); err != nil {
			m.Errorf("the copy in secrets: %v", err)
		}
	})
}

// A user may take a while between the provider's sign-on and the end of a sign-in.
func TestTidy_WaitsAnHourAfterASignIn(t *testing.T) {
	moving(t, false, func(m *movers) {
		obtained := m.signOn.login()
		time.Sleep(2 * time.Hour)
		k := m.keeper(true)
		if _, err := k.Reconnect(m.Context(), ines, "Ines Albrecht", obtained); err != nil {
			m.Fatal(err)
		}
		for _, want := range []bool{false, true} {
			if tidied, err := k.Tidy(m.Context(), ines); tidied != want || err != nil {
				m.Errorf("tidied %t, %v, want %t", tidied, err, want)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestTidy_WaitsAnHourAfterARefresh(t *testing.T) {
	moving(t, false, func(m *movers) {
		k := m.keeper(true)
		if _, err := k.AccessToken(m.Context(), ines, "secret-access-1"); err != nil {
			m.Fatal(err)
		}
		for _, want := range []bool{false, true} {
			if tidied, err := k.Tidy(m.Context(), ines); tidied != want || err != nil {
				m.Errorf("tidied %t, %v, want %t", tidied, err, want)
			}
			time.Sleep(time.Hour)
		}
	})
}

// The lease counts for five minutes more, because the clocks of two instances may differ.
func TestTidy_ThatCrashedDelaysNoSignInFiveMinutesAfterItsLease(t *testing.T) {
	moving(t, false, func(m *movers) {
		r := m.record()
		r.Lease, r.LeaseUntil = "tidy-crashed", time.Now().Add(-5*time.Minute)
		if _, err := m.records.SaveRecord(m.Context(), r); err != nil {
			m.Fatal(err)
		}
		began := time.Now()
		if _, err := m.keeper(false).Reconnect(m.Context(), ines, "Ines Albrecht", m.signOn.login()); err != nil {
			m.Fatal(err)
		}
		if waited := time.Since(began); waited > 0 {
			m.Errorf("the sign-in waited %s", waited)
		}
	})
}

// hanging are Places whose Clear does not answer.
type hanging struct{ grant.Places }

func (hanging) Clear(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestTidy_EndsBeforeItsLease(t *testing.T) {
	moving(t, false, func(m *movers) {
		if _, err := m.keeper(true).Move(m.Context(), ines); err != nil {
			m.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		s := m.store(true)
		k := grant.New(grant.Config{
			Store: s, Places: hanging{s}, Records: m.records, Provider: m.signOn.provider(), Log: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithTimeout(m.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		tidied, err := k.Tidy(ctx, ines)
		if tidied || !fault.Is(err, fault.UpstreamError) || !time.Now().Before(m.record().LeaseUntil) {
			m.Errorf("tidied %t, %v, after %s", tidied, err, time.Since(began))
		}
	})
}
