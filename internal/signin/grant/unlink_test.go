package grant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
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

func TestEnd_RevokesTokensThatACallStoredBeforeItCrashed(t *testing.T) {
	for _, end := range []func(env *testEnv) error{(*testEnv).retire, func(env *testEnv) error { return env.Disconnect(env.Context(), ines) }} {
		linked(t, hours, func(env *testEnv) {
			env.orphan(rowan)
			must(env, end(env))
			env.gone(ines)
			env.wantRevoked("secret-access-1", "secret-access-2")
		})
	}
}
