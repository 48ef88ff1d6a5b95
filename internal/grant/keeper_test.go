package grant_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestAccessToken_ThatIsFreshCostsNoWriteAndNoQuestion(t *testing.T) {
	in(t, func(h *house) {
		h.Keeper = h.another()
		writes := h.records.writes
		if got := h.token(ines, ""); got != "secret-access-1" {
			t.Errorf("token %s", got)
		}
		if h.records.writes != writes || h.store.saves != 1 {
			t.Errorf("%d more writes, %d saves", h.records.writes-writes, h.store.saves)
		}
		h.asked(0)
	})
}

func TestAccessToken_ReadsTheRecordTwiceAMinuteAndTheTokensOnce(t *testing.T) {
	in(t, func(h *house) {
		h.Keeper = h.another()
		h.records.reads, h.store.loads = 0, 0
		for _, step := range []struct {
			wait         time.Duration
			reads, loads int
		}{{0, 1, 1}, {30*time.Second - 1, 1, 1}, {1, 2, 1}, {10 * time.Minute, 3, 1}, {12 * 24 * time.Hour, 4, 1}} {
			time.Sleep(step.wait)
			h.token(ines, "")
			if h.records.reads != step.reads || h.store.loads != step.loads {
				t.Errorf("after %s more: %d reads, %d loads, want %+v", step.wait, h.records.reads, h.store.loads, step)
			}
		}
	})
}

func TestAccessToken_ThatWasReadOnceOutlivesAnOutageOfTheStore(t *testing.T) {
	in(t, func(h *house) {
		h.Keeper = h.another()
		h.token(ines, "")
		h.store.onLoad = func(string) error { return errDown }
		h.store.onSave = func(provider.Tokens) error { return errDown }
		for _, left := range []time.Duration{13 * 24 * time.Hour, 48 * time.Hour, 12 * time.Hour, time.Minute} {
			h.stale(left)
			if got := h.token(ines, ""); got != "secret-access-1" {
				h.Errorf("with %s left: token %s", left, got)
			}
		}
		h.stale(-time.Second)
		h.fails(ines, "", fault.UpstreamError)
		h.asked(0)

		h.store.onLoad, h.store.onSave = nil, nil
		time.Sleep(time.Minute)
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("after the outage: token %s", got)
		}
	})
}

func TestAccessToken_OfAConnectionThatEndedIsNotUsedDuringAnOutage(t *testing.T) {
	for name, end := range map[string]func(h *house){
		"disconnected": func(h *house) {
			if err := h.records.DeleteRecord(h.Context(), ines); err != nil {
				h.Fatal(err)
			}
		},
		"needs a login": func(h *house) { h.write(ines, func(c *grant.Record) { c.Status = grant.NeedsReauth }) },
	} {
		in(t, func(h *house) {
			h.Keeper = h.another()
			h.token(ines, "")
			h.store.onLoad = func(string) error { return errDown }
			end(h)
			time.Sleep(30 * time.Second)
			if f := h.fails(ines, "", fault.TokenExpired); f == nil {
				h.Errorf("%s: no fault", name)
			}
		})
	}
}

func TestAccessToken_ThatWasReplacedElsewhereIsNotUsedDuringAnOutage(t *testing.T) {
	in(t, func(h *house) {
		h.Keeper = h.another()
		h.token(ines, "")
		if _, err := h.another().Reconnect(h.Context(), ines, "Ines Albrecht", h.signOn.login()); err != nil {
			h.Fatal(err)
		}
		h.store.onLoad = func(string) error { return errDown }
		time.Sleep(30 * time.Second)
		h.fails(ines, "", fault.UpstreamError)

		h.store.onLoad = nil
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("after the outage: token %s", got)
		}
	})
}

func TestAccessToken_RemembersNothingOnceARefusalIsReported(t *testing.T) {
	in(t, func(h *house) {
		old := h.token(ines, "")
		if _, err := h.another().Connect(h.Context(), ines, "Ines Albrecht", h.signOn.login()); err != nil {
			t.Fatal(err)
		}
		if got := h.token(ines, ""); got != old {
			t.Errorf("remembered %s", got)
		}
		if got := h.token(ines, old); got != "secret-access-2" {
			t.Errorf("token %s", got)
		}
		h.asked(0)
	})
}

// Whoever read the record before a reconnect and the tokens after it leaves the two in memory side by side.
func TestAccessToken_NeverMixesVersions(t *testing.T) {
	in(t, func(h *house) {
		h.Keeper = h.another()
		h.records.read = func() {
			h.records.read = nil
			time.Sleep(time.Second)
			h.connect(ines)
			time.Sleep(time.Second)
		}
		h.token(ines, "")
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
	})
}

