package grant_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestDead_NeedsANewLoginAndIsNeverSentAgain(t *testing.T) {
	for name, left := range map[string]time.Duration{"stale": time.Hour, "expired": -time.Hour} {
		in(t, func(env *testEnv) {
			env.stale(left)
			env.signOn.refuses(provider.Dead, 0)
			env.fails(ines, "", fault.TokenExpired)
			if c := env.status(ines); c.Status != grant.NeedsReauth || c.Lease != "" || !c.LeaseUntil.IsZero() {
				env.Errorf("%s: %+v", name, c)
			}
			for _, keeper := range env.four() {
				env.Keeper = keeper
				env.fails(ines, "", fault.TokenExpired)
				env.fails(ines, "secret-access-1", fault.TokenExpired)
				time.Sleep(24 * time.Hour)
			}
			env.asked(1)
			env.wantLogged(1, "a grant needs a new login")
		})
	}
}

func TestMisconfigured_KeepsAllGrantsActiveAndPausesAllRefreshes(t *testing.T) {
	in(t, func(env *testEnv) {
		env.connect(jonas)
		env.stale(time.Hour)
		env.signOn.refuses(provider.Misconfigured, 0)
		env.wantToken("", "secret-access-1")
		if c := env.status(ines); c.Status != grant.Active || c.Lease != "" || !c.NextTry.Equal(time.Now().Add(5*time.Minute)) {
			env.Errorf("record %+v", c)
		}
		for _, keeper := range env.four() {
			env.Keeper = keeper
			if got := env.token(jonas, ""); got != "secret-access-2" {
				env.Errorf("token %s", got)
			}
		}
		if f := env.fails(jonas, "secret-access-2", fault.UpstreamError); f.RetryAfter != 5*time.Minute || !strings.Contains(f.Message, "tell the operator") {
			env.Errorf("retry after %s: %s", f.RetryAfter, f.Message)
		}
		if c := env.status(jonas); c.Failures != 0 || c.Change != 1 {
			env.Errorf("the grant that was not refreshed: %+v", c)
		}
		env.asked(1)
		env.wantLogged(1, "upstream refuses this deployment")
	})
}

func TestMisconfigured_IsProbedOnceAfterFiveMinutesDoublingToAnHour(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(19 * time.Hour)
		env.signOn.refuses(provider.Misconfigured, 0)
		for trip, minutes := range []int{5, 10, 20, 40, 60, 60} {
			env.token(ines, "")
			env.asked(trip + 1)
			next := env.status("37s").NextTry
			if got := time.Until(next); got != time.Duration(minutes)*time.Minute {
				env.Errorf("trip %d: for %s", trip, got)
			}
			if !env.status(ines).NextTry.Equal(next) {
				env.Errorf("trip %d: record %+v", trip, env.status(ines))
			}
			time.Sleep(time.Until(next) - 1)
			env.token(ines, "")
			env.asked(trip + 1)
			time.Sleep(time.Nanosecond)
		}
		if got := env.log.says("upstream refuses this deployment"); got != 6 {
			env.Errorf("%d log lines", got)
		}
	})
}

func TestMisconfigured_IsProbedByOneCall(t *testing.T) {
	in(t, func(env *testEnv) {
		env.connect(jonas)
		env.stale(time.Hour)
		env.signOn.refuses(provider.Misconfigured, 0)
		env.token(ines, "")
		time.Sleep(5 * time.Minute)
		env.signOn.mood, env.signOn.takes = nil, 2*time.Second
		begin := make(chan struct{})
		other := env.another()
		go func() {
			_, _ = other.AccessToken(env.Context(), jonas, "")
			close(begin)
		}()
		time.Sleep(time.Second)
		env.token(ines, "")
		env.asked(1) // the probe is still running
		<-begin
		env.asked(2)
		env.token(ines, "")
		env.asked(3)
		env.wantActive(2)
		if _, err := env.records.Records.Record(env.Context(), "37s"); !errors.Is(err, grant.ErrNotFound) {
			env.Errorf("the breaker was not removed: %v", err)
		}
	})
}

// All of them find that the pause is over before any has claimed the probe.
func TestMisconfigured_IsProbedByOneOfManyConcurrentCalls(t *testing.T) {
	in(t, func(env *testEnv) {
		env.connect(jonas)
		env.stale(time.Hour)
		env.signOn.refuses(provider.Misconfigured, 0)
		env.token(ines, "")
		time.Sleep(5 * time.Minute)
		env.records.onWrite = func(grant.Record) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		}
		var all sync.WaitGroup
		for _, keeper := range env.four() {
			for _, subject := range []string{ines, jonas} {
				all.Go(func() { _, _ = keeper.AccessToken(env.Context(), subject, "") })
			}
		}
		all.Wait()
		env.asked(2)
		if c, d := env.status(ines), env.status(jonas); c.Lease != "" || d.Lease != "" || c.Failures+d.Failures != 2 {
			env.Errorf("left %+v, %+v", c, d)
		}
	})
}

func TestUnavailable_UsesTheOldTokenAndRetriesWithDoublingPauses(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(19 * time.Hour)
		env.signOn.refuses(provider.Unavailable, 0)
		var pauses []time.Duration
		for try := range 10 {
			env.wantToken("", "secret-access-1")
			env.asked(try + 1)
			pause := time.Until(env.status(ines).NextTry)
			pauses = append(pauses, pause/time.Second)
			time.Sleep(pause - 1)
			env.token(ines, "")
			env.asked(try + 1)
			time.Sleep(time.Nanosecond)
		}
		if diff := cmp.Diff([]time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 900, 900}, pauses); diff != "" {
			env.Error(diff)
		}
		env.signOn.mood = nil
		env.token(ines, "")
		env.wantActive(2)
	})
}

func TestUnavailable_WithoutAValidTokenIsRetryableAndSaysWhen(t *testing.T) {
	for said, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 90 * time.Second: 90 * time.Second, 1000 * time.Hour: time.Hour} {
		in(t, func(env *testEnv) {
			env.stale(-time.Hour)
			env.signOn.refuses(provider.Unavailable, said)
			if f := env.fails(ines, "", fault.UpstreamError); f.RetryAfter != want {
				env.Errorf("retry after %s, want %s", f.RetryAfter, want)
			}
			time.Sleep(want - time.Second)
			if f := env.fails(ines, "", fault.UpstreamError); f.RetryAfter != time.Second {
				env.Errorf("retry after %s", f.RetryAfter)
			}
			env.asked(1)
		})
	}
}

func TestRefusal_ForcesOneRefreshAnHour(t *testing.T) {
	in(t, func(env *testEnv) {
		for range 2 {
			env.wantToken("secret-access-1", "secret-access-2")
		}
		env.wantActive(2)
		if c := env.status(ines); !c.Forced.Equal(time.Now()) {
			env.Errorf("forced %s", c.Forced)
		}
		time.Sleep(time.Hour)
		env.wantToken("secret-access-2", "secret-access-3")
		time.Sleep(time.Hour - 1)
		env.fails(ines, "secret-access-3", fault.TokenExpired)
		env.asked(2)
		env.wantStatus(grant.NeedsReauth)
	})
}

// unrefreshable connects Ines with a sign-in that returned no refresh token.
func (env *testEnv) unrefreshable() {
	env.Helper()
	_, err := env.Connect(env.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-access-9", ExpiresAt: time.Now().Add(fortnight)})
	if err != nil {
		env.Fatal(err)
	}
}
