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
		in(t, func(h *house) {
			h.stale(left)
			h.signOn.refuses(provider.Dead, 0)
			h.fails(ines, "", fault.TokenExpired)
			if c := h.status(ines); c.Status != grant.NeedsReauth || c.Lease != "" || !c.LeaseUntil.IsZero() {
				h.Errorf("%s: %+v", name, c)
			}
			for _, keeper := range h.four() {
				h.Keeper = keeper
				h.fails(ines, "", fault.TokenExpired)
				h.fails(ines, "secret-access-1", fault.TokenExpired)
				time.Sleep(24 * time.Hour)
			}
			h.asked(1)
			if h.log.says("a connection needs a new login") != 1 {
				h.Errorf("%s: log\n%s", name, h.log)
			}
		})
	}
}

func TestDead_ThatCannotBeWrittenDownIsRetryable(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.signOn.mood = func(string) (provider.Tokens, error) {
			h.records.onWrite = func(grant.Record) error { return errDown }
			return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead}
		}
		h.fails(ines, "", fault.UpstreamError)
	})
}

// Somebody rotated: a winner whose lease had run out has stored by now what the token gave.
func TestDead_IsNotDeadIfSomebodyHasRotatedIt(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		h.signOn.mood = func(string) (provider.Tokens, error) {
			rotated := h.signOn.issue()
			rotated.Revision = 2
			_, err := h.store.Store.Save(h.Context(), ines, "slow", rotated)
			if err != nil {
				h.Error(err)
			}
			return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead}
		}
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		h.asked(1)
		h.settled(2)
	})
}

func TestDead_IsNotDeadIfThePersonHasReconnected(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		fresh := h.signOn.login()
		h.signOn.mood = func(string) (provider.Tokens, error) {
			if _, err := h.another().Connect(h.Context(), ines, "Ines Albrecht", fresh); err != nil {
				h.Error(err)
			}
			return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead}
		}
		if got := h.token(ines, ""); got != fresh.AccessToken {
			h.Errorf("token %s", got)
		}
		h.asked(1)
		h.settled(2)
	})
}

func TestMisconfigured_FlagsNobodyAndKeepsEverybodyAway(t *testing.T) {
	in(t, func(h *house) {
		h.connect(jonas)
		h.stale(time.Hour)
		h.signOn.refuses(provider.Misconfigured, 0)
		if got := h.token(ines, ""); got != "secret-access-1" {
			h.Errorf("token %s", got)
		}
		if c := h.status(ines); c.Status != grant.Active || c.Lease != "" || !c.NextTry.Equal(time.Now().Add(5*time.Minute)) {
			h.Errorf("connection %+v", c)
		}
		for _, keeper := range h.four() {
			h.Keeper = keeper
			if got := h.token(jonas, ""); got != "secret-access-2" {
				h.Errorf("token %s", got)
			}
		}
		if f := h.fails(jonas, "secret-access-2", fault.UpstreamError); f.RetryAfter != 5*time.Minute {
			h.Errorf("come back after %s", f.RetryAfter)
		}
		if c := h.status(jonas); c.Failures != 0 || c.Change != 1 {
			h.Errorf("who did not ask: %+v", c)
		}
		h.asked(1)
		if h.log.says("upstream refuses this deployment") != 1 {
			h.Errorf("log\n%s", h.log)
		}
	})
}

func TestMisconfigured_IsTriedAgainByOneAfterFiveMinutesDoublingToAnHour(t *testing.T) {
	in(t, func(h *house) {
		h.stale(19 * time.Hour)
		h.signOn.refuses(provider.Misconfigured, 0)
		for trip, minutes := range []int{5, 10, 20, 40, 60, 60} {
			h.token(ines, "")
			h.asked(trip + 1)
			next := h.status("37s").NextTry
			if got := time.Until(next); got != time.Duration(minutes)*time.Minute {
				h.Errorf("trip %d: for %s", trip, got)
			}
			if !h.status(ines).NextTry.Equal(next) {
				h.Errorf("trip %d: connection %+v", trip, h.status(ines))
			}
			time.Sleep(time.Until(next) - 1)
			h.token(ines, "")
			h.asked(trip + 1)
			time.Sleep(time.Nanosecond)
		}
		if got := h.log.says("upstream refuses this deployment"); got != 6 {
			h.Errorf("%d log lines", got)
		}
	})
}

