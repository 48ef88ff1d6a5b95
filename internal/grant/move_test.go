package grant_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
)

func TestMove_EndsNoSignInWhereverItCrashes(t *testing.T) {
	for _, lost := range []bool{false, true} {
		eachStep(t, func(m *movers, what string, seals bool, step int, chore func(c *cable) error) {
			what = fmt.Sprintf("%s, lost %t", what, lost)
			c := &cable{at: step, cut: true, lost: lost}
			if err := chore(c); err != nil && !fault.Is(err, fault.UpstreamError) {
				m.Errorf("%s: %v", what, err)
			}
			m.wantServed(what)
			time.Sleep(time.Minute)
			m.sweep(seals)
			m.wantServed(what)
			m.wantOnlyIn(what, seals)
			m.wantRefreshed(what)
		})
	}
}

// A sign-in, a refresh, or the end of a connection in the middle of each step, by an instance of
// either mode.
func TestMove_LosesNothingToACallThatRunsAtTheSameTime(t *testing.T) {
	for _, other := range []bool{true, false} {
		for name, call := range map[string]func(m *movers, k *grant.Keeper) error{
			"sign-in": func(m *movers, k *grant.Keeper) error {
				_, err := k.Reconnect(m.Context(), ines, "Ines Albrecht", m.signOn.login())
				return err
			},
			"refresh": func(m *movers, k *grant.Keeper) error {
				_, err := k.AccessToken(m.Context(), ines, "secret-access-1")
				return err
			},
			"disconnect": func(m *movers, k *grant.Keeper) error { return k.Disconnect(m.Context(), ines) },
		} {
			eachStep(t, func(m *movers, what string, seals bool, step int, chore func(c *cable) error) {
				what = fmt.Sprintf("%s, %s by an instance with seals %t", what, name, other)
				ended, began := make(chan error, 1), false
				c := &cable{at: step, before: func() {
					began = true
					go func() { ended <- call(m, m.keeper(other)) }()
					synctest.Wait()
				}}
				if err := chore(c); err != nil && !fault.Is(err, fault.UpstreamError) && !fault.Is(err, fault.TokenExpired) {
					m.Errorf("%s: %v", what, err)
				}
				if !began {
					return
				}
				if err := <-ended; err != nil {
					m.Errorf("%s: the call: %v", what, err)
				}
				if name == "disconnect" {
					m.wantNothing(what)
					return
				}
				m.wantServed(what)
				m.sweep(seals)
				m.wantOnlyIn(what, seals)
				m.wantRefreshed(what)
			})
		}
	}
}

// A refresh in the middle of each step, by an instance that crashes once it has stored its tokens.
func TestMove_HidesNoTokensOfARefreshThatCrashes(t *testing.T) {
	for _, other := range []bool{true, false} {
		eachStep(t, func(m *movers, what string, seals bool, step int, chore func(c *cable) error) {
			what = fmt.Sprintf("%s, a refresh by an instance with seals %t", what, other)
			ended, began := make(chan error, 1), false
			c := &cable{at: step, before: func() {
				began = true
				go func() {
					_, err := m.crashing(other).AccessToken(m.Context(), ines, "secret-access-1")
					ended <- err
				}()
				synctest.Wait()
			}}
			if err := chore(c); err != nil && !fault.Is(err, fault.UpstreamError) {
				m.Errorf("%s: %v", what, err)
			}
			if !began {
				return
			}
			if err := <-ended; err != nil {
				m.Errorf("%s: the call: %v", what, err)
			}
			time.Sleep(time.Minute)
			m.wantRefreshed(what)
			m.sweep(seals)
			m.wantOnlyIn(what, seals)
		})
	}
}

// leaving are Records whose user disconnects before a Move writes, and that then do not answer.
type leaving struct {
	grant.Records
	leave func()
}

func (r leaving) SaveRecord(ctx context.Context, c grant.Record) (grant.Record, error) {
	if c.MovedAt.IsZero() {
		return r.Records.SaveRecord(ctx, c)
	}
	r.leave()
	<-ctx.Done()
	return grant.Record{}, ctx.Err()
}

func TestMove_RemovesTheCopyOfAUserWhoDisconnectsAlsoIfItsTimeIsOver(t *testing.T) {
	for _, seals := range []bool{true, false} {
		moving(t, !seals, func(m *movers) {
			s := m.store(seals)
			leave := func() {
				if err := m.keeper(seals).Disconnect(m.Context(), ines); err != nil {
					m.Error(err)
				}
				if _, err := s.Save(m.Context(), ines, "late", m.signOn.login()); err != nil { // a write of the copy arrives late
					m.Error(err)
				}
				time.Sleep(5 * time.Second)
			}
			k := grant.New(grant.Config{
				Store: s, Places: s, Records: leaving{m.records, sync.OnceFunc(leave)}, Provider: m.signOn.provider(), Log: slog.New(slog.DiscardHandler),
			})
			if moved, err := k.Move(m.Context(), ines); moved != grant.Stayed || !fault.Is(err, fault.UpstreamError) {
				m.Errorf("moved %v, %v", moved, err)
			}
			m.wantNothing("a user who left")
		})
	}
}

