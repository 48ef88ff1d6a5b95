package grant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestUnlink_RevokesTheTokenAndRemovesItHere(t *testing.T) {
	for name, state := range map[string]func(c *grant.Record){
		"active":       func(*grant.Record) {},
		"needs reauth": func(c *grant.Record) { c.Status = grant.NeedsReauth },
	} {
		linked(t, unending, func(env *testEnv) {
			env.Log(name)
			env.write(ines, state)
			for range 2 {
				env.elsewhere().disconnect()
				env.gone(ines)
				env.wantRevoked("secret-access-1")
			}
		})
	}
}

func TestUnlink_SucceedsWhileTheProviderIsDown(t *testing.T) {
	for name, down := range map[string]func() error{
		"refuses": func() error { return errDown },
		"is slow": func() error { time.Sleep(time.Minute); return nil },
	} {
		linked(t, unending, func(env *testEnv) {
			env.signOn.orchard.onRevoke = down
			env.disconnect()
			env.gone(ines)
			env.wantRevoked()
			if env.log.says("tokens were not revoked at the provider") != 1 || env.log.says("provider=orchard") != 1 {
				env.Errorf("%s: log\n%s", name, env.log)
			}
		})
	}
}

func TestUnlink_RevokesEvenIfItsCallerLeaves(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		ctx, cancel := context.WithCancel(env.Context())
		env.signOn.orchard.onRevoke = func() error { cancel(); return nil }
		must(env, env.Disconnect(ctx, ines))
		env.wantRevoked("secret-access-1")
	})
}

func TestUnlink_RevokesNothingIfTheRecordStays(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.records.onRemove = down
		if err := env.Disconnect(env.Context(), ines); !fault.Is(err, fault.UpstreamError) {
			env.Error(err)
		}
		env.wantLinked(grant.Active, 1)
		env.wantRevoked()
	})
}

// A second call finds no record that says which tokens to revoke.
func TestUnlink_RevokesTheTokenEvenIfItStaysStored(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.store.onDelete = down
		if err := env.Disconnect(env.Context(), ines); !fault.Is(err, fault.UpstreamError) {
			env.Error(err)
		}
		if _, err := env.Status(env.Context(), ines); !errors.Is(err, grant.ErrNotFound) {
			env.Errorf("status: %v", err)
		}
		env.wantRevoked("secret-access-1")
		env.store.onDelete = nil
		env.disconnect()
		env.gone(ines)
		env.wantRevoked("secret-access-1")
	})
}

func TestUnlink_RevokesTokensThatACallStoredBeforeItCrashed(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.orphan(rowan)
		env.disconnect()
		env.gone(ines)
		env.wantRevoked("secret-access-1", "secret-access-2")
	})
}

// The refresh has been sent when the user unlinks: its tokens end at the provider, too.
func TestUnlink_DuringARefreshRevokesItsTokens(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.signOn.takes = 2 * time.Second
		time.AfterFunc(time.Second, func() {
			env.elsewhere().disconnect()
		})
		env.fails(ines, "", fault.TokenExpired)
		env.asked(1)
		env.gone(ines)
		env.wantRevoked("secret-access-1", "secret-access-2")
	})
}

func TestUnlink_DuringACallThatIsThenRefusedEndsTheCall(t *testing.T) {
	for _, life := range []time.Duration{unending, hours} {
		linked(t, life, func(env *testEnv) {
			token := env.access("").Token
			env.elsewhere().disconnect()
			env.fails(ines, token, fault.TokenExpired)
			if _, err := env.Status(env.Context(), ines); !errors.Is(err, grant.ErrNotFound) {
				env.Errorf("status: %v", err)
			}
			env.asked(0)
		})
	}
}

// The user links again before the refresh returns. Its tokens are not stored, so they end at the
// provider.
func TestLink_DuringARefreshWinsAndTheRefreshedTokensAreRevoked(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.signOn.takes = 2 * time.Second
		time.AfterFunc(time.Second, func() { // receives secret-access-2
			who, tokens := env.login(rowan)
			if _, err := env.another().Link(env.Context(), ines, who, tokens); err != nil {
				env.Error(err)
			}
		})
		env.wantToken("", "secret-access-2")
		env.asked(1)
		env.wantLinked(grant.Active, 2)
		env.wantRevoked("secret-access-1", "secret-access-3")
	})
}

// The record was written, and only the answer was lost: the record has the tokens.
func TestRefresh_WhoseRecordIsWrittenWithoutAnAnswerRevokesNothing(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.store.saved = func() {
			env.records.onWrite = func(c grant.Record) error {
				env.records.onWrite = nil
				_, _ = env.records.Records.SaveRecord(env.Context(), c)
				return errDown
			}
		}
		env.wantToken("", "secret-access-2")
		env.wantRevoked()
		env.wantLinked(grant.Active, 2)
		env.asked(1)
	})
}

// Another call holds the lease, and may adopt the tokens that the slow one has stored.
func TestRefresh_AfterItsLeaseExpiredRevokesNothingThatMayBeAdopted(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.store.saved = func() {
			env.store.saved = nil
			env.write(ines, leasedFor(5*time.Second))
		}
		env.wantToken("", "secret-access-2")
		env.wantRevoked()
		env.wantLinked(grant.Active, 2)
		env.asked(1)
	})
}

// Another call adopts the tokens of a crashed one while the user unlinks.
func TestUnlink_DuringAnAdoptionLeavesNoTokens(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.orphan(rowan)
		env.due()
		env.store.onSave = func(provider.Tokens) error {
			env.store.onSave = nil
			return env.another().Disconnect(env.Context(), ines)
		}
		env.fails(ines, "", fault.TokenExpired)
		env.gone(ines)
		env.wantRevoked("secret-access-1", "secret-access-2", "secret-access-2")
	})
}
