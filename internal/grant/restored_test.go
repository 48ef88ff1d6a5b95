package grant_test

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
)

// restore replaces the records by copies, as a table is replaced by a restored backup of it. The
// tokens stay, because they are stored elsewhere.
func (env *testEnv) restore(backup ...grant.Record) {
	env.Helper()
	env.records.Records = memory.New(nil).Records("")
	for _, r := range backup {
		r.Change = 0
		if _, err := env.records.Records.SaveRecord(env.Context(), r); err != nil {
			env.Fatal(err)
		}
	}
	env.Keeper = env.another()
}

// passed lets Ines refresh her tokens four times in eight weeks. The Store has then lost the
// version of the backup, as Secrets Manager loses versions without a label.
func (env *testEnv) passed() (backup grant.Record) {
	env.Helper()
	backup = env.status(ines)
	for range 4 {
		env.stale(time.Hour)
		env.token(ines, "")
	}
	if _, err := env.store.Store.Load(env.Context(), ines, backup.Version); err == nil {
		env.Fatal("the store still has the version of the backup")
	}
	return backup
}

func TestRestoredRecord_ThatAnotherCallHasLeasedIsLeftToThatCall(t *testing.T) {
	in(t, func(env *testEnv) {
		env.restore(env.passed())
		env.write(ines, leasedFor(time.Minute))
		lease := env.status(ines).Lease
		_, err := env.another().AccessToken(env.Context(), ines, "")
		if now := env.status(ines).Lease; !fault.Is(err, fault.UpstreamError) || now != lease {
			env.Errorf("%v; the lease was %s and is %s", err, lease, now)
		}
	})
}

func TestRestoredRecord_IsRepairedOnceForManyCalls(t *testing.T) {
	in(t, func(env *testEnv) {
		backup := env.passed()
		want := env.stored(ines).AccessToken
		env.restore(backup)
		env.store.saves = 0
		for _, token := range env.rush(20, "", env.four()...) {
			if token != want {
				env.Errorf("token %s, want %s", token, want)
			}
		}
		if env.store.saves != 1 {
			env.Errorf("%d saves", env.store.saves)
		}
		env.wantActive(5)
		env.asked(4)
	})
}

// The user disconnected after the backup, or connected again: what is stored is older.
func TestRestoredRecord_WithoutNewerTokensMakesTheUserSignIn(t *testing.T) {
	for name, since := range map[string]func(env *testEnv){
		"disconnected": func(env *testEnv) {},
		"connected again": func(env *testEnv) {
			env.connect(ines)
		},
	} {
		in(t, func(env *testEnv) {
			backup := env.passed()
			env.disconnect()
			since(env)
			env.restore(backup)
			env.records.writes = 0
			env.fails(ines, "", fault.TokenExpired)
			if env.records.writes > 0 || env.status(ines).Status != grant.Active {
				env.Errorf("%s: %d writes, left %+v", name, env.records.writes, env.status(ines))
			}
			env.connect(ines)
			env.token(ines, "")
			env.wantActive(2)
		})
	}
}

func TestRestoredRecord_WaitsForAnUnreachableStore(t *testing.T) {
	in(t, func(env *testEnv) {
		backup := env.passed()
		want := env.stored(ines).AccessToken
		env.restore(backup)
		env.store.onLoad = func(version string) error {
			if version == "" {
				return errDown
			}
			return nil
		}
		env.fails(ines, "", fault.UpstreamError)
		env.store.onLoad = nil
		if got, err := env.another().AccessToken(context.Background(), ines, ""); err != nil || got != want {
			env.Errorf("token %s, %v", got, err)
		}
	})
}