func TestMove_KeepsTheTokensAndTheRevision(t *testing.T) {
	for _, seals := range []bool{true, false} {
		moving(t, !seals, func(m *movers) {
			before := m.record()
			k := m.keeper(seals)
			for i, want := range []grant.Moved{grant.Copied, grant.Stayed} {
				if moved, err := k.Move(m.Context(), ines); moved != want || err != nil {
					m.Errorf("move %d: %v, %v, want %v", i+1, moved, err, want)
				}
			}
			after := m.record()
			if after.Revision != before.Revision || after.Version == before.Version || !after.ExpiresAt.Equal(before.ExpiresAt) || after.MovedAt.IsZero() {
				m.Errorf("before %+v, after %+v", before, after)
			}
			for _, of := range []bool{true, false} {
				if token, err := m.keeper(of).AccessToken(m.Context(), ines, ""); token != "secret-access-1" || err != nil {
					m.Errorf("token %s, %v", token, err)
				}
			}
			if m.signOn.count() != 0 {
				m.Error("a move asked the sign-on")
			}
		})
	}
}

func TestMove_AReadMovesNothing(t *testing.T) {
	for _, seals := range []bool{true, false} {
		moving(t, !seals, func(m *movers) {
			before := m.record()
			for range 5 {
				m.wantServed("a read")
			}
			if after := m.record(); after != before {
				m.Errorf("before %+v, after %+v", before, after)
			}
		})
	}
}

// As an operator switches, switches back, and switches again. Each time a sweep runs or does not.
func TestMove_AModeThatIsSwitchedAgainAndAgainEndsNoSignIn(t *testing.T) {
	for swept := range 8 {
		moving(t, false, func(m *movers) {
			for i, seals := range []bool{true, false, true} {
				if swept>>i&1 == 1 {
					m.sweep(seals)
					m.wantOnlyIn(fmt.Sprint("switch ", i), seals)
				}
				m.wantServed(fmt.Sprint("switch ", i))
			}
			m.wantRefreshed(fmt.Sprintf("swept %03b", swept))
		})
	}
}

func TestMove_WaitsForARefreshThatIsRunning(t *testing.T) {
	moving(t, false, func(m *movers) {
		r := m.record()
		leasedFor(30 * time.Second)(&r)
		if _, err := m.records.SaveRecord(m.Context(), r); err != nil {
			m.Fatal(err)
		}
		k := m.keeper(true)
		if moved, err := k.Move(m.Context(), ines); moved != grant.Busy || err != nil {
			m.Errorf("%v, %v", moved, err)
		}
		if tidied, err := k.Tidy(m.Context(), ines); tidied || err != nil {
			m.Errorf("tidied %t, %v", tidied, err)
		}
		time.Sleep(31 * time.Second)
		if moved, err := k.Move(m.Context(), ines); moved != grant.Copied || err != nil {
			m.Errorf("%v, %v", moved, err)
		}
	})
}

// A call refreshed, stored the tokens, and ended before it wrote the record.
func TestMove_AdoptsTokensThatWereStoredWithoutARecord(t *testing.T) {
	for _, stored := range []bool{true, false} {
		for _, seals := range []bool{true, false} {
			moving(t, false, func(m *movers) {
				t, err := m.signOn.Refresh(m.Context(), "secret-refresh-1")
				if err != nil {
					m.Fatal(err)
				}
				t.Revision = 2
				if _, err := m.store(stored).Save(m.Context(), ines, "crashed", t); err != nil {
					m.Fatal(err)
				}
				m.sweep(seals)
				if r := m.record(); r.Revision != 2 && (stored || seals) {
					m.Errorf("stored in %t, swept with %t: %+v", stored, seals, r)
				}
				m.wantRefreshed(fmt.Sprintf("stored in %t, swept with %t", stored, seals))
			})
		}
	}
}