func TestAccessToken_IsNeverAnothersHoweverManyThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		want := map[string]string{}
		for i := range 2500 {
			subject := fmt.Sprintf("37s:%d", i)
			h.connect(subject)
			want[subject] = fmt.Sprintf("secret-access-%d", i+1)
		}
		for subject, token := range want {
			if got := h.token(subject, ""); got != token {
				t.Fatalf("%s has %s, want %s", subject, got, token)
			}
		}
	})
}

func TestAccessToken_OfSomebodyWhoNeverConnected_B46(t *testing.T) {
	in(t, func(h *house) {
		h.fails(jonas, "", fault.TokenExpired)
		h.fails(jonas, "secret-access-1", fault.TokenExpired)
		h.asked(0)
	})
}

func TestAccessToken_OfAConnectionThatNeedsReauthorization_AsksNobody(t *testing.T) {
	in(t, func(h *house) {
		h.write(ines, func(c *grant.Record) { c.Status = grant.NeedsReauth })
		h.Keeper = h.another()
		h.fails(ines, "", fault.TokenExpired)
		h.fails(ines, "secret-access-1", fault.TokenExpired)
		h.asked(0)
		if h.store.loads != 0 {
			t.Error("tokens were loaded for nothing")
		}
	})
}

func TestAccessToken_WhoseVersionIsLost_NeedsALoginButIsNotFlagged(t *testing.T) {
	in(t, func(h *house) {
		h.write(ines, func(c *grant.Record) { c.Version = "lost" })
		h.Keeper = h.another()
		h.fails(ines, "", fault.TokenExpired)
		if c := h.status(ines); c.Status != grant.Active {
			t.Errorf("status %s", c.Status)
		}
	})
}

func TestRefresh_OfTokensThatWereDeletedMeanwhileMakesNoNewOnes(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.store.onLoad = failing(grant.ErrNotFound, func(version string) bool { return version == "" })
		h.fails(ines, "", fault.TokenExpired)
		h.asked(0)
		if c := h.status(ines); c.Lease != "" || c.Status != grant.Active {
			h.Errorf("left %+v", c)
		}
	})
}

func TestAccessToken_IsReplacedADayBeforeItsEndGiveOrTakeAFifth(t *testing.T) {
	for left, want := range map[time.Duration]int{29 * time.Hour: 0, 19 * time.Hour: 1} {
		in(t, func(h *house) {
			h.stale(left)
			h.token(ines, "")
			h.asked(want)
		})
	}
	early := 0
	for range 40 {
		in(t, func(h *house) {
			h.stale(24 * time.Hour)
			h.token(ines, "")
			early += h.signOn.count()
		})
	}
	if early == 0 || early == 40 {
		t.Errorf("%d of 40 calls found a token stale with 24 h left: no jitter", early)
	}
}

func TestAccessToken_OfAFewHoursIsNotReplacedAtEveryCall(t *testing.T) {
	in(t, func(h *house) {
		h.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "brief", ExpiresAt: time.Now().Add(8 * time.Hour)}, nil
		}
		h.stale(time.Hour)
		for range 5 {
			h.token(ines, "")
			time.Sleep(time.Minute)
		}
		h.asked(1)
	})
}

func TestRefresh_WritesTheNextRevision(t *testing.T) {
	in(t, func(h *house) {
		before := h.status(ines)
		h.stale(time.Hour)
		if got := h.token(ines, ""); got != "secret-access-2" {
			t.Errorf("token %s", got)
		}
		h.settled(2)
		after := h.status(ines)
		if after.Version == before.Version || !after.ConnectedAt.Equal(before.ConnectedAt) || after.Name != before.Name || !after.Forced.IsZero() {
			t.Errorf("from %+v to %+v", before, after)
		}
		if got := h.stored(ines); got.AccessToken != "secret-access-2" || got.RefreshToken != "secret-refresh-2" {
			t.Errorf("stored %+v", got)
		}
		h.token(ines, "")
		h.asked(1)
	})
}

func TestRefresh_KeepsTheOldRefreshTokenWhenNoneIsGiven(t *testing.T) {
	in(t, func(h *house) {
		h.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		h.stale(time.Hour)
		h.token(ines, "")
		if got := h.stored(ines); got.RefreshToken != "secret-refresh-1" || !got.ObtainedAt.Equal(time.Now()) {
			t.Errorf("stored %+v", got)
		}
	})
}

