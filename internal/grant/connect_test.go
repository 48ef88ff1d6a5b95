package grant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
)

func TestConnect_WritesTheNextRevisionOverWhateverThereIs(t *testing.T) {
	states := map[string]func(c *grant.Record){
		"active":       func(*grant.Record) {},
		"needs reauth": func(c *grant.Record) { c.Status = grant.NeedsReauth },
		"leased":       leasedFor(30 * time.Second),
		"failing":      func(c *grant.Record) { c.Failures, c.NextTry = 7, time.Now().Add(time.Hour) },
		"forced":       func(c *grant.Record) { c.Forced = time.Now() },
	}
	for name, state := range states {
		in(t, func(h *house) {
			h.write(ines, state)
			tokens := h.signOn.login()
			got, err := h.Connect(h.Context(), ines, "Ines A.", tokens)
			if err != nil {
				h.Fatal(err)
			}
			want := grant.Record{
				Subject: ines, Name: "Ines A.", Revision: 2, Version: got.Version, Status: grant.Active,
				ConnectedAt: time.Now(), ExpiresAt: tokens.ExpiresAt, Change: 3,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				h.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(got, h.status(ines)); diff != "" {
				h.Errorf("%s: stored %s", name, diff)
			}
			if got := h.token(ines, ""); got != tokens.AccessToken {
				h.Errorf("%s: token %s", name, got)
			}
		})
	}
}

// A secret should not be written more than once in ten minutes.
func TestConnect_KeepsWhatWasConnectedMinutesAgoAndWorks(t *testing.T) {
	tests := map[string]struct {
		wait    time.Duration
		state   func(c *grant.Record)
		without bool // anybody to ask whether it works
		broken  bool
		replace bool
		kept    bool
	}{
		"at once":             {kept: true},
		"just within":         {wait: 10*time.Minute - 1, kept: true},
		"after ten minutes":   {wait: 10 * time.Minute},
		"it does not work":    {broken: true},
		"nobody can tell":     {without: true},
		"it is to be written": {replace: true},
		"needs reauth":        {state: func(c *grant.Record) { c.Status = grant.NeedsReauth }},
		"its tokens are lost": {state: func(c *grant.Record) { c.Version = "lost" }},
	}
	for name, test := range tests {
		in(t, func(h *house) {
			asked := ""
			config := h.config()
			if !test.without {
				config.Works = func(_ context.Context, token string) bool {
					asked = token
					return !test.broken
				}
			}
			keeper := grant.New(config)
			if test.state != nil {
				h.write(ines, test.state)
			}
			time.Sleep(test.wait)
			connect := keeper.Connect
			if test.replace {
				connect = keeper.Reconnect
			}
			c, err := connect(h.Context(), ines, "Ines Albrecht", h.signOn.login())
			if err != nil {
				h.Fatal(err)
			}
			if kept := c.Revision == 1; kept != test.kept || h.status(ines).Revision != c.Revision {
				h.Errorf("%s: kept %v", name, kept)
			}
			if test.kept && (asked != "secret-access-1" || h.store.saves != 1) {
				h.Errorf("%s: asked whether %q works, %d saves", name, asked, h.store.saves)
			}
		})
	}
}

func TestConnect_TriesAgainWhenSecondToARefresh(t *testing.T) {
	in(t, func(h *house) {
		conflicts := 0
		h.store.saved = func() {
			if conflicts++; conflicts <= 3 {
				h.write(ines, leasedFor(30*time.Second))
			}
		}
		h.connect(ines)
		h.settled(2)
		h.store.saved = func() { h.write(ines, leasedFor(30*time.Second)) }
		if _, err := h.Connect(h.Context(), ines, "", h.signOn.login()); !fault.Is(err, fault.UpstreamError) || !fault.From(err).Retryable {
			h.Errorf("for ever second: %v", err)
		}
	})
}

func TestConnect_StoresNothingThatMakesNoSense(t *testing.T) {
	in(t, func(h *house) {
		for name, tokens := range map[string]provider.Tokens{
			"nothing":      {},
			"no token":     {RefreshToken: "r", ExpiresAt: time.Now().Add(fortnight)},
			"no expiry":    {AccessToken: "a", RefreshToken: "r"},
			"expired":      {AccessToken: "a", RefreshToken: "r", ExpiresAt: time.Now()},
			"for ever":     {AccessToken: "a", ExpiresAt: time.Now().Add(20 * 365 * 24 * time.Hour)},
			"half a blink": {AccessToken: "a", ExpiresAt: time.Now().Add(30 * time.Second)},
		} {
			if _, err := h.Connect(h.Context(), ines, "", tokens); !fault.Is(err, fault.UpstreamError) {
				h.Errorf("%s: %v", name, err)
			}
		}
		h.settled(1)
	})
}

func TestConnect_ThatCannotBeStoredSaysWhetherToTryAgain(t *testing.T) {
	in(t, func(h *house) {
		for cause, retryable := range map[error]bool{errDown: true, grant.ErrTooLarge: false} {
			h.store.onSave = func(provider.Tokens) error { return cause }
			_, err := h.Connect(h.Context(), ines, "", h.signOn.login())
			if f := fault.From(err); f.Code != fault.UpstreamError || f.Retryable != retryable || !errors.Is(err, cause) {
				h.Errorf("%v: %v", cause, err)
			}
		}
		h.store.onSave = nil
		h.records.onWrite = func(grant.Record) error { return errDown }
		if _, err := h.Connect(h.Context(), ines, "", h.signOn.login()); !fault.Is(err, fault.UpstreamError) {
			h.Errorf("the record: %v", err)
		}
		h.settled(1)
	})
}

func TestDisconnect_RemovesTheRecordAndAllTokens(t *testing.T) {
	in(t, func(h *house) {
		h.token(ines, "secret-access-1")
		for range 2 {
			if err := h.Disconnect(h.Context(), ines); err != nil {
				h.Fatal(err)
			}
			h.gone(ines)
			h.fails(ines, "", fault.TokenExpired)
		}
		h.connect(ines)
		h.settled(1)
	})
}

func TestDisconnect_RemovesTheRecordFirst(t *testing.T) {
	in(t, func(h *house) {
		keeper := grant.New(grant.Config{Store: undeletable{h.store}, Records: h.records, Provider: h.signOn.provider()})
		if err := keeper.Disconnect(h.Context(), ines); !fault.Is(err, fault.UpstreamError) {
			h.Errorf("error %v", err)
		}
		h.fails(jonas, "", fault.TokenExpired)
		if _, err := h.Status(h.Context(), ines); !errors.Is(err, grant.ErrNotFound) {
			h.Errorf("status: %v", err)
		}
	})
}

// undeletable is a Store that cannot be reached to delete.
type undeletable struct{ grant.Store }

func (undeletable) Delete(context.Context, string) error { return errDown }
