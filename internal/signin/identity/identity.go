// Package identity says who is calling, through which connection and with which scopes. The guard
// in front of the endpoint puts the caller into the context after it has checked the bearer token;
// this is the only way to name a caller.
package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"basecamp-mcp/internal/signin/fence"
)

// Scope is a right granted to a connection.
type Scope string

// The scopes. Write includes Read.
const (
	Read  Scope = "read"
	Write Scope = "write"
)

// Caller is the person behind a request.
type Caller struct {
	// Subject names the person at their provider: the provider's namespace, a colon and the ID.
	// It is never an email address.
	Subject string
	// Connection is the grant family that the bearer token belongs to: one client of one person.
	Connection string
	// Session is the checked Mcp-Session-Id. It is empty for protocol versions without sessions.
	Session string
	// OpensLinks reports whether the client declared at the beginning of the session that it can open
	// a link for its user. Later versions declare that with each request.
	OpensLinks bool
	Scopes     []Scope
	// Fence bounds what the client may do, in addition to the scopes.
	Fence fence.Fence
	// Toolsets are all that the connection may use, sorted; nil means every one.
	Toolsets []string
	// Client is the name that the client gave when the person agreed. It is not verified.
	Client string
	// ActsFor is the name of the person who made the connection for a program without a browser,
	// which cannot show them a link. It is empty for every other client.
	ActsFor string
	// Account is the account at the provider in which a call acts: the default of the connection,
	// unless the call names another one of Fence.Accounts.
	Account int64
	// Key is the connection's own secret, the same on every instance and known only to the server.
	// It signs values that the client receives and must return unchanged. It may be empty.
	Key []byte
	// SignedOut means that the person has not signed in yet: every tool must answer with a link to
	// do so. Only a server on a pipe has such callers.
	SignedOut bool
}

// Accounts are the provider's accounts that may use a deployment. Nil allows all accounts.
type Accounts []int64

// Allow reports whether an account may use the deployment.
func (a Accounts) Allow(account int64) bool { return a == nil || slices.Contains(a, account) }

// Can reports whether the caller holds a scope. A larger scope includes the smaller one.
func (c Caller) Can(s Scope) bool {
	return slices.Contains(c.Scopes, s) || s == Read && slices.Contains(c.Scopes, Write)
}

// Others returns the accounts of the connection besides the one in which a call acts, in their
// order.
func (c Caller) Others() []fence.Account {
	return slices.DeleteFunc(slices.Clone(c.Fence.Accounts), func(a fence.Account) bool { return a.ID == c.Account })
}

// IsHome reports whether a call acts in the default account of the connection.
func (c Caller) IsHome() bool {
	return len(c.Fence.Accounts) == 0 || c.Fence.Accounts[0].ID == c.Account
}

// In returns the caller in another account of the connection, or false if the connection does not
// have it. This is the only way from one account to another.
func (c Caller) In(account int64) (Caller, bool) {
	if account != c.Account && !slices.ContainsFunc(c.Fence.Accounts, func(a fence.Account) bool { return a.ID == account }) {
		return c, false
	}
	c.Account = account
	return c, true
}

// AllScopes returns every scope, in the order that OAuth metadata shows them.
func AllScopes() []Scope { return []Scope{Read, Write} }

// ParseScopes returns the scopes in text, which has the form of OAuth: "read write" (RFC 6749
// section 3.3). It drops unknown names and repetitions, and keeps the order of AllScopes. named
// reports whether the text names a scope, known or not. offline_access does not count, because
// clients get refresh tokens without it.
func ParseScopes(text string) (known []Scope, named bool) {
	names := strings.Fields(text)
	known = slices.DeleteFunc(AllScopes(), func(s Scope) bool { return !slices.Contains(names, string(s)) })
	return known, slices.ContainsFunc(names, func(name string) bool { return name != "offline_access" })
}

// ScopeString returns scopes in the form that OAuth uses: "read write".
func ScopeString(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

type (
	callerKey    struct{}
	requestIDKey struct{}
	originKey    struct{}
)

// With returns a context that carries the caller.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From returns the caller in the context, and false if the request was never authenticated.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// errNoCaller is a defect of this server: the endpoint rejects calls without a caller.
var errNoCaller = errors.New("a call without a caller")

// Known returns the caller in the context.
func Known(ctx context.Context) (Caller, error) {
	c, _ := From(ctx)
	if c.Subject == "" {
		return Caller{}, errNoCaller
	}
	return c, nil
}

// Subject returns who the caller in the context is.
func Subject(ctx context.Context) (string, error) {
	c, err := Known(ctx)
	return c.Subject, err
}

// WithRequestID returns a context that carries the request ID. All log lines of the request show
// it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the request ID, or "" outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// WithOrigin returns a context that carries the public origin of the request, "https://host".
func WithOrigin(ctx context.Context, origin string) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// Origin returns the public origin of the request, or "" outside a request.
func Origin(ctx context.Context) string {
	origin, _ := ctx.Value(originKey{}).(string)
	return origin
}

// Alias returns the name of a subject in logs: the first 12 hexadecimal digits of its SHA-256. It
// hides the number from a reader of the log, but not from an attacker who tries every number.
func Alias(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return hex.EncodeToString(sum[:6])
}
