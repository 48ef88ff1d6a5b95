package authserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
)

func here(t testing.TB) context.Context { return identity.WithOrigin(t.Context(), origin) }

// RFC 6750, 3.1; MCP Security Best Practices, "Token Passthrough".
func TestVerifier_RefusesForeignTokens(t *testing.T) {
	k, family, s := loggedIn(t)
	v := authserver.NewVerifier(k.store, k.clock.Now)
	k.store.failing(1) // invalid tokens must not cause reads
	for _, token := range []string{
		"", "x", "BAhbB0kiAbB7ImNsaWVudF9pZCI6", "gho_16C7e42F292c6912E7710c838347Ae178B4a", s.RefreshToken, s.AccessToken + "x", " " + s.AccessToken,
		"bcm_at_" + family, "bcm_at_" + strings.ToUpper(family) + s.AccessToken[23:], "bcm_at_" + s.AccessToken,
	} {
		if c, _, err := v.Authenticate(here(t), token, ""); !errors.Is(err, mcphttp.ErrInvalidToken) || c.Subject != "" {
			t.Errorf("%q: %+v, %v", token, c, err)
		}
	}
	k.store.failing(0)
	for _, token := range []string{
		s.AccessToken[:len(s.AccessToken)-1] + "_", "bcm_at_" + strings.Repeat("0", 16) + s.AccessToken[23:], "bcm_at_" + s.RefreshToken[7:],
	} {
		if _, _, err := v.Authenticate(here(t), token, ""); !errors.Is(err, mcphttp.ErrInvalidToken) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

// family stores a family with one access token.
func family(store authserver.Store, now time.Time, change func(*authserver.Family, *authserver.Access)) (token string, err error) {
	const id = "0123456789abcdef"
	token = "bcm_at_" + id + "_" + strings.Repeat("s", 43)
	f := authserver.Family{
		Permit: authserver.Permit{Subject: "37s:1", Client: publicClient, Scopes: both, Resource: origin + "/mcp"},
		ID:     id, Key: []byte("key"), Generation: 1,
		CreatedAt: now, ExpiresAt: now.Add(time.Hour), EndsAt: now.Add(2 * time.Hour),
	}
	a := authserver.Access{Hash: authserver.HashOf(token), Scopes: both, ExpiresAt: now.Add(time.Minute)}
	if change != nil {
		change(&f, &a)
	}
	code := authserver.Code{Hash: "code", ExpiresAt: now.Add(time.Minute)}
	return token, errors.Join(store.AddCode(context.Background(), code),
		store.Redeem(context.Background(), code, now, f, a, authserver.Refresh{Hash: "refresh", ExpiresAt: f.ExpiresAt}))
}

// lenient is a store that returns expired items, as a table does until they are deleted.
type lenient struct {
	authserver.Accesses
	f authserver.Family
	a authserver.Access
}

func (l lenient) Access(context.Context, string, authserver.Hash, authserver.Hash) (authserver.Family, authserver.Access, bool, error) {
	return l.f, l.a, false, nil
}

func TestVerifier_ATokenEndsWithItsFamily(t *testing.T) { // RFC 6750, 3.1
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		change func(*authserver.Family, *authserver.Access)
		want   bool
	}{
		"lives":            {func(*authserver.Family, *authserver.Access) {}, true},
		"token expired":    {func(_ *authserver.Family, a *authserver.Access) { a.ExpiresAt = now }, false},
		"family revoked":   {func(f *authserver.Family, _ *authserver.Access) { f.RevokedAt = now.Add(-time.Minute) }, false},
		"family expired":   {func(f *authserver.Family, _ *authserver.Access) { f.ExpiresAt = now }, false},
		"family at an end": {func(f *authserver.Family, _ *authserver.Access) { f.EndsAt = now }, false},
		"of nothing":       {func(f *authserver.Family, a *authserver.Access) { *f, *a = authserver.Family{}, authserver.Access{} }, false},
	} {
		l := lenient{
			f: authserver.Family{ID: "f", Permit: authserver.Permit{Subject: "37s:1", Resource: origin + "/mcp"}, ExpiresAt: now.Add(time.Hour), EndsAt: now.Add(time.Hour)},
			a: authserver.Access{ExpiresAt: now.Add(time.Minute)},
		}
		test.change(&l.f, &l.a)
		v := authserver.NewVerifier(l, func() time.Time { return now })
		c, _, err := v.Authenticate(here(t), "bcm_at_0123456789abcdef_"+strings.Repeat("s", 43), "")
		if got := err == nil; got != test.want || !got && (!errors.Is(err, mcphttp.ErrInvalidToken) || c.Subject != "") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestVerifier_WritesOnceForARefreshAndNeverForALogin(t *testing.T) {
	k, _, s := loggedIn(t)
	v := authserver.NewVerifier(k.store, k.clock.Now)
	for range 3 {
		before, calls := len(k.store.writes()), k.store.calls
		for range 50 {
			if _, _, err := v.Authenticate(here(t), s.AccessToken, ""); err != nil {
				t.Fatal(err)
			}
		}
		wrote := k.store.writes()[before:]
		if refreshed := s.Scope == "read"; refreshed && !cmp.Equal(wrote, []string{"Confirm"}) || !refreshed && len(wrote) > 0 {
			t.Errorf("wrote %q", wrote)
		}
		if made := k.store.calls - calls - len(wrote); made != 50 {
			t.Errorf("%d reads", made)
		}
		s = k.issues(refreshing(s.RefreshToken, "scope", "read"))
	}
}

// Otherwise a stolen predecessor would still be accepted.
func TestVerifier_AFirstUseThatCannotBeStoredIsRefused(t *testing.T) { // RFC 9700, 4.14.2
	k, _, first := loggedIn(t)
	s := k.issues(refreshing(first.RefreshToken))
	v := authserver.NewVerifier(k.store, k.clock.Now)
	k.store.failing(2)
	if c, _, err := v.Authenticate(here(t), s.AccessToken, ""); !errors.Is(err, errDown) || c.Subject != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, _, err := v.Authenticate(here(t), s.AccessToken, ""); err != nil {
		t.Error(err)
	}
}

// A read of several items may return the family from before the rotation that issued the token.
func TestVerifier_ConfirmsAFamilyReadBeforeItsRotation(t *testing.T) { // RFC 9700, 4.14.2
	k, family, first := loggedIn(t, publicClient)
	s := k.issues(refreshing(first.RefreshToken))
	f, a, _, err := k.store.Store.Access(t.Context(), family, authserver.HashOf(s.AccessToken), "")
	if err != nil {
		t.Fatal(err)
	}
	f.Generation, f.Unconfirmed = 1, 0
	if _, _, err := authserver.NewVerifier(lenient{k.store, f, a}, k.clock.Now).Authenticate(here(t), s.AccessToken, ""); err != nil {
		t.Fatal(err)
	}
	k.clock.pass(11 * time.Minute)
	k.refuses(k.post(refreshing(first.RefreshToken)), http.StatusBadRequest, "invalid_grant")
}

func TestVerifier_TheAudienceIsThisOriginsEndpoint(t *testing.T) { // RFC 8707, 2
	for _, test := range []struct {
		resource, origin string
		want             bool
	}{
		{origin + "/mcp", origin, true},
		{origin + "/mcp/readonly", origin, true},
		{origin + "/mcp/x/todos", origin, true},
		{origin + "/mcp", "https://other.example", false},
		{origin + "/mcp", "http://mcp.fernhill.example", false},
		{origin + "/mcp", "", false},
		{"/mcp", "", false},
		{origin + "/mcpx", origin, false},
		{origin + "/other", origin, false},
		{origin, origin, false},
		{origin + ".evil.example/mcp", origin, false},
		{"", origin, false},
	} {
		k := newTokenEnv(t)
		token := must(family(authserver.NewStore(k.store), k.clock.Now(), func(f *authserver.Family, _ *authserver.Access) { f.Resource = test.resource }))
		_, _, err := authserver.NewVerifier(k.store, k.clock.Now).Authenticate(identity.WithOrigin(t.Context(), test.origin), token, "")
		if got := err == nil; got != test.want || !got && !errors.Is(err, mcphttp.ErrInvalidToken) {
			t.Errorf("%s at %s: %v", test.resource, test.origin, err)
		}
	}
}

func TestVerifier_AStoreFailureIsNotAnInvalidToken(t *testing.T) {
	k, _, s := loggedIn(t)
	v := authserver.NewVerifier(k.store, k.clock.Now)
	k.store.failing(1)
	if _, _, err := v.Authenticate(here(t), s.AccessToken, "x"); err == nil || errors.Is(err, mcphttp.ErrInvalidToken) {
		t.Errorf("%v", err)
	}
	if _, _, err := v.Authenticate(here(t), s.AccessToken, ""); err != nil {
		t.Errorf("%v", err)
	}
}

// MCP Security Best Practices, "Session Hijacking".
func TestVerifier_AnEndedSessionStaysEndedForItsConnection(t *testing.T) {
	k, _, s := loggedIn(t)
	_, others := k.login()
	v := authserver.NewVerifier(k.store, k.clock.Now)
	caller, _, err := v.Authenticate(here(t), s.AccessToken, "")
	if err != nil {
		t.Fatal(err)
	}
	ended := func(token, session string) bool {
		t.Helper()
		c, ended, err := v.Authenticate(here(t), token, session)
		if err != nil || c.Subject == "" {
			t.Fatal(c, err)
		}
		return ended
	}
	if ended(s.AccessToken, "one") {
		t.Error("ended before its end")
	}
	if err := v.End(identity.With(here(t), caller), "one"); err != nil {
		t.Fatal(err)
	}
	if !ended(s.AccessToken, "one") || ended(s.AccessToken, "two") || ended(others.AccessToken, "one") {
		t.Error("not that session, or not that alone, is ended")
	}
	for range 6 { // a session ID does not expire by itself
		k.clock.pass(29 * 24 * time.Hour)
		s = k.issues(refreshing(s.RefreshToken))
	}
	if !ended(s.AccessToken, "one") {
		t.Error("the session has come back")
	}
}

func TestVerifier_SessionsFailClosed(t *testing.T) {
	k := newTokenEnv(t)
	v := authserver.NewVerifier(k.store, k.clock.Now)
	if err := v.End(t.Context(), "one"); err == nil {
		t.Error("End without a caller succeeded")
	}
}

// behind is a catalog without tools.
type behind struct{}

func (behind) Toolsets() []string                                     { return nil }
func (behind) Scope(mcphttp.Selection, string) (identity.Scope, bool) { return "", false }
func (behind) Handler(mcphttp.Selection) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := identity.From(r.Context())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"subject":%q}}`, c.Subject)
	})
}

// RFC 6750, 3.1; RFC 8707, 2; MCP Security Best Practices, "Session Hijacking".
func TestVerifier_BehindTheGuard(t *testing.T) {
	k, _, s := loggedIn(t)
	v := authserver.NewVerifier(k.store, k.clock.Now)
	g := &mcphttp.Guard{Catalog: behind{}, Authenticator: v, Origin: func(*http.Request) string { return origin }}
	send := func(method, token, session, message string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, origin+"/mcp", strings.NewReader(message))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	opened := send("POST", s.AccessToken, "", initialize)
	session := opened.Header().Get("Mcp-Session-Id")
	if opened.Code != http.StatusOK || session == "" || !strings.Contains(opened.Body.String(), "37s:9007199254741210") {
		t.Fatalf("%d %v %s", opened.Code, opened.Header(), opened.Body)
	}
	for _, step := range []struct {
		name          string
		method, token string
		session       string
		want          int
		before        func()
	}{
		{"in the session", "POST", s.AccessToken, session, 200, nil},
		{"a token of another's", "POST", "bcm_at_" + s.RefreshToken[7:], session, 401, nil},
		{"the table is down", "POST", s.AccessToken, session, 503, func() { k.store.failing(1) }},
		{"ends", "DELETE", s.AccessToken, session, 204, nil},
		{"after its end", "POST", s.AccessToken, session, 404, nil},
		{"without a session", "POST", s.AccessToken, "", 200, nil},
		{"eight hours later", "POST", s.AccessToken, "", 401, func() { k.clock.pass(8 * time.Hour) }},
	} {
		if step.before != nil {
			step.before()
		}
		if w := send(step.method, step.token, step.session, list); w.Code != step.want {
			t.Errorf("%s: %d %s", step.name, w.Code, w.Body)
		}
	}
}
