package grant_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// basecamp stands for the life of Basecamp's access tokens, which belong to no linked account.
const basecamp = time.Duration(-1)

// outcome is how a call of a user ends.
type outcome struct {
	token    string        // of the access; empty if it fails
	code     fault.Code    // of the failure
	after    time.Duration // its RetryAfter
	took     time.Duration
	revision int64 // of the grant; zero if neither a record nor tokens are left
	dead     bool  // the user must sign in again
	leased   bool
	sent     int    // refreshes
	revoked  string // access tokens
}

const first, second, third = "secret-access-1", "secret-access-2", "secret-access-3"

// calls are all ways in which the tokens of a user can fail, for tokens without an end, for tokens
// of hours and for Basecamp's.
var calls = map[string]struct {
	life    time.Duration
	arrange func(env *testEnv)
	refused string
	want    outcome
}{
	"works, unending": {life: unending, want: outcome{token: first, revision: 1}},
	"works, of hours": {life: hours, want: outcome{token: first, revision: 1}},
	"works after twenty years": {life: unending, arrange: func(*testEnv) { time.Sleep(20 * 365 * 24 * time.Hour) },
		want: outcome{token: first, revision: 1}},
	"no link": {life: hours, arrange: (*testEnv).disconnect, want: outcome{code: fault.TokenExpired, revoked: first}},
	"a dead link": {life: hours, arrange: func(env *testEnv) {
		env.write(ines, func(c *grant.Record) { c.Status = grant.NeedsReauth })
		env.Keeper = env.another()
	}, want: outcome{code: fault.TokenExpired, revision: 1, dead: true}},
	"revoked at the provider, unending": {life: unending, arrange: revokedThere, refused: first,
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true}},
	"revoked at the provider, of hours": {life: hours, arrange: revokedThere, refused: first,
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true, sent: 1}},
	"refused once, of hours": {life: hours, refused: first, want: outcome{token: second, revision: 2, sent: 1}},
	"refused twice, of hours": {life: hours, arrange: func(env *testEnv) { env.access(first) }, refused: second,
		want: outcome{code: fault.TokenExpired, revision: 2, dead: true, sent: 1}},
	"expired": {life: hours, arrange: (*testEnv).due, want: outcome{token: second, revision: 2, sent: 1}},
	"expired with its refresh token": {life: hours, arrange: func(*testEnv) { time.Sleep(halfYear) },
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true}},
	"the refresh token expires now": {life: hours, arrange: func(env *testEnv) { env.refreshable(0) },
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true}},
	"the refresh token expires soon": {life: hours, arrange: func(env *testEnv) { env.refreshable(1) },
		want: outcome{token: second, revision: 2, sent: 1}},
	"a refresh token of an unknown life": {life: hours, arrange: unknownLife, want: outcome{token: third, revision: 3, sent: 1, revoked: first}},
	"the refresh is refused": {life: hours, arrange: dueAndRefused(provider.Dead, 0),
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true, sent: 1}},
	"the refresh is not answered": {life: hours, arrange: dueAndRefused(provider.Unavailable, 0),
		want: outcome{code: fault.UpstreamError, after: 5 * time.Second, revision: 1, sent: 1}},
	"the deployment is refused": {life: hours, arrange: dueAndRefused(provider.Misconfigured, 0),
		want: outcome{code: fault.UpstreamError, after: 5 * time.Minute, revision: 1, sent: 1}},
	"the rate limit is reached": {life: hours, arrange: dueAndRefused(provider.Unavailable, time.Minute),
		want: outcome{code: fault.UpstreamError, after: time.Minute, revision: 1, sent: 1}},
	"a wait of more than an hour": {life: hours, arrange: dueAndRefused(provider.Unavailable, 1000*time.Hour),
		want: outcome{code: fault.UpstreamError, after: time.Hour, revision: 1, sent: 1}},
	"a second before another try": {life: hours, arrange: func(env *testEnv) {
		dueAndRefused(provider.Unavailable, time.Minute)(env)
		env.fails(ines, "", fault.UpstreamError)
		time.Sleep(time.Minute - time.Second)
	}, want: outcome{code: fault.UpstreamError, after: time.Second, revision: 1, sent: 1}},
	"the refreshed tokens are not stored": {life: hours, arrange: func(env *testEnv) { env.due(); env.store.onSave = unsaved(errDown, 9) },
		want: outcome{token: second, took: 300 * time.Millisecond, revision: 1, sent: 1}},
	"another account answers": {life: hours, arrange: func(env *testEnv) { env.due(); env.signOn.orchard.account = hazel },
		want: outcome{code: fault.TokenExpired, revision: 1, dead: true, sent: 1, revoked: second}},
	"another account answers, and is not stored": {life: hours, arrange: func(env *testEnv) {
		env.due()
		env.signOn.orchard.account = hazel
		env.store.onSave = unsaved(errDown, 9)
	}, want: outcome{code: fault.TokenExpired, took: 300 * time.Millisecond, revision: 1, dead: true, sent: 1, revoked: second}},
	"expired during another refresh": {life: hours, arrange: func(env *testEnv) { env.due(); env.write(ines, leasedFor(30*time.Second)) },
		want: outcome{code: fault.UpstreamError, after: 22 * time.Second, took: 8 * time.Second, revision: 1, leased: true}},
	"the tokens are lost": {life: unending, arrange: func(env *testEnv) {
		env.write(ines, func(c *grant.Record) { c.Version = "lost" })
		env.Keeper = env.another()
	}, want: outcome{code: fault.TokenExpired, revision: 1}},
	"the tokens are out of reach": {life: unending, arrange: func(env *testEnv) {
		env.store.onLoad = func(string) error { return errDown }
		env.Keeper = env.another()
	}, want: outcome{code: fault.UpstreamError, revision: 1}},
	"the records are out of reach": {life: unending, arrange: func(env *testEnv) {
		env.records.onRead = func(string) error { return errDown }
		env.Keeper = env.another()
	}, want: outcome{code: fault.UpstreamError, revision: 1}},
	"the sign-on answers too late": {life: basecamp, arrange: func(env *testEnv) { env.stale(time.Hour); env.signOn.takes = time.Hour },
		want: outcome{token: first, took: 5 * time.Second, revision: 1}},
	"the sign-on sends tokens that have expired": {life: basecamp, arrange: dueAndSent(provider.Tokens{AccessToken: "x", ExpiresAt: time.Unix(0, 0)}),
		want: outcome{token: first, revision: 1, sent: 1}},
	"the sign-on sends tokens for a blink": {life: basecamp, arrange: dueAndSent(provider.Tokens{AccessToken: "x", ExpiresAt: time.Date(2000, 1, 14, 23, 0, 30, 0, time.UTC)}),
		want: outcome{token: first, revision: 1, sent: 1}},
	"the sign-on sends tokens for ever": {life: basecamp, arrange: dueAndSent(provider.Tokens{AccessToken: "x", ExpiresAt: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}),
		want: outcome{token: first, revision: 1, sent: 1}},
	"the sign-on sends no access token": {life: basecamp, arrange: dueAndSent(provider.Tokens{RefreshToken: "x", ExpiresAt: time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC)}),
		want: outcome{token: first, revision: 1, sent: 1}},
	"another call refreshes, and the token lives": {life: basecamp, arrange: func(env *testEnv) { env.stale(61 * time.Second); env.write(ines, leasedFor(30*time.Second)) },
		want: outcome{token: first, revision: 1, leased: true}},
	"the sign-on fails, and its error quotes the token": {life: basecamp, arrange: func(env *testEnv) {
		env.due()
		env.signOn.mood = func(token string) (provider.Tokens, error) {
			return provider.Tokens{}, fmt.Errorf("no use for %s", token)
		}
	}, want: outcome{code: fault.UpstreamError, after: 5 * time.Second, revision: 1, sent: 1}},
	// A call that was suspended for longer than its lease must not overwrite later writes.
	"another call has leased the grant meanwhile": {life: basecamp, arrange: func(env *testEnv) {
		env.stale(time.Hour)
		env.store.saved = func() {
			env.store.saved = nil
			env.write(ines, leasedFor(30*time.Second))
		}
	}, want: outcome{token: first, revision: 1, leased: true, sent: 1}},
	"a dead refresh token cannot be recorded": {life: basecamp, arrange: func(env *testEnv) {
		env.due()
		env.refusesAfter(provider.Dead, func() { env.records.onWrite = func(grant.Record) error { return errDown } })
	}, want: outcome{code: fault.UpstreamError, took: 300 * time.Millisecond, revision: 1, leased: true, sent: 1}},
	"the refresh is refused after a reconnect": {life: basecamp, arrange: reconnected(provider.Dead, time.Hour),
		want: outcome{token: second, revision: 2, sent: 1}},
	"the refresh is not answered after a reconnect": {life: basecamp, arrange: reconnected(provider.Unavailable, -time.Hour),
		want: outcome{token: second, revision: 2, sent: 1}},
	"refused, and the refresh is not answered": {life: basecamp, arrange: func(env *testEnv) { env.signOn.refuses(provider.Unavailable, 0) }, refused: first,
		want: outcome{code: fault.UpstreamError, after: 5 * time.Second, revision: 1, sent: 1}},
	"without a refresh token": {life: basecamp, arrange: func(env *testEnv) { env.unrefreshable(); env.stale(time.Second) },
		want: outcome{token: "secret-access-9", revision: 2}},
	"without a refresh token, expired": {life: basecamp, arrange: func(env *testEnv) { env.unrefreshable(); env.stale(0) },
		want: outcome{code: fault.TokenExpired, revision: 2, dead: true}},
	"without a refresh token, refused": {life: basecamp, arrange: (*testEnv).unrefreshable, refused: "secret-access-9",
		want: outcome{code: fault.TokenExpired, revision: 2, dead: true}},
	"refused, although it never expires": {life: basecamp, arrange: func(env *testEnv) {
		forever := env.signOn.login()
		forever.ExpiresAt = time.Time{}
		_, err := env.Reconnect(env.Context(), ines, "Ines Albrecht", forever)
		must(env, err)
		env.wantToken("", second)
	}, refused: second, want: outcome{token: third, revision: 3, sent: 1}},
	"stored at the third try": {life: basecamp, arrange: func(env *testEnv) { env.stale(time.Hour); env.store.onSave = unsaved(errDown, 2) },
		want: outcome{token: second, took: 300 * time.Millisecond, revision: 2, sent: 1}},
	"too large to be stored": {life: basecamp, arrange: func(env *testEnv) { env.stale(time.Hour); env.store.onSave = unsaved(grant.ErrTooLarge, 9) },
		want: outcome{token: second, revision: 1, sent: 1}},
	"linked before the call": {life: unending, arrange: func(env *testEnv) { env.relink(rowan) }, refused: first,
		want: outcome{token: second, revision: 2, revoked: first}},
	"linked at a read": {life: unending, arrange: func(env *testEnv) {
		env.records.read = func() { env.records.read = nil; env.relink(rowan) }
	}, refused: first, want: outcome{token: second, revision: 2, revoked: first}},
	"linked at a write": {life: unending, arrange: func(env *testEnv) {
		env.records.onWrite = func(grant.Record) error { env.records.onWrite = nil; env.relink(rowan); return nil }
	}, refused: first, want: outcome{token: second, revision: 2, revoked: first}},
	// The refresh has been sent when the user unlinks or links: the tokens that are not stored end at
	// the provider, too.
	"linked during the refresh": {life: hours, arrange: func(env *testEnv) { env.due(); env.meanwhile(func() { env.relink(rowan) }) },
		want: outcome{token: second, took: 2 * time.Second, revision: 2, sent: 1, revoked: first + " " + third}},
	"unlinked during the refresh": {life: hours, arrange: func(env *testEnv) { env.due(); env.meanwhile(func() { env.elsewhere().disconnect() }) },
		want: outcome{code: fault.TokenExpired, took: 2 * time.Second, sent: 1, revoked: first + " " + second}},
	"unlinked during the call": {life: hours, arrange: func(env *testEnv) { env.access(""); env.elsewhere().disconnect() }, refused: first,
		want: outcome{code: fault.TokenExpired, revoked: first}},
	"unlinked during the call, unending": {life: unending, arrange: func(env *testEnv) { env.access(""); env.elsewhere().disconnect() }, refused: first,
		want: outcome{code: fault.TokenExpired, revoked: first}},
	// The record was written, and only the answer was lost: the record has the tokens.
	"the record is written without an answer": {life: hours, arrange: func(env *testEnv) {
		env.due()
		env.store.saved = func() {
			env.records.onWrite = func(c grant.Record) error {
				env.records.onWrite = nil
				_, _ = env.records.Records.SaveRecord(env.Context(), c)
				return errDown
			}
		}
	}, want: outcome{token: second, took: 100 * time.Millisecond, revision: 2, sent: 1}},
	// Another call holds the lease, and ends without a refresh.
	"the lease is lost to another call": {life: hours, arrange: func(env *testEnv) {
		env.due()
		env.store.saved = func() {
			env.store.saved = nil
			env.write(ines, leasedFor(5*time.Second))
		}
	}, want: outcome{code: fault.TokenExpired, took: 5500 * time.Millisecond, revision: 1, dead: true, sent: 2, revoked: second}},
}

