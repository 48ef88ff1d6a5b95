package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/identity"
)

// access identifies callers: static users by their tokens, all other users by tokens of the
// authorization server. The endpoint learns everything about users from it: the caller, the
// sessions that have ended, the token with which to call Basecamp, and the link to reconnect.
type access struct {
	static   *local.StaticUsers
	sessions mcphttp.MemorySessions // of static users
	verifier *authserver.Verifier
	logins   *logins
	links    authserver.Links
	lists    *checklist.Lists
	accounts identity.Accounts
	seat     *local.Seat         // of a server on a pipe whose user signs in; nil for others
	pages    *local.PageListener // of a server on a pipe; nil for others
}

func newAccess(static *local.StaticUsers, l *logins, accounts identity.Accounts) *access {
	return &access{
		static:   static,
		verifier: authserver.NewVerifier(l.Auth, nil),
		logins:   l,
		links:    authserver.Links{LoginStates: l.Auth, Families: l.Auth, Now: time.Now},
		lists:    checklist.New(l.Lists, nil),
		accounts: accounts,
	}
}

// Authenticate returns the caller with a bearer token, and whether a session has ended. Static
// users come first, because they need no store.
func (a *access) Authenticate(ctx context.Context, bearer, session string) (identity.Caller, bool, error) {
	if caller, err := a.static.Authenticate(ctx, bearer); err == nil {
		return local.Named(ctx, caller), a.sessions.Ended(session), nil
	}
	if caller, ok, err := a.sitting(ctx, bearer); ok {
		return local.Named(ctx, caller), false, err
	}
	caller, ended, err := a.verifier.Authenticate(ctx, bearer, session)
	caller.Fence.Accounts = a.allowed(caller.Fence.Accounts)
	return caller, ended, a.allow(caller, err)
}

// allow returns an error for a caller whose account may not use this deployment, also if the
// account was removed from the list after the login.
func (a *access) allow(caller identity.Caller, err error) error {
	if err == nil && !a.accounts.Allow(caller.Account) {
		return mcphttp.ErrInvalidToken
	}
	if err == nil && a.static.LogsIn {
		return a.allowOwner(caller)
	}
	return err
}

// allowed returns the accounts that may use this deployment.
func (a *access) allowed(accounts []fence.Account) []fence.Account {
	return slices.DeleteFunc(slices.Clone(accounts), func(of fence.Account) bool { return !a.accounts.Allow(of.ID) })
}

// allowOwner returns an error for a user of an earlier start, and while the owner is unknown.
func (a *access) allowOwner(caller identity.Caller) error {
	owner, err := a.static.Token.Find(context.Background()) // the answer is of use also if this client leaves
	if err == nil && caller.Subject != owner.Subject {
		err = mcphttp.ErrInvalidToken
	}
	return err
}

// End ends a session of the caller in ctx, after it has deleted the session's checklist. In this
// order, a failed call can be repeated.
func (a *access) End(ctx context.Context, session string) error {
	if err := a.lists.Forget(ctx, session); err != nil {
		return err
	}
	if a.static.Known(ctx) {
		return a.sessions.End(ctx, session)
	}
	return a.verifier.End(ctx, session)
}

// Credential returns the token with which to call Basecamp for the caller in ctx.
func (a *access) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	if a.static.Configured(ctx) {
		return a.static.Credential(ctx, refused)
	}
	return a.logins.Credential(ctx, refused)
}

// ReconnectURL returns a link for the caller in ctx to a provider, or an empty string for a user
// whose credential there is configured.
func (a *access) ReconnectURL(ctx context.Context, providerID string, scopes []string) (string, error) {
	link, err := a.newLink(ctx, providerID, scopes)
	if err == nil && link != "" {
		err = a.servePages(ctx)
	}
	if err != nil {
		return "", err
	}
	return link, nil
}

// servePages makes sure that a browser can open this server's pages.
func (a *access) servePages(ctx context.Context) error {
	if a.pages == nil {
		return nil
	}
	return a.pages.Serve(ctx)
}

func (a *access) newLink(ctx context.Context, providerID string, scopes []string) (string, error) {
	caller, seated := a.onSeat(ctx)
	switch {
	case seated && caller.SignedOut:
		return a.links.SeatURL(ctx, a.seat.Name)
	case a.configured(ctx, providerID):
		return "", nil
	case providerID != a.logins.primary().ID:
		return a.links.LinkURL(ctx, providerID, scopes)
	}
	return a.links.ReconnectURL(ctx)
}

// configured reports whether the credential of the caller in ctx for a provider is set when the
// server starts.
func (a *access) configured(ctx context.Context, providerID string) bool {
	switch providerID {
	case a.logins.primary().ID:
		return a.static.Configured(ctx)
	case githubauth.ProviderID:
		_, ok := a.static.GitHub(ctx)
		return ok
	}
	return false
}

// EndConnection ends the connection of the caller in ctx if the failed provider is the one with
// which users sign in, and if the user's grant there is dead. If that provider only refused a token
// once, or if another provider failed, the client keeps its connection.
func (a *access) EndConnection(ctx context.Context, providerID string) error {
	if providerID != a.logins.primary().ID {
		return nil
	}
	caller, seated := a.onSeat(ctx)
	if seated { // the link to reconnect repairs it
		return nil
	}
	record, err := a.logins.primary().Keeper.Status(ctx, caller.Subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return err
	}
	if err == nil && record.Status == grant.Active {
		return nil
	}
	return a.links.EndConnection(ctx)
}

// sitting returns the caller on the seat, and whether bearer is the seat's. A user whose grant is
// gone, because they disconnected everything, must sign in again.
func (a *access) sitting(ctx context.Context, bearer string) (caller identity.Caller, ok bool, err error) {
	caller, ok = a.seat.Caller(bearer)
	if !ok {
		return caller, false, nil
	}
	user, err := a.links.SeatUser(ctx, a.seat.Name)
	if errors.Is(err, authserver.ErrNotFound) {
		return caller, true, nil
	}
	if err != nil {
		return caller, true, err
	}
	_, err = a.logins.primary().Keeper.Status(ctx, user.Subject)
	if errors.Is(err, grant.ErrNotFound) || err == nil && !a.accounts.Allow(user.Account) {
		return caller, true, nil
	}
	caller.Subject, caller.Account, caller.SignedOut = user.Subject, user.Account, false
	caller.Fence.Accounts = a.allowed(user.Accounts)
	return caller, true, err
}

// onSeat reports whether the caller in ctx is on the seat.
func (a *access) onSeat(ctx context.Context) (caller identity.Caller, ok bool) {
	caller, _ = identity.From(ctx)
	return caller, a.seat != nil && caller.Connection == local.SeatConnection
}
