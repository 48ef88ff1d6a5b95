// Package provider describes an upstream provider: a service that users sign in to, and for which
// it issues tokens. Everything that is the same for all providers (grants, sign-in
// trips, links, the account page) works with this package only and names no provider.
package provider

import (
	"context"
	"errors"
	"time"
)

// ErrNotConfigured means that this deployment has no client ID and secret for the provider yet.
var ErrNotConfigured = errors.New("no credentials for the provider's sign-on")

// Provider is one upstream provider.
type Provider struct {
	ID        string // key of stored grants, and the name in logs and metrics: "orchard"
	Namespace string // what its subjects begin with, without the colon: "or"
	Name      string // the name that users see: "Orchard"
	Issuer    string // the iss value of the sign-on's answers; empty if it sends none
	Mark      string // shown before the names of its users: "@" where they are logins; may be empty
	Revokes   bool   // whether SignOn.Revoke does anything
	Scopes    Scopes
	SignOn    SignOn
}

// SignOn is a provider's OAuth 2 authorization server, seen from its client.
type SignOn interface {
	// AuthorizationURL returns the address at which the user signs in. Errors: ErrNotConfigured, or
	// why the credentials could not be read.
	AuthorizationURL(ctx context.Context, a Authorization) (string, error)
	// Exchange trades the authorization code that answered a for tokens. The error is a *Refusal.
	Exchange(ctx context.Context, a Authorization, code string) (Tokens, error)
	// Refresh trades a refresh token for new tokens. If their RefreshToken is empty, the old one
	// stays valid. It sends the token once and never retries. The error is a *Refusal.
	Refresh(ctx context.Context, refreshToken string) (Tokens, error)
	// Identity returns whose access token it is. Errors are faults.
	Identity(ctx context.Context, accessToken string) (Identity, error)
	// Revoke ends tokens at the provider. It does nothing where the provider has no revocation.
	Revoke(ctx context.Context, t Tokens) error
}

// Authorization is a request to sign a user in. What a provider does not support, its SignOn
// ignores.
type Authorization struct {
	RedirectURI string   // where the answer arrives
	State       string   // which the answer repeats
	Verifier    string   // PKCE code verifier (RFC 7636, section 4.1)
	Scopes      []string // empty: those of a first sign-in
	Login       string   // the account that must sign in again; empty: the user chooses
}

// Identity is the user that a token belongs to, and the accounts that it may use.
type Identity struct {
	Subject  string // the provider's namespace, a colon and its user ID; never an email address
	Name     string // for display; not verified
	Accounts []Account
}

// Account is an account of a provider.
type Account struct {
	ID   int64
	Name string
}

// Project is a project in an account.
type Project struct {
	ID   int64
	Name string
}

// Tokens are the tokens that a provider issued for one user.
type Tokens struct {
	Revision     int64     `json:"rev"` // of the record that they belong to
	AccessToken  string    `json:"access_token"`
	RefreshToken string    `json:"refresh_token"` // empty if the provider issued none
	ExpiresAt    time.Time `json:"expires_at"`    // of the access token; zero means never
	ObtainedAt   time.Time `json:"obtained_at"`
	// Scope is what the user granted, separated by spaces; empty where the provider does not say.
	Scope string `json:"scope,omitzero"`
	// RefreshExpiresAt is when the refresh token expires; zero means never, or unknown.
	RefreshExpiresAt time.Time `json:"refresh_expires_at,omitzero"`
}

// Cause is the reason why a provider issued no tokens.
type Cause string

const (
	// Dead means that the refresh token or the code is no longer valid: the user must sign in
	// again.
	Dead Cause = "dead"
	// Misconfigured means that the provider refuses this deployment: wrong credentials, or a ban.
	Misconfigured Cause = "misconfigured"
	// Unavailable means that no usable answer arrived. The refresh may have happened.
	Unavailable Cause = "unavailable"
)

// Refusal is an exchange or a refresh that returned no tokens. Its text contains neither upstream
// text nor a secret.
type Refusal struct { //nolint:errname // "refusal" is the domain's word
	Cause      Cause
	RetryAfter time.Duration // zero if the provider named none
	Err        error         // for the log only
}

func (r *Refusal) Error() string {
	text := "tokens refused: " + string(r.Cause)
	if r.Err != nil {
		text += ": " + r.Err.Error()
	}
	return text
}

// Unwrap returns the underlying error.
func (r *Refusal) Unwrap() error { return r.Err }