func TestCall_EachFailureOfATokenHasOneOutcome(t *testing.T) {
	for name, c := range calls {
		test := func(env *testEnv) {
			if c.arrange != nil {
				c.arrange(env)
			}
			start := time.Now()
			a, err := env.Access(env.Context(), ines, c.refused)
			wantNoSecret(env, err)
			got := outcome{token: a.Token, took: time.Since(start), sent: env.signOn.count()}
			if err != nil {
				f, of := fault.From(err), env.signOn.provider()
				got.code, got.after = f.Code, f.RetryAfter
				if f.Provider != of.ID || !strings.Contains(f.Message, of.Name) || f.Retryable != (f.Code == fault.UpstreamError) {
					env.Errorf("%s: fault %+v", name, f)
				}
			}
			if r, err := env.records.Records.Record(env.Context(), ines); err == nil {
				got.revision, got.dead, got.leased = r.Revision, r.Status != grant.Active, r.Lease != ""
			} else {
				env.gone(ines)
			}
			if o := env.signOn.orchard; o != nil {
				got.revoked = strings.Join(o.revoked, " ")
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				env.Errorf("%s: (-want +got) %s", name, diff)
			}
		}
		if c.life == basecamp {
			in(t, test)
		} else {
			linked(t, c.life, test)
		}
	}
}

