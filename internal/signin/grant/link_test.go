package grant_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

func TestLink_StoresTheAccountItsNameAndItsScope(t *testing.T) {
	for name, life := range map[string]time.Duration{"unending": unending, "hours": hours} {
		synctest.Test(t, func(t *testing.T) {
			env := unlinked(t, life)
			got := env.link(rowan)
			want := grant.Record{
				Subject: ines, Name: "rowan", Account: rowan, Scope: "read:tree", Revision: 1, Version: got.Version, Status: grant.Active,
				ConnectedAt: time.Now(), Change: 1,
			}
			if life != unending {
				want.ExpiresAt, want.SignInBy = time.Now().Add(life), time.Now().Add(184*24*time.Hour) // of the refresh token
			}
			for where, r := range map[string]grant.Record{"returned": got, "stored": env.status(ines)} {
				if diff := cmp.Diff(want, r); diff != "" {
					env.Errorf("%s, %s: %s", name, where, diff)
				}
			}
			a := env.access("")
			if a.Token != "secret-access-1" || a.Scope != "read:tree" || a.Name != "rowan" || a.Revision != 1 {
				env.Errorf("%s: %+v", name, a)
			}
			env.wantRevoked()
		})
	}
}

func TestLink_ReplacesAGrantInAnyStateAndThenRevokesItsToken(t *testing.T) {
	states := map[string]func(c *grant.Record){
		"active":       func(*grant.Record) {},
		"needs reauth": func(c *grant.Record) { c.Status = grant.NeedsReauth },
		"no account":   func(c *grant.Record) { c.Account, c.Scope = "", "" },
	}
	for name, state := range states {
		linked(t, unending, func(env *testEnv) {
			env.write(ines, state)
			env.signOn.orchard.scope = "read:tree write:tree"
			env.signOn.orchard.onRevoke = func() error {
				if r := env.status(ines); r.Revision != 2 || r.Status != grant.Active {
					env.Errorf("%s: revoked before %+v was replaced", name, r)
				}
				return nil
			}
			r := env.link(rowan)
			if r.Scope != "read:tree write:tree" || r.Account != rowan || r.Failures != 0 || !r.NextTry.IsZero() {
				env.Errorf("%s: %+v", name, r)
			}
			env.wantLinked(grant.Active, 2)
			env.wantRevoked("secret-access-1")
			if a := env.access(""); a.Token != "secret-access-2" || a.Scope != "read:tree write:tree" {
				env.Errorf("%s: %+v", name, a)
			}
		})
	}
}

func TestLink_OfAnotherAccountIsRefusedAndChangesNothing(t *testing.T) {
	for name, state := range map[string]func(c *grant.Record){
		"active":       func(*grant.Record) {},
		"needs reauth": func(c *grant.Record) { c.Status = grant.NeedsReauth },
	} {
		linked(t, unending, func(env *testEnv) {
			before := env.write(ines, state)
			saves, writes := env.store.saves, env.records.writes
			who, tokens := env.login(hazel)
			if _, err := env.Link(env.Context(), ines, who, tokens); !errors.Is(err, grant.ErrOtherAccount) {
				env.Errorf("%s: %v", name, err)
			}
			if env.store.saves != saves || env.records.writes != writes {
				env.Errorf("%s: %d saves, %d writes", name, env.store.saves-saves, env.records.writes-writes)
			}
			if diff := cmp.Diff(before, env.status(ines)); diff != "" {
				env.Errorf("%s: %s", name, diff)
			}
			env.wantRevoked("secret-access-2")
			if got := env.stored(ines).AccessToken; got != "secret-access-1" {
				env.Errorf("%s: stored %s", name, got)
			}
		})
	}
}

func TestLink_OfAnotherAccountSucceedsAfterAnUnlink(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		first := env.access("")
		env.disconnect()
		time.Sleep(time.Second)
		env.link(hazel)
		second := env.access("")
		if second.Name != "hazel" || second.Token != "secret-access-2" {
			env.Errorf("access %+v", second)
		}
		if first.Link() == second.Link() {
			env.Errorf("two links have the name %s", first.Link())
		}
	})
}

func TestLink_DoesNotRevokeATokenThatTheProviderIssuedAgain(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		who := provider.Identity{Subject: rowan, Name: "rowan"}
		if _, err := env.Link(env.Context(), ines, who, env.stored(ines)); err != nil {
			env.Fatal(err)
		}
		env.wantLinked(grant.Active, 2)
		env.wantRevoked()
	})
}

func TestLink_AtAProviderThatDoesNotRevokeRevokesNothing(t *testing.T) {
	in(t, func(env *testEnv) { // Basecamp's sign-on of these tests has no Revoke
		for range 2 {
			who := provider.Identity{Subject: "37s:2", Name: "Ines"}
			if _, err := env.Link(env.Context(), ines, who, env.signOn.login()); err != nil {
				env.Fatal(err)
			}
		}
		who := provider.Identity{Subject: "37s:3", Name: "Ines"}
		if _, err := env.Link(env.Context(), ines, who, env.signOn.login()); !errors.Is(err, grant.ErrOtherAccount) {
			env.Error(err)
		}
		env.wantActive(3)
	})
}

