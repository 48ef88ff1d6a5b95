package app

import (
	"errors"
	"testing"
	"time"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
	"basecamp-mcp/internal/provider/providertest"
)

func TestProviders_OnlyADeadGrantOfThePrimaryOneEndsAConnection(t *testing.T) {
	p := open(t, config.Config{})
	token, _ := p.logIn("ines")
	ctx := identity.WithOrigin(t.Context(), p.url)
	orchard := providertest.New(nil)
	orchard.Life = time.Hour
	logins := newLogins(config.Config{}, quiet, p.storage, signOn{}, orchard.Provider())
	a := newAccess(newStaticUsers(), logins, nil)
	caller, err := a.Authenticate(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	second := logins.providers[1].keeper
	first := orchard.Login("1")
	if _, err := second.Connect(ctx, caller.Subject, "Rowan", first); err != nil {
		t.Fatal(err)
	}
	orchard.EndAll("1")
	if _, err := second.AccessToken(ctx, caller.Subject, first.AccessToken); !fault.Is(err, fault.TokenExpired) {
		t.Fatalf("got %v, want TOKEN_EXPIRED", err)
	}
	wantStatus(t, second, caller.Subject, grant.NeedsReauth)
	wantStatus(t, logins.primary().keeper, caller.Subject, grant.Active)

	if err := a.EndConnection(identity.With(ctx, caller)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(ctx, token); err != nil {
		t.Errorf("after the end of the other provider's grant: %v", err)
	}
	if err := logins.primary().keeper.Disconnect(ctx, caller.Subject); err != nil {
		t.Fatal(err)
	}
	if err := a.EndConnection(identity.With(ctx, caller)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(ctx, token); !errors.Is(err, mcphttp.ErrInvalidToken) {
		t.Errorf("after the end of the primary provider's grant: %v, want an invalid token", err)
	}
}

func TestProviders_InstancesShareGrantsOfEachProvider(t *testing.T) {
	s := inMemory("", "")
	orchard := providertest.New(nil)
	one := newLogins(config.Config{}, quiet, s, signOn{}, orchard.Provider())
	other := newLogins(config.Config{}, quiet, s, signOn{}, orchard.Provider())
	tokens := orchard.Login("1")
	if _, err := one.providers[1].keeper.Connect(t.Context(), "37s:1", "Rowan", tokens); err != nil {
		t.Fatal(err)
	}
	if got, err := other.providers[1].keeper.AccessToken(t.Context(), "37s:1", ""); err != nil || got != tokens.AccessToken {
		t.Errorf("token %q, %v", got, err)
	}
	if _, err := other.primary().keeper.Status(t.Context(), "37s:1"); !errors.Is(err, grant.ErrNotFound) {
		t.Errorf("status at the primary provider: %v, want no grant", err)
	}
}

func wantStatus(t *testing.T, keeper *grant.Keeper, subject string, want grant.Status) {
	t.Helper()
	r, err := keeper.Status(t.Context(), subject)
	if err != nil || r.Status != want {
		t.Errorf("status %q, %v; want %s", r.Status, err, want)
	}
}