// refreshable waits until the refresh token expires after the given time.
func (env *testEnv) refreshable(left time.Duration) {
	time.Sleep(time.Until(env.stored(ines).RefreshExpiresAt) - left)
}

// unknownLife links an account whose provider does not say when the refresh token expires.
func unknownLife(env *testEnv) {
	who, tokens := env.login(rowan)
	tokens.RefreshExpiresAt = time.Time{}
	_, err := env.Link(env.Context(), ines, who, tokens)
	must(env, err)
	time.Sleep(10 * halfYear)
}

func dueAndRefused(cause provider.Cause, retryAfter time.Duration) func(env *testEnv) {
	return func(env *testEnv) { env.due(); env.signOn.refuses(cause, retryAfter) }
}

func dueAndSent(t provider.Tokens) func(env *testEnv) {
	return func(env *testEnv) {
		env.stale(time.Hour)
		env.signOn.mood = func(string) (provider.Tokens, error) { return t, nil }
	}
}

// refusesAfter makes the sign-on refuse refreshes after something has happened.
func (env *testEnv) refusesAfter(cause provider.Cause, happens func()) {
	env.signOn.mood = func(string) (provider.Tokens, error) {
		happens()
		return provider.Tokens{}, &provider.Refusal{Cause: cause}
	}
}