func TestMisconfigured_IsProbedByOneCallForAll(t *testing.T) {
	in(t, func(h *house) {
		h.connect(jonas)
		h.stale(time.Hour)
		h.signOn.refuses(provider.Misconfigured, 0)
		h.token(ines, "")
		time.Sleep(5 * time.Minute)
		h.signOn.mood, h.signOn.takes = nil, 2*time.Second
		begin := make(chan struct{})
		other := h.another()
		go func() {
			_, _ = other.AccessToken(h.Context(), jonas, "")
			close(begin)
		}()
		time.Sleep(time.Second)
		h.token(ines, "")
		h.asked(1) // the probe is under way
		<-begin
		h.asked(2)
		h.token(ines, "")
		h.asked(3)
		h.settled(2)
		if _, err := h.records.Records.Record(h.Context(), "37s"); !errors.Is(err, grant.ErrNotFound) {
			h.Errorf("the breaker is still there: %v", err)
		}
	})
}

// All of them find the breaker's time over before any has claimed the probe.
func TestMisconfigured_IsProbedByOneOfManyAtOnce(t *testing.T) {
	in(t, func(h *house) {
		h.connect(jonas)
		h.stale(time.Hour)
		h.signOn.refuses(provider.Misconfigured, 0)
		h.token(ines, "")
		time.Sleep(5 * time.Minute)
		h.records.onWrite = func(grant.Record) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		}
		var all sync.WaitGroup
		for _, keeper := range h.four() {
			for _, subject := range []string{ines, jonas} {
				all.Go(func() { _, _ = keeper.AccessToken(h.Context(), subject, "") })
			}
		}
		all.Wait()
		h.asked(2)
		if c, d := h.status(ines), h.status(jonas); c.Lease != "" || d.Lease != "" || c.Failures+d.Failures != 2 {
			h.Errorf("left %+v, %+v", c, d)
		}
	})
}

func TestMisconfigured_WithNoTokenLeftSaysWhenToComeBackAndWhomToTell(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.signOn.refuses(provider.Misconfigured, 0)
		for _, keeper := range h.four() {
			h.Keeper = keeper
			if f := h.fails(ines, "", fault.UpstreamError); f.RetryAfter != 5*time.Minute || !strings.Contains(f.Message, "tell whoever runs it") {
				h.Errorf("come back after %s: %s", f.RetryAfter, f.Message)
			}
		}
		h.asked(1)
	})
}

func TestUnavailable_UsesTheOldTokenAndTriesAgainEverMoreSeldom(t *testing.T) {
	in(t, func(h *house) {
		h.stale(19 * time.Hour)
		h.signOn.refuses(provider.Unavailable, 0)
		var pauses []time.Duration
		for try := range 10 {
			if got := h.token(ines, ""); got != "secret-access-1" {
				h.Errorf("token %s", got)
			}
			h.asked(try + 1)
			pause := time.Until(h.status(ines).NextTry)
			pauses = append(pauses, pause/time.Second)
			time.Sleep(pause - 1)
			h.token(ines, "")
			h.asked(try + 1)
			time.Sleep(time.Nanosecond)
		}
		if diff := cmp.Diff([]time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 900, 900}, pauses); diff != "" {
			h.Error(diff)
		}
		h.signOn.mood = nil
		h.token(ines, "")
		h.settled(2)
	})
}

func TestUnavailable_YieldsToAReconnectMeanwhile(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.signOn.mood = func(string) (provider.Tokens, error) {
			if _, err := h.another().Connect(h.Context(), ines, "Ines Albrecht", h.signOn.issue()); err != nil {
				h.Error(err)
			}
			return provider.Tokens{}, &provider.Refusal{Cause: provider.Unavailable}
		}
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		h.settled(2)
	})
}