// Its user must sign in again, and then gets other tokens.
func TestMove_AdoptsNothingForADeadGrant(t *testing.T) {
	moving(t, false, func(m *movers) {
		later := m.signOn.login()
		later.Revision = 2
		if _, err := m.secrets.Save(m.Context(), ines, "late", later); err != nil {
			m.Fatal(err)
		}
		r := m.record()
		r.Status = grant.NeedsReauth
		if _, err := m.records.SaveRecord(m.Context(), r); err != nil {
			m.Fatal(err)
		}
		if moved, err := m.keeper(true).Move(m.Context(), ines); moved != grant.Copied || err != nil {
			m.Errorf("%v, %v", moved, err)
		}
		if r := m.record(); r.Status != grant.NeedsReauth || r.Revision != 1 {
			m.Errorf("%+v", r)
		}
	})
}

func TestMisplaced_ReportsWhatMoveWouldCopy(t *testing.T) {
	moving(t, false, func(m *movers) {
		busy := m.record()
		leasedFor(time.Minute)(&busy)
		for name, test := range map[string]struct {
			of    grant.Record
			seals bool
			want  bool
		}{
			"in the other place":  {m.record(), true, true},
			"in this place":       {m.record(), false, false},
			"during another call": {busy, true, false},
		} {
			if got, err := m.keeper(test.seals).Misplaced(m.Context(), test.of); got != test.want || err != nil {
				m.Errorf("%s: %t, %v", name, got, err)
			}
		}
	})
}

// Rotation: after k2 is current, Move seals with it, and Tidy removes what k1 sealed.
func TestMove_SealsWithTheCurrentKey(t *testing.T) {
	moving(t, true, func(m *movers) {
		m.ring.Held["k2"], m.ring.Now = "fernhill-ring-key-two-0123456789", "k2"
		m.sweep(true)
		delete(m.ring.Held, "k1")
		m.wantServed("without k1")
		if id, _, _ := envelope.KeyOf(m.record().Version); id != "k2" {
			m.Errorf("sealed with %s", id)
		}
		if known, err := m.sealed.Summary(m.Context(), ines); err != nil || !known.OneKey {
			m.Errorf("%+v, %v", known, err)
		}
		m.wantRefreshed("without k1")
	})
}

func TestMove_APlaceThatCannotBeReachedIsRetryable(t *testing.T) {
	moving(t, true, func(m *movers) {
		m.ring.Err = errDown
		for _, seals := range []bool{true, false} {
			k := m.keeper(seals)
			if _, err := k.AccessToken(m.Context(), ines, ""); !fault.Is(err, fault.UpstreamError) {
				m.Errorf("seals %t: access: %v", seals, err)
			}
			if _, err := k.Move(m.Context(), ines); !fault.Is(err, fault.UpstreamError) {
				m.Errorf("seals %t: move: %v", seals, err)
			}
		}
		m.ring.Err = nil
		m.wantServed("afterwards")
	})
}

func TestMove_DoesNothingWithoutPlacesOrAGrant(t *testing.T) {
	moving(t, false, func(m *movers) {
		k := grant.New(grant.Config{Store: m.secrets, Records: m.records, Provider: m.signOn.provider()})
		if moved, err := k.Move(m.Context(), ines); moved != grant.Stayed || err != nil {
			m.Errorf("one place: %v, %v", moved, err)
		}
		if tidied, err := k.Tidy(m.Context(), ines); tidied || err != nil {
			m.Errorf("one place: %t, %v", tidied, err)
		}
		if moved, err := m.keeper(true).Move(m.Context(), jonas); moved != grant.Stayed || err != nil {
			m.Errorf("of a user without a grant: %v, %v", moved, err)
		}
	})
}

// The release before knows only secrets. It must not run next to instances that seal tokens: it
// answers that the user must sign in. But it changes nothing, so that the user is served again
// without a sign-in.
func TestMove_AnInstanceThatKnowsOnlySecretsChangesNothing(t *testing.T) {
	older := func(m *movers) *grant.Keeper {
		return grant.New(grant.Config{Store: m.secrets, Records: m.records, Provider: m.signOn.provider()})
	}
	moving(t, true, func(m *movers) {
		before := m.record()
		if _, err := older(m).AccessToken(m.Context(), ines, ""); !fault.Is(err, fault.TokenExpired) {
			m.Errorf("%v", err)
		}
		if after := m.record(); after != before {
			m.Errorf("before %+v, after %+v", before, after)
		}
		m.wantServed("afterwards")
	})
	// Next to instances that only read sealed tokens, it works, and so do they.
	moving(t, false, func(m *movers) {
		for range 3 {
			for _, k := range []*grant.Keeper{m.keeper(false), older(m)} {
				if _, err := k.AccessToken(m.Context(), ines, ""); err != nil {
					m.Error(err)
				}
			}
			time.Sleep(time.Until(m.record().ExpiresAt) - time.Hour)
		}
		m.wantServed("afterwards")
	})
}