func reconnected(cause provider.Cause, left time.Duration) func(env *testEnv) {
	return func(env *testEnv) {
		env.stale(left)
		fresh := env.signOn.login()
		env.refusesAfter(cause, func() {
			_, err := env.another().Connect(env.Context(), ines, "Ines Albrecht", fresh)
			must(env, err)
		})
	}
}

// relink links an account in another Lambda.
func (env *testEnv) relink(account string) {
	who, tokens := env.login(account)
	if _, err := env.another().Link(env.Context(), ines, who, tokens); err != nil {
		env.Error(err)
	}
}

// meanwhile does something a second after the next refresh was sent, which takes two.
func (env *testEnv) meanwhile(do func()) {
	env.signOn.takes = 2 * time.Second
	time.AfterFunc(time.Second, do)
}

// unsaved returns a hook that fails some times.
func unsaved(err error, times int) func(provider.Tokens) error {
	return func(provider.Tokens) error {
		if times--; times >= 0 {
			return err
		}
		return nil
	}
}

func must(env *testEnv, err error) {
	env.Helper()
	if err != nil {
		env.Fatal(err)
	}
}

// revokedThere revokes all tokens at the provider, as a user does in the provider's settings.
func revokedThere(env *testEnv) {
	clear(env.signOn.good)
	clear(env.signOn.orchard.owners)
}

