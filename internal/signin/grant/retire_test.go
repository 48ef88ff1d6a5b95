package grant_test

import (
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
)

// retire ends Ines's grant as it is stored now.
func (env *testEnv) retire() error { return env.another().Retire(env.Context(), env.status(ines)) }

func TestRetire_RemovesTheTokensAndThenTheRecord(t *testing.T) {
	for name, state := range map[string]func(c *grant.Record){
		"active":                   func(*grant.Record) {},
		"needs reauth":             func(c *grant.Record) { c.Status = grant.NeedsReauth },
		"a lease that has expired": func(c *grant.Record) { c.Lease, c.LeaseUntil = "a", time.Now().Add(-1) },
	} {
		linked(t, unending, func(env *testEnv) {
			env.write(ines, state)
			if err := env.retire(); err != nil {
				env.Fatalf("%s: %v", name, err)
			}
			env.gone(ines)
			env.wantRevoked("secret-access-1")
		})
	}
}

// retireAround ends Ines's grant, and calls functions before and after its tokens are removed.
func (env *testEnv) retireAround(before func(), after func() error) error {
	env.store.onDelete, env.store.deleted = func() error { before(); return nil }, after
	defer func() { env.store.onDelete, env.store.deleted = nil, nil }()
	return env.retire()
}

func nothing() {}

// Otherwise, a call could use tokens that are about to be revoked.
func TestRetire_ServesNoCallOnceItHasBegun(t *testing.T) {
	in(t, func(env *testEnv) {
		err := env.retireAround(func() {
			if got, err := env.another().AccessToken(env.Context(), ines, ""); !fault.Is(err, fault.TokenExpired) {
				env.Errorf("token %q, %v", got, err)
			}
		}, func() error { return nil })
		if err != nil {
			env.Error(err)
		}
		env.gone(ines)
	})
}

func TestRetire_LosesToAUserWhoSignsIn(t *testing.T) {
	in(t, func(env *testEnv) {
		read := env.status(ines)
		time.Sleep(time.Hour)
		env.connect(ines)
		if err := env.another().Retire(env.Context(), read); !errors.Is(err, grant.ErrConflict) {
			env.Error(err)
		}
		env.wantActive(2)
		env.wantToken("", "secret-access-2")
	})
}

// A sweep that hangs must not keep a user out.
func TestRetire_KeepsTheGrantOfAUserWhoSignsInWhileItHangs(t *testing.T) {
	in(t, func(env *testEnv) {
		err := env.retireAround(nothing, func() error { env.connect(ines); return nil })
		if err == nil {
			env.Error("the grant was retired")
		}
		env.wantActive(2)
		env.elsewhere().wantToken("", "secret-access-2")
	})
}

// The sign-in begins just before the tokens are removed, so that theirs would be removed as well.
// The clock of the sweep may be slow.
func TestRetire_LetsAUserWhoSignsInJustBeforeTheTokensAreRemovedWait(t *testing.T) {
	for _, slow := range []time.Duration{0, 4 * time.Minute} {
		in(t, func(env *testEnv) {
			signedIn := make(chan error, 1)
			env.store.onDelete = func() error {
				go func() {
					_, err := env.another().Connect(env.Context(), ines, "Ines Albrecht", env.signOn.login())
					signedIn <- err
				}()
				time.Sleep(time.Second)
				return nil
			}
			c := env.config()
			c.Now = func() time.Time { return time.Now().Add(-slow) }
			err := grant.New(c).Retire(env.Context(), env.status(ines))
			must(env, errors.Join(err, <-signedIn))
			env.wantActive(1)
			env.elsewhere().wantToken("", "secret-access-2")
		})
	}
}

// The sign-in has read the record and stored its tokens, but not its record, when the grant ends.
func TestRetire_DoesNotHarmAUserWhoseSignInHasStoredItsTokens(t *testing.T) {
	in(t, func(env *testEnv) {
		read := env.status(ines)
		retired := make(chan error, 1)
		env.store.saved = func() {
			env.store.saved = nil
			retired <- env.another().Retire(env.Context(), read)
		}
		if _, err := env.another().Connect(env.Context(), ines, "Ines Albrecht", env.signOn.login()); err != nil {
			env.Fatal(err)
		}
		if err := <-retired; err != nil {
			env.Error(err)
		}
		env.wantActive(1)
		env.elsewhere().wantToken("", "secret-access-2")
	})
}

func TestRetire_LeavesAGrantThatACallIsRefreshing(t *testing.T) {
	in(t, func(env *testEnv) {
		env.write(ines, leasedFor(30*time.Second))
		if err := env.retire(); !errors.Is(err, grant.ErrConflict) {
			env.Error(err)
		}
		if env.status(ines).Status != grant.Active {
			env.Error("the record has changed")
		}
		env.stored(ines)
		time.Sleep(30 * time.Second)
		if err := env.retire(); err != nil {
			env.Error(err)
		}
		env.gone(ines)
	})
}

// A crash after each step leaves a record, so that the next sweep repeats the rest.
func TestRetire_CanBeRepeatedAfterACrash(t *testing.T) {
	for name, crash := range map[string]func(env *testEnv){
		"before the tokens are removed": func(env *testEnv) { env.store.onDelete = down },
		"after the tokens were removed": func(env *testEnv) { env.store.deleted = down },
		"before the record is removed":  func(env *testEnv) { env.records.onRemove = down },
	} {
		in(t, func(env *testEnv) {
			crash(env)
			if err := env.retire(); !fault.Is(err, fault.UpstreamError) {
				env.Errorf("%s: %v", name, err)
			}
			env.store.onDelete, env.store.deleted, env.records.onRemove = nil, nil, nil
			time.Sleep(8 * time.Second) // the lease
			if err := env.retire(); err != nil {
				env.Errorf("%s: %v", name, err)
			}
			env.gone(ines)
		})
	}
}

func TestRetire_ChangesNothingIfTheRecordCannotBeWritten(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.records.onWrite = func(grant.Record) error { return errDown }
		if err := env.retire(); !fault.Is(err, fault.UpstreamError) {
			env.Error(err)
		}
		env.records.onWrite = nil
		env.wantLinked(grant.Active, 1)
		env.wantRevoked()
	})
}
