package grant_test

import (
	"testing"
	"time"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// Save succeeded, SaveRecord never happened.
func TestCrash_BetweenStoringAndAnnouncingLosesNoLogin(t *testing.T) {
	for name, left := range map[string]time.Duration{"stale": time.Hour, "expired": -time.Hour} {
		in(t, func(h *house) {
			h.stale(left)
			h.write(ines, leasedFor(30*time.Second))
			orphan, err := h.signOn.Refresh(h.Context(), "secret-refresh-1")
			if err != nil {
				h.Fatal(err)
			}
			orphan.Revision = 2
			if _, err := h.store.Store.Save(h.Context(), ines, "somebody", orphan); err != nil {
				h.Fatal(err)
			}
			time.Sleep(30*time.Second + 1)
			if got := h.token(ines, ""); got != orphan.AccessToken {
				h.Errorf("%s: token %s, want %s", name, got, orphan.AccessToken)
			}
			h.asked(1) // by the dead alone
			h.settled(2)
		})
	}
}

// The same, as it comes about: the record cannot be written after the tokens were.
func TestCrash_OfTheRecordsAfterStoringServesTheCallAndIsMendedByTheNext(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.store.saved = func() { h.records.onWrite = func(grant.Record) error { return errDown } }
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		if c := h.status(ines); c.Revision != 1 {
			h.Errorf("connection %+v", c)
		}
		h.store.saved, h.records.onWrite = nil, nil
		time.Sleep(30 * time.Second)
		if got, err := h.another().AccessToken(h.Context(), ines, ""); err != nil || got != "secret-access-2" {
			h.Errorf("token %s, %v", got, err)
		}
		h.asked(1)
		h.settled(2)
	})
}

func TestCrash_OfTheRecordsAnswerAloneIsNoConflict(t *testing.T) {
	in(t, func(h *house) {
		h.stale(-time.Hour)
		h.store.saved = func() {
			h.records.onWrite = func(c grant.Record) error {
				h.records.onWrite = nil
				_, _ = h.records.Records.SaveRecord(h.Context(), c)
				return errDown
			}
		}
		if got := h.token(ines, ""); got != "secret-access-2" {
			h.Errorf("token %s", got)
		}
		h.asked(1)
		h.settled(2)
	})
}

func TestRefresh_IsStoredAtTheThirdTry(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		failures := 0
		h.store.onSave = func(provider.Tokens) error {
			if failures++; failures < 3 {
				return errDown
			}
			return nil
		}
		h.token(ines, "")
		h.asked(1)
		h.settled(2)
	})
}

// With a provider that does not rotate, all is well; with one that does, this is the one way to lose a login, and it takes
// a Store that fails three times in a row.
func TestRefresh_ThatCannotBeStoredLeavesTheOldTokens(t *testing.T) {
	in(t, func(h *house) {
		h.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		h.stale(-time.Hour)
		h.store.saves = 0
		h.store.onSave = func(provider.Tokens) error { return errDown }
		if got := h.token(ines, ""); got != "next" {
			h.Errorf("token %s", got)
		}
		c := h.status(ines)
		if h.store.saves != 3 || c.Revision != 1 || c.Lease != "" || c.Failures != 1 || c.Status != grant.Active {
			h.Errorf("%d saves, left %+v", h.store.saves, c)
		}
		if got := h.stored(ines).RefreshToken; got != "secret-refresh-1" {
			h.Errorf("stored %s", got)
		}
		h.store.onSave = nil
		time.Sleep(time.Until(c.NextTry))
		h.token(ines, "")
		h.settled(2)
		h.asked(2)
	})
}

// A forced refresh that was not stored has made no revision that could be refused again.
func TestRefusal_AfterARefreshThatWasNotStoredIsNoSecondRefusal(t *testing.T) {
	in(t, func(h *house) {
		h.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		h.store.onSave = func(provider.Tokens) error { return errDown }
		h.token(ines, "secret-access-1")
		h.store.onSave = nil
		time.Sleep(time.Until(h.status(ines).NextTry))
		if got := h.token(ines, "secret-access-1"); got != "next" {
			h.Errorf("token %s", got)
		}
		h.settled(2)
	})
}

func TestRefresh_ThatIsTooLargeIsStoredOnce(t *testing.T) {
	in(t, func(h *house) {
		h.stale(time.Hour)
		h.store.saves = 0
		h.store.onSave = func(provider.Tokens) error { return grant.ErrTooLarge }
		h.token(ines, "")
		if h.store.saves != 1 || h.log.says("new upstream tokens were not stored") != 1 {
			h.Errorf("%d saves, log\n%s", h.store.saves, h.log)
		}
	})
}
