// Package providertest has a fake provider for tests: Orchard, which differs from Basecamp wherever
// a provider may. Its access tokens can live forever, and then have no refresh token; it revokes
// tokens; it demands PKCE; its answers carry an issuer; its users have subjects of their own.
package providertest

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
)

// Origin is the address of Orchard's sign-on, and its issuer.
const Origin = "https://orchard.example"

// SignOn is Orchard's sign-on. It is safe for concurrent use.
type SignOn struct {
	// Life is how long access tokens live. Zero means forever; then no refresh tokens are issued.
	Life time.Duration
	// Refuse, if set, is the answer to every exchange and refresh.
	Refuse *provider.Refusal

	now func() time.Time

	mu        sync.Mutex
	users     map[string]string // names by ID
	codes     map[string]code
	access    map[string]session
	refresh   map[string]string // user IDs by refresh token
	refreshes int
}

type code struct{ user, redirectURI, challenge string }

type session struct {
	user      string
	expiresAt time.Time // zero means never
}

var _ provider.SignOn = (*SignOn)(nil)

// New returns the sign-on with the users Rowan (ID 1) and Hazel (ID 2). A nil now means time.Now.
func New(now func() time.Time) *SignOn {
	if now == nil {
		now = time.Now
	}
	return &SignOn{
		now:   now,
		users: map[string]string{"1": "Rowan", "2": "Hazel"},
		codes: map[string]code{}, access: map[string]session{}, refresh: map[string]string{},
	}
}

// Provider returns Orchard as a provider.
func (s *SignOn) Provider() provider.Provider {
	return provider.Provider{ID: "orchard", Namespace: "or", Name: "Orchard", Issuer: Origin, Revokes: true, SignOn: s}
}

// Subject returns the subject of a user.
func Subject(user string) string { return "or:" + user }

// AuthorizationURL returns the address of the sign-in page.
func (*SignOn) AuthorizationURL(_ context.Context, a provider.Authorization) (string, error) {
	return Origin + "/authorize?" + url.Values{
		"redirect_uri": {a.RedirectURI}, "state": {a.State}, "code_challenge": {oauth2.S256ChallengeFromVerifier(a.Verifier)},
	}.Encode(), nil
}

// Allow signs a user in at an authorization URL. It returns the callback URL to which Orchard sends
// the user's browser.
func (s *SignOn) Allow(authorizationURL, user string) (callbackURL string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := rand.Text()
	asked := query(authorizationURL)
	s.codes[value] = code{user: user, redirectURI: asked.Get("redirect_uri"), challenge: asked.Get("code_challenge")}
	return callback(authorizationURL, "code", value)
}

// Deny returns the callback URL for a user who does not let us use Orchard.
func (*SignOn) Deny(authorizationURL string) (callbackURL string) {
	return callback(authorizationURL, "error", "access_denied")
}

// callback returns the redirect URI of an authorization URL with its state, the issuer and a
// result.
func callback(authorizationURL, name, value string) string {
	asked := query(authorizationURL)
	answer := url.Values{"state": {asked.Get("state")}, "iss": {Origin}, name: {value}}
	return asked.Get("redirect_uri") + "?" + answer.Encode()
}

func query(address string) url.Values {
	u, err := url.Parse(address)
	if err != nil {
		return url.Values{}
	}
	return u.Query()
}

// Login returns the tokens of a user who has just signed in.
func (s *SignOn) Login(user string) provider.Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issue(user)
}

// Exchange trades a code for tokens. A code can be used once, with its own redirect URI and PKCE
// code verifier.
func (s *SignOn) Exchange(_ context.Context, a provider.Authorization, value string) (provider.Tokens, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	issued, ok := s.codes[value]
	delete(s.codes, value)
	switch {
	case s.Refuse != nil:
		return provider.Tokens{}, s.Refuse
	case !ok || issued.redirectURI != a.RedirectURI || issued.challenge != oauth2.S256ChallengeFromVerifier(a.Verifier):
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("unknown code")}
	}
	return s.issue(issued.user), nil
}

// Refresh trades a refresh token for new tokens. A refresh token can be used once.
func (s *SignOn) Refresh(_ context.Context, refreshToken string) (provider.Tokens, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshes++
	user, ok := s.refresh[refreshToken]
	switch {
	case s.Refuse != nil:
		return provider.Tokens{}, s.Refuse
	case !ok:
		return provider.Tokens{}, &provider.Refusal{Cause: provider.Dead, Err: errors.New("unknown refresh token")}
	}
	delete(s.refresh, refreshToken)
	return s.issue(user), nil
}

func (s *SignOn) issue(user string) provider.Tokens {
	t := provider.Tokens{AccessToken: "orchard-access-" + rand.Text(), ObtainedAt: s.now()}
	if s.Life > 0 {
		t.RefreshToken = "orchard-refresh-" + rand.Text()
		t.ExpiresAt = t.ObtainedAt.Add(s.Life)
		s.refresh[t.RefreshToken] = user
	}
	s.access[t.AccessToken] = session{user: user, expiresAt: t.ExpiresAt}
	return t
}

// Identity returns the user of an access token. Orchard has no accounts.
func (s *SignOn) Identity(_ context.Context, accessToken string) (provider.Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.access[accessToken]
	if !ok || !found.expiresAt.IsZero() && !s.now().Before(found.expiresAt) {
		return provider.Identity{}, fault.New(fault.TokenExpired, "Orchard does not accept this access token")
	}
	return provider.Identity{Subject: Subject(found.user), Name: s.users[found.user]}, nil
}

// Revoke ends tokens.
func (s *SignOn) Revoke(_ context.Context, t provider.Tokens) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.access, t.AccessToken)
	delete(s.refresh, t.RefreshToken)
	return nil
}

// EndAll ends all tokens of a user, as when the user removes our access at Orchard.
func (s *SignOn) EndAll(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.access, func(_ string, found session) bool { return found.user == user })
	maps.DeleteFunc(s.refresh, func(_, owner string) bool { return owner == user })
}

// Refreshes returns how many refreshes Orchard has received.
func (s *SignOn) Refreshes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refreshes
}
