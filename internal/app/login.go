package app

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/items"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/telemetry"
	"basecamp-mcp/internal/undo"
)

// credentials returns the client ID and secret of an application, or provider.ErrNotConfigured.
type credentials func(context.Context) (clientID, clientSecret string, err error)

// fixed returns the credentials of an application. They are not configured if one is empty.
func fixed(clientID, clientSecret string) credentials {
	return func(context.Context) (string, string, error) {
		if clientID == "" || clientSecret == "" {
			return "", "", provider.ErrNotConfigured
		}
		return clientID, clientSecret, nil
	}
}

// Stores are the stores that all providers share.
type Stores struct {
	Auth  authserver.Store
	Lists checklist.Store
	Tasks task.Store
	Once  idempotency.Store
	Audit audit.Store
	// EndCall stores the result and the entry of a call together; may be nil.
	EndCall func(ctx context.Context, end idempotency.End, subject string, e audit.Entry) error
	Undo    undo.Store
	Hub     hub.Store
	// Sealer seals the records of Undo. If it is nil, their key is derived from the application's
	// secret.
	Sealer undo.Sealer
}

// links returns the links between things.
func (s Stores) links() *hub.Hub {
	h := hub.New(s.Hub, nil)
	h.MayGoOn = listing.MayGoOn
	return h
}

// grantStores are the stores of each provider's grants.
type grantStores struct {
	records func(providerID string) grant.Records
	grants  func(providerID string) grant.Store
}

// applications are the credentials of the applications that the operator registered.
type applications struct {
	credentials credentials                     // of the application registered with 37signals
	setup       string                          // the command that stores them; empty if they are in the environment
	application func(secret string) credentials // of another application, in a secret
}

// storage has all stores, and the credentials of the applications.
type storage struct {
	Stores
	grantStores
	applications
	endpoint  func(storage) storage       // the stores of a process that can make no tokens; nil: all of them
	checkRing func(context.Context) error // reads the keys that seal tokens, if there are any
	documents http.RoundTripper           // fetches client metadata documents; nil: over the network

	ledger func(name string) *sandbox.Ledger // for the tokens that the demo issues; nil: they end with it
	path   string                            // the file that has all of it; empty if there is none
	close  func() error                      // after the last use; nil: nothing to do
}

// shut closes the storage.
func (s storage) shut() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// inMemory returns storage that is lost when the process ends.
func inMemory(clientID, clientSecret string) storage {
	m := memory.New(nil)
	s := inItems(m.Store, func(providerID string) string { return providerID }, clientID, clientSecret)
	s.Audit, s.Sealer = m, undo.Unsealed{}
	return s
}

// inItems returns storage of a server on a user's machine. place returns the name of the place
// where the grants of a provider are.
func inItems(i *items.Store, place func(providerID string) string, clientID, clientSecret string) storage {
	return storage{
		Stores: Stores{authserver.NewStore(i), i, i, i, i, i.EndCall, i, i, i.Sealer()},
		grantStores: grantStores{
			func(providerID string) grant.Records { return i.Records(place(providerID)) },
			func(providerID string) grant.Store { return i.Grants(place(providerID)) },
		},
		applications: applications{
			credentials: fixed(clientID, clientSecret),
			application: func(string) credentials { return fixed("", "") },
		},
	}
}

// logins has what users' logins need, for the endpoint and for the authorization server: the
// providers, the stores and the audit trail.
type logins struct {
	storage
	providers []linked // the one with which users sign in, then those that they can link
	trail     *audit.Trail
	// projects returns the projects that a user sees in an account of the first provider.
	projects func(ctx context.Context, accessToken string, account int64) ([]provider.Project, error)
	// suspended reports whether the first provider refuses all requests to an account.
	suspended func(ctx context.Context, accessToken string, account int64) bool
	allowed   identity.Accounts // that may use the deployment
}

// linked is a provider with the keeper of its grants.
type linked struct {
	provider.Provider
	keeper *grant.Keeper
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
	l := &logins{storage: s, trail: s.trail(log), projects: client.Projects, suspended: client.Suspended, allowed: c.AllowedAccounts}
	primary := client.Provider(c.LaunchpadURL)
	if place.instead != nil {
		primary.SignOn = place.instead
	}
	for i, p := range append([]provider.Provider{primary}, others...) {
		l.providers = append(l.providers, linked{Provider: p, keeper: newKeeper(s, log, p, i == 0)})
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

// trail returns the audit trail. A write to memory never waits.
func (s storage) trail(log *slog.Logger) *audit.Trail {
	if _, inMemory := s.Audit.(*memory.Store); inMemory {
		return audit.NewDirectTrail(s.Audit, log)
	}
	return audit.NewTrail(s.Audit, log)
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
func (l *logins) primary() linked { return l.providers[0] }

// signOn is the place of Basecamp's sign-on, for this server and for browsers.
type signOn struct {
	url        string
	browserURL string
	transport  http.RoundTripper
	instead    provider.SignOn // takes the place of Basecamp's if not nil
}

// upstreams returns the providers as the authorization server takes them, with what the operator
// must do before users can link GitHub.
func (l *logins) upstreams(c config.Config) []authserver.Upstream {
	var all []authserver.Upstream
	for _, p := range l.providers {
		up := authserver.Upstream{Provider: p.Provider, Keeper: p.keeper}
		if p.ID == githubauth.ProviderID {
			up.RegisterURL, up.Setup = c.GitHub.URL+"/settings/developers", githubSetup(c)
		}
		all = append(all, up)
	}
	return all
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

// server returns the authorization server.
func (l *logins) server(c config.Config, log *slog.Logger, origin func(*http.Request) string) *authserver.Server {
	server := authserver.New(authserver.Config{
		Store:           l.Auth,
		Upstreams:       l.upstreams(c),
		People:          peoplePage{l.links()},
		RegisterURL:     "https://launchpad.37signals.com/integrations",
		Origin:          origin,
		Toolsets:        toolsets(c),
		AllowedAccounts: c.AllowedAccounts,
		AccessTTL:       c.AccessTTL,
		Fence:           c.Fence,
		Projects:        l.projects,
		Suspended:       l.suspended,
		RedirectURIs:    c.RedirectURIs,
		AllowedClients:  c.AllowedClients,
		MachineLife:     c.MachineLife(),
		NoDocuments:     c.NoClientDocuments,
		HideBearer:      c.HideBearer,
		Documents:       l.documents,
		Setup:           cmp.Or(l.setup, startWith(c, "BASECAMP")),
		Recent:          l.recent,
		Held:            heldLog(c, l.storage),
		ExchangeRefused: telemetry.ExchangeRefused,
		Log:             log,
	})
	if strings.HasPrefix(c.PublicURL, "http://") { // only a local server has such an address
		server.WithoutDocuments = withoutDocuments
	}
	return server
}

// recentCalls is the number of calls on the account page.
const recentCalls = 20

// recent returns a user's latest tool calls for the account page.
func (l *logins) recent(ctx context.Context, subject string) ([]pages.Call, error) {
	entries, err := l.trail.Recent(ctx, subject, recentCalls)
	calls := make([]pages.Call, len(entries))
	for i, e := range entries {
		calls[i] = pages.Call{Time: e.Time, Did: inWords(e.Tool), Client: e.Client, Connection: e.Connection, Failed: whyFailed(e.Outcome)}
	}
	return calls, err
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
	token, err := l.primary().keeper.AccessToken(ctx, caller.Subject, refused)
	return basecamp.Credential{AccessToken: token, Account: caller.Account, Person: caller.Subject}, err
}
