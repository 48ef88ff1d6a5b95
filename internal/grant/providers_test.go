package grant_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/provider/providertest"
)

// withOrchard runs a test in which Ines also has a grant of a second provider, with stores of its
// own.
func withOrchard(t *testing.T, life time.Duration, test func(env *testEnv, orchard *grant.Keeper, signOn *providertest.SignOn)) {
	t.Helper()
	in(t, func(env *testEnv) {
		signOn := providertest.New(time.Now)
		signOn.Life = life
		orchard := grant.New(grant.Config{
			Store: memory.New(time.Now).Grants(""), Records: memory.New(nil).Records(""), Provider: signOn.Provider(),
			Log: slog.New(slog.NewTextHandler(env.log, nil)),
		})
		if _, err := orchard.Connect(env.Context(), ines, "Rowan", signOn.Login("1")); err != nil {
			env.Fatal(err)
		}
		test(env, orchard, signOn)
	})
}

func TestProviders_ADeadGrantOfOneLeavesTheOtherAlone(t *testing.T) {
	withOrchard(t, 8*time.Hour, func(env *testEnv, orchard *grant.Keeper, signOn *providertest.SignOn) {
		signOn.EndAll("1")
		time.Sleep(9 * time.Hour)
		_, err := orchard.AccessToken(env.Context(), ines, "")
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Code != fault.TokenExpired || f.Provider != "orchard" || !strings.Contains(f.Message, "Orchard") {
			env.Errorf("got %v, want TOKEN_EXPIRED of Orchard", err)
		}
		if r, err := orchard.Status(env.Context(), ines); err != nil || r.Status != grant.NeedsReauth {
			env.Errorf("status %v, %v", r.Status, err)
		}
		if got := env.token(ines, ""); got != "secret-access-1" {
			env.Errorf("token %s", got)
		}
		env.wantActive(1)
		if env.log.says("provider=orchard") != 1 || env.log.says("provider=37signals") != 0 {
			env.Errorf("log\n%s", env.log)
		}
	})
}

func TestProviders_EachFaultNamesItsProvider(t *testing.T) {
	in(t, func(env *testEnv) {
		if f := env.fails(jonas, "", fault.TokenExpired); f.Provider != "37signals" || !strings.Contains(f.Message, "Basecamp") {
			env.Errorf("provider %s: %s", f.Provider, f.Message)
		}
	})
}

func TestProviders_ATokenThatNeverExpiresIsUsedUntilItIsRefused(t *testing.T) {
	withOrchard(t, 0, func(env *testEnv, orchard *grant.Keeper, signOn *providertest.SignOn) {
		first, err := orchard.AccessToken(env.Context(), ines, "")
		if err != nil {
			env.Fatal(err)
		}
		time.Sleep(20 * 365 * 24 * time.Hour)
		later, err := orchard.AccessToken(env.Context(), ines, "")
		if err != nil || later != first {
			env.Errorf("after twenty years: %q, %v", later, err)
		}
		r, err := orchard.Status(env.Context(), ines)
		if err != nil || !r.ExpiresAt.IsZero() || r.Status != grant.Active {
			env.Errorf("record %+v, %v", r, err)
		}
		if _, err := orchard.AccessToken(env.Context(), ines, first); !fault.Is(err, fault.TokenExpired) {
			env.Errorf("after a refusal: %v", err)
		}
		if n := signOn.Refreshes(); n != 0 {
			env.Errorf("%d refreshes, want none", n)
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
		if got := env.token(ines, ""); got != forever.AccessToken {
			env.Errorf("token %s", got)
		}
		if got := env.token(ines, forever.AccessToken); got != "secret-access-3" {
			env.Errorf("after a refusal: token %s", got)
		}
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
		if got := env.token(ines, ""); got != forever.AccessToken {
			env.Errorf("token %s", got)
		}
	})
}

func TestProviders_EachHasItsOwnBreaker(t *testing.T) {
	withOrchard(t, 8*time.Hour, func(env *testEnv, orchard *grant.Keeper, signOn *providertest.SignOn) {
		signOn.Refuse = &provider.Refusal{Cause: provider.Misconfigured}
		time.Sleep(9 * time.Hour)
		for range 2 {
			if _, err := orchard.AccessToken(env.Context(), ines, ""); !fault.Is(err, fault.UpstreamError) {
				env.Errorf("got %v, want UPSTREAM_ERROR", err)
			}
		}
		if n := signOn.Refreshes(); n != 1 {
			env.Errorf("%d refreshes of a provider that refuses the deployment, want 1", n)
		}
		env.stale(time.Hour)
		if got := env.token(ines, ""); got != "secret-access-2" {
			env.Errorf("the other provider: token %s", got)
		}
	})
}

func TestProviders_DisconnectRevokesAtAProviderThatRevokes(t *testing.T) {
	withOrchard(t, 0, func(env *testEnv, orchard *grant.Keeper, signOn *providertest.SignOn) {
		token, err := orchard.AccessToken(env.Context(), ines, "")
		if err != nil {
			env.Fatal(err)
		}
		for _, keeper := range []*grant.Keeper{env.Keeper, orchard} {
			if err := keeper.Disconnect(env.Context(), ines); err != nil {
				env.Fatal(err)
			}
			if _, err := keeper.Status(env.Context(), ines); !errors.Is(err, grant.ErrNotFound) {
				env.Errorf("status: %v", err)
			}
		}
		if _, err := signOn.Identity(env.Context(), token); !fault.Is(err, fault.TokenExpired) {
			env.Errorf("the token is not revoked: %v", err)
		}
		env.gone(ines)
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
