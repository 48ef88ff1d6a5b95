package grant_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

// outcome is how a call of a user with a linked account ends.
type outcome struct {
	token  string        // of the access; empty if it fails
	code   fault.Code    // of the failure
	after  time.Duration // its RetryAfter
	status grant.Status  // of the grant; empty if there is none
	sent   int           // refreshes
}

// Every way in which the tokens of a linked account can fail, for tokens without an end and for
// tokens of hours.
func TestLinked_EachFailureOfATokenHasOneOutcome(t *testing.T) {
	const first, second = "secret-access-1", "secret-access-2"
	nothing := func(*testEnv) {}
	dead := outcome{code: fault.TokenExpired, status: grant.NeedsReauth}
	for name, test := range map[string]struct {
		life    time.Duration
		arrange func(env *testEnv)
		refused string
		want    outcome
	}{
		"works, unending": {unending, nothing, "", outcome{token: first, status: grant.Active}},
		"works, of hours": {hours, nothing, "", outcome{token: first, status: grant.Active}},
		"no link": {hours, func(env *testEnv) { must(env, env.Disconnect(env.Context(), ines)) }, "",
			outcome{code: fault.TokenExpired}},
		"a dead link": {hours, func(env *testEnv) {
			env.write(ines, func(c *grant.Record) { c.Status = grant.NeedsReauth })
			env.Keeper = env.another()
		}, "", dead},
		"revoked at the provider, unending": {unending, revokedThere, first, dead},
		"revoked at the provider, of hours": {hours, revokedThere, first,
			outcome{code: fault.TokenExpired, status: grant.NeedsReauth, sent: 1}},
		"refused once, of hours": {hours, nothing, first, outcome{token: second, status: grant.Active, sent: 1}},
		"refused twice, of hours": {hours, func(env *testEnv) { env.access(first) }, second,
			outcome{code: fault.TokenExpired, status: grant.NeedsReauth, sent: 1}},
		"expired":                        {hours, (*testEnv).due, "", outcome{token: second, status: grant.Active, sent: 1}},
		"expired with its refresh token": {hours, func(*testEnv) { time.Sleep(halfYear) }, "", dead},
		"expired, and the refresh is refused": {hours, func(env *testEnv) { env.due(); env.signOn.refuses(provider.Dead, 0) }, "",
			outcome{code: fault.TokenExpired, status: grant.NeedsReauth, sent: 1}},
		"expired, and the refresh is not answered": {hours, func(env *testEnv) { env.due(); env.signOn.refuses(provider.Unavailable, 0) }, "",
			outcome{code: fault.UpstreamError, after: 5 * time.Second, status: grant.Active, sent: 1}},
		"expired, and the deployment is refused": {hours, func(env *testEnv) { env.due(); env.signOn.refuses(provider.Misconfigured, 0) }, "",
			outcome{code: fault.UpstreamError, after: 5 * time.Minute, status: grant.Active, sent: 1}},
		"expired, and the rate limit is reached": {hours,
			func(env *testEnv) { env.due(); env.signOn.refuses(provider.Unavailable, time.Minute) }, "",
			outcome{code: fault.UpstreamError, after: time.Minute, status: grant.Active, sent: 1}},
		"expired, and the tokens cannot be stored": {hours,
			func(env *testEnv) { env.due(); env.store.onSave = func(provider.Tokens) error { return errDown } }, "",
			outcome{token: second, status: grant.Active, sent: 1}},
		"expired, and another account answers": {hours, func(env *testEnv) { env.due(); env.signOn.orchard.account = hazel }, "",
			outcome{code: fault.TokenExpired, status: grant.NeedsReauth, sent: 1}},
		"expired during another refresh": {hours, func(env *testEnv) { env.due(); env.write(ines, leasedFor(30*time.Second)) }, "",
			outcome{code: fault.UpstreamError, after: 22 * time.Second, status: grant.Active}},
		"the tokens are lost": {unending,
			func(env *testEnv) {
				env.write(ines, func(c *grant.Record) { c.Version = "lost" })
				env.Keeper = env.another()
			}, "",
			outcome{code: fault.TokenExpired, status: grant.Active}},
		"the tokens are out of reach": {unending,
			func(env *testEnv) {
				env.store.onLoad = func(string) error { return errDown }
				env.Keeper = env.another()
			}, "",
			outcome{code: fault.UpstreamError, status: grant.Active}},
		"the records are out of reach": {unending,
			func(env *testEnv) {
				env.records.onRead = func(string) error { return errDown }
				env.Keeper = env.another()
			}, "",
			outcome{code: fault.UpstreamError, status: grant.Active}},
	} {
		linked(t, test.life, func(env *testEnv) {
			test.arrange(env)
			a, err := env.Access(env.Context(), ines, test.refused)
			got := outcome{token: a.Token, sent: env.signOn.count()}
			if err != nil {
				f := fault.From(err)
				got.code, got.after = f.Code, f.RetryAfter
				if f.Provider != "orchard" || !strings.Contains(f.Message, "Orchard") || f.Retryable != (f.Code == fault.UpstreamError) {
					env.Errorf("%s: fault %+v", name, f)
				}
			}
			if r, err := env.records.Records.Record(env.Context(), ines); err == nil {
				got.status = r.Status
			}
			if got != test.want {
				env.Errorf("%s: got %+v, want %+v", name, got, test.want)
			}
		})
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

func TestLinked_NoSecretIsInAnErrorOrTheLog(t *testing.T) {
	linked(t, hours, func(env *testEnv) {
		env.due()
		env.signOn.orchard.account = hazel
		_, err := env.Access(env.Context(), ines, "")
		wantNoSecret(env, err)
	})
	linked(t, unending, func(env *testEnv) {
		env.signOn.orchard.onRevoke = func() error { return errDown }
		who, tokens := env.login(hazel)
		_, err := env.Link(env.Context(), ines, who, tokens)
		wantNoSecret(env, err)
		_, err = env.Access(env.Context(), ines, "secret-access-1")
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

// Neither a token nor upstream text is in an error or in the log, whatever fails.
func TestSecrets_AreInNoErrorAndNoLogLine(t *testing.T) {
	troubles := map[string]func(env *testEnv){
		"dead":          func(env *testEnv) { env.signOn.refuses(provider.Dead, 0) },
		"misconfigured": func(env *testEnv) { env.signOn.refuses(provider.Misconfigured, 0) },
		"unavailable":   func(env *testEnv) { env.signOn.refuses(provider.Unavailable, 0) },
		"talkative": func(env *testEnv) {
			env.signOn.mood = func(token string) (provider.Tokens, error) {
				return provider.Tokens{}, fmt.Errorf("cannot fetch token: secret upstream text about %s", token)
			}
		},
		"garbage": func(env *testEnv) {
			env.signOn.mood = func(string) (provider.Tokens, error) { return provider.Tokens{AccessToken: "secret-garbage"}, nil }
		},
		"slow":         func(env *testEnv) { env.signOn.takes = time.Hour },
		"store down":   func(env *testEnv) { env.store.onSave = func(provider.Tokens) error { return errDown } },
		"records down": func(env *testEnv) { env.records.onWrite = func(grant.Record) error { return errDown } },
		"leased":       func(env *testEnv) { env.write(ines, leasedFor(30*time.Second)) },
	}
	for name, trouble := range troubles {
		for _, refused := range []string{"", "secret-access-1"} {
			in(t, func(env *testEnv) {
				env.stale(-time.Hour)
				trouble(env)
				env.Log(name)
				for range 2 {
					_, err := env.AccessToken(env.Context(), ines, refused)
					wantNoSecret(env, err)
				}
				_, err := env.Connect(env.Context(), ines, "Ines Albrecht", provider.Tokens{AccessToken: "secret-unusable"})
				wantNoSecret(env, err)
			})
		}
	}
}
