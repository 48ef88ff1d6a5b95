package app

import (
	"context"
	"errors"
	"net/http"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
)

// githubServer is the GitHub whose APIs the tools use.
type githubServer struct {
	apiURL    string
	webURL    string
	transport http.RoundTripper // nil: the network
	unlimited bool              // whether it has no rate limit
}

// client returns a client of the APIs. It acts for the callers that have linked GitHub.
func (g githubServer) client(userAgent string, l *logins) (*github.Client, error) {
	hub, ok := l.linked(githubauth.ProviderID)
	if !ok {
		return nil, errors.New("GitHub is not among the providers")
	}
	return github.New(github.Config{
		APIURL: g.apiURL, WebURL: g.webURL, UserAgent: userAgent, Transport: g.transport,
		Tokens: githubLinks{hub.keeper}, Unlimited: g.unlimited,
	})
}

// linked returns the provider with an ID, and whether this deployment has it.
func (l *logins) linked(providerID string) (linked, bool) {
	for _, p := range l.providers {
		if p.ID == providerID {
			return p, true
		}
	}
	return linked{}, false
}

// githubLinks returns the credentials of users who have linked GitHub.
type githubLinks struct{ keeper *grant.Keeper }

var _ github.TokenSource = githubLinks{}

// Credential returns the credential of the caller in ctx. Its fault says whether the caller has
// never linked GitHub or must link it again.
func (g githubLinks) Credential(ctx context.Context, refused string) (github.Credential, error) {
	caller, ok := identity.From(ctx)
	if !ok {
		return github.Credential{}, fault.New(fault.TokenExpired, "the request has no caller; connect first")
	}
	held, err := g.keeper.Access(ctx, caller.Subject, refused)
	if fault.Is(err, fault.TokenExpired) {
		return github.Credential{}, g.unlinked(ctx, caller.Subject, err)
	}
	return github.Credential{
		AccessToken: held.Token, Person: caller.Subject, Link: held.Link(), Scope: held.Scope, Login: held.Name,
	}, err
}

// unlinked returns the fault for a user without a working link.
func (g githubLinks) unlinked(ctx context.Context, subject string, cause error) error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts the link of this user").Because(cause)
	f.Provider = githubauth.ProviderID
	f.Link = &fault.Link{Provider: githubauth.ProviderID, Reason: fault.Reauthorize}
	if _, err := g.keeper.Status(ctx, subject); errors.Is(err, grant.ErrNotFound) {
		f.Message = "this user has not linked GitHub"
		f.Link.Reason = fault.NotLinked
	}
	return f
}
