package grant_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// Accounts of Orchard.
const (
	rowan = "or:7"
	hazel = "or:8"
)

// The lives of Orchard's access tokens: without end and without a refresh token, or hours.
const (
	unending = time.Duration(0)
	hours    = 8 * time.Hour
)

// orchard has what the sign-on of Orchard knows: whose tokens are, and which of them it revoked.
// One of its refresh tokens lives for half a year.
type orchard struct {
	mu      sync.Mutex
	life    time.Duration
	account string            // whose tokens are issued
	names   map[string]string // by account
	scope   string            // of the tokens that are issued
	owners  map[string]string // accounts by access token
	revoked []string          // access tokens, in order
	asked   []string          // access tokens whose owner was asked for

	onIdentity func(ctx context.Context) error // if it fails, so does the question whose a token is
	onRevoke   func() error                    // if it fails, nothing is revoked
}

// own returns the tokens as Orchard issues them, to the account of the moment.
func (o *orchard) own(t provider.Tokens) provider.Tokens {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owners[t.AccessToken] = o.account
	t.Scope = o.scope
	if o.life == unending {
		t.RefreshToken, t.ExpiresAt = "", time.Time{}
		return t
	}
	t.ExpiresAt, t.RefreshExpiresAt = t.ObtainedAt.Add(o.life), t.ObtainedAt.Add(184*24*time.Hour)
	return t
}

func (s *signOn) Identity(ctx context.Context, accessToken string) (provider.Identity, error) {
	o := s.orchard // Basecamp is never asked
	o.mu.Lock()
	o.asked = append(o.asked, accessToken)
	account, known := o.owners[accessToken]
	who := provider.Identity{Subject: account, Name: o.names[account]}
	o.mu.Unlock()
	if o.onIdentity != nil {
		if err := o.onIdentity(ctx); err != nil {
			return provider.Identity{}, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return provider.Identity{}, fault.New(fault.UpstreamError, "no answer")
	case !known:
		return provider.Identity{}, fault.New(fault.TokenExpired, "Orchard does not accept this access token")
	}
	return who, nil
}

func (s *signOn) Revoke(ctx context.Context, t provider.Tokens) error {
	o := s.orchard
	if o.onRevoke != nil {
		if err := o.onRevoke(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revoked = append(o.revoked, t.AccessToken)
	delete(o.owners, t.AccessToken)
	return nil
}

// linked runs a test in a new environment in which Ines has just linked the account of Rowan at
// Orchard, whose access tokens have the given life.
func linked(t *testing.T, life time.Duration, test func(env *testEnv)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		env := unlinked(t, life)
		env.link(rowan)
		test(env)
	})
}

// unlinked returns an environment in which no user has linked an account yet.
func unlinked(t *testing.T, life time.Duration) *testEnv {
	env := newTestEnv(t)
	env.signOn.orchard = &orchard{
		life: life, account: rowan, scope: "read:tree", owners: map[string]string{}, names: map[string]string{rowan: "rowan", hazel: "hazel"},
	}
	env.Keeper = env.another()
	return env
}

// login returns the tokens of a user who has just signed in to an account of Orchard.
func (env *testEnv) login(account string) (provider.Identity, provider.Tokens) {
	o := env.signOn.orchard
	o.account = account
	return provider.Identity{Subject: account, Name: o.names[account]}, env.signOn.login()
}

func (env *testEnv) link(account string) grant.Record {
	env.Helper()
	who, tokens := env.login(account)
	r, err := env.Link(env.Context(), ines, who, tokens)
	if err != nil {
		env.Fatal(err)
	}
	return r
}

func (env *testEnv) access(refused string) grant.Access {
	env.Helper()
	a, err := env.Access(env.Context(), ines, refused)
	if err != nil {
		env.Fatal(err)
	}
	return a
}

// wantRevoked checks which access tokens Orchard was asked to revoke.
func (env *testEnv) wantRevoked(want ...string) {
	env.Helper()
	got := env.signOn.orchard.revoked
	if len(got) != len(want) {
		env.Fatalf("revoked %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			env.Fatalf("revoked %q, want %q", got, want)
		}
	}
}

// wantLinked checks that Ines's grant is of Rowan's account, and that it has a status and a
// revision.
func (env *testEnv) wantLinked(status grant.Status, revision int64) {
	env.Helper()
	r := env.status(ines)
	if r.Account != rowan || r.Scope == "" || r.Status != status || r.Revision != revision || r.Lease != "" {
		env.Errorf("record %+v; want %s of revision %d", r, status, revision)
	}
}
