package app

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/telemetry"
	"basecamp-mcp/internal/todolist"
)

// storage is where everything is kept, and where the credentials come from with which people are
// sent to log in.
type storage struct {
	broker      authserver.Store
	records     func(providerID string) grant.Records
	grants      func(providerID string) grant.Store
	lists       todolist.Store
	tasks       task.Store
	once        idempotency.Store
	audit       audit.Store
	credentials func(context.Context) (clientID, clientSecret string, err error)
	setup       string // the command that stores the credentials
}

// inMemory forgets everything when the process ends.
func inMemory(clientID, clientSecret string) storage {
	return storage{
		broker:  memory.NewBroker(nil),
		records: byProvider(func() grant.Records { return memory.NewRecords() }),
		grants:  byProvider(func() grant.Store { return memory.NewGrants(nil) }),
		lists:   memory.NewTodolists(nil),
		tasks:   memory.NewTasks(),
		once:    memory.NewOnce(nil),
		audit:   memory.NewAudit(nil),
		credentials: func(context.Context) (string, string, error) {
			if clientID == "" || clientSecret == "" {
				return "", "", provider.ErrNotConfigured
			}
			return clientID, clientSecret, nil
		},
		setup: "BASECAMP_CLIENT_ID=... BASECAMP_CLIENT_SECRET=... go run ./functions/local -upstream live",
	}
}

// byProvider returns a function that makes a store for each provider when it is first asked for.
func byProvider[S any](open func() S) func(providerID string) S {
	var mu sync.Mutex
	stores := map[string]S{}
	return func(providerID string) S {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := stores[providerID]; !ok {
			stores[providerID] = open()
		}
		return stores[providerID]
	}
}

// logins is all that has to do with people's logins, and what was done under them, for the endpoint
// and for the authorization server alike.
type logins struct {
	storage
	provider provider.Provider
	keeper   *grant.Keeper
	trail    *audit.Trail
}

// newLogins has people log in at a sign-on; the zero place is Launchpad.
func newLogins(c config.Config, log *slog.Logger, s storage, place signOn) *logins {
	client := launchpad.New(launchpad.Config{
		URL:         cmp.Or(place.url, c.LaunchpadURL),
		BrowserURL:  place.browserURL,
		Transport:   place.transport,
		UserAgent:   userAgent(c),
		Credentials: s.credentials,
	})
	basecamp := client.Provider(c.LaunchpadURL)
	return &logins{
		storage:  s,
		trail:    audit.NewTrail(s.audit, log),
		provider: basecamp,
		keeper: grant.New(grant.Config{
			Store:    s.grants(basecamp.ID),
			Records:  s.records(basecamp.ID),
			Provider: basecamp,
			Works: func(ctx context.Context, accessToken string) bool {
				_, err := client.Identity(ctx, accessToken)
				return !fault.Is(err, fault.TokenExpired)
			},
			Refreshed: telemetry.Refreshed,
			Tripped:   telemetry.Tripped,
			Log:       log,
		}),
	}
}

// signOn is where Basecamp's sign-on is, for us and for browsers.
type signOn struct {
	url        string
	browserURL string
	transport  http.RoundTripper
}

// server is the authorization server.
func (l *logins) server(c config.Config, log *slog.Logger, origin func(*http.Request) string) *authserver.Server {
	return authserver.New(authserver.Config{
		Store:           l.broker,
		Upstreams:       []authserver.Upstream{{Provider: l.provider, Keeper: l.keeper}},
		RegisterURL:     "https://launchpad.37signals.com/integrations",
		Origin:          origin,
		Toolsets:        toolsets(c),
		AllowedAccounts: c.AllowedAccounts,
		AccessTTL:       c.AccessTTL,
		RedirectURIs:    c.RedirectURIs,
		Setup:           l.setup,
		Recent:          l.recent,
		Log:             log,
	})
}

// recentCalls is how many calls the account page shows.
const recentCalls = 20

// recent reads a person's latest tool calls for their account page.
func (l *logins) recent(ctx context.Context, subject string) ([]pages.Call, error) {
	entries, err := l.trail.Recent(ctx, subject, recentCalls)
	calls := make([]pages.Call, len(entries))
	for i, e := range entries {
		calls[i] = pages.Call{Time: e.Time, Tool: e.Tool, Client: e.Client, OK: e.Outcome == audit.OK}
	}
	return calls, err
}

// Credential acts as the caller, in the account their connection is for.
func (l *logins) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	caller, ok := identity.From(ctx)
	if !ok {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "nobody is connected; connect to Basecamp first")
	}
	token, err := l.keeper.AccessToken(ctx, caller.Subject, refused)
	return basecamp.Credential{AccessToken: token, Account: caller.Account, Person: caller.Subject}, err
}
