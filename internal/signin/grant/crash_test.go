package grant_test

import (
	"testing"
	"time"

	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// If the provider rotates refresh tokens, this is the only way to lose a grant. It takes a Store
// that fails three times in a row.
func TestRefresh_ThatCannotBeStoredLeavesTheOldTokens(t *testing.T) {
	in(t, func(env *testEnv) {
		env.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		env.stale(-time.Hour)
		env.store.saves = 0
		env.store.onSave = func(provider.Tokens) error { return errDown }
		env.wantToken("", "next")
		c := env.status(ines)
		if env.store.saves != 3 || c.Revision != 1 || c.Lease != "" || c.Failures != 1 || c.Status != grant.Active {
			env.Errorf("%d saves, left %+v", env.store.saves, c)
		}
		if got := env.stored(ines).RefreshToken; got != "secret-refresh-1" {
			env.Errorf("stored %s", got)
		}
		env.store.onSave = nil
		time.Sleep(time.Until(c.NextTry))
		env.token(ines, "")
		env.wantActive(2)
		env.asked(2)
	})
}

// A forced refresh that was not stored makes no revision, so the next refusal is the first.
func TestRefusal_AfterARefreshThatWasNotStoredIsNotASecondRefusal(t *testing.T) {
	in(t, func(env *testEnv) {
		env.signOn.mood = func(string) (provider.Tokens, error) {
			return provider.Tokens{AccessToken: "next", ExpiresAt: time.Now().Add(fortnight)}, nil
		}
		env.store.onSave = func(provider.Tokens) error { return errDown }
		env.token(ines, "secret-access-1")
		env.store.onSave = nil
		time.Sleep(time.Until(env.status(ines).NextTry))
		env.wantToken("secret-access-1", "next")
		env.wantActive(2)
	})
}