func TestUnavailable_WithNoTokenLeftIsRetryableAndSaysWhen(t *testing.T) {
	for said, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 90 * time.Second: 90 * time.Second, 1000 * time.Hour: time.Hour} {
		in(t, func(h *house) {
			h.stale(-time.Hour)
			h.signOn.refuses(provider.Unavailable, said)
			if f := h.fails(ines, "", fault.UpstreamError); f.RetryAfter != want {
				h.Errorf("come back after %s, want %s", f.RetryAfter, want)
			}
			time.Sleep(want - time.Second)
			if f := h.fails(ines, "", fault.UpstreamError); f.RetryAfter != time.Second {
				h.Errorf("come back after %s", f.RetryAfter)
			}
			h.asked(1)
		})
	}
}

func TestRefusal_ForcesOneRefreshWhateverTheExpirySays_B47(t *testing.T) {
	in(t, func(h *house) {
		if got := h.token(ines, "secret-access-1"); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		h.settled(2)
		if c := h.status(ines); !c.Forced.Equal(time.Now()) {
			h.Errorf("forced %s", c.Forced)
		}
		if got := h.token(ines, "secret-access-1"); got != "secret-access-2" {
			h.Errorf("a late report: %s", got)
		}
		h.asked(1)
	})
}

func TestRefusal_OfWhatAForcedRefreshGaveNeedsANewLogin(t *testing.T) {
	in(t, func(h *house) {
		h.token(ines, "secret-access-1")
		time.Sleep(time.Hour - 1)
		h.fails(ines, "secret-access-2", fault.TokenExpired)
		h.asked(1)
		if c := h.status(ines); c.Status != grant.NeedsReauth {
			h.Errorf("connection %+v", c)
		}
	})
}

func TestRefusal_AnHourAfterAForcedRefreshForcesAnother(t *testing.T) {
	in(t, func(h *house) {
		h.token(ines, "secret-access-1")
		time.Sleep(time.Hour)
		if got := h.token(ines, "secret-access-2"); got != "secret-access-3" {
			h.Errorf("token %s", got)
		}
		h.asked(2)
	})
}

func TestRefusal_ThatCannotBeMendedNowIsRetryable(t *testing.T) {
	in(t, func(h *house) {
		h.signOn.refuses(provider.Unavailable, 0)
		for range 3 {
			if f := h.fails(ines, "secret-access-1", fault.UpstreamError); f.RetryAfter != 5*time.Second {
				h.Errorf("come back after %s", f.RetryAfter)
			}
		}
		h.asked(1)
		if c := h.status(ines); c.Status != grant.Active {
			h.Errorf("connection %+v", c)
		}
	})
}

func TestNoRefreshToken_NeedsANewLoginWhenRefusedOrExpired(t *testing.T) {
	for name, test := range map[string]struct {
		left    time.Duration
		refused string
	}{"expired": {left: -1}, "refused": {left: fortnight, refused: "secret-access-1"}} {
		in(t, func(h *house) {
			h.unrefreshable()
			h.stale(time.Second)
			if got := h.token(ines, ""); got != "secret-access-9" {
				h.Errorf("%s: token %s", name, got)
			}
			if test.left < 0 {
				time.Sleep(time.Second)
			}
			refused := ""
			if test.refused != "" {
				refused = "secret-access-9"
			}
			h.fails(ines, refused, fault.TokenExpired)
			if c := h.status(ines); c.Status != grant.NeedsReauth {
				h.Errorf("%s: %+v", name, c)
			}
			h.asked(0)
		})
	}
}

// unrefreshable connects Ines by a login that gave no refresh token.
func (h *house) unrefreshable() {
	h.Helper()
	_, err := h.Connect(h.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-access-9", ExpiresAt: time.Now().Add(fortnight)})
	if err != nil {
		h.Fatal(err)
	}
}
