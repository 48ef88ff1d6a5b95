package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

// logins has what users' logins need, for the endpoint and for the authorization server: the
// providers, the stores and the record of calls.
type logins struct {
	storage
	providers []authserver.Upstream // the one with which users sign in, then those that they can link
	calls     *calls.Log
	// projects returns the projects that a user sees in an account of the first provider.
	projects func(ctx context.Context, accessToken string, account int64) ([]provider.Project, error)
	// suspended reports whether the first provider refuses all requests to an account.
	suspended func(ctx context.Context, accessToken string, account int64) bool
	allowed   identity.Accounts // that may use the deployment
}

// newLogins returns logins with a sign-on of Basecamp; the zero place is Launchpad. Users can link
// the other providers.
func newLogins(c config.Config, log *slog.Logger, s storage, place signOn, others ...provider.Provider) *logins {
	client := launchpad.New(launchpad.Config{
		URL:         cmp.Or(place.url, c.LaunchpadURL),
		BrowserURL:  place.browserURL,
		APIURL:      apiURL(c),
		Transport:   place.transport,
		UserAgent:   userAgent(c),
		Credentials: s.credentials,
	})
	l := &logins{storage: s, calls: s.log(log), projects: client.Projects, suspended: client.Suspended, allowed: c.AllowedAccounts}
	primary := client.Provider(c.LaunchpadURL)
	if place.instead != nil {
		primary.SignOn = place.instead
	}
	for i, p := range append([]provider.Provider{primary}, others...) {
		up := authserver.Upstream{Provider: p, Keeper: newKeeper(s, log, p, i == 0)}
		switch p.ID {
		case launchpad.ProviderID:
			up.RegisterURL, up.Setup = "https://launchpad.37signals.com/integrations", cmp.Or(l.setup, startWith(c, "BASECAMP"))
		case githubauth.ProviderID:
			up.RegisterURL, up.Setup = c.GitHub.URL+"/settings/developers", githubSetup(c)
		}
		l.providers = append(l.providers, up)
	}
	return l
}

// apiURL returns the address of Basecamp's API, or of the demo's.
func apiURL(c config.Config) string {
	if c.BasecampURL == config.Sandbox {
		return sandbox.BaseURL
	}
	return c.BasecampURL
}

// newKeeper returns the keeper of a provider. Only lines about other providers than the primary one
// name it.
func newKeeper(s storage, log *slog.Logger, p provider.Provider, primary bool) *grant.Keeper {
	named := func(tell func(context.Context)) func(context.Context) {
		if primary {
			return tell
		}
		return func(ctx context.Context) {
			telemetry.Provider(ctx, p.ID)
			tell(ctx)
		}
	}
	return grant.New(grant.Config{
		Store:    s.grants(p.ID),
		Records:  s.records(p.ID),
		Provider: p,
		Works: func(ctx context.Context, accessToken string) bool {
			_, err := p.SignOn.Identity(ctx, accessToken)
			return !fault.Is(err, fault.TokenExpired)
		},
		Refreshed: named(telemetry.Refreshed),
		Tripped:   named(telemetry.Tripped),
		Log:       log,
	})
}

// primary returns the provider with which users sign in.
func (l *logins) primary() authserver.Upstream { return l.providers[0] }

// signOn is the place of Basecamp's sign-on, for this server and for browsers.
type signOn struct {
	url        string
	browserURL string
	transport  http.RoundTripper
	instead    provider.SignOn // takes the place of Basecamp's if not nil
}

// described returns the providers as the MCP endpoint takes them.
func (l *logins) described() []provider.Provider {
	var all []provider.Provider
	for _, p := range l.providers {
		all = append(all, p.Provider)
	}
	return all
}

// withoutDocuments says how a local server does without the metadata documents of clients.
const withoutDocuments = "If this machine is offline, start the server with -no-client-documents and add it again in the app."

// server returns the authorization server. Its page of changes takes back what changes has.
func (l *logins) server(c config.Config, log *slog.Logger, changes undo.Changes) *authserver.Server {
	server := authserver.New(authserver.Config{
		Store:           l.Auth,
		Upstreams:       l.providers,
		Origin:          origin(c),
		Changes:         changesOf(changes),
		Toolsets:        toolsets(c),
		AllowedAccounts: c.AllowedAccounts,
		Projects:        l.projects,
		Suspended:       l.suspended,
		AllowedClients:  c.AllowedHosts(),
		Machines:        c.Programs(),
		NoDocuments:     c.NoClientDocuments,
		HideBearer:      c.HideBearer,
		Documents:       l.documents,
		Recent:          changesPage{changes}.Recent,
		Log:             log,
	})
	if strings.HasPrefix(c.PublicURL, "http://") { // only a local server has such an address
		server.WithoutDocuments = withoutDocuments
	}
	return server
}

// Credential returns the caller's token for Basecamp, and the account of the caller's connection.
func (l *logins) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	caller, ok := identity.From(ctx)
	if !ok {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "the request has no caller; connect to Basecamp first")
	}
	if !l.allowed.Allow(caller.Account) {
		return basecamp.Credential{}, fault.New(fault.PermissionDenied, "the account %d may not use this server; connect another one, or ask the operator to allow it", caller.Account)
	}
	token, err := l.primary().Keeper.AccessToken(ctx, caller.Subject, refused)
	return basecamp.Credential{AccessToken: token, Account: caller.Account, Person: caller.Subject}, err
}

// startWith returns the command line that starts a local server with the credentials of an
// application, or an empty string if the user does not start it from a shell. The line asks for the
// secret, because a shell keeps its command lines in a history.
func startWith(c config.Config, application string) string {
	if c.Command == "" {
		return ""
	}
	id, secret := application+"_CLIENT_ID", application+"_CLIENT_SECRET"
	if runtime.GOOS == "windows" {
		return fmt.Sprintf("$env:%s = '...'; $env:%s = Read-Host 'Client secret'; %s", id, secret, c.Command)
	}
	return fmt.Sprintf("read -rs %[2]s && export %[2]s && %[1]s=... %[3]s", id, secret, c.Command)
}
