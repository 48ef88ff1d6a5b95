package app

import (
	"context"
	"errors"
	"time"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
	"basecamp-mcp/internal/todolist"
)

// door lets in who has logged in, and before them those whose access was settled at start. It is all the endpoint knows of
// people: it says who calls, which sessions have ended, what a caller holds at Basecamp, and how to mend that.
type door struct {
	people   *people
	sessions mcphttp.MemorySessions // of people
	verifier *authserver.Verifier
	logins   *logins
	links    authserver.Links
	lists    *todolist.Lists
	accounts identity.Accounts
}

func newDoor(p *people, l *logins, accounts identity.Accounts) *door {
	return &door{
		people:   p,
		verifier: authserver.NewVerifier(l.broker, nil),
		logins:   l,
		links:    authserver.Links{Steps: l.broker, Families: l.broker, Now: time.Now},
		lists:    todolist.New(l.lists, nil),
		accounts: accounts,
	}
}

// Authenticate asks the people first, who cost nothing.
func (d *door) Authenticate(ctx context.Context, bearer string) (identity.Caller, error) {
	if caller, err := d.people.Authenticate(ctx, bearer); err == nil {
		return caller, nil
	}
	caller, err := d.verifier.Authenticate(ctx, bearer)
	return caller, d.allow(caller, err)
}

// AuthenticateSession is Authenticate, and tells whether the session has ended.
func (d *door) AuthenticateSession(ctx context.Context, bearer, session string) (identity.Caller, bool, error) {
	if caller, err := d.people.Authenticate(ctx, bearer); err == nil {
		ended, err := d.sessions.Ended(ctx, session)
		return caller, ended, err
	}
	caller, ended, err := d.verifier.AuthenticateSession(ctx, bearer, session)
	return caller, ended, d.allow(caller, err)
}

// allow also shuts out those whose account was taken off the list after they had logged in.
func (d *door) allow(caller identity.Caller, err error) error {
	if err == nil && !d.accounts.Allow(caller.Account) {
		return mcphttp.ErrInvalidToken
	}
	return err
}

// End ends a session of the caller in ctx, and drops its checklist; the session last, so that what fails can be asked again.
func (d *door) End(ctx context.Context, session string) error {
	if err := d.lists.Forget(ctx, session); err != nil {
		return err
	}
	if d.people.known(ctx) {
		return d.sessions.End(ctx, session)
	}
	return d.verifier.End(ctx, session)
}

// Ended is never asked: AuthenticateSession has answered it for everybody.
func (d *door) Ended(ctx context.Context, session string) (bool, error) {
	return d.verifier.Ended(ctx, session)
}

// Credential gives what the caller holds at Basecamp.
func (d *door) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	if d.people.known(ctx) {
		return d.people.Credential(ctx, refused)
	}
	return d.logins.Credential(ctx, refused)
}

// ReconnectURL makes a link for the caller; there is none for people whose access was settled at start.
func (d *door) ReconnectURL(ctx context.Context) (string, error) {
	if d.people.known(ctx) {
		return "", nil
	}
	return d.links.ReconnectURL(ctx)
}

// EndConnection ends only connections whose grant is known to be dead: a Basecamp that refuses a token out of turn logs
// nobody out.
func (d *door) EndConnection(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	connection, err := d.logins.keeper.Status(ctx, caller.Subject)
	if err != nil && !errors.Is(err, grant.ErrNotFound) {
		return err
	}
	if err == nil && connection.Status == grant.Active {
		return nil
	}
	return d.links.EndConnection(ctx)
}
