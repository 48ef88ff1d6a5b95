package grant_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestProviders_EachFaultNamesItsProvider(t *testing.T) {
	in(t, func(env *testEnv) {
		if f := env.fails(jonas, "", fault.TokenExpired); f.Provider != "37signals" || !strings.Contains(f.Message, "Basecamp") {
			env.Errorf("provider %s: %s", f.Provider, f.Message)
		}
	})
}

func TestProviders_ATokenThatNeverExpiresAndIsRefusedIsRefreshed(t *testing.T) {
	in(t, func(env *testEnv) {
		forever := env.signOn.login()
		forever.ExpiresAt = time.Time{}
		if _, err := env.Reconnect(env.Context(), ines, "Ines Albrecht", forever); err != nil {
			env.Fatal(err)
		}
		env.wantToken("", forever.AccessToken)
		env.wantToken(forever.AccessToken, "secret-access-3")
		env.asked(1)
	})
}

func TestProviders_AnOutageOfTheStoreDoesNotAffectACachedTokenThatNeverExpires(t *testing.T) {
	in(t, func(env *testEnv) {
		forever := env.signOn.login()
		forever.ExpiresAt = time.Time{}
		if _, err := env.Reconnect(env.Context(), ines, "Ines Albrecht", forever); err != nil {
			env.Fatal(err)
		}
		env.store.onLoad = func(string) error { return errDown }
		time.Sleep(400 * 24 * time.Hour)
		env.wantToken("", forever.AccessToken)
	})
}

// storetest checks the same of two providers in one table.
func TestProviders_NothingThatHappensAtOneTouchesTheOther(t *testing.T) {
	troubles := map[string]func(env *testEnv){
		"used":            func(*testEnv) {},
		"refreshed":       func(env *testEnv) { env.due() },
		"dead":            func(env *testEnv) { env.due(); env.signOn.refuses(provider.Dead, 0) },
		"not answered":    func(env *testEnv) { env.due(); env.signOn.refuses(provider.Unavailable, 0) },
		"refuses us":      func(env *testEnv) { env.due(); env.signOn.refuses(provider.Misconfigured, 0) },
		"store down":      func(env *testEnv) { env.due(); env.store.onSave = func(provider.Tokens) error { return errDown } },
		"records down":    func(env *testEnv) { env.due(); env.records.onWrite = func(grant.Record) error { return errDown } },
		"another account": func(env *testEnv) { env.due(); env.signOn.orchard.account = hazel },
		"unlinked":        func(env *testEnv) { must(env, env.Disconnect(env.Context(), ines)) },
		"linked again":    func(env *testEnv) { env.link(rowan) },
	}
	for name, trouble := range troubles {
		linked(t, hours, func(env *testEnv) {
			basecamp := newTestEnv(t)
			basecamp.connect(ines)
			before := basecamp.status(ines)
			trouble(env)
			_, _ = env.Access(env.Context(), ines, "")
			_, _ = env.Access(env.Context(), ines, "secret-access-2")
			if diff := cmp.Diff(before, basecamp.status(ines)); diff != "" {
				env.Errorf("%s: Basecamp's record: %s", name, diff)
			}
			if token, err := basecamp.AccessToken(env.Context(), ines, ""); err != nil || token != "secret-access-1" {
				env.Errorf("%s: Basecamp's token %s, %v", name, token, err)
			}
			basecamp.asked(0)
			basecamp.wantActive(1)
			if basecamp.log.String() != "" {
				env.Errorf("%s: log\n%s", name, basecamp.log)
			}
		})
		if name == "another account" || name == "linked again" { // Basecamp's grants have no account
			continue
		}
		in(t, func(env *testEnv) {
			orchard := unlinked(t, unending)
			orchard.link(rowan)
			before := orchard.status(ines)
			trouble(env)
			_, _ = env.AccessToken(env.Context(), ines, "")
			_, _ = env.AccessToken(env.Context(), ines, "secret-access-2")
			if diff := cmp.Diff(before, orchard.status(ines)); diff != "" {
				env.Errorf("%s: Orchard's record: %s", name, diff)
			}
			if a, err := orchard.Access(env.Context(), ines, ""); err != nil || a.Token != "secret-access-1" {
				env.Errorf("%s: Orchard's access %+v, %v", name, a, err)
			}
			orchard.wantRevoked()
			if orchard.log.String() != "" {
				env.Errorf("%s: log\n%s", name, orchard.log)
			}
		})
	}
}
