package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider/providertest"
)

func TestEndConnection_OnlyADeadGrantOfThePrimaryProviderEndsIt(t *testing.T) {
	p := open(t, config.Config{})
	token := p.LogIn("ines").Access
	ctx := identity.WithOrigin(t.Context(), p.URL)
	logins := newLogins(config.Config{}, quiet, p.storage, signOn{}, providertest.New(nil).Provider())
	a := newAccess(local.NewStaticUsers(), logins, nil)
	caller, _, err := a.Authenticate(ctx, token, "")
	if err != nil {
		t.Fatal(err)
	}
	end := func(providerID string) error {
		if err := a.EndConnection(identity.With(ctx, caller), providerID); err != nil {
			t.Fatal(err)
		}
		_, _, err := a.Authenticate(ctx, token, "")
		return err
	}
	if err := end(launchpad.ProviderID); err != nil {
		t.Errorf("with a live grant: %v", err)
	}
	if link, err := a.ReconnectURL(identity.With(ctx, caller), "orchard", nil); err != nil || !strings.HasPrefix(link, p.URL+"/oauth/start?t=") {
		t.Errorf("the link to the other provider is %q, %v", link, err)
	}
	if err := logins.primary().Keeper.Disconnect(ctx, caller.Subject); err != nil {
		t.Fatal(err)
	}
	if err := end("orchard"); err != nil {
		t.Errorf("after a failure of the other provider: %v", err)
	}
	if err := end(launchpad.ProviderID); !errors.Is(err, mcphttp.ErrInvalidToken) {
		t.Errorf("after the end of the primary provider's grant: %v, want an invalid token", err)
	}
}

// A tool of an unknown provider would have its calls logged and stored as another provider's.
func TestToolsets_NameProvidersThatTheServerHas(t *testing.T) {
	known := []string{""} // of the server's own toolsets
	for _, p := range newLogins(config.Config{}, quiet, inMemory("", ""), signOn{}).described() {
		known = append(known, p.ID)
	}
	for _, toolset := range tools.Catalog(tools.Sources{}) {
		if !slices.Contains(known, toolset.Provider) {
			t.Errorf("toolset %s belongs to the provider %q, want one of %q", toolset.Name, toolset.Provider, known)
		}
		own := slices.Contains([]string{tools.Todolist, tools.Tasks, tools.Hub, tools.Account}, toolset.Name)
		if own != (toolset.Provider == "") {
			t.Errorf("toolset %s belongs to the provider %q", toolset.Name, toolset.Provider)
		}
	}
}
