package grant_test

import (
	"context"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// due waits until the access token of Ines's link has expired.
func (env *testEnv) due() {
	env.Helper()
	env.stale(-time.Hour)
}

func TestRefresh_OfALinkKeepsTheAccountAndStoresTheScope(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.signOn.orchard.scope = "write:tree"
		if a := env.access(""); a.Token != "secret-access-2" || a.Scope != "write:tree" || a.Revision != 2 {
			env.Errorf("access %+v", a)
		}
		env.wantLinked(grant.Active, 2)
		if r := env.status(ines); r.Scope != "write:tree" || r.Name != "rowan" {
			env.Errorf("record %+v", r)
		}
		env.wantRevoked()
	})
}

func TestRefresh_OfALinkStoresTheNameThatTheAccountHasNow(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.signOn.orchard.names[rowan] = "rowan-renamed"
		if a := env.access(""); a.Name != "rowan" {
			env.Errorf("before a refresh: %+v", a)
		}
		env.due()
		for _, keeper := range []*grant.Keeper{env.Keeper, env.another()} {
			if a, err := keeper.Access(env.Context(), ines, ""); err != nil || a.Name != "rowan-renamed" {
				env.Errorf("access %+v, %v", a, err)
			}
		}
		if r := env.status(ines); r.Name != "rowan-renamed" || r.Change != 3 {
			env.Errorf("record %+v", r)
		}
		env.asked(1)
	})
}

func TestRefresh_OfALinkIsStoredBeforeTheAccountIsAskedFor(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.signOn.orchard.onIdentity = func(context.Context) error {
			newest, err := env.store.Store.Load(env.Context(), ines, "")
			if err != nil || newest.RefreshToken != "secret-refresh-2" {
				env.Errorf("stored %+v, %v", newest, err)
			}
			return nil
		}
		env.access("")
		if got := env.signOn.orchard.asked; len(got) != 1 || got[0] != "secret-access-2" {
			env.Errorf("asked for the accounts of %q", got)
		}
	})
}

func TestRefresh_StandsIfTheProviderDoesNotSayWhoseTheTokensAre(t *testing.T) {
	for name, silence := range map[string]func(context.Context) error{
		"down":    func(context.Context) error { return fault.New(fault.UpstreamError, "down") },
		"slow":    func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"refused": func(context.Context) error { return fault.New(fault.TokenExpired, "not known yet") },
		"garbage": func(context.Context) error { return errDown },
	} {
		linked(t, hours, func(env *testEnv) {
			env.due()
			env.signOn.orchard.names[rowan] = "rowan-renamed"
			env.signOn.orchard.onIdentity = silence
			if a := env.access(""); a.Token != "secret-access-2" || a.Name != "rowan" {
				env.Errorf("%s: access %+v", name, a)
			}
			env.wantLinked(grant.Active, 2)
			env.wantLogged(1, "upstream did not say whose the new tokens are")
			env.signOn.orchard.onIdentity = nil
			env.due()
			if a := env.access(""); a.Name != "rowan-renamed" {
				env.Errorf("%s: after the next refresh: %+v", name, a)
			}
		})
	}
}

func TestRefresh_OfAGrantWithoutAnAccountAsksForNone(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.write(ines, func(c *grant.Record) { c.Account, c.Scope = "", "" })
		env.due()
		env.access("")
		if got := env.signOn.orchard.asked; len(got) != 0 {
			env.Errorf("asked for the accounts of %q", got)
		}
		if r := env.status(ines); r.Scope != "" || r.Revision != 2 {
			env.Errorf("record %+v", r)
		}
	})
}

// orphan stores tokens of an account as a call does that ends before it can write the record. They
// are newer than every record of a test.
func (env *testEnv) orphan(account string) provider.Tokens {
	env.Helper()
	env.signOn.orchard.account = account
	tokens := env.signOn.login()
	tokens.Revision = 9
	if _, err := env.store.Store.Save(env.Context(), ines, "another", tokens); err != nil {
		env.Fatal(err)
	}
	return tokens
}
