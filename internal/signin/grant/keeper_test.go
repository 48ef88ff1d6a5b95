package grant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

func TestAccessToken_ReadsTheRecordTwiceAMinuteAndTheTokensOnce(t *testing.T) {
	in(t, func(env *testEnv) {
		env.Keeper = env.another()
		writes := env.records.writes
		env.records.reads, env.store.loads = 0, 0
		for _, step := range []struct {
			wait         time.Duration
			reads, loads int
		}{{0, 1, 1}, {30*time.Second - 1, 1, 1}, {1, 2, 1}, {10 * time.Minute, 3, 1}, {12 * 24 * time.Hour, 4, 1}} {
			time.Sleep(step.wait)
			env.token(ines, "")
			if env.records.reads != step.reads || env.store.loads != step.loads {
				t.Errorf("after %s more: %d reads, %d loads, want %+v", step.wait, env.records.reads, env.store.loads, step)
			}
		}
		env.asked(0)
		if env.records.writes != writes || env.store.saves != 1 {
			t.Errorf("%d more writes, %d saves", env.records.writes-writes, env.store.saves)
		}
	})
}

func TestAccessToken_ThatWasReadOnceOutlivesAnOutageOfTheStore(t *testing.T) {
	in(t, func(env *testEnv) {
		env.Keeper = env.another()
		env.token(ines, "")
		env.store.onLoad = func(string) error { return errDown }
		env.store.onSave = func(provider.Tokens) error { return errDown }
		for _, left := range []time.Duration{13 * 24 * time.Hour, 48 * time.Hour, 12 * time.Hour, time.Minute} {
			env.stale(left)
			env.wantToken("", "secret-access-1")
		}
		env.stale(-time.Second)
		env.fails(ines, "", fault.UpstreamError)
		env.asked(0)

		env.store.onLoad, env.store.onSave = nil, nil
		time.Sleep(time.Minute)
		env.wantToken("", "secret-access-2")
	})
}

func TestAccessToken_OfAGrantThatEndedIsNotUsedDuringAnOutage(t *testing.T) {
	for name, end := range map[string]func(env *testEnv){
		"disconnected": func(env *testEnv) {
			must(env, env.records.DeleteRecord(env.Context(), ines))
		},
		"needs a login": func(env *testEnv) { env.write(ines, func(c *grant.Record) { c.Status = grant.NeedsReauth }) },
	} {
		in(t, func(env *testEnv) {
			env.Keeper = env.another()
			env.token(ines, "")
			env.store.onLoad = func(string) error { return errDown }
			end(env)
			time.Sleep(30 * time.Second)
			if f := env.fails(ines, "", fault.TokenExpired); f == nil {
				env.Errorf("%s: no fault", name)
			}
		})
	}
}

func TestAccessToken_ThatWasReplacedElsewhereIsNotUsedDuringAnOutage(t *testing.T) {
	in(t, func(env *testEnv) {
		env.Keeper = env.another()
		env.token(ines, "")
		if _, err := env.another().Reconnect(env.Context(), ines, "Ines Albrecht", env.signOn.login()); err != nil {
			env.Fatal(err)
		}
		env.store.onLoad = func(string) error { return errDown }
		time.Sleep(30 * time.Second)
		env.fails(ines, "", fault.UpstreamError)

		env.store.onLoad = nil
		env.wantToken("", "secret-access-2")
	})
}

// A call that reads the record before a reconnect and the tokens after it caches both.
func TestAccessToken_NeverMixesVersions(t *testing.T) {
	in(t, func(env *testEnv) {
		env.Keeper = env.another()
		env.records.read = func() {
			env.records.read = nil
			time.Sleep(time.Second)
			env.connect(ines)
			time.Sleep(time.Second)
		}
		env.token(ines, "")
		env.wantToken("", "secret-access-2")
	})
}

func TestAccessToken_IsReplacedADayBeforeItsExpiryPlusOrMinusAFifth(t *testing.T) {
	for left, want := range map[time.Duration]int{29 * time.Hour: 0, 19 * time.Hour: 1} {
		in(t, func(env *testEnv) {
			env.stale(left)
			env.token(ines, "")
			env.asked(want)
		})
	}
	early := 0
	for range 40 {
		in(t, func(env *testEnv) {
			env.stale(24 * time.Hour)
			env.token(ines, "")
			early += env.signOn.count()
		})
	}
	if early == 0 || early == 40 {
		t.Errorf("%d of 40 calls found a token stale with 24 h left: no jitter", early)
	}
}