func TestLink_ThatCannotBeStoredRevokesNothing(t *testing.T) {
	for name, breakIt := range map[string]func(env *testEnv){
		"the grant":  func(env *testEnv) { env.records.onRead = func(string) error { return errDown } },
		"the tokens": func(env *testEnv) { env.store.onSave = func(provider.Tokens) error { return errDown } },
		"the record": func(env *testEnv) { env.records.onWrite = func(grant.Record) error { return errDown } },
	} {
		linked(t, unending, func(env *testEnv) {
			breakIt(env)
			who, tokens := env.login(rowan)
			if _, err := env.Link(env.Context(), ines, who, tokens); !fault.Is(err, fault.UpstreamError) || !fault.From(err).Retryable {
				env.Errorf("%s: %v", name, err)
			}
			env.wantLinked(grant.Active, 1)
			env.wantRevoked()
		})
	}
}

func TestLink_SucceedsIfTheReplacedTokenCannotBeRead(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.write(ines, func(c *grant.Record) { c.Version = "lost" })
		env.Keeper = env.another()
		env.link(rowan)
		env.wantLinked(grant.Active, 2)
		env.wantRevoked()
	})
}

func TestLink_ChecksTheAccountAgainAfterAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := unlinked(t, unending)
		env.store.saved = func() {
			env.store.saved = nil
			env.Keeper = env.another()
			env.link(hazel)
		}
		who, tokens := env.login(rowan)
		if _, err := env.another().Link(env.Context(), ines, who, tokens); !errors.Is(err, grant.ErrOtherAccount) {
			env.Error(err)
		}
		if r := env.status(ines); r.Account != hazel || r.Revision != 1 {
			env.Errorf("record %+v", r)
		}
		env.wantRevoked("secret-access-1")
		if a := env.access(""); a.Token != "secret-access-2" || a.Name != "hazel" {
			env.Errorf("access %+v", a)
		}
	})
}

// Each revokes what it replaced, and nothing that is stored.
func TestLink_OfTwoAtOnceTheLastOneWorks(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.store.saved = func() {
			env.store.saved = nil
			env.Keeper = env.another()
			env.link(rowan)
		}
		who, tokens := env.login(rowan)
		if _, err := env.another().Link(env.Context(), ines, who, tokens); err != nil {
			env.Fatal(err)
		}
		env.wantLinked(grant.Active, 3)
		env.elsewhere().wantToken("", "secret-access-2")
		env.wantRevoked("secret-access-1", "secret-access-1", "secret-access-3")
	})
}

// Another call finds the refused token in the record that is about to be replaced.
func TestLink_SucceedsWhileAnotherCallGivesTheOldGrantUp(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.store.saved = func() {
			env.store.saved = nil
			env.elsewhere().fails(ines, "secret-access-1", fault.TokenExpired)
		}
		env.link(rowan)
		env.wantLinked(grant.Active, 2)
		env.wantToken("", "secret-access-2")
		env.wantRevoked("secret-access-1")
	})
}

func TestReconnect_KeepsTheAccount(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.signOn.orchard.scope = "write:tree"
		if _, err := env.Reconnect(env.Context(), ines, "rowan", env.signOn.login()); err != nil {
			env.Fatal(err)
		}
		env.wantLinked(grant.Active, 2)
		if r := env.status(ines); r.Scope != "write:tree" {
			env.Errorf("record %+v", r)
		}
	})
}

func TestAccess_OfALinkShowsWithinASecondWhatAnotherInstanceStored(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		oauth := env.another()
		env.access("")
		env.signOn.orchard.scope = "read:tree write:tree"
		who, tokens := env.login(rowan)
		if _, err := oauth.Link(env.Context(), ines, who, tokens); err != nil {
			env.Fatal(err)
		}
		time.Sleep(time.Second)
		if a := env.access(""); a.Scope != "read:tree write:tree" || a.Token != "secret-access-2" {
			env.Errorf("after a link: %+v", a)
		}
		must(env, oauth.Disconnect(env.Context(), ines))
		time.Sleep(time.Second)
		env.fails(ines, "", fault.TokenExpired)
	})
}

func TestAccess_OfALinkReadsTheRecordOnceASecondAndTheTokensOnce(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.Keeper = env.another()
		env.records.reads, env.store.loads = 0, 0
		for range 20 {
			env.access("")
			time.Sleep(100 * time.Millisecond)
		}
		if env.records.reads != 2 || env.store.loads != 1 {
			env.Errorf("%d reads, %d loads", env.records.reads, env.store.loads)
		}
	})
}