func TestLink_ShowsNoSecretInAnErrorOrTheLog(t *testing.T) {
	linked(t, unending, func(env *testEnv) {
		env.signOn.orchard.onRevoke = func() error { return errDown }
		who, tokens := env.login(hazel)
		_, err := env.Link(env.Context(), ines, who, tokens)
		wantNoSecret(env, err)
		_, err = env.Connect(env.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-unusable"})
		wantNoSecret(env, err)
		wantNoSecret(env, env.Disconnect(env.Context(), ines))
	})
}

func wantNoSecret(env *testEnv, err error) {
	env.Helper()
	texts := []string{env.log.String()}
	for ; err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if strings.Contains(text, "secret") {
			env.Errorf("a secret in %s", text)
		}
	}
}

func TestKeeper_ReportsSuccessfulRefreshesAndARefusingProvider(t *testing.T) {
	in(t, func(env *testEnv) {
		refreshed, tripped := 0, 0
		config := env.config()
		config.Refreshed = func(context.Context) { refreshed++ }
		config.Tripped = func(context.Context) { tripped++ }
		env.Keeper = grant.New(config)
		wantCalls := func(wantRefreshed, wantTripped int) {
			env.Helper()
			if refreshed != wantRefreshed || tripped != wantTripped {
				env.Errorf("reported %d refreshes and %d refusals, want %d and %d", refreshed, tripped, wantRefreshed, wantTripped)
			}
		}
		env.token(ines, "")
		wantCalls(0, 0)
		env.stale(time.Hour)
		env.token(ines, "")
		env.token(ines, "")
		wantCalls(1, 0)
		env.signOn.refuses(provider.Misconfigured, 0)
		env.stale(-time.Hour)
		env.fails(ines, "", fault.UpstreamError)
		env.fails(ines, "", fault.UpstreamError)
		wantCalls(1, 1)
	})
}