// Validate everything before replacing.
func TestRefresh_ReplacesNothingByTokensThatMakeNoSense(t *testing.T) {
	for name, bad := range map[string]provider.Tokens{
		"no expiry":   {AccessToken: "x"},
		"expired":     {AccessToken: "x", ExpiresAt: time.Unix(0, 0)},
		"for a blink": {AccessToken: "x", ExpiresAt: time.Date(2000, 1, 14, 23, 0, 30, 0, time.UTC)},
		"for ever":    {AccessToken: "x", ExpiresAt: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)},
		"no token":    {RefreshToken: "x", ExpiresAt: time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC)},
	} {
		in(t, func(h *house) {
			h.signOn.mood = func(string) (provider.Tokens, error) { return bad, nil }
			h.stale(time.Hour)
			if got := h.token(ines, ""); got != "secret-access-1" {
				t.Errorf("%s: token %s", name, got)
			}
			if c := h.status(ines); c.Revision != 1 || c.Failures != 1 || c.Status != grant.Active || h.stored(ines).AccessToken != "secret-access-1" {
				t.Errorf("%s: %+v", name, c)
			}
		})
	}
}

func TestRefresh_IsNotBegunWithLessThanTenSecondsLeft(t *testing.T) {
	for left, want := range map[time.Duration]int{10*time.Second - 1: 0, 10 * time.Second: 1} {
		in(t, func(h *house) {
			h.stale(time.Hour)
			ctx, cancel := context.WithTimeout(h.Context(), left)
			defer cancel()
			if _, err := h.AccessToken(ctx, ines, ""); err != nil {
				t.Errorf("with %s left: %v", left, err)
			}
			h.asked(want)
		})
	}
	in(t, func(h *house) {
		h.stale(-time.Second)
		ctx, cancel := context.WithTimeout(h.Context(), 9*time.Second)
		defer cancel()
		if _, err := h.AccessToken(ctx, ines, ""); !fault.Is(err, fault.UpstreamError) || !fault.From(err).Retryable {
			t.Errorf("an expired token and no time: %v", err)
		}
		h.asked(0)
		if c := h.status(ines); c.Lease != "" {
			t.Errorf("leased: %+v", c)
		}
	})
}

func TestRefresh_IsFinishedEvenIfItsCallerLeaves(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		h.signOn.takes = 3 * time.Second
		ctx, cancel := context.WithCancel(h.Context())
		time.AfterFunc(time.Second, cancel)
		_, _ = h.AccessToken(ctx, ines, "")
		h.settled(2)
	})
}

func TestRefresh_WaitsFiveSecondsForAnAnswer(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		h.signOn.takes = time.Hour
		begin := time.Now()
		if got := h.token(ines, ""); got != "secret-access-1" || time.Since(begin) != 5*time.Second {
			t.Errorf("token %s after %s", got, time.Since(begin))
		}
		if c := h.status(ines); c.Failures != 1 || c.Lease != "" {
			t.Errorf("connection %+v", c)
		}
	})
}

// T15: what the broker asks for does not depend on upstream.
func TestStatus_AsksNobodyUpstream(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		c, err := h.Status(h.Context(), ines)
		if err != nil || c.Revision != 1 || c.Name != "Ines Albrecht" {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := h.Status(h.Context(), jonas); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
		h.records.onRead = func(string) error { return errDown }
		if _, err := h.Status(h.Context(), ines); !fault.Is(err, fault.UpstreamError) {
			t.Errorf("unreachable: %v", err)
		}
		h.asked(0)
	})
}

func TestAccessToken_WithNothingReachableIsRetryable(t *testing.T) {
	breaks := map[string]func(h *house){
		"the record": func(h *house) { h.records.onRead = func(string) error { return errDown } },
		"the tokens": func(h *house) { h.store.onLoad = func(string) error { return errDown } },
		"the lease":  func(h *house) { h.records.onWrite = func(grant.Record) error { return errDown } },
		"the newest": func(h *house) { h.store.onLoad = failing(errDown, func(version string) bool { return version == "" }) },
		"the deployment": func(h *house) {
			h.records.onRead = failing(errDown, func(subject string) bool { return subject == "37s" })
		},
	}
	for name, breakIt := range breaks {
		in(t, func(h *house) {
			h.stale(-time.Hour)
			breakIt(h)
			f := h.fails(ines, "", fault.UpstreamError)
			if !errors.Is(f, errDown) {
				t.Errorf("%s: cause %v", name, f.Unwrap())
			}
			h.asked(0)
			if c := h.status(ines); c.Lease != "" || c.Status != grant.Active {
				t.Errorf("%s: left %+v", name, c)
			}
		})
	}
}

func failing[T any](err error, when func(T) bool) func(T) error {
	return func(v T) error {
		if when(v) {
			return err
		}
		return nil
	}
}