func TestRefresh_WritesTheNextRevision(t *testing.T) {
	in(t, func(env *testEnv) {
		before := env.status(ines)
		env.stale(time.Hour)
		env.wantToken("", "secret-access-2")
		env.wantActive(2)
		after := env.status(ines)
		if after.Version == before.Version || !after.ConnectedAt.Equal(before.ConnectedAt) || after.Name != before.Name || !after.Forced.IsZero() {
			t.Errorf("from %+v to %+v", before, after)
		}
		if got := env.stored(ines); got.AccessToken != "secret-access-2" || got.RefreshToken != "secret-refresh-2" {
			t.Errorf("stored %+v", got)
		}
		env.token(ines, "")
		env.asked(1)
	})
}

func TestRefresh_KeepsTheOldRefreshTokenAndScopeIfTheAnswerHasNone(t *testing.T) {
	in(t, func(env *testEnv) {
		env.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		env.stale(time.Hour)
		env.token(ines, "")
		if got := env.stored(ines); got.RefreshToken != "secret-refresh-1" || got.Scope != "read" || !got.ObtainedAt.Equal(time.Now()) {
			t.Errorf("stored %+v", got)
		}
	})
}

func TestRefresh_DoesNotStartWithLessThanTenSecondsLeft(t *testing.T) {
	for left, want := range map[time.Duration]int{10*time.Second - 1: 0, 10 * time.Second: 1} {
		in(t, func(env *testEnv) {
			env.stale(time.Hour)
			ctx, cancel := context.WithTimeout(env.Context(), left)
			defer cancel()
			if _, err := env.AccessToken(ctx, ines, ""); err != nil {
				t.Errorf("with %s left: %v", left, err)
			}
			env.asked(want)
		})
	}
	in(t, func(env *testEnv) {
		env.stale(-time.Second)
		ctx, cancel := context.WithTimeout(env.Context(), 9*time.Second)
		defer cancel()
		if _, err := env.AccessToken(ctx, ines, ""); !fault.Is(err, fault.UpstreamError) || !fault.From(err).Retryable {
			t.Errorf("an expired token and no time: %v", err)
		}
		env.asked(0)
		if c := env.status(ines); c.Lease != "" {
			t.Errorf("leased: %+v", c)
		}
	})
}

func TestRefresh_FinishesEvenIfItsCallerLeaves(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(time.Hour)
		env.signOn.takes = 3 * time.Second
		ctx, cancel := context.WithCancel(env.Context())
		time.AfterFunc(time.Second, cancel)
		_, _ = env.AccessToken(ctx, ines, "")
		env.wantActive(2)
	})
}

func TestStatus_SendsNothingToTheProvider(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(-time.Hour)
		c, err := env.Status(env.Context(), ines)
		if err != nil || c.Revision != 1 || c.Name != "Ines Albrecht" {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := env.Status(env.Context(), jonas); !errors.Is(err, grant.ErrNotFound) {
			t.Errorf("a user without a grant: %v", err)
		}
		env.records.onRead = func(string) error { return errDown }
		if _, err := env.Status(env.Context(), ines); !fault.Is(err, fault.UpstreamError) {
			t.Errorf("unreachable: %v", err)
		}
		env.asked(0)
	})
}

func TestAccessToken_IsARetryableFaultIfNoStoreIsReachable(t *testing.T) {
	breaks := map[string]func(env *testEnv){
		"the record": func(env *testEnv) { env.records.onRead = func(string) error { return errDown } },
		"the tokens": func(env *testEnv) { env.store.onLoad = func(string) error { return errDown } },
		"the lease":  func(env *testEnv) { env.records.onWrite = func(grant.Record) error { return errDown } },
		"the tokens, before the refresh": func(env *testEnv) {
			env.store.onLoad = func(string) error { env.store.onLoad = func(string) error { return errDown }; return nil }
		},
	}
	for name, breakIt := range breaks {
		in(t, func(env *testEnv) {
			env.stale(-time.Hour)
			breakIt(env)
			f := env.fails(ines, "", fault.UpstreamError)
			if !errors.Is(f, errDown) {
				t.Errorf("%s: cause %v", name, f.Unwrap())
			}
			env.asked(0)
			if c := env.status(ines); c.Lease != "" || c.Status != grant.Active {
				t.Errorf("%s: left %+v", name, c)
			}
		})
	}
}
