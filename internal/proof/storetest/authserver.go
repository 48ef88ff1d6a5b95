package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
)

// login is what one login creates: a code, and the family and tokens that the code is redeemed
// for.
type login struct {
	code    authserver.Code
	family  authserver.Family
	access  authserver.Access
	refresh authserver.Refresh
}

// newLogin returns a login with every field filled, except those that are set later. The tokens
// live as long as the family: 30 days, extendable to 180.
func (s env) newLogin(subject string) login {
	now := s.clock.Now()
	expires := now.Add(30 * 24 * time.Hour)
	client := newClient(now)
	scopes := []identity.Scope{identity.Read, identity.Write}
	id := newID()
	permit := authserver.Permit{
		Subject: subject, Person: unicode, Account: beyondFloat, AccountName: "Fernhill Bikes",
		Client: client, Scopes: scopes, Fence: bounds, Resource: "https://mcp.fernhill.example/mcp",
	}
	return login{
		code: authserver.Code{
			Permit: permit, Hash: newHash(), Family: id,
			RedirectURI: "http://127.0.0.1:49152/callback?a=b", Challenge: newID(), ExpiresAt: now.Add(time.Minute),
		},
		family: authserver.Family{
			Permit: permit, ID: id, Key: allBytes(), Generation: 1,
			CreatedAt: now, RefreshedAt: now.Add(time.Second), ExpiresAt: expires, EndsAt: now.Add(180 * 24 * time.Hour),
		},
		access:  authserver.Access{Hash: newHash(), Scopes: scopes[:1], Generation: 1, ExpiresAt: expires},
		refresh: authserver.Refresh{Hash: newHash(), Generation: 1, ExpiresAt: expires},
	}
}

// bounds is a fence with every member.
var bounds = fence.Fence{
	Read:    &fence.Places{Projects: []int64{beyondFloat}, Repos: []string{"fernhill/shop"}, Boards: []string{"fernhill/3"}},
	Write:   &fence.Places{},
	NoPings: true, Lockdown: true,
}

// begin adds and redeems the login of a new person.
func (s env) begin(t *testing.T) login {
	t.Helper()
	l := s.newLogin(newSubject())
	s.finish(t, l)
	return l
}

// finish adds a login's code and redeems it.
func (s env) finish(t *testing.T, l login) {
	t.Helper()
	must(t, s.AddCode(t.Context(), l.code))
	must(t, s.redeem(t.Context(), l))
}

func (s env) redeem(ctx context.Context, l login) error {
	return s.Redeem(ctx, l.code, s.clock.Now(), l.family, l.access, l.refresh)
}

// wantUntouched stops the test unless a login is stored as it was after begin.
func (s env) wantUntouched(t *testing.T, l login) {
	t.Helper()
	f, r, err := s.Refresh(t.Context(), l.family.ID, l.refresh.Hash)
	must(t, err)
	wantSame(t, f, l.family)
	wantSame(t, r, l.refresh)
	f, a, _, err := s.Access(t.Context(), l.family.ID, l.access.Hash, "")
	must(t, err)
	wantSame(t, f, l.family)
	wantSame(t, a, l.access)
}

// wantNoAccess stops the test if the access token exists.
func (s env) wantNoAccess(t *testing.T, family string, token authserver.Hash) {
	t.Helper()
	_, _, _, err := s.Access(t.Context(), family, token, "")
	wantErr(t, err, authserver.ErrNotFound)
}

func (s env) wantNoRefresh(t *testing.T, family string, token authserver.Hash) {
	t.Helper()
	_, _, err := s.Refresh(t.Context(), family, token)
	wantErr(t, err, authserver.ErrNotFound)
}

// beyondFloat is an ID that a float64 cannot represent.
const beyondFloat = 1<<60 + 1

// newClient returns a client with every field filled.
func newClient(now time.Time) authserver.Client {
	return authserver.Client{
		ID: "c_" + newID(), Name: unicode, AuthMethod: "client_secret_basic", SecretHash: newHash(), Toolsets: []string{"tasks"},
		RedirectURIs: []string{"https://app.fernhill.example/" + strings.Repeat("ü", 100)}, CreatedAt: now.Add(-time.Hour), ExpiresAt: now.Add(90 * 24 * time.Hour),
	}
}

// newStep returns a step that lives for ten minutes.
func newStep(now time.Time) authserver.LoginState {
	return authserver.LoginState{Key: newHash(), Binding: newHash(), Body: allBytes(), ExpiresAt: now.Add(10 * time.Minute)}
}

func newHash() authserver.Hash {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	return authserver.Hash(hex.EncodeToString(b[:]))
}

func allBytes() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
