package app

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/providertest"
	"basecamp-mcp/internal/tool/mcptool"
)

// orchardPlace returns a server whose users can link Orchard, the subject of Ines, who is logged in
// and has linked it, and her access token.
func orchardPlace(t *testing.T) (p *place, orchard *providertest.SignOn, browser *http.Client, subject, access string) {
	t.Helper()
	orchard = providertest.New(nil)
	orchard.Life = time.Hour
	p = openWith(t, config.Config{}, []provider.Provider{orchard.Provider()}, inMemory("", ""))
	access, _ = p.logIn("ines")
	browser = visitor()
	back := p.fill(browser, p.fill(browser, p.url+"/oauth/start?for=account"), "handle", "ines")
	if to, _ := p.get(browser, back); to != "/account" {
		t.Fatalf("the sign-in ends with %s", to)
	}
	p.linkOrchard(browser, orchard)
	return p, orchard, browser, launchpad.Subject(p.person("ines").IdentityID), access
}

func (p *place) linkOrchard(browser *http.Client, orchard *providertest.SignOn) {
	p.Helper()
	callbackURL := orchard.Allow(p.fill(browser, p.url+"/oauth/start?link=orchard"), "1")
	if to, _ := p.get(browser, callbackURL); to != "/account" {
		p.Fatalf("linking Orchard ends with %s", to)
	}
}

// logins returns the logins of another instance on the place's storage.
func (p *place) logins(orchard *providertest.SignOn) *logins {
	return newLogins(config.Config{}, quiet, p.storage, signOn{}, orchard.Provider())
}

func TestProviders_ADeadGrantOfAnotherProviderLeavesTheClientConnected(t *testing.T) {
	p, orchard, browser, subject, token := orchardPlace(t)
	logins := p.logins(orchard)
	a, keeper := newAccess(local.NewStaticUsers(), logins, nil), logins.providers[1].Keeper
	ctx := identity.WithOrigin(t.Context(), p.url)
	caller, _, err := a.Authenticate(ctx, token, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx = identity.With(ctx, caller)
	pick := mcptool.Define(mcptool.Spec{Name: "pick", Title: "Pick", Description: "Picks."}, func(ctx context.Context, _ struct{}) (struct{}, error) {
		held, err := keeper.AccessToken(ctx, caller.Subject, "")
		if _, refused := orchard.Identity(ctx, held); err == nil && refused != nil {
			_, err = keeper.AccessToken(ctx, caller.Subject, held)
		}
		return struct{}{}, err
	})
	server := mcptool.NewServer([]mcptool.Toolset{{Name: "orchard", Provider: "orchard", Tools: []mcptool.Tool{pick}}}, mcptool.Options{
		Name: "test", Version: "1", Log: quiet, Providers: logins.described(), ReconnectURL: a.ReconnectURL, EndConnection: a.EndConnection,
	})
	run, _ := server.Tool(mcptool.Selection{}, "pick")
	if outcome := string(run(ctx, nil)); !strings.HasPrefix(outcome, `{"is_error":false`) {
		t.Fatalf("before: %s", outcome)
	}
	orchard.EndAll("1")
	told := string(run(ctx, nil))
	link := regexp.MustCompile(`http\S+/oauth/start\?t=[\w-]+`).FindString(told)
	if !strings.HasPrefix(link, p.url) || !strings.Contains(told, link+" (good for ten minutes) and link Orchard again") {
		t.Fatalf("told %s", told)
	}
	wantStatus(t, keeper, subject, grant.NeedsReauth)
	wantStatus(t, logins.primary().Keeper, subject, grant.Active)
	p.wants("the client's next call", token, "Ines Albrecht")

	if page, _ := p.get(visitor(), link); !strings.Contains(page, "First sign in with Basecamp") {
		t.Errorf("the link without a session leads to %s", page)
	}
	if page, _ := p.get(browser, orchard.Allow(p.fill(browser, link), "1")); !strings.Contains(page, "Orchard is linked") {
		t.Errorf("linking Orchard again ends with %s", page)
	}
	if outcome := string(run(ctx, nil)); !strings.HasPrefix(outcome, `{"is_error":false`) {
		t.Errorf("once linked again: %s", outcome)
	}
}

func TestEndConnection_OnlyADeadGrantOfThePrimaryProviderEndsIt(t *testing.T) {
	p := open(t, config.Config{})
	token, _ := p.logIn("ines")
	ctx := identity.WithOrigin(t.Context(), p.url)
	logins := p.logins(providertest.New(nil))
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

func wantStatus(t *testing.T, keeper *grant.Keeper, subject string, want grant.Status) {
	t.Helper()
	r, err := keeper.Status(t.Context(), subject)
	if err != nil || r.Status != want {
		t.Errorf("status %q, %v; want %s", r.Status, err, want)
	}
}
