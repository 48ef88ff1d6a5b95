package local

import (
	"context"
	"crypto/sha256"
	"errors"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

// StaticUsers are users whose access is set when the server starts, without a login: their bearer
// tokens, and their credentials for Basecamp, and perhaps for GitHub. They do not change while the
// server runs.
type StaticUsers struct {
	callers     map[[sha256.Size]byte]identity.Caller
	credentials map[string]basecamp.Credential // by subject
	OnGitHub    map[string]github.Credential   // by subject
	// token is the owner of the configured access token, or nil.
	Token *TokenOwner
	// started is the subject of the owner when the server started.
	Started string
	// logsIn means that the owner's logins use the configured credentials too.
	LogsIn bool
}

// NewStaticUsers returns no users.
func NewStaticUsers() *StaticUsers {
	return &StaticUsers{
		callers:     map[[sha256.Size]byte]identity.Caller{},
		credentials: map[string]basecamp.Credential{},
		OnGitHub:    map[string]github.Credential{},
	}
}

// Add adds a bearer token of a user, with the scopes that it has.
func (s *StaticUsers) Add(bearer, subject string, credential basecamp.Credential, scopes ...identity.Scope) {
	credential.Person = subject
	key := sha256.Sum256([]byte("key of " + bearer))
	s.callers[sha256.Sum256([]byte(bearer))] = identity.Caller{
		Subject: subject, Connection: StaticConnection, Client: "bearer token", Scopes: scopes, Account: credential.Account, Key: key[:],
	}
	s.credentials[subject] = credential
}

// addAccount adds one of several accounts of a user with a bearer token, the default first.
func (s *StaticUsers) addAccount(bearer string, account fence.Account) {
	key := sha256.Sum256([]byte(bearer))
	caller := s.callers[key]
	caller.Fence.Accounts = append(caller.Fence.Accounts, account)
	s.callers[key] = caller
}

// StaticConnection is the connection of all static users.
const StaticConnection = "settled"

// Known reports whether the caller in ctx is a static user.
func (*StaticUsers) Known(ctx context.Context) bool {
	caller, ok := identity.From(ctx)
	return ok && caller.Connection == StaticConnection
}

// Configured reports whether the credential of the caller in ctx for Basecamp is configured.
func (s *StaticUsers) Configured(ctx context.Context) bool {
	caller, ok := identity.From(ctx)
	return s.Known(ctx) || ok && s.LogsIn && s.isOwner(caller.Subject)
}

// isOwner reports whether a subject is the owner's.
func (s *StaticUsers) isOwner(subject string) bool {
	return s.Token != nil && subject != "" && subject == s.Token.Known().Subject
}

// subject returns the subject under which the credentials of the caller in ctx are configured.
func (s *StaticUsers) subject(ctx context.Context) string {
	caller, _ := identity.From(ctx)
	if s.isOwner(caller.Subject) {
		return s.Started
	}
	return caller.Subject
}

// Authenticate returns the caller with a bearer token. It compares hashes, so that its duration
// says nothing about a token.
func (s *StaticUsers) Authenticate(_ context.Context, bearer string) (identity.Caller, error) {
	caller, ok := s.callers[sha256.Sum256([]byte(bearer))]
	if !ok {
		return identity.Caller{}, mcphttp.ErrInvalidToken
	}
	return caller, nil
}

// Credential returns the caller's token. It cannot be refreshed. While the owner's account is
// unknown, it returns UPSTREAM_ERROR.
func (s *StaticUsers) Credential(ctx context.Context, refused string) (basecamp.Credential, error) {
	credential, ok := s.credentials[s.subject(ctx)]
	if !ok || refused != "" {
		return basecamp.Credential{}, fault.New(fault.TokenExpired, "Basecamp no longer accepts this connection's access token; set BASECAMP_ACCESS_TOKEN to a new one and restart the server")
	}
	if caller, _ := identity.From(ctx); s.Token == nil && len(caller.Fence.Accounts) > 1 {
		credential.Account = caller.Account
	}
	if s.Token == nil {
		return credential, nil
	}
	owner, err := s.Token.Find(ctx)
	if _, classified := errors.AsType[*fault.Error](err); err != nil && !classified {
		err = fault.New(fault.TokenExpired, "%s", err)
	}
	if err != nil {
		return basecamp.Credential{}, err
	}
	credential.Account = owner.Accounts[0].ID
	return credential, nil
}

// GitHub returns the credential for GitHub of the caller in ctx, and whether the caller has one
// without a link.
func (s *StaticUsers) GitHub(ctx context.Context) (github.Credential, bool) {
	credential, ok := s.OnGitHub[s.subject(ctx)]
	return credential, ok && s.Configured(ctx)
}
