package app

import (
	"context"
	"errors"
	"net/http"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/provider"
)

// githubServer is the GitHub whose APIs the tools use and whose accounts users link. A nil
// githubServer is a deployment without GitHub.
type githubServer struct {
	url         string // origin of its pages
	browserURL  string // the address at which browsers reach url; empty: url
	apiURL      string
	transport   http.RoundTripper // nil: the network
	lockdown    bool              // whether what outsiders wrote is withheld
	unlimited   bool              // whether it has no rate limit
	credentials credentials       // of the application that users link
}

// newGitHub returns the configured GitHub, or nil if none is configured. The credentials of its
// application are in the environment or in s.
func newGitHub(c config.Config, s storage, transport http.RoundTripper) *githubServer {
	if !c.HasGitHub() {
		return nil
	}
	g := &githubServer{
		url: c.GitHub.URL, apiURL: c.GitHub.APIURL, transport: transport, credentials: fixed(c.GitHub.ClientID, c.GitHub.ClientSecret),
		lockdown: c.GitHub.Lockdown,
	}
	if !c.GitHub.OwnCredentials() && c.GitHub.Secret != "" {
		g.credentials = s.application(c.GitHub.Secret)
	}
	return g
}

// githubSetup returns the command line that stores the credentials of the application registered
// with GitHub, or that starts a local server with them.
func githubSetup(c config.Config) string {
	if c.GitHub.Secret != "" {
		return storeCommand(c.AWS, c.GitHub.URL)
	}
	return startWith(c, "GITHUB")
}

// signOn returns the client of GitHub's sign-on.
func (g *githubServer) signOn(userAgent string) *githubauth.Client {
	return githubauth.New(githubauth.Config{
		URL: g.url, BrowserURL: g.browserURL, APIURL: g.apiURL, Transport: g.transport, UserAgent: userAgent, Credentials: g.credentials,
	})
}

// providers returns the provider that users can link.
func (g *githubServer) providers(userAgent string) []provider.Provider {
	if g == nil {
		return nil
	}
	return []provider.Provider{g.signOn(userAgent).Provider()}
}

// client returns a client of the APIs. It acts for the callers that have linked GitHub, and for
// static users with a credential.
func (g *githubServer) client(userAgent string, a *access) (*github.Client, error) {
	hub, ok := a.logins.linked(githubauth.ProviderID)
	if !ok {
		return nil, errors.New("GitHub is not among the providers")
	}
	return github.New(github.Config{
		APIURL: g.apiURL, WebURL: g.url, BrowserURL: g.browserURL, UserAgent: userAgent, Transport: g.transport,
		Tokens: githubLinks{hub.Keeper, a.static}.Credential, Unlimited: g.unlimited, Lockdown: g.lockdown,
	})
}

// warmUp reads the application's credentials, which a refresh needs.
func (g *githubServer) warmUp(ctx context.Context) { _, _, _ = g.credentials(ctx) }

// linked returns the provider with an ID, and whether this deployment has it.
func (l *logins) linked(providerID string) (authserver.Upstream, bool) {
	for _, p := range l.providers {
		if p.ID == providerID {
			return p, true
		}
	}
	return authserver.Upstream{}, false
}

// githubLinks returns the credentials of users who have linked GitHub, and those of static users.
type githubLinks struct {
	keeper *grant.Keeper
	static *local.StaticUsers
}

// Credential returns the credential of the caller in ctx. Its fault says whether the caller has
// never linked GitHub or must link it again.
func (g githubLinks) Credential(ctx context.Context, refused string) (github.Credential, error) {
	caller, ok := identity.From(ctx)
	if !ok {
		return github.Credential{}, fault.New(fault.TokenExpired, "the request has no caller; connect first")
	}
	if credential, ok := g.static.GitHub(ctx); ok {
		if refused != "" {
			return github.Credential{}, refusedGitHubToken()
		}
		return credential, nil
	}
	held, err := g.keeper.Access(ctx, caller.Subject, refused)
	if fault.Is(err, fault.TokenExpired) {
		return github.Credential{}, g.unlinked(ctx, caller.Subject, err)
	}
	return github.Credential{
		AccessToken: held.Token, Person: caller.Subject, Link: held.Link(), Scope: held.Scope, Login: held.Name,
	}, err
}

// refusedGitHubToken returns the fault for a configured token that GitHub no longer accepts.
func refusedGitHubToken() *fault.Error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts this server's access token; set GITHUB_ACCESS_TOKEN to a new one and restart the server")
	f.Provider = githubauth.ProviderID
	return f
}

// unlinked returns the fault for a user without a working link.
func (g githubLinks) unlinked(ctx context.Context, subject string, cause error) error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts the link of this user").Because(cause)
	f.Provider = githubauth.ProviderID
	f.Link = &fault.Link{Provider: githubauth.ProviderID, Reason: fault.Reauthorize}
	if _, err := g.keeper.Status(ctx, subject); errors.Is(err, grant.ErrNotFound) {
		f.Code, f.Message = fault.NotLinked, "this user has not linked GitHub"
		f.Link.Reason = fault.NeverLinked
	}
	return f
}
