package grant_test

import (
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// halfYear is longer than the life of Orchard's refresh tokens.
const halfYear = 185 * 24 * time.Hour

func TestRefreshToken_ThatHasExpiredDoesNotEndAnAccessTokenThatLives(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.signOn.orchard.account = rowan
		tokens := env.signOn.login()
		tokens.RefreshExpiresAt = time.Now().Add(time.Hour)
		if _, err := env.Link(env.Context(), ines, provider.Identity{Subject: rowan, Name: "rowan"}, tokens); err != nil {
			env.Fatal(err)
		}
		time.Sleep(hours - time.Minute)
		env.wantToken("", tokens.AccessToken)
		env.wantLinked(grant.Active, 2)
		time.Sleep(time.Minute)
		env.fails(ines, "", fault.TokenExpired)
		env.wantLinked(grant.NeedsReauth, 2)
		env.asked(0)
	})
}

func TestRefreshToken_KeepsItsExpiryIfTheAnswerHasNoOther(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		first := env.stored(ines)
		env.signOn.mood = func(string) (provider.Tokens, error) {
			t := env.signOn.issue()
			t.RefreshToken, t.RefreshExpiresAt = "", time.Time{}
			return t, nil
		}
		env.due()
		env.access("")
		if got := env.stored(ines); got.RefreshToken != first.RefreshToken || !got.RefreshExpiresAt.Equal(first.RefreshExpiresAt) {
			env.Errorf("stored %+v", got)
		}
		time.Sleep(halfYear)
		env.fails(ines, "", fault.TokenExpired)
		env.asked(1)
	})
}

func TestRefused_AtTwentyCallsOfFourInstancesEndsTheGrantOnce(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.dawdle()
		keepers := env.four()
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := keepers[i%4].Access(env.Context(), ines, "secret-access-1"); !fault.Is(err, fault.TokenExpired) {
					env.Errorf("call %d: %v", i, err)
				}
			})
		}
		all.Wait()
		env.wantLinked(grant.NeedsReauth, 1)
		if r := env.status(ines); r.Change != 2 || env.log.says("a grant needs a new login") != 1 {
			env.Errorf("record %+v, log\n%s", r, env.log)
		}
	})
}

// A call that is refused again waits for a refresh that is running, and uses its tokens.
func TestRefused_AgainDuringARefreshWaitsForIt(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.write(ines, func(c *grant.Record) { c.Forced = time.Now() })
		time.Sleep(30 * time.Minute)
		r := env.write(ines, leasedFor(30*time.Second))
		time.AfterFunc(3*time.Second, func() {
			tokens := env.signOn.login()
			tokens.Revision = 2
			version, err := env.store.Store.Save(env.Context(), ines, "another", tokens)
			if err != nil {
				env.Error(err)
			}
			r.Revision, r.Version, r.ExpiresAt, r.Lease, r.LeaseUntil = 2, version, tokens.ExpiresAt, "", time.Time{}
			if _, err := env.records.Records.SaveRecord(env.Context(), r); err != nil {
				env.Error(err)
			}
		})
		env.wantToken("secret-access-1", "secret-access-2")
		env.wantLinked(grant.Active, 2)
	})
}
