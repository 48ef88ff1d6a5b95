package grant_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// rush makes many concurrent calls, by several Keepers in turn, and returns the tokens.
func (env *testEnv) rush(calls int, refused string, keepers ...*grant.Keeper) []string {
	env.Helper()
	tokens := make([]string, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			token, err := keepers[i%len(keepers)].AccessToken(env.Context(), ines, refused)
			if err != nil {
				env.Errorf("call %d: %v", i, err)
			}
			tokens[i] = token
		})
	}
	all.Wait()
	return tokens
}

func (env *testEnv) four() []*grant.Keeper {
	return []*grant.Keeper{env.another(), env.another(), env.another(), env.another()}
}

// dawdle makes each operation take a random time, so that calls overlap in many ways.
func (env *testEnv) dawdle() {
	pause := func() { time.Sleep(rand.N(50 * time.Millisecond)) }
	env.signOn.takes = 2 * time.Second
	env.records.onRead = func(string) error { pause(); return nil }
	env.records.onWrite = func(grant.Record) error { pause(); return nil }
	env.store.onLoad = func(string) error { pause(); return nil }
	env.store.onSave = func(provider.Tokens) error { pause(); return nil }
}

// In one Lambda or in four.
func TestRefresh_IsSentOnceForTwentyConcurrentCalls(t *testing.T) {
	for name, lambdas := range map[string]func(env *testEnv) []*grant.Keeper{
		"one":  func(env *testEnv) []*grant.Keeper { return []*grant.Keeper{env.Keeper} },
		"four": (*testEnv).four,
	} {
		for left, mayBeOld := range map[time.Duration]bool{time.Hour: true, 30 * time.Second: false, -time.Hour: false} {
			in(t, func(env *testEnv) {
				env.stale(left)
				env.dawdle()
				for _, token := range env.rush(20, "", lambdas(env)...) {
					if token != "secret-access-2" && (!mayBeOld || token != "secret-access-1") {
						env.Errorf("%s, %s left: token %s", name, left, token)
					}
				}
				env.asked(1)
				env.wantActive(2)
				env.rush(20, "", lambdas(env)...)
				env.asked(1)
			})
		}
	}
}

func TestRefresh_TheLoserOfARaceAdoptsTheWinnersToken(t *testing.T) {
	for name, left := range map[string]time.Duration{"a minute left": time.Minute, "expired": -time.Hour} {
		in(t, func(env *testEnv) {
			env.stale(left)
			env.signOn.takes = 3 * time.Second
			winner := env.another()
			go func() { _, _ = winner.AccessToken(env.Context(), ines, "") }()
			time.Sleep(time.Second)
			begin := time.Now()
			if got := env.token(ines, ""); got != "secret-access-2" || time.Since(begin) > 3*time.Second {
				env.Errorf("%s: token %s after %s", name, got, time.Since(begin))
			}
			env.asked(1)
		})
	}
}

func TestRefresh_TheLoserWaitsUntilItsDeadline(t *testing.T) {
	in(t, func(env *testEnv) {
		env.stale(-time.Hour)
		env.write(ines, leasedFor(30*time.Second))
		ctx, cancel := context.WithTimeout(env.Context(), 2*time.Second)
		defer cancel()
		begin := time.Now()
		if _, err := env.AccessToken(ctx, ines, ""); !fault.Is(err, fault.UpstreamError) || time.Since(begin) != 2*time.Second {
			env.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func (env *testEnv) gone(subject string) {
	env.Helper()
	if c, err := env.records.Records.Record(env.Context(), subject); !errors.Is(err, grant.ErrNotFound) {
		env.Errorf("record %+v, %v", c, err)
	}
	if t, err := env.store.Store.Load(env.Context(), subject, ""); !errors.Is(err, grant.ErrNotFound) {
		env.Errorf("tokens of revision %d, %v", t.Revision, err)
	}
}

func leasedFor(d time.Duration) func(c *grant.Record) {
	return func(c *grant.Record) { c.Lease, c.LeaseUntil = "another", time.Now().Add(d) }
}
