// Package identity says who is calling, through which connection and with which scopes. The guard in front of the
// endpoint puts it into the context once the bearer token has been checked; nothing else ever names the caller.
package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Scope is a right granted to a connection.
type Scope string

// The scopes there are. Write includes Read.
const (
	Read  Scope = "read"
	Write Scope = "write"
)

// Caller is the person behind a request.
type Caller struct {
	// Subject names the person at their provider: "37s:" and the identity's id. It is never an e-mail address.
	Subject string
	// Connection is the grant family the bearer token belongs to: one client of one person.
	Connection string
	// Session is the checked Mcp-Session-Id of a client that speaks an era with sessions; else empty.
	Session string
	Scopes  []Scope
	// Client is what the client called itself when the person agreed; it proves nothing.
	Client string
	// Account is the Basecamp account the connection is for.
	Account int64
	// Key is the connection's own secret, known to the server alone and the same on every instance: what is handed out to
	// the client and has to come back unforged is signed with it. Empty where there is none.
	Key []byte
}

// Can reports whether the caller holds a scope, counting what a larger scope includes.
func (c Caller) Can(s Scope) bool {
	return slices.Contains(c.Scopes, s) || s == Read && slices.Contains(c.Scopes, Write)
}

// ScopeString is the caller's scopes as OAuth spells them: "read write".
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

// From gives the caller in the context; false when the request was never authenticated.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// WithRequestID returns a context that carries the request's id, under which everything it causes is logged.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID gives the request's id, or "" outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// WithOrigin returns a context that carries the public origin the request came to, "https://host".
func WithOrigin(ctx context.Context, origin string) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// Origin gives the public origin the request came to, or "" outside a request.
func Origin(ctx context.Context) string {
	origin, _ := ctx.Value(originKey{}).(string)
	return origin
}

// Alias stands for a subject in logs: the same in every line, and 12 hexadecimal digits of its SHA-256. It keeps the number
// out of sight, not from somebody who tries every number there is.
func Alias(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return hex.EncodeToString(sum[:6])
}
