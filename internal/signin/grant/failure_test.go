package grant_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
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

func TestMisconfigured_KeepsTheGrantAndWaitsFiveMinutesDoublingToAnHour(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(19 * time.Hour)
		env.signOn.refuses(provider.Misconfigured, 0)
		for try, minutes := range []int{5, 10, 20, 40, 60, 60} {
			for _, keeper := range env.four() {
				env.Keeper = keeper
				env.wantToken("", "secret-access-1")
			}
			env.asked(try + 1)
			c := env.status(ines)
			if got := time.Until(c.NextTry); got != time.Duration(minutes)*time.Minute || c.Status != grant.Active || c.Lease != "" {
				env.Errorf("try %d: for %s, %+v", try, got, c)
			}
			time.Sleep(time.Until(c.NextTry))
		}
		env.wantLogged(6, "upstream refuses this deployment")
		env.stale(-time.Hour)
		if f := env.fails(ines, "", fault.UpstreamError); f.RetryAfter != time.Hour || !strings.Contains(f.Message, "tell the operator") {
			env.Errorf("retry after %s: %s", f.RetryAfter, f.Message)
		}
		time.Sleep(time.Hour)
		env.signOn.mood = nil
		env.wantToken("", "secret-access-2")
		env.wantActive(2)
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
