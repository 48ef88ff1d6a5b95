package grant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

func TestConnect_WritesTheNextRevisionOverARecordInAnyState(t *testing.T) {
	states := map[string]func(c *grant.Record){
		"active":       func(*grant.Record) {},
		"needs reauth": func(c *grant.Record) { c.Status = grant.NeedsReauth },
		"leased":       leasedFor(30 * time.Second),
		"failing":      func(c *grant.Record) { c.Failures, c.NextTry = 7, time.Now().Add(time.Hour) },
		"forced":       func(c *grant.Record) { c.Forced = time.Now() },
	}
	for name, state := range states {
		in(t, func(env *testEnv) {
			env.write(ines, state)
			tokens := env.signOn.login()
			got, err := env.Connect(env.Context(), ines, "Ines A.", tokens)
			if err != nil {
				env.Fatal(err)
			}
			want := grant.Record{
				Subject: ines, Name: "Ines A.", Revision: 2, Version: got.Version, Status: grant.Active,
				ConnectedAt: time.Now(), ExpiresAt: tokens.ExpiresAt, Change: 3,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				env.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(got, env.status(ines)); diff != "" {
				env.Errorf("%s: stored %s", name, diff)
			}
			env.wantToken("", tokens.AccessToken)
		})
	}
}

// Secrets Manager advises at most one write of a secret in ten minutes.
func TestConnect_KeepsAGrantThatIsMinutesOldAndWorks(t *testing.T) {
	tests := map[string]struct {
		wait    time.Duration
		state   func(c *grant.Record)
		without bool // no Works
		broken  bool
		replace bool
		kept    bool
	}{
		"at once":             {kept: true},
		"just within":         {wait: 10*time.Minute - 1, kept: true},
		"after ten minutes":   {wait: 10 * time.Minute},
		"it does not work":    {broken: true},
		"no Works":            {without: true},
		"it is to be written": {replace: true},
		"needs reauth":        {state: func(c *grant.Record) { c.Status = grant.NeedsReauth }},
		"its tokens are lost": {state: func(c *grant.Record) { c.Version = "lost" }},
	}
	for name, test := range tests {
		in(t, func(env *testEnv) {
			asked := ""
			config := env.config()
			if !test.without {
				config.Works = func(_ context.Context, token string) bool {
					asked = token
					return !test.broken
				}
			}
			keeper := grant.New(config)
			if test.state != nil {
				env.write(ines, test.state)
			}
			time.Sleep(test.wait)
			connect := keeper.Connect
			if test.replace {
				connect = keeper.Reconnect
			}
			c, err := connect(env.Context(), ines, "Ines Albrecht", env.signOn.login())
			if err != nil {
				env.Fatal(err)
			}
			if kept := c.Revision == 1; kept != test.kept || env.status(ines).Revision != c.Revision {
				env.Errorf("%s: kept %v", name, kept)
			}
			if test.kept && (asked != "secret-access-1" || env.store.saves != 1) {
				env.Errorf("%s: asked whether %q works, %d saves", name, asked, env.store.saves)
			}
		})
	}
}

func TestConnect_RetriesAfterAConflictWithARefresh(t *testing.T) {
	in(t, func(env *testEnv) {
		conflicts := 0
		env.store.saved = func() {
			if conflicts++; conflicts <= 3 {
				env.write(ines, leasedFor(30*time.Second))
			}
		}
		env.connect(ines)
		env.wantActive(2)
		env.store.saved = func() { env.write(ines, leasedFor(30*time.Second)) }
		if _, err := env.Connect(env.Context(), ines, "", env.signOn.login()); !fault.Is(err, fault.UpstreamError) || !fault.From(err).Retryable {
			env.Errorf("after a conflict at every try: %v", err)
		}
	})
}

func TestConnect_StoresNoInvalidTokens(t *testing.T) {
	in(t, func(env *testEnv) {
		for name, tokens := range map[string]provider.Tokens{
			"nothing":      {},
			"no token":     {RefreshToken: "r", ExpiresAt: time.Now().Add(fortnight)},
			"expired":      {AccessToken: "a", RefreshToken: "r", ExpiresAt: time.Now()},
			"for ever":     {AccessToken: "a", ExpiresAt: time.Now().Add(20 * 365 * 24 * time.Hour)},
			"half a blink": {AccessToken: "a", ExpiresAt: time.Now().Add(30 * time.Second)},
		} {
			if _, err := env.Connect(env.Context(), ines, "", tokens); !fault.Is(err, fault.UpstreamError) {
				env.Errorf("%s: %v", name, err)
			}
		}
		env.wantActive(1)
	})
}

func TestConnect_ThatCannotBeStoredSaysWhetherToRetry(t *testing.T) {
	in(t, func(env *testEnv) {
		for cause, retryable := range map[error]bool{errDown: true, grant.ErrTooLarge: false} {
			env.store.onSave = func(provider.Tokens) error { return cause }
			_, err := env.Connect(env.Context(), ines, "", env.signOn.login())
			if f := fault.From(err); f.Code != fault.UpstreamError || f.Retryable != retryable || !errors.Is(err, cause) {
				env.Errorf("%v: %v", cause, err)
			}
		}
		env.store.onSave = nil
		env.records.onWrite = func(grant.Record) error { return errDown }
		if _, err := env.Connect(env.Context(), ines, "", env.signOn.login()); !fault.Is(err, fault.UpstreamError) {
			env.Errorf("the record: %v", err)
		}
		env.wantActive(1)
	})
}
